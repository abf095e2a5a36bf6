import { messages } from '@regie/contract/messages.ts';
import { minPayoutEur, type PreflightProblem, payoutMessages } from '@regie/contract/payouts.ts';
import type { Everyone, Preflight, PreflightRow } from '@regie/contract/routes/payouts.ts';
import { states } from '@regie/contract/states.ts';
import { toCents, toDecimal, wholeCents } from '@regie/values/decimal.ts';
import { toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import type { JudgedPayment } from '#src/modules/money/signatures/payments.service.ts';
import { maskDestination } from '#src/modules/people/accounts/billing.service.ts';
import { findFileProblems } from './batch-files.rules.ts';
import type { NewPayout } from './payout-postings.service.ts';
import type { AccountRow, AccountState, FormerPayment, PayoutRow } from './payouts.queries.ts';

export function toWirePayout(row: PayoutRow, judged?: JudgedPayment) {
  return {
    ...toWireRow(row),
    payoutId: row.id,
    userId: row.accountId,
    payoutState: states.payout.toWire[row.state],
    payoutAmount: toWireNumber(row.amountEur),
    payoutFee: toWireNumber(row.feeEur),
    payoutNet: toWireNumber(row.netEur),
    payoutDownloaded: row.downloadedAt ? (1 as const) : (0 as const),
    payoutCreatedAt: row.createdAt.getTime(),
    userFname: row.firstName,
    userLname: row.lastName,
    userEmail: row.email,
    userIncome: toWireNumber(row.balance),
    userState: states.account.toWire[row.accountState],
    type: row.beneficiary.type,
    owner: row.beneficiary.owner,
    destination: maskDestination(row.beneficiary),
    isExported: row.exportedAt !== null,
    unsignedEur: toWireNumber(judged?.facts.unsignedEur ?? '0'),
    isNewDestination: judged?.facts.isNewDestination ?? false,
    needsSignatures: lacksSignatures(judged),
  };
}

const lacksSignatures = (judged: JudgedPayment | undefined): boolean =>
  judged !== undefined && judged.reasons.length > 0 && !judged.isComplete;

/** How many payments of one act lack signatures, and why. */
export function countUnsigned(judged: Iterable<JudgedPayment>): Pick<Preflight, 'needSignatures' | 'signatureReasons'> {
  const lacking = [...judged].filter(lacksSignatures);
  return {
    needSignatures: lacking.length,
    signatureReasons: [...new Set(lacking.flatMap(({ reasons }) => reasons))],
  };
}

const takeBackMs = 10 * 60 * 1000;

/** Whether this admin just marked it as paid: then it goes back into its batch (product §33.29). */
export const canTakeBack = (
  { paidAt, paidBy }: Pick<PayoutRow, 'paidAt' | 'paidBy'>,
  adminId: number | null,
  now = Date.now(),
): boolean => paidAt !== null && paidBy === adminId && now - paidAt.getTime() < takeBackMs;

/** Why nobody can request this amount. */
export function findAmountRefusal(
  cents: bigint,
  feeEur: number,
  withinFee: (fee: string) => string = payoutMessages.amountWithinFee,
): string | undefined {
  const feeCents = toCents(feeEur);
  // Where the fee is the higher bound, it is the only reason.
  if (cents <= feeCents) return withinFee(toFrenchEuros(toDecimal(feeCents)));
  return cents < toCents(minPayoutEur) ? payoutMessages.balanceTooSmall : undefined;
}

/** Why nothing of a balance can be requested. */
export function findObstacle(
  account: { state: AccountState; hasBilling: boolean; balance: string },
  feeEur: number,
): string | undefined {
  if (account.state !== 'enabled') return messages.accountDisabled;
  if (!account.hasBilling) return payoutMessages.noBilling;
  return findAmountRefusal(wholeCents(account.balance), feeEur, payoutMessages.balanceWithinFee);
}

/** Why a whole balance cannot be requested in bulk. */
export function findBalanceRefusal(
  account: { state: AccountState; preferredBillingId: number | null; hasBilling: boolean; balance: string },
  feeEur: number,
): string | undefined {
  // Where the payout goes can be chosen; a balance that is too small cannot.
  return (
    findObstacle(account, feeEur) ?? (account.preferredBillingId === null ? payoutMessages.severalAccounts : undefined)
  );
}

interface Balances {
  wanted: NewPayout[];
  skipped: { userId: number; name: string; amountEur: number; reason: string }[];
}

/** The whole balances that can be requested, to the details last paid to, and why the others cannot. */
export function planBalances(accounts: readonly AccountRow[], payoutFeeEur: number): Balances {
  const plan: Balances = { wanted: [], skipped: [] };
  for (const account of accounts) {
    const { id, firstName, lastName, balance, preferredBillingId } = account;
    const reason = findBalanceRefusal(account, payoutFeeEur);
    if (reason === undefined && preferredBillingId !== null) {
      plan.wanted.push({ accountId: id, billingId: preferredBillingId, amount: toDecimal(wholeCents(balance)) });
    } else {
      plan.skipped.push({
        userId: id,
        name: `${firstName} ${lastName}`.trim(),
        amountEur: toWireNumber(toDecimal(wholeCents(balance))),
        reason: reason ?? payoutMessages.account,
      });
    }
  }
  return plan;
}

/** `batchId` is the batch being checked again; being in it is no problem. */
export function findProblems(
  row: PayoutRow,
  options: { batchId: number | null; largeEur: number },
): PreflightProblem[] {
  const problems: PreflightProblem[] = [];
  if (row.state !== 'pending' || row.exportedAt) problems.push('not_pending');
  if (row.batchId !== null && row.batchId !== options.batchId) problems.push('in_batch');
  if (row.accountState !== 'enabled') problems.push('account_closed');
  if (toWireNumber(row.netEur) < 0.01) problems.push('net_too_small');
  if (row.isBillingDeleted) problems.push('billing_deleted');
  if (row.isRecentlyChanged) problems.push('recently_changed');
  problems.push(...findFileProblems(row.beneficiary));
  if (row.balance.startsWith('-')) problems.push('negative_balance');
  if (toCents(row.amountEur) > toCents(options.largeEur)) problems.push('large_amount');
  if (row.isPayeeDoubtful) problems.push('payee_doubtful');
  if (row.isRejectedDestination) problems.push('bank_rejected');
  return problems;
}

/** Why the account has another payout: of its others, in the same batch to come or in earlier ones. */
export function findApart(
  { id, destination }: Pick<PayoutRow, 'id' | 'destination'>,
  peers: readonly { id?: number; batchId: number | null; destination: string }[],
): Pick<Everyone['rows'][number], 'apart' | 'apartBatchId'> {
  const others = peers.filter((peer) => peer.id !== id);
  const there = others.filter((peer) => peer.destination === destination);
  const apartBatchId = there.find(({ batchId }) => batchId !== null)?.batchId ?? null;
  const apart =
    apartBatchId !== null ? 'batch' : there.length > 0 ? 'signed' : others.length > 0 ? 'destination' : null;
  return { apart, apartBatchId };
}

export function findChanges(
  { amountEur }: Pick<PayoutRow, 'amountEur'>,
  former: FormerPayment | undefined,
): Pick<PreflightRow, 'changes' | 'lastEur'> {
  const lastEur = former?.lastEur ?? null;
  if (lastEur === null) return { changes: ['first_payment'], lastEur };
  const changes: PreflightRow['changes'] = [];
  if (!former?.isKnown) changes.push('new_destination');
  if (toCents(amountEur) >= 3n * toCents(lastEur)) changes.push('much_more');
  return { changes, lastEur: toWireNumber(lastEur) };
}
