import { toDecimal, wholeCents } from '@regie/values/decimal.ts';
import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import type { Posted } from '#src/modules/money/ledger/ledger.service.ts';
import { postPaid, postRequested, reversePayouts } from '#src/modules/money/payouts/payout-postings.service.ts';
import { freezeBeneficiaries } from '#src/modules/money/payouts/payouts.service.ts';
import { dayAfterMonth, instantOn, reportMonthCount, reportMonths } from './calendar.ts';
import { copyRows } from './copy-rows.ts';
import { reserveIds, type Target } from './load-catalogue.ts';
import { at, Random, seedOf } from './random.ts';
import { payoutCancelReasons } from './words.ts';

const feeCents = 60;
const minimumCents = 5000;
/** Above this two signatures are needed (product §33.23). */
const maximumCents = 950_000;

type Outcome = 'pending' | 'paid' | 'cancelled' | 'deleted' | 'returned';

interface Candidate {
  accountId: number;
  /** The account's index in the whole demo, independent of ids. */
  ordinal: number;
  balance: string;
  billingIds: number[];
}

type Payout = NonNullable<ReturnType<typeof inventPayout>> & { id: number };

/**
 * Requests the payouts that follow a month's reports, never above the balance, and settles them by the state table of
 * product §33.19, with their ledger entries.
 * @returns number of payouts
 */
export async function loadPayouts(
  target: Target,
  month: number,
  options: { accountIds: readonly number[]; firstOrdinal: number; adminId: number | null },
): Promise<number> {
  const candidates = await findCandidates(target.trx, options);
  const ids = await reserveIds(target.trx, 'payouts', candidates.length);
  const payouts: Payout[] = [];
  for (const candidate of candidates) {
    const payout = inventPayout(candidate, month, payouts.length);
    if (payout) payouts.push({ id: at(ids, payouts.length), ...payout });
  }
  await copyRows(
    target.client,
    'payouts',
    payouts.map((payout) => toRow(payout, options.adminId)),
  );
  await freezeBeneficiaries(
    target.trx,
    payouts.filter(({ outcome }) => outcome === 'paid' || outcome === 'returned').map(({ id }) => id),
  );
  await postPayouts(target.trx, payouts, options.adminId);
  return payouts.length;
}

async function findCandidates(
  trx: Trx,
  { accountIds, firstOrdinal }: { accountIds: readonly number[]; firstOrdinal: number },
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    SELECT b.account_id, ${firstOrdinal} + d.position - 1 AS ordinal, b.amount AS balance,
           (SELECT json_agg(p.id ORDER BY p.id) FROM billing_accounts p WHERE p.account_id = b.account_id) AS billing_ids
      FROM unnest(${accountIds}::bigint[]) WITH ORDINALITY AS d (account_id, position)
      JOIN ledger_balances b ON b.account_id = d.account_id
      JOIN accounts a ON a.id = b.account_id
     WHERE b.currency = 'EUR' AND b.amount >= ${minimumCents / 100}
       AND a.state = 'enabled'
       AND EXISTS (SELECT FROM billing_accounts p WHERE p.account_id = b.account_id)
     ORDER BY d.position`.execute(trx);
  return rows;
}

function inventPayout(candidate: Candidate, month: number, rank: number) {
  const random = new Random(seedOf('payout', candidate.ordinal, month));
  const isLatest = month === reportMonthCount - 1;
  if (!random.chance(isLatest ? 0.3 : 0.16)) return undefined;
  const arrival = dayAfterMonth(at(reportMonths, month));
  const requestedDay = arrival + 9 + Math.floor((rank % 60) / 12);
  const whole = Number(wholeCents(candidate.balance));
  const wanted = random.chance(0.3) && whole >= 10_000 ? whole - (whole % 1000) : whole;
  return {
    accountId: candidate.accountId,
    billingId: random.pick(candidate.billingIds),
    outcome: outcomeOf(month, rank),
    cents: Math.min(wanted, maximumCents),
    requestedAt: instantOn(requestedDay, random),
    decidedAt: instantOn(requestedDay + random.int(isLatest ? 1 : 2, isLatest ? 3 : 8), random),
    returnedAt: instantOn(requestedDay + 14, random),
    reason: random.pick(payoutCancelReasons),
    isDownloaded: month < reportMonthCount - 3 || random.chance(0.4),
  };
}

/** Cycles through all outcomes, so that each occurs even with few payouts. */
function outcomeOf(month: number, rank: number): Outcome {
  const turn = rank % 20;
  if (month === reportMonthCount - 1) return turn === 3 ? 'paid' : turn === 5 ? 'cancelled' : 'pending';
  if (month === reportMonthCount - 2 && turn % 5 === 1) return 'pending';
  if (turn === 2) return 'cancelled';
  if (turn === 5) return 'returned';
  if (turn === 8) return 'deleted';
  return 'paid';
}

function toRow(payout: Payout, adminId: number | null) {
  const { id, accountId, billingId, outcome } = payout;
  const isPaid = outcome === 'paid';
  const isReturned = outcome === 'returned';
  const isCancelled = isReturned || outcome === 'cancelled';
  return {
    id,
    accountId,
    billingAccountId: billingId,
    state: isCancelled ? 'cancelled' : isPaid ? 'paid' : 'pending',
    amountEur: toDecimal(payout.cents),
    feeEur: toDecimal(feeCents),
    downloadedAt: isPaid && payout.isDownloaded ? payout.decidedAt : null,
    paidAt: isPaid ? payout.decidedAt : null,
    paidBy: isPaid ? adminId : null,
    cancelledAt: isCancelled ? (isReturned ? payout.returnedAt : payout.decidedAt) : null,
    cancelledBy: isCancelled ? adminId : null,
    cancelReason: isCancelled ? (isReturned ? 'Paiement rejeté\u00A0: compte clôturé' : payout.reason) : null,
    returnedAt: isReturned ? payout.returnedAt : null,
    createdAt: payout.requestedAt,
    createdBy: adminId,
    deletedAt: outcome === 'deleted' ? payout.decidedAt : null,
  };
}

/** Posts what each payout went through, and gives the transactions the times of its states. */
async function postPayouts(trx: Trx, payouts: readonly Payout[], adminId: number | null): Promise<void> {
  const byId = new Map(payouts.map((payout) => [payout.id, payout]));
  const ids = (...outcomes: Outcome[]) =>
    payouts.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id);
  const reverse = (outcome: Outcome, done: string) => reversePayouts(trx, ids(outcome), { what: 'all', adminId, done });
  const dated: { id: number; at: string | undefined }[] = [];
  const date = (posted: readonly Posted[], time: 'requestedAt' | 'decidedAt' | 'returnedAt') =>
    dated.push(...posted.map(({ id, payoutId }) => ({ id, at: byId.get(payoutId ?? 0)?.[time] })));

  date(await postRequested(trx, [...byId.keys()], adminId), 'requestedAt');
  date(await reverse('cancelled', ' annulé'), 'decidedAt');
  date(await reverse('deleted', ' supprimé'), 'decidedAt');
  date(await postPaid(trx, ids('paid', 'returned'), adminId), 'decidedAt');
  date(await reverse('returned', '\u00A0: paiement rejeté'), 'returnedAt');
  await sql`
    SELECT backdate_transactions(${dated.map(({ id }) => id)}::bigint[], ${dated.map((entry) => entry.at)}::timestamptz[])`.execute(
    trx,
  );
}
