import { createHash } from 'node:crypto';
import { messages } from '@regie/contract/messages.ts';
import { payoutMessages, preflightProblems } from '@regie/contract/payouts.ts';
import { type Everyone, maxBatch } from '@regie/contract/routes/payouts.ts';
import { toCents, toDecimal } from '@regie/values/decimal.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { judgePayments } from '#src/modules/money/signatures/payments.service.ts';
import { lockSignatures } from '#src/modules/money/signing/signing.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { isBlocking, isWarned, judge, judgeTogether, sumCents, writeBatch } from './batches.service.ts';
import * as queries from './payouts.queries.ts';
import * as rules from './payouts.rules.ts';
import { requestPlanned } from './payouts.service.ts';

/** A pending payout, or with a negative id one to be requested. */
interface Candidate extends queries.PayoutRow {
  replaces: queries.PayoutRow[];
}

type Judged = ReturnType<typeof judge> & { candidate: Candidate };

/**
 * Requests every payable balance and batches it with the loose pending payouts, as one payout per account and
 * destination; blocked ones are left out with the reason.
 * @throws conflict when the dry run showed something else; validation_failed for unconfirmed warnings, too many payouts
 * or none
 */
export async function payEveryone(
  trx: Trx,
  caller: Caller,
  form: { dryRun: boolean; version?: string | undefined; confirmWarnings: boolean },
): Promise<Everyone> {
  if (!form.dryRun) {
    await lockSignatures(trx);
    await queries.lockEveryone(trx);
  }
  const { payoutFeeEur, payoutAlertEur } = await readSettings(trx);
  const { candidates, leftOut } = await findCandidates(trx, payoutFeeEur);
  const former = await queries.findFormerPayments(trx, candidates);
  const judged = candidates.map((candidate) => ({
    ...judge(candidate, former.get(candidate.id), payoutAlertEur),
    candidate,
  }));
  const payable = judgeTogether(judged.filter(({ row }) => !isBlocking(row)));
  const { rows, payments } = await readRows(trx, payable, toDecimal(toCents(payoutFeeEur)));
  const everyone: Everyone = {
    batchId: null,
    version: hash(payable),
    rows,
    leftOut: [...leftOut, ...judged.filter(({ row }) => isBlocking(row)).map(leaveOut)],
    netEur: toWireNumber(toDecimal(sumCents(payable.map(({ candidate }) => candidate.netEur)))),
    hasWarnings: rows.some(isWarned),
    ...rules.countUnsigned(payments.values()),
  };
  if (form.dryRun) return everyone;
  if (form.version !== everyone.version) throw conflict(payoutMessages.everyoneChanged);
  if (rows.length === 0) throw invalid({ payouts: payoutMessages.batchEmpty });
  if (rows.length > maxBatch) throw invalid({ payouts: messages.maxItems(maxBatch) });
  if (everyone.hasWarnings && !form.confirmWarnings) throw invalid({ confirmWarnings: payoutMessages.batchWarned });
  const requested = await requestPlanned(trx, caller, wantedOf(payable), payoutFeeEur);
  const payoutIds = [...rows.flatMap(({ payoutId }) => payoutId ?? []), ...requested.map(({ payoutId }) => payoutId)];
  const totalEur = toWireNumber(toDecimal(sumCents(payable.map(({ candidate }) => candidate.amountEur))));
  return { ...everyone, batchId: await writeBatch(trx, caller, { payoutIds, rows, totalEur }) };
}

/** One payout per account and destination; signed ones stay, and batched ones are not among them. */
async function findCandidates(db: Database, payoutFeeEur: number) {
  const accounts = await queries.findAccounts(db, await queries.findUnpaidIds(db));
  // A balance within the fee may be added to a payout: only their sum is compared with it.
  const { wanted, skipped } = rules.planBalances(accounts, 0);
  const fee = toCents(payoutFeeEur);
  const feeEur = toDecimal(fee);
  const planned = wanted.map((one, index) => ({ ...one, id: -1 - index }));
  const balances = await queries.findIfRequested(db, queries.planRows(planned, feeEur));
  const loose = await queries.findLoosePayouts(db);
  const candidates = loose.filter(({ isSigned }) => isSigned).map(alone);
  const leftOut: Everyone['leftOut'] = skipped.map((one) => ({ ...one, payoutId: null, billingId: null }));
  const groups = Map.groupBy(
    [...balances, ...loose.filter(({ isSigned }) => !isSigned)],
    ({ accountId, destination }) => `${accountId} ${destination}`,
  );
  for (const group of groups.values()) {
    const [first] = group;
    const replaces = group.filter(({ id }) => id > 0);
    const cents = sumCents(group.map(({ amountEur }) => amountEur));
    if (!first || (first.id > 0 && group.length === 1) || cents <= fee) {
      candidates.push(...replaces.map(alone));
      leftOut.push(...group.filter(({ id }) => id < 0).map((row) => tooSmall(row, payoutFeeEur)));
    } else {
      const [amountEur, netEur] = [toDecimal(cents), toDecimal(cents - fee)];
      candidates.push({ ...first, id: -1 - candidates.length, amountEur, feeEur, netEur, replaces });
    }
  }
  return { candidates: candidates.toSorted(byAmount), leftOut };
}

const alone = (row: queries.PayoutRow): Candidate => ({ ...row, replaces: [] });

const byAmount = (a: Candidate, b: Candidate) =>
  Number(b.netEur) - Number(a.netEur) || a.accountId - b.accountId || b.id - a.id;

const tooSmall = (row: queries.PayoutRow, payoutFeeEur: number): Everyone['leftOut'][number] => ({
  userId: row.accountId,
  name: `${row.firstName} ${row.lastName}`.trim(),
  amountEur: toWireNumber(row.amountEur),
  reason: rules.findAmountRefusal(toCents(row.amountEur), payoutFeeEur, payoutMessages.balanceWithinFee) ?? '',
  payoutId: null,
  billingId: null,
});

const leaveOut = ({ row, candidate }: Judged): Everyone['leftOut'][number] => ({
  userId: candidate.accountId,
  name: row.name,
  amountEur: row.payoutAmount,
  reason: row.problems.map((problem) => preflightProblems[problem]).find((problem) => problem.isBlocking)?.label ?? '',
  payoutId: (isPlanned(candidate) ? candidate.replaces[0]?.id : candidate.id) ?? null,
  billingId: candidate.billingAccountId,
});

const isPlanned = ({ id }: Candidate) => id < 0;

/** The payouts to be requested. */
const wantedOf = (payable: readonly Judged[]) =>
  payable
    .map(({ candidate }) => candidate)
    .filter(isPlanned)
    .map(({ id, accountId, billingAccountId: billingId, amountEur: amount, replaces }) => ({
      ...{ id, accountId, billingId, amount, replaces },
    }));

async function readRows(db: Database, payable: readonly Judged[], feeEur: string) {
  const candidates = payable.map(({ candidate }) => candidate);
  const batched = await queries.findBatchedPayouts(
    db,
    candidates.map(({ accountId }) => accountId),
  );
  const peers = Map.groupBy([...candidates, ...batched], ({ accountId }) => accountId);
  const payments = await judgePayments(
    db,
    candidates.map(({ id }) => id),
    true,
    {
      rows: queries.planRows(wantedOf(payable), feeEur),
      replaced: candidates.flatMap(({ replaces }) => replaces.map(({ id }) => id)),
    },
  );
  return {
    rows: payable.map(({ row, candidate }) => ({
      ...row,
      payoutId: isPlanned(candidate) ? null : candidate.id,
      replaces: candidate.replaces.map(({ id }) => id),
      ...rules.findApart(candidate, peers.get(candidate.accountId) ?? []),
    })),
    payments,
  };
}

function hash(payable: readonly Judged[]): string {
  const sha256 = createHash('sha256');
  for (const { row, candidate } of payable) {
    const ids = [isPlanned(candidate) ? null : candidate.id, ...candidate.replaces.map(({ id }) => id)];
    sha256.update(`${candidate.accountId} ${ids} ${row.payoutNet} ${candidate.destination} ${row.problems.join()}\n`);
  }
  return sha256.digest('hex');
}
