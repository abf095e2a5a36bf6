import { messages } from '@regie/contract/messages.ts';
import { findPayoutRefusal, formatPayoutNumber, type PayoutState, payoutMessages } from '@regie/contract/payouts.ts';
import type { PayoutEditForm, PayoutRequestForm, payoutRoutes } from '@regie/contract/routes/payouts.ts';
import { states } from '@regie/contract/states.ts';
import type { z } from '@regie/contract/zod.ts';
import { toCents, toDecimal, wholeCents } from '@regie/values/decimal.ts';
import { maskAccountNumber } from '@regie/values/iban.ts';
import { sql } from 'kysely';
import { writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { judgePayments, sendPayments } from '#src/modules/money/signatures/payments.service.ts';
import { lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { maskDestination } from '#src/modules/people/accounts/billing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as batches from './batches.queries.ts';
import { insertPayouts, type NewPayout, postPaid, reversePayouts } from './payout-postings.service.ts';
import * as queries from './payouts.queries.ts';
import * as rules from './payouts.rules.ts';

type ListQuery = z.output<typeof payoutRoutes.listCancelledPayouts.query>;

const idsOf = (rows: readonly queries.PayoutRow[]) => rows.map(({ id }) => id);

export async function listPayouts(db: Database, state: PayoutState, query: ListQuery) {
  const { rows, meta } = await queries.listPayouts(db, states.payout.toStored[state], query);
  const judged = state === 'PENDING' ? await judgePayments(db, idsOf(rows), false) : undefined;
  return { data: rows.map((row) => rules.toWirePayout(row, judged?.get(row.id))), meta };
}

export async function getPayout(db: Database, id: number) {
  const row = orNotFound(await queries.findPayout(db, id));
  const judged = row.state === 'pending' ? await judgePayments(db, [id], false) : undefined;
  const { iban } = row.beneficiary;
  return {
    ...rules.toWirePayout(row, judged?.get(id)),
    account: { ...row.beneficiary, iban: iban === null ? null : maskAccountNumber(iban) },
    ...(await queries.findPayoutActors(db, id)),
  };
}

/** The access is journalled. @throws not_found, conflict for PayPal */
export async function revealAccount(trx: Trx, caller: Caller, id: number): Promise<{ iban: string }> {
  const row = orNotFound(await queries.findPayout(trx, id));
  const { iban } = row.beneficiary;
  if (iban === null) throw conflict(messages.notBank);
  const after = { destination: maskDestination(row.beneficiary) };
  await writeAudit(trx, caller, { action: 'payout.reveal', entityId: id, after });
  return { iban };
}

/** With the account number: the access is journalled. @throws not_found, conflict for an unpaid payout */
export async function getReceipt(db: Trx, caller: Caller, id: number) {
  const row = orNotFound(await queries.findPayout(db, id));
  if (row.state !== 'paid' || !row.paidAt) throw conflict(payoutMessages.notPaid);
  const after = { destination: maskDestination(row.beneficiary) };
  await writeAudit(db, caller, { action: 'payout.receipt', entityId: id, after });
  const { house } = await readSettings(db);
  return { ...rules.toWirePayout(row), paidAt: row.paidAt.getTime(), account: row.beneficiary, house };
}

/* Requests */

const toJournal = (row: queries.PayoutRow) => ({
  state: states.payout.toWire[row.state],
  amount: row.amountEur,
  fee: row.feeEur,
  userId: row.accountId,
  type: row.beneficiary.type,
  destination: maskDestination(row.beneficiary),
});

/** Concurrent requests cannot exceed the balance (product §33.21). @throws validation_failed */
export async function requestPayout(trx: Trx, caller: Caller, form: PayoutRequestForm): Promise<number> {
  const { payoutFeeEur } = await readSettings(trx);
  const facts = await queries.lockForRequest(trx, form.userId, form.account);
  if (!facts) throw invalid({ userId: messages.unknownAccount });
  if (facts.state !== 'enabled') throw invalid({ global: messages.accountDisabled });
  if (facts.billingId === null) throw invalid({ account: payoutMessages.account });
  const cents = toCents(form.amount);
  if (cents > wholeCents(facts.balance)) throw invalid({ amount: payoutMessages.amountOverBalance });
  const refusal = rules.findAmountRefusal(cents, payoutFeeEur);
  if (refusal !== undefined) throw invalid({ amount: refusal });
  const request = { accountId: form.userId, billingId: facts.billingId, amount: toDecimal(cents) };
  const [requested] = await requestPlanned(trx, caller, [request], payoutFeeEur);
  if (!requested) throw new Error('no payout was added');
  return requested.payoutId;
}

export async function getRequestOptions(db: Database, accountId: number) {
  const [account] = await queries.findAccounts(db, [accountId]);
  if (!account) throw notFound();
  const { payoutFeeEur } = await readSettings(db);
  const billings = await queries.listBillings(db, accountId);
  const preferred = account.preferredBillingId;
  const available = wholeCents(account.balance);
  return {
    userId: account.id,
    fname: account.firstName,
    lname: account.lastName,
    email: account.email,
    state: states.account.toWire[account.state],
    income: toWireNumber(account.balance),
    available: toWireNumber(toDecimal(available)),
    fee: payoutFeeEur,
    obstacle: rules.findAmountRefusal(available, payoutFeeEur, payoutMessages.balanceWithinFee) ?? null,
    ...(await getPending(db, accountId)),
    accounts: billings
      .toSorted((a, b) => Number(b.beneficiary.id === preferred) - Number(a.beneficiary.id === preferred))
      .map(({ beneficiary, isRecentlyChanged }) => ({
        id: beneficiary.id,
        type: beneficiary.type,
        owner: beneficiary.owner,
        destination: maskDestination(beneficiary),
        isRecentlyChanged,
      })),
  };
}

export const { findPendingBatch } = queries;

export async function getPending(db: Database, accountId: number) {
  const { total, count } = await queries.sumPendingPayouts(db, accountId);
  const pendingBatch = await findPendingBatch(db, [accountId]);
  return { pendingEur: toWireNumber(total), pendingCount: count, pendingBatch };
}

/** What can be paid now, or why nothing can. */
export async function getPayable(db: Database, accountId: number) {
  const [[account], billings, { payoutFeeEur }] = await Promise.all([
    queries.findAccounts(db, [accountId]),
    queries.listBillings(db, accountId),
    readSettings(db),
  ]);
  if (!account) throw notFound();
  const obstacle = rules.findObstacle(account, payoutFeeEur) ?? null;
  const isSuspended = billings.every(({ isRecentlyChanged }) => isRecentlyChanged);
  const reason = obstacle ?? (isSuspended ? payoutMessages.recentlyChanged : null);
  return { payableEur: reason === null ? toWireNumber(toDecimal(wholeCents(account.balance))) : 0, reason, obstacle };
}

/** Requests these, and cancels what they replace: its amounts are part of theirs. */
export async function requestPlanned(
  trx: Trx,
  caller: Caller,
  wanted: readonly (NewPayout & { replaces?: readonly queries.PayoutRow[] })[],
  payoutFeeEur: number,
): Promise<{ userId: number; payoutId: number; amount: string }[]> {
  if (wanted.length === 0) return [];
  const { adminId } = caller;
  const replaced = idsOf(wanted.flatMap(({ replaces }) => replaces ?? []));
  if (replaced.length > 0) await reversePayouts(trx, replaced, { what: 'all', adminId, done: ' remplacé' });
  const payouts = await insertPayouts(trx, wanted, { adminId, feeEur: toDecimal(toCents(payoutFeeEur)) });
  const ids = new Map(payouts.map(({ id, accountId, billingId }) => [`${accountId} ${billingId}`, id]));
  const requested = wanted.map(({ accountId: userId, amount, billingId: billingAccountId, replaces = [] }) => {
    const payoutId = ids.get(`${userId} ${billingAccountId}`);
    if (payoutId === undefined) throw new Error('insertPayouts left out an account');
    return { userId, payoutId, amount, billingAccountId, replaces };
  });
  const cancelled = requested.flatMap(({ payoutId, replaces }) =>
    replaces.map((row) => ({ row, id: row.id, reason: payoutMessages.replaced(formatPayoutNumber(payoutId)) })),
  );
  if (cancelled.length > 0) await queries.cancelPayouts(trx, cancelled, { adminId, isReturn: false });
  await writeAudits(trx, caller, [
    ...cancelled.map(({ row, id, reason }) => ({
      action: 'payout.cancel' as const,
      entityId: id,
      before: toJournal(row),
      after: { ...toJournal(row), state: 'CANCEL', reason },
    })),
    ...requested.map(({ payoutId: entityId, replaces: _, ...after }) => ({
      action: 'payout.request' as const,
      entityId,
      after,
    })),
  ]);
  return requested;
}

/** Returns the accounts left out, with reasons. */
export async function requestBalances(
  trx: Trx,
  caller: Caller,
  users: readonly number[],
): Promise<z.input<typeof payoutRoutes.requestBalances.response>> {
  const { payoutFeeEur } = await readSettings(trx);
  await queries.lockAccounts(trx, users);
  await queries.lockBalances(trx, users);
  const { wanted, skipped } = rules.planBalances(await queries.findAccounts(trx, users), payoutFeeEur);
  const requested = await requestPlanned(trx, caller, wanted, payoutFeeEur);
  return { requested: requested.map((one) => ({ ...one, amount: toWireNumber(one.amount) })), skipped };
}

/** For callers that insert payouts as paid. */
export const freezeBeneficiaries = (trx: Trx, ids: readonly number[]): Promise<void> =>
  queries.freezeBeneficiaries(trx, ids, null);

/* Moves */

const needs = { pending: 'edit_pending_payout', paid: 'edit_paid_payout', cancelled: undefined } as const;

async function lockOwn(trx: Trx, caller: Caller, id: number): Promise<queries.PayoutRow> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  // Lock first: the sums of the last 24 hours must not change during the check.
  await lockSignatures(trx);
  await queries.lockPayouts(trx, [id]);
  const row = orNotFound(await queries.findPayout(trx, id));
  const capability = needs[row.state];
  if (capability !== undefined && !caller.can(capability)) throw new AppError('forbidden');
  return row;
}

/** Takes a changing payout out of its draft batch. */
async function leaveBatch(trx: Trx, caller: Caller, { id, amountEur, ...row }: queries.PayoutRow): Promise<void> {
  if (row.batchId === null || row.exportedAt) return;
  await batches.changeMembership(trx, id, row.batchId, { isIn: false });
  const before = { payoutId: id, amount: amountEur };
  await writeAudit(trx, caller, { action: 'payout_batch.shrink', entityId: row.batchId, before });
}

/** Puts a payment taken back into its former batch, if that is still open. */
async function rejoinBatch(trx: Trx, caller: Caller, { id, amountEur }: queries.PayoutRow): Promise<number | null> {
  const batchId = await queries.findLeftBatch(trx, id);
  if (batchId === undefined) return null;
  await batches.changeMembership(trx, id, batchId, { isIn: true });
  const after = { payoutId: id, amount: amountEur };
  await writeAudit(trx, caller, { action: 'payout_batch.rejoin', entityId: batchId, after });
  return batchId;
}

/**
 * Moves a payout along the table of product §33.19; its present state changes nothing.
 * @throws not_found, forbidden, conflict
 */
export async function editPayout(trx: Trx, caller: Caller, id: number, form: PayoutEditForm) {
  const row = await lockOwn(trx, caller, id);
  const data = { payoutId: id, payoutState: form.status, batchId: null };
  if (states.payout.toWire[row.state] === form.status) return { data, message: payoutMessages.alreadySo };
  const isPayment = row.state === 'pending' && form.status === 'PAID';
  const refusal = findPayoutRefusal(form.status, rules.toWirePayout(row));
  if (refusal !== undefined) throw conflict(refusal);
  const isTakenBack = form.status === 'PENDING' && rules.canTakeBack(row, caller.adminId);
  const reason = form.reason || null;
  const warnings = row.state === 'paid' && form.status === 'CANCEL' && reason === null ? [payoutMessages.noReason] : [];
  await leaveBatch(trx, caller, row);
  const { adminId } = caller;
  let batchId: number | null = null;
  if (isPayment) {
    await sendPayments(trx, caller, [id]);
    await freezeBeneficiaries(trx, [id]);
    await queries.markPaid(trx, [id], adminId);
    await postPaid(trx, [id], adminId);
  } else if (form.status === 'PENDING') {
    if (isTakenBack) batchId = await rejoinBatch(trx, caller, row);
    await sql`
      UPDATE payouts SET state = 'pending', paid_at = NULL, paid_by = NULL, beneficiary = NULL
       WHERE id = ${id}`.execute(trx);
    await reversePayouts(trx, [id], { what: 'payment', adminId, done: ' remis en attente' });
  } else {
    const isReturn = row.state === 'paid';
    await queries.cancelPayouts(trx, [{ id, reason }], { adminId, isReturn });
    const done = isReturn ? '\u00a0: paiement rejeté' : ' annulé';
    await reversePayouts(trx, [id], { what: 'all', adminId, done });
  }
  await writeAudit(trx, caller, {
    action: isPayment ? 'payout.pay' : isTakenBack ? 'payout.take_back' : undoAction(row, form.status),
    entityId: id,
    before: toJournal(row),
    after: {
      ...toJournal(row),
      state: form.status,
      ...(reason === null ? {} : { reason }),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  return { data: { ...data, batchId }, warnings };
}

const undoAction = (row: queries.PayoutRow, status: PayoutState) =>
  status === 'PENDING' ? 'payout.reopen' : row.state === 'paid' ? 'payout.return' : 'payout.cancel';

/** @throws not_found, forbidden, conflict */
export async function deletePayout(trx: Trx, caller: Caller, id: number): Promise<void> {
  const row = await lockOwn(trx, caller, id);
  const refusal = findPayoutRefusal('delete', rules.toWirePayout(row));
  if (refusal !== undefined) throw conflict(refusal);
  await leaveBatch(trx, caller, row);
  await trx.updateTable('payouts').set({ deletedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await reversePayouts(trx, [id], { what: 'all', adminId: caller.adminId, done: ' supprimé' });
  await writeAudit(trx, caller, { action: 'payout.delete', entityId: id, before: toJournal(row) });
}

/** From now on the payment can only be returned. @throws not_found, conflict */
export async function markDownloaded(trx: Trx, caller: Caller, id: number): Promise<void> {
  await queries.lockPayouts(trx, [id]);
  const row = orNotFound(await queries.findPayout(trx, id));
  if (row.state !== 'paid') throw conflict(payoutMessages.notPaid);
  if (row.downloadedAt) return;
  await trx.updateTable('payouts').set({ downloadedAt: sql<Date>`now()` }).where('id', '=', id).execute();
  await writeAudit(trx, caller, { action: 'payout.download', entityId: id, after: toJournal(row) });
}

/* Unpaid accounts */

export async function sumPayable(db: Database): Promise<number> {
  return toWireNumber(await queries.sumPayable(db, (await readSettings(db)).payoutFeeEur));
}

export async function listUnpaidAccounts(db: Database, query: z.output<typeof payoutRoutes.listUnpaidAccounts.query>) {
  const { payoutFeeEur } = await readSettings(db);
  const { rows, meta } = await queries.listUnpaidAccounts(db, query);
  return {
    data: rows.map((row) => ({
      ...row,
      fname: row.firstName,
      lname: row.lastName,
      income: toWireNumber(row.balance),
      role: states.role.toWire[row.role],
      state: states.account.toWire[row.state],
      pendingAmount: toWireNumber(row.pendingEur),
      obstacle: rules.findBalanceRefusal(row, payoutFeeEur) ?? null,
    })),
    meta,
  };
}
