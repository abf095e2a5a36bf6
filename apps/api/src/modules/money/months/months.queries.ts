import type { MonthState } from '@regie/contract/routes/months.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Database, exists, queryRows, querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import { importSource, liveMonths } from '#src/modules/income/revenue/revenue.service.ts';
import { doubledEur, incomeState, isDoubled } from '#src/modules/income/statements/statements.service.ts';
import { rateMonthOf, rateOf, type UsedRate } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import type { Source } from '#src/modules/money/reports/imports.service.ts';

/** The month an income is posted to. */
const effectiveMonth = (sums: string) => sql`coalesce(st.accounting_month, ${sql.ref(`${sums}.month`)})`;

/** The distinct rates of a statement's currencies in a month. */
const ratesOf = (condition: RawBuilder<boolean>) => sql`
  coalesce(jsonb_agg(DISTINCT jsonb_build_object('month', t.month, 'currency', t.currency, 'rateMonth', t.rate_month, 'rate', t.rate::text))
    FILTER (WHERE t.rate IS NOT NULL AND ${condition}), '[]')`;

export type IncomeState = Exclude<MonthState, 'expected'>;

export interface MonthRow {
  /** Null for all imports of a source without statements. */
  statementId: number | null;
  source: string;
  fileName: string;
  status: 'loaded' | 'checked';
  month: string;
  /** Of this statement. */
  ownEur: string;
  ownUnmatchedEur: string;
  /** Of the source's statements in the month: posted income at its import's rates, the rest at current ones. */
  amountEur: string;
  unmatchedEur: string;
  postedEur: string;
  /** Null when no statement is validated. */
  readyEur: string | null;
  /** Over all sources. */
  monthAmountEur: string;
  monthReadyEur: string | null;
  unmatchedSums: number;
  waitingSums: number;
  state: IncomeState;
  missingRates: { currency: string; amount: string }[];
  /** Of income that is not posted. */
  rates: UsedRate[];
  /** EUR of unconfirmed lines that an earlier live statement has too. */
  doubledEur: string;
}

export const hasIncome = (db: Database, month: string) => exists(db)`
    SELECT FROM statements st JOIN statement_months m ON m.statement_id = st.id
     WHERE st.status IN ('loaded', 'checked') AND ${effectiveMonth('m')} = ${month}::date
    UNION ALL
    SELECT FROM imports WHERE kind <> 'automatic' AND reversed_at IS NULL AND reports > 0 AND month = ${month}::date`;

/** Refused files of known sources that arrived in the month or the two after. */
export function listRefused(db: Database, month: string) {
  return queryRows<{ id: number; fileName: string; source: string; line: number | null }>(db)`
    SELECT id, file_name, source, (findings -> 'refusal' ->> 'line')::integer AS line FROM statements
     WHERE status = 'refused' AND ended_at IS NULL AND source IS NOT NULL
       AND created_at >= ${month}::date AND created_at < ${month}::date + interval '3 months'
     ORDER BY id DESC`;
}

/** Revenue of live statements and of imports without one by month (product §22.17); `to` is excluded. */
export const listStatementMonths = (db: Database, from: string, to: string) => queryRows<MonthRow>(db)`
    WITH ${liveMonths((month) => sql`${month} >= ${from}::date AND ${month} < ${to}::date`)},
    told AS (
    SELECT st.id AS statement_id, st.source, st.file_name, st.status, t.month,
           coalesce(sum(t.waiting_eur), 0) + coalesce(sum(t.posted_eur), 0) AS amount_eur,
           coalesce(sum(m.unmatched_amount / t.rate), 0) AS unmatched_eur, coalesce(sum(t.posted_eur), 0) AS posted_eur,
           coalesce(sum((m.amount - m.posted_amount - m.unmatched_amount) / t.rate), 0) AS ready_eur,
           sum(m.unmatched_sums)::bigint AS unmatched_sums, sum(m.sums - m.unmatched_sums - m.posted_sums)::bigint AS waiting_sums,
           sum(m.posted_sums)::bigint AS posted_sums,
           coalesce(jsonb_agg(jsonb_build_object('currency', t.currency, 'amount', round(m.amount - m.posted_amount, 6)::text))
                      FILTER (WHERE t.rate IS NULL AND m.sums > m.posted_sums), '[]') AS missing_rates,
           ${ratesOf(sql`m.sums > m.posted_sums`)} AS rates,
           ${isDoubled('st', sql`${effectiveMonth('d')} = t.month`)} AS is_doubled,
           ${doubledEur(sql`t.month`)} AS doubled_eur
      FROM (SELECT l.*, ${rateMonthOf(sql`l.currency`, sql`l.month`)} AS rate_month FROM live_month l) t
      JOIN statements st ON st.id = t.statement_id
      JOIN statement_months m ON m.statement_id = t.statement_id AND m.month = t.line_month AND m.currency = t.currency
     GROUP BY st.id, t.month
    UNION ALL
    SELECT NULL, i.source, '', 'checked', i.month, i.eur, 0, i.eur, 0, 0, 0, 1, '[]', '[]', false, 0
      FROM (SELECT ${importSource} AS source, month, sum((gross_usd - deleted_usd) / rate) AS eur
              FROM imports i
             WHERE kind <> 'automatic' AND reversed_at IS NULL AND reports > 0 AND month >= ${from}::date AND month < ${to}::date
             GROUP BY 1, 2) i
    )
    SELECT statement_id, source, file_name, status, month, unmatched_sums, waiting_sums, missing_rates, rates,
           ${incomeState({
             status: sql`status`,
             isDoubled: sql`is_doubled`,
             waitingSums: sql`waiting_sums`,
             unmatchedSums: sql`unmatched_sums`,
             postedSums: sql`posted_sums`,
           })} AS state,
           round(doubled_eur, 6) AS doubled_eur, round(amount_eur, 6) AS own_eur, round(unmatched_eur, 6) AS own_unmatched_eur,
           round(sum(amount_eur) OVER cell, 6) AS amount_eur, round(sum(unmatched_eur) OVER cell, 6) AS unmatched_eur,
           round(sum(posted_eur) OVER cell, 6) AS posted_eur,
           round(sum(ready_eur) FILTER (WHERE status = 'checked') OVER cell, 6) AS ready_eur,
           round(sum(amount_eur) OVER (PARTITION BY month), 6) AS month_amount_eur,
           round(sum(ready_eur) FILTER (WHERE status = 'checked') OVER (PARTITION BY month), 6) AS month_ready_eur
      FROM told WINDOW cell AS (PARTITION BY source, month) ORDER BY source, month, statement_id`;

export interface EarlierRow {
  first: string | null;
  readyMonths: number;
  readyEur: string;
  missingRates: { currency: string; amount: string }[];
  uncheckedMonths: number;
}

/** What earlier months have to validate or post. */
export function findEarlierMonths(db: Database, before: string) {
  const month = effectiveMonth('m');
  return querySingle<EarlierRow>(db)`
    WITH told AS MATERIALIZED (
      SELECT ${month} AS month, m.currency, st.status = 'checked' AS is_checked, m.amount - m.posted_amount - m.unmatched_amount AS amount,
             ${rateOf(sql`m.currency`, month)} AS rate
        FROM statements st JOIN statement_months m ON m.statement_id = st.id
       WHERE ${month} < ${before}::date
         AND (st.status = 'loaded' OR (st.status = 'checked' AND m.sums > m.unmatched_sums + m.posted_sums)))
    SELECT min(month) AS first, count(DISTINCT month) FILTER (WHERE is_checked) AS ready_months,
           coalesce(round(sum(amount / rate) FILTER (WHERE is_checked), 6), 0) AS ready_eur,
           (SELECT coalesce(jsonb_agg(jsonb_build_object('currency', l.currency, 'amount', l.amount::text) ORDER BY l.currency), '[]')
              FROM (SELECT currency, round(sum(amount), 6) AS amount FROM told WHERE is_checked AND rate IS NULL GROUP BY currency) l)
             AS missing_rates,
           count(DISTINCT month) FILTER (WHERE NOT is_checked) AS unchecked_months
      FROM told`;
}

export interface SendingRow {
  source: string;
  month: string;
  arrivedAt: Date;
}

/** The last month of each statement since `from`, by source, with the first arrival. */
export const listSendings = (db: Database, from: string) => queryRows<SendingRow>(db)`
    SELECT k.source, k.month, min(k.created_at) AS arrived_at
      FROM (SELECT st.source, st.created_at, max(${effectiveMonth('m')}) AS month
              FROM statements st JOIN statement_months m ON m.statement_id = st.id
             WHERE st.status IN ('loaded', 'checked') GROUP BY st.id) k
     WHERE k.month >= ${from}::date GROUP BY k.source, k.month ORDER BY k.source, k.month`;

export interface WaitingStatement {
  id: number;
  source: string;
  fileName: string;
  status: 'loaded' | 'checked';
  /** Of the whole month. */
  unmatchedEur: string;
  waitingSums: number;
  missingRates: string[];
  rates: UsedRate[];
  confirmedRates: UsedRate[];
}

/** Statements with unposted income of a month, locked so that nobody else claims it. */
export async function lockWaitingStatements(trx: Trx, month: string): Promise<WaitingStatement[]> {
  await sql`
    SELECT st.id FROM statements st
     WHERE st.status IN ('loaded', 'checked')
       AND EXISTS (SELECT FROM statement_months m WHERE m.statement_id = st.id AND ${effectiveMonth('m')} = ${month}::date)
     ORDER BY st.id FOR UPDATE`.execute(trx);
  return queryRows<WaitingStatement>(trx)`
    WITH told AS (
    SELECT st.id, st.source, st.file_name, st.status, sum(t.unmatched_amount / t.rate) AS unmatched_eur,
           sum(t.sums - t.unmatched_sums - t.posted_sums)::bigint AS waiting_sums,
           coalesce(array_agg(DISTINCT t.currency) FILTER (WHERE t.rate IS NULL AND t.sums > t.unmatched_sums + t.posted_sums), '{}')
             AS missing_rates,
           ${ratesOf(sql`t.sums > t.unmatched_sums + t.posted_sums`)} AS rates, st.confirmed_rates
      FROM statements st
      JOIN LATERAL (
        SELECT ${month}::date AS month, m.currency, m.unmatched_amount, m.sums, m.unmatched_sums, m.posted_sums,
               ${rateOf(sql`m.currency`, sql`${month}::date`)} AS rate, ${rateMonthOf(sql`m.currency`, sql`${month}::date`)} AS rate_month
          FROM statement_months m WHERE m.statement_id = st.id AND ${effectiveMonth('m')} = ${month}::date
      ) t ON true
     WHERE st.status IN ('loaded', 'checked')
     GROUP BY st.id
    )
    SELECT id, source, file_name, status, waiting_sums, missing_rates, rates, confirmed_rates,
           round(coalesce(sum(unmatched_eur) OVER (), 0), 6) AS unmatched_eur
      FROM told ORDER BY source, id`;
}

export async function setConfirmedRates(
  trx: Trx,
  statements: readonly { id: number; confirmedRates: readonly UsedRate[] }[],
): Promise<void> {
  await sql`
    UPDATE statements s SET confirmed_rates = g.rates
      FROM unnest(${statements.map(({ id }) => id)}::bigint[], ${statements.map((of) => JSON.stringify(of.confirmedRates))}::jsonb[]) AS g (id, rates)
     WHERE s.id = g.id`.execute(trx);
}

export interface DuplicateRow {
  statementId: number;
  fileName: string;
  otherStatementId: number | null;
  otherImportId: number | null;
  otherFileName: string;
  isPosted: boolean;
  isConfirmed: boolean;
  lines: number;
  amountEur: string;
}

/**
 * Lines that other statements have too, posted or among these; of a pair among these the later statement is returned.
 */
export const listDuplicates = (
  trx: Trx,
  { month, statementIds }: { month: string; statementIds: readonly number[] },
) => queryRows<DuplicateRow>(trx)`
    SELECT st.id AS statement_id, st.file_name, d.other_id AS other_statement_id, d.import_id AS other_import_id,
           d.other_name AS other_file_name,
           bool_or(d.is_posted) AS is_posted, bool_and(d.is_confirmed) AS is_confirmed, sum(d.rows)::bigint AS lines,
           coalesce(round(sum(d.amount / ${rateOf(sql`d.currency`, sql`${month}::date`)}), 6), 0) AS amount_eur
      FROM live_duplicates d JOIN statements st ON st.id = d.statement_id LEFT JOIN statements o ON o.id = d.other_id
     WHERE d.statement_id = ANY(${statementIds}::bigint[]) AND ${effectiveMonth('d')} = ${month}::date
       AND (d.is_posted OR (o.id < st.id AND o.id = ANY(${statementIds}::bigint[]) AND coalesce(o.accounting_month, d.month) = ${month}::date))
     GROUP BY st.id, d.other_id, d.import_id, d.other_name ORDER BY lines DESC, st.id, d.other_id, d.import_id`;

const kinds = { stream: 'streams', download: 'downloads', video: 'youtube' } as const;
const perKind = (column: (kind: string, name: string) => RawBuilder<unknown>) =>
  sql.join(Object.entries(kinds).map(([kind, name]) => column(kind, name)));

/**
 * Claims all waiting income with a track for an import, and sums it by track and currency in a temporary table until
 * `dropClaimTable`.
 * @returns number of file rows
 */
export async function claimSums(
  trx: Trx,
  options: { importId: number; statementIds: readonly number[]; month: string },
): Promise<number> {
  await sql`
    UPDATE statement_sums s SET import_id = ${options.importId}
      FROM statements st
     WHERE st.id = ANY(${options.statementIds}::bigint[]) AND s.statement_id = st.id AND ${effectiveMonth('s')} = ${options.month}::date
       AND s.import_id IS NULL AND s.track_id IS NOT NULL`.execute(trx);
  // The rows are locked, so both statements see the same ones. Unlike UPDATE, CREATE TABLE AS can use parallel workers.
  await sql`
    CREATE TEMPORARY TABLE claimed_income ON COMMIT DROP AS
    SELECT track_id, currency, sum(rows) AS rows,
           ${perKind((kind, name) => sql`sum(quantity) FILTER (WHERE kind = ${sql.lit(kind)}) AS ${sql.ref(name)}, sum(amount) FILTER (WHERE kind = ${sql.lit(kind)}) AS ${sql.ref(`income_${name}`)}`)}
      FROM statement_sums
     WHERE statement_id IN (${sql.join(options.statementIds.map((id) => sql.lit(id)))}) AND import_id = ${sql.lit(options.importId)}
     GROUP BY track_id, currency`.execute(trx);
  // ANALYZE: without statistics the planner assumes one row and picks a nested loop.
  await sql`ANALYZE pg_temp.claimed_income (track_id, currency)`.execute(trx);
  return queryValue<number>(trx)`SELECT coalesce(sum(rows), 0)::bigint AS rows FROM pg_temp.claimed_income`;
}

/** The transaction may post another month. */
export async function dropClaimTable(trx: Trx): Promise<void> {
  await sql`DROP TABLE pg_temp.claimed_income`.execute(trx);
}

/**
 * Copies the rates of the claimed currencies, so that later changes do not affect the import, which has its dollar rate
 * itself.
 */
export async function freezeRates(trx: Trx, importId: number): Promise<void> {
  await sql`
    INSERT INTO import_rates (import_id, currency, rate)
    SELECT i.id, p.currency, CASE WHEN p.currency = 'USD' THEN i.rate ELSE ${rateOf(sql`p.currency`, sql`i.month`)} END
      FROM (SELECT DISTINCT currency FROM statement_postings WHERE import_id = ${importId}) p
      JOIN imports i ON i.id = ${importId}`.execute(trx);
}

/**
 * The claimed income by track and kind: added up per currency, converted once to USD and rounded to 10 decimals
 * (product §33.2).
 */
export function claimedSource(importId: number): Source {
  return {
    parts: sql`
      rate AS MATERIALIZED (
        SELECT r.currency, r.rate, i.rate AS usd_rate FROM import_rates r JOIN imports i ON i.id = r.import_id WHERE i.id = ${importId}
      ),
      contribution AS MATERIALIZED (
        SELECT c.*, c.track_id AS key, t.account_id
          FROM (
            SELECT c.track_id,
                   ${perKind(
                     (_, name) => sql`
                   round(coalesce(sum(c.${sql.ref(name)}), 0))::bigint AS ${sql.ref(name)},
                   coalesce(sum(to_usd(c.${sql.ref(`income_${name}`)}, c.currency, r.usd_rate, r.rate)), 0) AS ${sql.ref(`income_${name}`)}`,
                   )}
              FROM pg_temp.claimed_income c JOIN rate r ON r.currency = c.currency GROUP BY c.track_id
          ) c JOIN tracks t ON t.id = c.track_id
      ),
      unmatched AS MATERIALIZED (SELECT 0::bigint AS row, ''::text AS isrc, ''::text AS reason WHERE false)`,
  };
}

export interface AccountShare {
  id: number;
  firstName: string;
  lastName: string;
  reports: number;
  accountEur: string;
}

export const listAccountShares = (trx: Trx, importId: number) => queryRows<AccountShare>(trx)`
    SELECT a.id, a.first_name, a.last_name, r.reports, r.account_eur
      FROM (SELECT account_id, count(*) AS reports, sum(account_eur) AS account_eur
              FROM reports WHERE import_id = ${importId} AND reversed_at IS NULL GROUP BY account_id) r
      JOIN accounts a ON a.id = r.account_id
     ORDER BY r.account_eur DESC, a.id`;

export interface PostingRow {
  /** Of a month's posting; null for all reports of another source together. */
  importId: number | null;
  source: string | null;
  reports: number;
  grossEur: string;
  accountsEur: string;
  referralsEur: string;
  platformEur: string;
}

/** What is posted of a month, without what was reversed. */
export const listPostings = (db: Database, month: string) => queryRows<PostingRow>(db)`
    SELECT p.import_id, p.source, count(*) AS reports, sum(r.gross_eur) AS gross_eur, sum(r.account_eur) AS accounts_eur,
           sum(r.referrals_eur) AS referrals_eur, sum(r.platform_eur) AS platform_eur
      FROM reports r JOIN imports i ON i.id = r.import_id
     CROSS JOIN LATERAL (SELECT CASE WHEN i.kind = 'automatic' THEN i.id END AS import_id,
                                CASE WHEN i.kind <> 'automatic' THEN ${importSource} END AS source) p
     WHERE r.month = ${month}::date AND r.reversed_at IS NULL
     GROUP BY p.import_id, p.source ORDER BY p.import_id, p.source`;

/** Whether one person uploaded, validated and posted a statement. */
export const isOwnWork = (trx: Trx, importId: number, adminId: number | null) => exists(trx)`
    SELECT FROM statement_postings p JOIN statements s ON s.id = p.statement_id
     WHERE p.import_id = ${importId} AND s.created_by = ${adminId} AND s.checked_by = ${adminId}`;

/** Whether other live automatic imports of the month exist. */
export const isPostedMonth = (trx: Trx, month: string, importId: number) => exists(trx)`
    SELECT FROM imports WHERE month = ${month}::date AND kind = 'automatic' AND reversed_at IS NULL AND id <> ${importId}`;

/** EUR as text; `later` and `credit` are what later months and this one credited to the account, `income` what all have. */
export type CreditRow = { accountId: number } & Record<
  'credit' | 'later' | 'income' | 'balance' | 'paid' | 'pending',
  string
>;

/** Accounts that reports of a month have credited, referrers among them. */
export const listCredits = (db: Database | Trx, month: string) => queryRows<CreditRow>(db)`
    WITH credited AS MATERIALIZED (
      SELECT b.account_id, sum(p.amount) FILTER (WHERE i.month = ${month}::date) AS credit,
             coalesce(sum(p.amount) FILTER (WHERE i.month > ${month}::date), 0) AS later
        FROM imports i JOIN ledger_transactions t ON t.import_id = i.id JOIN ledger_postings p ON p.transaction_id = t.id
        JOIN ledger_balances b ON b.account = p.account AND b.currency = p.currency
       WHERE i.month >= ${month}::date AND b.account_id IS NOT NULL AND b.currency = 'EUR'
       GROUP BY b.account_id)
    SELECT b.account_id, c.credit, c.later, b.platform_income + b.youtube_income AS income, b.amount AS balance, o.paid, o.pending
      FROM credited c JOIN ledger_balances b ON b.account_id = c.account_id AND b.currency = 'EUR'
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(amount_eur) FILTER (WHERE state = 'paid'), 0) AS paid,
              coalesce(sum(amount_eur) FILTER (WHERE state = 'pending'), 0) AS pending
         FROM payouts WHERE account_id = b.account_id AND deleted_at IS NULL) o
     WHERE c.credit <> 0 ORDER BY b.account_id`;
