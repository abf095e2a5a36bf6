import type { Capability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { minPayoutEur } from '@regie/contract/payouts.ts';
import { homeDays, mostWaiting } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { monthToMs } from '@regie/values/month.ts';
import { type RawBuilder, sql } from 'kysely';
import { querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { type Caller, route } from '#src/lib/route.ts';
import { countUnmatched, countUnmatchedItems } from '#src/modules/income/unmatched/unmatched.service.ts';
import { sumPayable } from '#src/modules/money/payouts/payouts.service.ts';
import { countSignables } from '#src/modules/money/signatures/signatures.service.ts';
import { listSignatories } from '#src/modules/money/signing/signing.service.ts';
import { countWithoutSiren } from '#src/modules/people/accounts/accounts.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { findBackupState } from '#src/modules/platform/backups/stored-backups.service.ts';

/** Not capped at 10 000, unlike a list's total. */
const count = (db: Trx, from: RawBuilder<unknown>) => queryValue<number>(db)`SELECT count(*) ${from}`;

async function countAndSum(db: Trx, amount: RawBuilder<unknown>, from: RawBuilder<unknown>) {
  const figures = await querySingle<{ count: number; amountEur: string }>(db)`
    SELECT count(*) AS count, coalesce(sum(${amount}), 0) AS amount_eur ${from}`;
  return { ...figures, amountEur: toWireNumber(figures.amountEur) };
}

async function reportFigures(db: Trx) {
  const { count, lastMonth } = await querySingle<{ count: string; lastMonth: string | null }>(db)`
    SELECT coalesce(sum(reports), 0) AS count, max(month) FILTER (WHERE reports > 0) AS last_month
      FROM imports WHERE reversed_at IS NULL`;
  return { count: Number(count), countIsExact: true, lastMonth: lastMonth === null ? null : monthToMs(lastMonth) };
}

/** Newest imports first; beyond it the answer is "at least". */
const maxUnsavedExamined = 20_000;

/** Settled when a later import reports the ISRC for the month; zeros have nothing to settle. */
async function unsavedFigures(db: Trx) {
  type Row = { isrcs: number; imports: number; lastImportId: number | null; since: Date | null; read: number };
  const { since, read, ...counts } = await querySingle<Row>(db)`
    WITH looked AS MATERIALIZED (
      SELECT u.import_id, i.month, i.created_at, upper(regexp_replace(u.isrc, '^\\s*isrc|[^a-z0-9]', '', 'gi')) AS isrc
        FROM import_unsaved_rows u JOIN imports i ON i.id = u.import_id AND i.reversed_at IS NULL AND i.unsaved > 0
       WHERE u.reason <> ${messages.zeroRow} AND NOT EXISTS (SELECT FROM import_staged_rows s WHERE s.import_id = u.import_id AND s.batch = u.batch)
       ORDER BY u.import_id DESC LIMIT ${sql.lit(maxUnsavedExamined)}),
    open AS (
      SELECT l.import_id, l.month, l.isrc, l.created_at FROM looked l
       WHERE NOT EXISTS (SELECT 1 FROM tracks t JOIN reports r ON r.track_id = t.id
                          WHERE t.isrc = l.isrc AND r.month = l.month AND r.import_id > l.import_id AND r.reversed_at IS NULL))
    SELECT count(DISTINCT (month, isrc)) AS isrcs, count(DISTINCT import_id) AS imports, max(import_id) AS last_import_id,
           min(created_at) AS since,
           (SELECT count(*) FROM looked) AS read FROM open`;
  const isExact = read < maxUnsavedExamined;
  // Beyond the maximum the oldest is unknown.
  return { counts: { ...counts, isExact }, since: isExact ? (since?.getTime() ?? null) : null };
}

async function missingRateFigures(db: Trx) {
  const { months, first } = await querySingle<{ months: number; first: string | null }>(db)`
    SELECT count(*) AS months, min(m.month)::date AS first
      FROM (SELECT month FROM imports WHERE reversed_at IS NULL AND reports > 0
            UNION
            SELECT (date_trunc('month', now() AT TIME ZONE 'Europe/Paris') - interval '1 month')::date) m
     WHERE NOT EXISTS (SELECT 1 FROM exchange_rates e
                        WHERE e.currency = 'USD' AND e.month BETWEEN date_trunc('year', m.month) AND m.month)`;
  return { months, first: first === null ? null : monthToMs(first.slice(0, 7)) };
}

const undeliveredStatements = (db: Trx) => querySingle<{ count: number; runId: number | null }>(db)`
  SELECT count(*) FILTER (WHERE l.failure <> 'unreachable') AS count, r.id AS run_id
    FROM (SELECT max(id) AS id FROM royalty_runs r WHERE EXISTS (
            SELECT FROM royalty_statements s JOIN royalty_letters l ON l.statement_id = s.id WHERE s.run_id = r.id)) r
    LEFT JOIN royalty_statements s ON s.run_id = r.id LEFT JOIN royalty_letters l ON l.statement_id = s.id
   GROUP BY r.id`;

async function signatureFigures(db: Trx, deps: Deps, caller: Caller) {
  const toSign = await countSignables(db, deps, caller);
  if (toSign === null && !caller.can('edit_admins') && !caller.can('read_audit')) return null;
  const [signatories, { unsignedEur }] = await Promise.all([listSignatories(db), readSettings(db)]);
  return { toSign: toSign ?? 0, signatories: signatories.length, unsignedEur };
}

async function findOldest(db: Trx, from: RawBuilder<unknown>, at = sql`created_at`): Promise<number | null> {
  return (await queryValue<Date | null>(db)`SELECT min(${at}) ${from}`)?.getTime() ?? null;
}

/** Days in Paris, like the linked list. */
const isSince = (daysAgo: number) =>
  sql`at >= ((now() AT TIME ZONE 'Europe/Paris')::date - ${daysAgo}::integer)::timestamp AT TIME ZONE 'Europe/Paris'`;

/** So that the cost does not grow with the table. */
const countWaiting = (db: Trx, from: RawBuilder<unknown>): Promise<number> =>
  count(db, sql`FROM (SELECT ${from} LIMIT ${sql.lit(mostWaiting)}) AS waiting`);

const fromUnpaidReleases = sql`FROM releases WHERE status IN ('pending', 'opened') AND deleted_at IS NULL`;
const fromPaidReleases = sql`FROM releases WHERE status = 'paid' AND deleted_at IS NULL`;
const fromPendingPayouts = sql`FROM payouts WHERE state = 'pending' AND deleted_at IS NULL`;
/** See product §33.22; of each, whole cents are paid (product §33.2). */
const fromUnpaidBalances = sql`
  FROM ledger_balances WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= ${sql.lit(minPayoutEur)}`;
const fromBlockedStatements = sql`
  FROM statements WHERE status IN ('refused', 'unrecognised', 'ambiguous') AND ended_at IS NULL`;
const fromUnmatchedStatements = sql`
  FROM statements st WHERE st.status IN ('loaded', 'checked')
   AND EXISTS (SELECT FROM statement_months m WHERE m.statement_id = st.id AND m.unmatched_sums > 0)`;
const fromQualityControl = sql`
  FROM releases r JOIN orders o ON o.release_id = r.id AND o.status = 'paid' WHERE r.status = 'paid' AND r.deleted_at IS NULL`;
const fromOpenTickets = sql`FROM tickets WHERE status = 'opened'`;

/** Null for callers without these capabilities. */
const forThose =
  (caller: Caller) =>
  async <Found>(needed: readonly Capability[], read: () => Promise<Found>): Promise<Found | null> =>
    needed.some((name) => caller.can(name)) ? read() : null;
const anyTools = ['read_tools', 'edit_tools'] as const;

export const homeRoutes = [
  route(routes.getHome, async ({ deps, caller }, db) => {
    const whereAllowed = forThose(caller);
    const [accounts, unpaidReleases, pendingPayouts, unpaidAccounts, reports] = await Promise.all([
      whereAllowed(['manage_profiles'], () => count(db, sql`FROM accounts`)),
      whereAllowed(['read_none_paid_libraries'], () => count(db, fromUnpaidReleases)),
      whereAllowed(['read_pending_payout'], () => countAndSum(db, sql`amount_eur`, fromPendingPayouts)),
      whereAllowed(['read_unpaid_accounts'], () => countAndSum(db, sql`trunc(amount, 2)`, fromUnpaidBalances)),
      whereAllowed(['read_reports'], () => reportFigures(db)),
    ]);
    const qualityControl = await whereAllowed(['read_paid_libraries'], () => count(db, fromPaidReleases));
    const openTickets = await whereAllowed(anyTools, () => count(db, fromOpenTickets));
    const unmatched = await whereAllowed(['read_reports'], () => countUnmatched(db));
    const blockedStatements = await whereAllowed(['read_reports'], () => count(db, fromBlockedStatements));
    const unsaved = await whereAllowed(['read_reports'], () => unsavedFigures(db));
    const oldestOf = (waiting: number | undefined | null, from: RawBuilder<unknown>, at?: RawBuilder<unknown>) =>
      waiting ? findOldest(db, from, at) : null;
    return {
      data: {
        accounts,
        unpaidReleases,
        pendingPayouts,
        unpaidAccounts: unpaidAccounts && { ...unpaidAccounts, payableEur: await sumPayable(db) },
        reports,
        qualityControl,
        openTickets,
        unmatched,
        blockedStatements,
        unsaved: unsaved?.counts ?? null,
        missingRates: await whereAllowed(['read_reports', 'manage_settings'], () => missingRateFigures(db)),
        signatures: await signatureFigures(db, deps, caller),
        withoutSiren: await whereAllowed(['manage_profiles'], () => countWithoutSiren(db)),
        alerts: await whereAllowed(['read_audit'], () =>
          count(db, sql`FROM audit_log WHERE ${isSince(homeDays.alerts)} AND after ? 'alert'`),
        ),
        undeliveredMails: await whereAllowed(
          ['edit_admins', 'manage_settings'],
          () => queryValue<number>(db)`SELECT count_undelivered_mails()`,
        ),
        undeliveredStatements: await whereAllowed(['read_statements_out'], () => undeliveredStatements(db)),
        isBackupLate: await whereAllowed(['manage_settings'], async () => (await findBackupState(db)).isLate),
        since: {
          unpaidReleases: await oldestOf(unpaidReleases, fromUnpaidReleases),
          pendingPayouts: await oldestOf(pendingPayouts?.count, fromPendingPayouts),
          unmatched: await oldestOf(unmatched?.items, fromUnmatchedStatements),
          blockedStatements: await oldestOf(blockedStatements, fromBlockedStatements),
          unsaved: unsaved?.since ?? null,
          qualityControl: await oldestOf(qualityControl, fromQualityControl, sql`o.paid_at`),
          openTickets: await oldestOf(openTickets, fromOpenTickets),
        },
      },
    };
  }),
  route(routes.getWaiting, async ({ deps, caller }, db) => {
    const whereAllowed = forThose(caller);
    const toSign = await countSignables(db, deps, caller);
    return {
      data: {
        unpaidReleases: await whereAllowed(['read_none_paid_libraries'], () => countWaiting(db, fromUnpaidReleases)),
        paidReleases: await whereAllowed(['read_paid_libraries'], () => countWaiting(db, fromPaidReleases)),
        pendingPayouts: await whereAllowed(['read_pending_payout'], () => countWaiting(db, fromPendingPayouts)),
        unpaidAccounts: await whereAllowed(['read_unpaid_accounts'], () => countWaiting(db, fromUnpaidBalances)),
        unmatched: await whereAllowed(['read_reports'], () => countUnmatchedItems(db, mostWaiting)),
        openTickets: await whereAllowed(anyTools, () => countWaiting(db, fromOpenTickets)),
        signatures: toSign === null ? null : Math.min(toSign, mostWaiting),
      },
    };
  }),
];
