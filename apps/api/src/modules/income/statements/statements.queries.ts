import type { Declaration, Statement, StatementDetail } from '@regie/contract/routes/statements.ts';
import type { StatementState, StatementStatus } from '@regie/contract/statements.ts';
import { type RawBuilder, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { hasWords } from '#src/lib/text-search.ts';
import { rateOf, type UsedRate } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import type { LineOffset } from '#src/reading/line-offsets.ts';
import type { CharsetSample, LeftOut, MatchingPreset } from '#src/reading/read-statement.ts';
import type { HeadRow, PresetMismatch } from '#src/reading/recognise.ts';
import type { AnnouncedTotal, LineSummer } from '#src/reading/summing.ts';
import type { FileChoices } from './load.service.ts';

type Db = Database | Trx;

/** The error of a file, or what staff must choose. */
export interface Findings {
  refusal?: { message: string; line: number | null; asksSheets?: boolean };
  failure?: { message: string; attempts: number; at: string };
  skipped?: Record<string, number>;
  /** Bank accounts a summary names. */
  banks?: string[];
  sheets?: string[];
  leftOut?: LeftOut[];
  mayBeCutAt?: number;
  announced?: AnnouncedTotal[];
  equalTotals?: LineSummer['equalTotals'];
  deduction?: string;
  /** Former statements of the same preset that this one contains and extends. */
  contains?: number[];
  /** `unclear` is absent for files inspected by an older version. */
  presets?: (Omit<MatchingPreset, 'unclear'> & Partial<Pick<MatchingPreset, 'unclear'>>)[];
  charsets?: CharsetSample[];
  tried?: PresetMismatch[];
  rows?: HeadRow[];
}

/** Amounts are text, months the first day. */
export type StatementRow = Pick<
  Statement,
  'id' | 'status' | 'state' | 'fileName' | 'sizeBytes' | 'source' | 'rows' | 'memberCount'
> &
  Record<'preset' | 'replacedName' | 'createdByName' | 'firstMonth' | 'lastMonth', string | null> &
  Record<'amountEur' | 'unmatchedEur' | 'postedEur', string | null> & {
    findings: Findings;
    replaces: number | null;
    replacedStatus: StatementStatus | null;
    createdAt: Date;
    /** By currency, where one has no rate; otherwise null. */
    amounts: { currency: string; amount: string }[] | null;
  };

export type StatementDetailRow = StatementRow &
  Pick<StatementDetail, 'countedRows' | 'lines' | 'declaredAmount' | 'declaredCurrency' | 'checkNote'> &
  Record<'archiveName' | 'storageKey' | 'accountingMonth' | 'checkedByName' | 'endedByName', string | null> &
  Record<'loadedAt' | 'checkedAt' | 'endedAt', Date | null> & {
    choices: FileChoices;
    unpackedFrom: number | null;
    archiveStatus: StatementStatus | null;
    sha256: Buffer;
    fileId: number | null;
    confirmedRates: UsedRate[];
  };

export type IncomeCounts = Record<
  'status' | 'isDoubled' | 'waitingSums' | 'unmatchedSums' | 'postedSums',
  RawBuilder<unknown>
>;

/** Whether it may have lines of another one; a checked statement only of one that is checked too. */
export const isDoubled = (of: string, isMonth = sql`true`) => sql`
  EXISTS (SELECT FROM live_duplicates d
           WHERE d.statement_id = ${sql.ref(`${of}.id`)} AND NOT d.is_confirmed AND ${isMonth}
             AND (${sql.ref(`${of}.status`)} = 'loaded' OR d.other_status = 'checked'))`;

/** How far the income of a live statement is, in all months or in one. */
export const incomeState = ({ status, isDoubled, waitingSums, unmatchedSums, postedSums }: IncomeCounts) => sql`
  CASE WHEN ${status} = 'checked' AND ${waitingSums} = 0 AND (${postedSums} > 0 OR ${unmatchedSums} = 0) THEN 'posted'
       WHEN ${isDoubled} THEN 'doubled' WHEN ${status} = 'checked' AND ${waitingSums} = 0 THEN 'unmatched' ELSE ${status} END`;

const state = sql<StatementState>`(
  SELECT CASE WHEN s.status IN ('loaded', 'checked') THEN ${incomeState({
    status: sql`s.status`,
    isDoubled: isDoubled('s'),
    waitingSums: sql`k.waiting`,
    unmatchedSums: sql`k.unmatched`,
    postedSums: sql`k.posted`,
  })} ELSE s.status END
    FROM (SELECT coalesce(sum(n.sums - n.unmatched_sums - n.posted_sums), 0) AS waiting,
                 coalesce(sum(n.unmatched_sums), 0) AS unmatched, coalesce(sum(n.posted_sums), 0) AS posted
            FROM statement_months n WHERE n.statement_id = s.id) k)`;

const columns = sql`
  s.id, s.status, ${state} AS state, s.file_name, s.size_bytes, s.source, s.preset, s.findings, s.rows, s.replaces,
  (SELECT count(*) FROM statements k WHERE k.unpacked_from = s.id) AS member_count,
  r.file_name AS replaced_name, r.status AS replaced_status, s.created_at, ${adminName('s.created_by')} AS created_by_name,
  coalesce(m.first_month, d.first_month) AS first_month, coalesce(m.last_month, d.last_month) AS last_month, m.amount_eur, m.unmatched_eur, m.posted_eur,
  CASE WHEN m.amount_eur IS NULL THEN (
    SELECT jsonb_agg(jsonb_build_object('currency', n.currency, 'amount', n.amount::text) ORDER BY n.currency)
      FROM (SELECT n.currency, round(sum(n.amount), 6) AS amount
              FROM statement_months n WHERE n.statement_id = s.id GROUP BY n.currency) n) END AS amounts`;
/** The posted amount of a statement's month `n`, at the imports' rates. */
const postedEur = sql`(
  SELECT sum(p.amount / r.rate) FROM statement_postings p JOIN import_rates r USING (import_id, currency)
   WHERE p.statement_id = n.statement_id AND p.month = n.month AND p.currency = n.currency)`;
/** The months of a statement `s`; `rate` is null where one is missing. */
const ratedMonths = sql`(
  SELECT k.*, ${rateOf(sql`k.currency`, sql`k.month`)} AS rate
    FROM (SELECT coalesce(s.accounting_month, n.month) AS month, n.currency, n.amount, n.unmatched_amount, n.posted_amount,
                 ${postedEur} AS posted_eur
            FROM statement_months n WHERE n.statement_id = s.id) k)`;
/** Sums in EUR are null when a rate is missing; posted income uses its import's rates, the rest current ones. */
const joins = sql`
  LEFT JOIN statements r ON r.id = s.replaces
  LEFT JOIN LATERAL (
    SELECT min(t.month) AS first_month, max(t.month) AS last_month,
           CASE WHEN bool_and(t.rate IS NOT NULL)
                THEN round(sum((t.amount - t.posted_amount) / t.rate) + coalesce(sum(t.posted_eur), 0), 6) END AS amount_eur,
           CASE WHEN bool_and(t.rate IS NOT NULL) THEN round(sum(t.unmatched_amount / t.rate), 6) END AS unmatched_eur,
           CASE WHEN bool_and(t.rate IS NOT NULL) THEN round(coalesce(sum(t.posted_eur), 0), 6) END AS posted_eur
      FROM ${ratedMonths} t
  ) m ON true
  LEFT JOIN LATERAL (
    SELECT min(d.month) AS first_month, max(d.month) AS last_month FROM declared_amounts d WHERE d.statement_id = s.id
  ) d ON true`;

export interface StatementFilter extends ListQuery<'date'> {
  status?: StatementState | 'blocked' | undefined;
  source?: string | undefined;
  month?: string | undefined;
  hasEnded: boolean;
}

export async function listStatements(db: Db, filter: StatementFilter) {
  const page = keyset(filter, { date: { expression: sql`s.created_at`, type: 'timestamptz' } }, sql`s.id`);
  const conditions = [sql<boolean>`true`];
  if (filter.status === 'blocked') conditions.push(sql<boolean>`s.status IN ('refused', 'unrecognised', 'ambiguous')`);
  else if (filter.status !== undefined) conditions.push(sql<boolean>`${state} = ${filter.status}`);
  else if (!filter.hasEnded) conditions.push(sql<boolean>`s.ended_at IS NULL`);
  if (filter.source !== undefined) conditions.push(sql<boolean>`s.source = ${filter.source}`);
  if (filter.month !== undefined) {
    conditions.push(sql<boolean>`(
      EXISTS (SELECT FROM statement_months n
               WHERE n.statement_id = s.id AND coalesce(s.accounting_month, n.month) = ${filter.month}::date)
      OR EXISTS (SELECT FROM declared_amounts d WHERE d.statement_id = s.id AND d.month = ${filter.month}::date))`);
  }
  if (filter.q) {
    conditions.push(hasWords(sql`fold(concat_ws(' ', s.file_name, s.source, ${adminName('s.created_by')}))`, filter.q));
  }
  const [{ rows, meta }, sums] = await Promise.all([
    readPage<StatementRow>(db, page, { columns, from: sql`statements s`, row: 's', where: conditions, joins }),
    sumStatements(db, conditions),
  ]);
  return { rows, meta: { ...meta, sums: meta.totalIsExact ? sums : null } };
}

/** As in the list: euros, and the currencies of statements that lack a rate. */
async function sumStatements(db: Db, conditions: readonly RawBuilder<boolean>[]) {
  const rows = await queryRows<{ currency: string; amount: string }>(db)`
    SELECT CASE WHEN t.is_rated THEN 'EUR' ELSE t.currency END AS currency,
           sum(CASE WHEN t.is_rated THEN (t.amount - t.posted_amount) / t.rate + coalesce(t.posted_eur, 0) ELSE t.amount END) AS amount
      FROM statements s
     CROSS JOIN LATERAL (SELECT t.*, bool_and(t.rate IS NOT NULL) OVER () AS is_rated FROM ${ratedMonths} t) t
     WHERE ${sql.join(conditions, sql` AND `)} GROUP BY 1 ORDER BY 1`;
  return rows.map(({ currency, amount }) => ({ currency, amount: toWireNumber(amount) }));
}

/** Newest first, by words of file and source, or by an amount to the cent: in euros, or of one currency. */
export const searchStatements = (db: Db, q: string, amount: string | null, limit: number) => queryRows<StatementRow>(
  db,
)`
  SELECT ${columns} FROM statements s ${joins}
   WHERE s.ended_at IS NULL AND ${
     amount === null
       ? hasWords(sql`fold(concat_ws(' ', s.file_name, s.source))`, q)
       : sql`(0.005 >= abs(m.amount_eur - ${amount}::numeric)
              OR EXISTS (SELECT FROM statement_months n WHERE n.statement_id = s.id GROUP BY n.currency
                         HAVING 0.005 >= abs(sum(n.amount) - ${amount}::numeric)))`
   }
   ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit}`;

export const listSources = (db: Db) => queryColumn<string>(db)`
  SELECT DISTINCT source FROM statements WHERE source IS NOT NULL AND ended_at IS NULL ORDER BY source`;

export const findStatement = async (db: Db, id: number) => (await listDetails(db, [id]))[0];

export const listDetails = (db: Db, ids: readonly number[]) => queryRows<StatementDetailRow>(db)`
    SELECT ${columns}, s.sha256, s.file_id, f.storage_key, s.counted_rows, s.lines, s.accounting_month, s.declared_amount,
           s.declared_currency, s.check_note, s.confirmed_rates, s.loaded_at, s.checked_at, ${adminName('s.checked_by')} AS checked_by_name,
           s.ended_at, ${adminName('s.ended_by')} AS ended_by_name, s.choices, s.unpacked_from, a.file_name AS archive_name,
           a.status AS archive_status
      FROM statements s LEFT JOIN files f ON f.id = s.file_id LEFT JOIN statements a ON a.id = s.unpacked_from ${joins}
     WHERE s.id = ANY(${ids}::bigint[]) ORDER BY s.id`;

export const findStatus = async (db: Db, id: number) =>
  (await queryRow<{ status: StatementStatus }>(db)`SELECT status FROM statements WHERE id = ${id}`)?.status;

/** The key is not locked, because a running load references it. */
export async function lockStatements(trx: Trx, ids: readonly number[]): Promise<StatementDetailRow[]> {
  await sql`SELECT FROM statements WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  return listDetails(trx, ids);
}

export interface MonthRow extends Record<'amount' | 'unmatchedAmount' | 'postedAmount', string> {
  statementId: number;
  /** The accounting month; by default the lines' own. */
  month: string;
  currency: string;
  rate: string | null;
  rateMonth: string | null;
  /** Whether some of it is not posted, or has no track. */
  isWaiting: boolean;
  isUnmatched: boolean;
  amountEur: string | null;
  unmatchedEur: string | null;
  postedEur: string | null;
}

export const listMonths = (db: Db, ids: readonly number[]) => queryRows<MonthRow>(db)`
    SELECT t.*, round((t.amount - t.posted_amount) / t.rate + t.import_posted_eur, 6) AS amount_eur,
           round(t.unmatched_amount / t.rate, 6) AS unmatched_eur, CASE WHEN t.rate IS NOT NULL THEN round(t.import_posted_eur, 6) END AS posted_eur
      FROM (
        SELECT k.*, CASE WHEN k.currency = 'EUR' THEN 1 ELSE e.rate END AS rate,
               CASE WHEN k.currency = 'EUR' THEN k.month ELSE e.month END AS rate_month
          FROM (
            SELECT n.statement_id, coalesce(s.accounting_month, n.month) AS month, n.currency, sum(n.amount) AS amount,
                   sum(n.unmatched_amount) AS unmatched_amount, sum(n.posted_amount) AS posted_amount,
                   coalesce(sum(${postedEur}), 0) AS import_posted_eur, sum(n.sums) > sum(n.posted_sums) AS is_waiting,
                   sum(n.unmatched_sums) > 0 AS is_unmatched
              FROM statement_months n JOIN statements s ON s.id = n.statement_id
             WHERE n.statement_id = ANY(${ids}::bigint[]) GROUP BY 1, 2, 3
          ) k
          LEFT JOIN LATERAL (
            SELECT e.rate, e.month FROM exchange_rates e
             WHERE e.currency = k.currency AND e.month <= k.month ORDER BY e.month DESC LIMIT 1
          ) e ON k.currency <> 'EUR'
      ) t ORDER BY t.statement_id, t.month, t.currency`;

/** The month with most of a statement's euros. */
export const findMainMonth = async (db: Db, id: number) =>
  (
    await queryRow<{ month: string }>(db)`
    SELECT k.month
      FROM (SELECT coalesce(s.accounting_month, n.month) AS month, n.currency, n.amount
              FROM statement_months n JOIN statements s ON s.id = n.statement_id WHERE n.statement_id = ${id}) k
     CROSS JOIN LATERAL (SELECT ${rateOf(sql`k.currency`, sql`k.month`)} AS rate) r
     WHERE r.rate IS NOT NULL GROUP BY k.month ORDER BY abs(sum(k.amount / r.rate)) DESC, k.month LIMIT 1`
  )?.month;

/** `sum` is of the lines in the declared currency, `deduction` what the source keeps of it. */
export type DeclaredRow = Record<'sum' | 'deduction' | 'difference', string> & { statementId: number };

/** The sum of a statement's lines, and the difference of what is due from its declared amount. */
export const listDeclared = (db: Db, ids: readonly number[]) => queryRows<DeclaredRow>(db)`
    SELECT s.id AS statement_id, k.sum, d.deduction, k.sum - d.deduction - s.declared_amount AS difference
      FROM statements s
     CROSS JOIN LATERAL (SELECT coalesce(sum(m.amount), 0) AS sum FROM statement_months m
                          WHERE m.statement_id = s.id AND m.currency = s.declared_currency) k
     CROSS JOIN LATERAL (SELECT k.sum * coalesce((s.findings ->> 'deduction')::numeric, 0) * 0.01 AS deduction) d
     WHERE s.id = ANY(${ids}::bigint[]) AND s.declared_amount IS NOT NULL AND s.declared_currency IS NOT NULL`;

export type DeclarationRow = Omit<Declaration, 'month' | 'summaries' | 'isDoubled'> & {
  comparedId: number;
  month: string;
  summaries: { id: number; fileName: string; banks: string[] | null }[];
};

const maxDeclarations = 500;
const maxStatements = 50;

/**
 * Amounts that live summaries declare for the months and currencies of a statement, with the sums of all live
 * statements of its source; for a summary, of all it declares. A correction counts instead of the statement it corrects
 * on its own page; elsewhere only after it replaced it.
 */
export const listDeclarations = (db: Db, ids: readonly number[]) => queryRows<DeclarationRow>(db)`
    SELECT asked.id AS compared_id, f.*
      FROM unnest(${ids}::bigint[]) AS asked (id) CROSS JOIN LATERAL (
    WITH viewed AS (SELECT * FROM statements WHERE id = asked.id),
    wanted AS (
      SELECT n.month, n.currency FROM statement_months n JOIN viewed v ON v.id = n.statement_id
       WHERE v.status IN ('loaded', 'checked') AND n.currency IS DISTINCT FROM v.declared_currency
      UNION SELECT month, currency FROM declared_amounts WHERE statement_id = asked.id
    ),
    live AS (
      SELECT s.id, s.file_name FROM statements s JOIN viewed v ON v.source = s.source
        LEFT JOIN statements former ON former.id = s.replaces AND former.status IN ('loaded', 'checked')
       WHERE s.status IN ('loaded', 'checked') AND (s.id = v.id OR (former.id IS NULL AND s.id IS DISTINCT FROM v.replaces))
    )
    SELECT w.month, w.currency, d.earned, d.owed, p.payments, d.summaries, r.sum, r.sum - d.earned AS difference,
           abs(r.sum - d.earned) <= d.rounding AS is_rounding, r.statements, r.statement_count
      FROM wanted w
      JOIN LATERAL (
        SELECT sum(a.earned) AS earned, sum(a.owed) AS owed, sum(a.rounding) AS rounding,
               jsonb_agg(DISTINCT jsonb_build_object('id', s.id, 'fileName', s.file_name, 'banks', s.findings -> 'banks')) AS summaries
          FROM declared_amounts a JOIN statements s ON s.id = a.statement_id JOIN viewed v ON v.source = a.source
         WHERE a.month = w.month AND a.currency = w.currency
        HAVING count(*) > 0
      ) d ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_object('rate', b.bank_rate::text, 'proceeds', b.proceeds::text, 'currency', b.bank_currency)
                                  ORDER BY b.bank_currency, b.bank_rate), '[]') AS payments
          FROM (SELECT a.bank_currency, a.bank_rate, sum(a.proceeds) AS proceeds
                  FROM declared_amounts a JOIN viewed v ON v.source = a.source
                 WHERE a.month = w.month AND a.currency = w.currency AND a.proceeds IS NOT NULL
                 GROUP BY a.bank_currency, a.bank_rate) b
      ) p
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(n.amount), 0) AS sum, count(*) AS statement_count,
               to_jsonb(coalesce((array_agg(jsonb_build_object('id', l.id, 'fileName', l.file_name) ORDER BY l.id))[:${sql.lit(maxStatements)}],
                                 '{}')) AS statements
          FROM live l JOIN statement_months n ON n.statement_id = l.id AND n.month = w.month AND n.currency = w.currency
      ) r
     ORDER BY w.month, w.currency LIMIT ${sql.lit(maxDeclarations)}
      ) f ORDER BY asked.id, f.month, f.currency`;

type DuplicateStoreRow = Omit<StatementDetail['doubled'][number], 'month'> & { month: string };

const maxDuplicateStores = 50;

/** Stores that another live statement has in the same month, except a statement and its correction. */
export const listDuplicateStores = (db: Db, id: number) => queryRows<DuplicateStoreRow>(db)`
    WITH own AS (
      SELECT DISTINCT r.value, coalesce(s.accounting_month, r.month) AS month, s.replaces
        FROM statement_rollups r JOIN statements s ON s.id = r.statement_id
       WHERE r.statement_id = ${id} AND r.dimension = 'store'
    )
    SELECT DISTINCT own.value AS store, own.month, o.id AS statement_id, o.file_name, o.source
      FROM own JOIN statement_rollups r ON r.dimension = 'store' AND r.value = own.value AND r.statement_id <> ${id}
      JOIN statements o ON o.id = r.statement_id AND o.status IN ('loaded', 'checked')
       AND coalesce(o.accounting_month, r.month) = own.month
     WHERE o.id IS DISTINCT FROM own.replaces AND o.replaces IS DISTINCT FROM ${id}
     ORDER BY own.month, own.value, o.id LIMIT ${sql.lit(maxDuplicateStores)}`;

/** `comparedId` is the statement they are listed for; no euros when a rate is missing. */
export type DuplicateRow = Omit<StatementDetail['duplicates'][number], 'amountEur'> & {
  comparedId: number;
  amountEur: string | null;
};

const maxDuplicates = 50;

/** Live statements with some of the same lines, and imports that posted them, at the rates of their posting months. */
export const listDuplicates = (db: Db, ids: readonly number[]) => queryRows<DuplicateRow>(db)`
    SELECT asked.id AS compared_id, f.*
      FROM unnest(${ids}::bigint[]) AS asked (id) CROSS JOIN LATERAL (
    SELECT d.other_id AS statement_id, d.import_id, d.other_name AS file_name, d.other_source AS source, d.other_status AS status,
           sum(d.rows)::bigint AS lines,
           coalesce(sum(d.rows) FILTER (WHERE d.is_posted), 0)::bigint AS posted_lines,
           CASE WHEN bool_and(d.rate IS NOT NULL) THEN round(sum(d.amount / d.rate), 6) END AS amount_eur,
           min(d.first_line) AS first_line
      FROM (
        SELECT l.*, ${rateOf(sql`l.currency`, sql`coalesce(s.accounting_month, l.month)`)} AS rate
          FROM live_duplicates l JOIN statements s ON s.id = l.statement_id WHERE l.statement_id = asked.id
      ) d
     GROUP BY 1, 2, 3, 4, 5 ORDER BY lines DESC, 1, 2 LIMIT ${sql.lit(maxDuplicates)}
      ) f ORDER BY asked.id, f.lines DESC, f.statement_id`;

/** Confirms these duplicates only: others were not in the list shown. */
export async function setConfirmed(
  trx: Trx,
  id: number,
  others: readonly { statementId: number | null; importId: number | null }[],
): Promise<void> {
  const statements = others.flatMap(({ statementId }) => statementId ?? []);
  const imports = others.flatMap(({ importId }) => importId ?? []);
  await sql`
    UPDATE statement_duplicates SET is_confirmed = other_id = ANY(${statements}::bigint[]) WHERE statement_id = ${id}`.execute(
    trx,
  );
  await sql`UPDATE statements SET confirmed_imports = ${imports}::bigint[] WHERE id = ${id}`.execute(trx);
}

/** The additional lines and euros of the containing statement; no euros when a rate is missing. */
type ContainedRow = Omit<NonNullable<StatementDetail['contains']>, 'amountEur'> & { amountEur: string | null };

/** The largest live statement that this one contains and extends, unless it corrects another live one. */
export async function findContained(db: Db, row: StatementDetailRow): Promise<ContainedRow | undefined> {
  const contains = row.findings.contains ?? [];
  if (contains.length === 0 || row.replacedStatus === 'loaded' || row.replacedStatus === 'checked') return undefined;
  return queryRow<ContainedRow>(db)`
    SELECT s.id, s.file_name, ${row.countedRows} - s.counted_rows AS lines, ${row.amountEur}::numeric - m.amount_eur AS amount_eur
      FROM statements s ${joins}
     WHERE s.id = ANY(${contains}::bigint[]) AND s.status IN ('loaded', 'checked')
     ORDER BY s.counted_rows DESC, s.id DESC LIMIT 1`;
}

export const setReplaces = (trx: Trx, id: number, replaces: number) =>
  sql`UPDATE statements SET replaces = ${replaces} WHERE id = ${id}`.execute(trx);

/** Unreversed imports that posted lines of a statement. */
export const listImports = (db: Db, id: number) => queryRows<{ id: number; month: string }>(db)`
    SELECT i.id, i.month FROM imports i
     WHERE i.id IN (SELECT import_id FROM statement_postings WHERE statement_id = ${id})
     ORDER BY i.id`;

/** The imports' reports, and their amounts to accounts and referrers. */
export const measureImports = (db: Db, importIds: readonly number[]) =>
  queryRow<{ reports: number; amount: string }>(db)`
    SELECT count(*) AS reports, coalesce(sum(account_eur + referrals_eur), 0) AS amount
      FROM reports WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`;

export const findCorrection = (db: Db, id: number) =>
  queryRow<{ id: number; fileName: string; status: StatementStatus }>(db)`
    SELECT id, file_name, status FROM statements WHERE replaces = ${id} AND ended_at IS NULL ORDER BY id DESC LIMIT 1`;

export const findLineOffset = (db: Db, id: number, line: number) =>
  queryRow<LineOffset>(db)`
    SELECT line, byte_offset FROM statement_line_offsets
     WHERE statement_id = ${id} AND line <= ${line} ORDER BY line DESC LIMIT 1`;

export const setFacts = (
  trx: Trx,
  id: number,
  facts: Pick<StatementDetailRow, 'accountingMonth' | 'declaredAmount' | 'declaredCurrency'>,
) => trx.updateTable('statements').set(facts).where('id', '=', id).execute();

export const listMembers = (db: Db, id: number) => queryRows<{ id: number; fileName: string; status: StatementStatus }>(
  db,
)`
    SELECT id, file_name, status FROM statements WHERE unpacked_from = ${id} ORDER BY file_name, id`;

/** The currency staff last entered for each of these sources. */
export async function mapLastCurrencies(db: Db, sources: readonly string[]): Promise<Map<string, string>> {
  const rows = await queryRows<{ source: string; currency: string }>(db)`
    SELECT DISTINCT ON (source) source, choices ->> 'currency' AS currency
      FROM statements WHERE source = ANY(${sources}::text[]) AND choices ? 'currency' ORDER BY source, id DESC`;
  return new Map(rows.map(({ source, currency }) => [source, currency]));
}

export async function queueReload(
  trx: Trx,
  id: number,
  choice: { preset: string | null; accountingMonth: string | null; choices: FileChoices },
): Promise<void> {
  await sql`
    UPDATE statements SET preset = ${choice.preset}, accounting_month = ${choice.accountingMonth}, choices = ${JSON.stringify(choice.choices)},
           status = 'received', findings = '{}', attempts = 0, rows = 0, counted_rows = 0, lines = 0, loaded_at = NULL
     WHERE id = ${id}`.execute(trx);
  await sql`SELECT reset_statement(${id})`.execute(trx);
}

export const setChecked = (
  trx: Trx,
  id: number,
  check?: { adminId: number; note: string | null; confirmedRates: readonly UsedRate[] },
) =>
  sql`
    UPDATE statements SET status = ${check ? 'checked' : 'loaded'}, checked_at = ${check ? sql`now()` : null},
           checked_by = ${check?.adminId ?? null}, check_note = ${check?.note ?? null},
           confirmed_rates = ${JSON.stringify(check?.confirmedRates ?? [])}
     WHERE id = ${id}`.execute(trx);

/** Ends a statement and deletes its sums; its file goes to the bin unless it is kept. */
export async function endStatement(
  trx: Trx,
  id: number,
  end: { status: 'replaced' | 'removed'; adminId: number | null },
): Promise<void> {
  await sql`
    UPDATE statements SET status = ${end.status}, ended_at = now(), ended_by = ${end.adminId} WHERE id = ${id}`.execute(
    trx,
  );
  await sql`SELECT drop_statement_sums(${id})`.execute(trx);
  if (end.status === 'removed') {
    await sql`
      UPDATE files SET binned_at = now()
       WHERE id = (SELECT file_id FROM statements WHERE id = ${id}) AND binned_at IS NULL`.execute(trx);
  }
}

/**
 * EUR of the lines of `st` in a month that an earlier live statement has too: unconfirmed, or of the statement that it
 * corrects and has not replaced yet.
 */
export const doubledEur = (month: RawBuilder<unknown>, without: RawBuilder<unknown> = sql`0`) => sql`
  coalesce((SELECT max(x.eur) FROM (
    SELECT sum(d.amount / ${rateOf(sql`d.currency`, month)}) AS eur
      FROM statement_duplicates d JOIN statements o ON o.id = d.other_id AND o.status IN ('loaded', 'checked')
     WHERE d.statement_id = st.id AND o.id < st.id AND o.id <> ${without} AND coalesce(st.accounting_month, d.month) = ${month}
       AND (o.id = st.replaces OR NOT d.is_confirmed AND NOT EXISTS (
         SELECT FROM statement_duplicates back
          WHERE back.statement_id = o.id AND back.other_id = st.id AND back.month = d.month AND back.currency = d.currency
            AND back.is_confirmed))
     GROUP BY o.id
    UNION ALL
    SELECT sum(d.amount / ${rateOf(sql`d.currency`, month)}) FROM live_duplicates d
     WHERE d.statement_id = st.id AND d.import_id IS NOT NULL AND NOT d.is_confirmed AND coalesce(st.accounting_month, d.month) = ${month}
     GROUP BY d.import_id) x), 0)`;

/** For `live_duplicates`, once the month is not marked any more. @param month `YYYY-MM-01` */
export async function storeImportDuplicates(trx: Trx, month: string): Promise<void> {
  await sql`DELETE FROM import_duplicates WHERE income_month = ${month}::date`.execute(trx);
  await sql`INSERT INTO import_duplicates SELECT * FROM marked_import_duplicates WHERE income_month = ${month}::date`.execute(
    trx,
  );
}

const shownDoubled = 5;

/**
 * EUR that months of live statements include twice, from `from` (included) to `to` (excluded); of one source without
 * one of its statements, if asked for. @returns `statements`: the later ones of the pairs, largest first
 */
export async function findDoubled(
  db: Db,
  { from, to, source, without = 0 }: { from: string; to: string; source?: string; without?: number },
) {
  const doubled = await queryRow<{ amount: string; statements: { id: number; fileName: string }[] }>(db)`
    SELECT round(coalesce(sum(k.eur), 0), 6) AS amount,
           to_jsonb(coalesce((array_agg(jsonb_build_object('id', k.id, 'fileName', k.file_name) ORDER BY abs(k.eur) DESC, k.id))
             [:${sql.lit(shownDoubled)}], '{}')) AS statements
      FROM (
        SELECT st.id, st.file_name, sum(${doubledEur(sql`t.month`, sql`${without}`)}) AS eur
          FROM statements st
          JOIN LATERAL (SELECT DISTINCT coalesce(st.accounting_month, m.month) AS month FROM statement_months m
                         WHERE m.statement_id = st.id) t ON true
         WHERE st.status IN ('loaded', 'checked') AND t.month >= ${from}::date AND t.month < ${to}::date AND st.id <> ${without}
           AND ${source === undefined ? sql`true` : sql`st.source = ${source}`}
           AND EXISTS (SELECT FROM live_duplicates d WHERE d.statement_id = st.id)
         GROUP BY st.id
      ) k WHERE k.eur <> 0`;
  return doubled ?? { amount: '0', statements: [] };
}
