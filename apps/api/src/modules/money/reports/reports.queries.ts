import { importKindNames } from '@regie/contract/imports.ts';
import type { GivenValues } from '@regie/contract/routes/reports.ts';
import { reportTypes, systemName } from '@regie/contract/state-names.ts';
import { normaliseIsrc } from '@regie/values/isrc.ts';
import { findMonth, monthToMs } from '@regie/values/month.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import type { Imports } from '#src/lib/db.generated.ts';
import { queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { capCount, countLimit, cutPage, keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { readRecords } from '#src/lib/records.ts';
import { accountsWith, containsPattern, hasEachWord, hasWords, shownMonth, shownName } from '#src/lib/text-search.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';

interface ReportRow {
  id: string;
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  numStreams: string;
  incomeStreamsUsd: string;
  numDownloads: string;
  incomeDownloadsUsd: string;
  numYoutube: string;
  incomeYoutubeUsd: string;
  grossUsd: string;
  trackId: string | null;
  title: string | null;
  isrc: string | null;
  accountId: string;
  firstName: string;
  lastName: string;
}

const reportColumns: Record<keyof ReportRow, RawBuilder<unknown>> = {
  id: sql`r.id`,
  type: sql`r.type`,
  month: sql`r.month`,
  toDate: sql`i.to_date`,
  numStreams: sql`r.num_streams`,
  incomeStreamsUsd: sql`r.income_streams_usd`,
  numDownloads: sql`r.num_downloads`,
  incomeDownloadsUsd: sql`r.income_downloads_usd`,
  numYoutube: sql`r.num_youtube`,
  incomeYoutubeUsd: sql`r.income_youtube_usd`,
  grossUsd: sql`r.gross_usd`,
  trackId: sql`r.track_id`,
  title: sql`t.title`,
  isrc: sql`t.isrc`,
  accountId: sql`r.account_id`,
  firstName: sql`a.first_name`,
  lastName: sql`a.last_name`,
};
const reportJoins = sql`
  JOIN imports i ON i.id = r.import_id
  JOIN accounts a ON a.id = r.account_id
  LEFT JOIN tracks t ON t.id = r.track_id`;

/** The stored day follows the period. */
const lastInstant = (dayAfter: string) => monthToMs(dayAfter.slice(0, 7)) - 1;

const reportToWire = (row: ReportRow) => ({
  id: Number(row.id),
  type: row.type,
  fromDate: monthToMs(row.month),
  toDate: lastInstant(row.toDate),
  // Sums beyond 2^53 lose digits and must not fail the list.
  numOfStreams: Number(row.numStreams),
  incomeOfStreams: toWireNumber(row.incomeStreamsUsd),
  numOfDownloads: Number(row.numDownloads),
  incomeOfDownloads: toWireNumber(row.incomeDownloadsUsd),
  numOfYoutube: Number(row.numYoutube),
  incomeOfYoutube: toWireNumber(row.incomeYoutubeUsd),
  totalIncome: toWireNumber(row.grossUsd),
  trackId: row.trackId === null ? null : Number(row.trackId),
  userId: Number(row.accountId),
  Track: row.trackId === null ? null : { id: Number(row.trackId), title: row.title ?? '', isrc: row.isrc },
  Account: { id: Number(row.accountId), fname: row.firstName, lname: row.lastName },
});

const startOfIsrc = /^[A-Z]{2}[A-Z0-9]{3}\d{1,7}$/;
/** With more matches, reading the months in order is faster. */
const lookUpLimit = 1000;

/** Reports whose track or account has the words. */
async function textCondition(db: Trx, q: string): Promise<RawBuilder<boolean>> {
  const inText = hasWords(sql`x.search`, q);
  // ISRCs are often pasted with hyphens.
  const code = normaliseIsrc(q);
  const isCode = startOfIsrc.test(code) ? sql`x.isrc LIKE ${`${code}%`}` : sql`false`;
  // For one word, the accounts' condition suffices.
  const ofTrack = (isOf: (word: string) => RawBuilder<unknown>) =>
    sql<boolean>`(${isCode} OR ${/\s/.test(q.trim()) ? hasEachWord(q, (word) => sql`${hasWords(sql`x.search`, word)} OR ${isOf(word)}`) : inText})`;
  // An array lets the tracks' index be used.
  const inIndex = (word: string) => sql`x.account_id = ANY (ARRAY${accountsWith(word)})`;
  const ids = async (table: 'tracks' | 'accounts') =>
    (
      await sql<{ id: number }>`
        SELECT x.id FROM ${sql.table(table)} x
         WHERE ${table === 'tracks' ? ofTrack(inIndex) : inText} LIMIT ${sql.lit(lookUpLimit + 1)}`.execute(db)
    ).rows.map((row) => row.id);
  const [tracks, accounts] = await Promise.all([ids('tracks'), ids('accounts')]);
  if (tracks.length <= lookUpLimit && accounts.length <= lookUpLimit) {
    return sql<boolean>`(r.track_id = ANY(${tracks}::bigint[]) OR r.account_id = ANY(${accounts}::bigint[]))`;
  }
  return sql<boolean>`(
    EXISTS (SELECT 1 FROM tracks x WHERE x.id = r.track_id AND ${ofTrack((word) => sql`x.account_id IN ${accountsWith(word)}`)})
    OR EXISTS (SELECT 1 FROM accounts x WHERE x.id = r.account_id AND ${inText}))`;
}

export interface ReportFilter extends ListQuery {
  type?: 'platform' | 'youtube' | undefined;
  from?: number | undefined;
  to?: number | undefined;
  import?: number | undefined;
  userId?: number | undefined;
}

const and = (conditions: readonly RawBuilder<boolean>[]) => sql.join(conditions, sql` AND `);
const storedMonth = (ms: number) => `${findMonth(ms) ?? ''}-01`;

const reportSorts: Record<string, SortKey> = {
  month: { expression: sql`r.month`, type: 'date' },
  id: { expression: sql`r.id`, type: 'bigint' },
};

interface Counted {
  total: string;
  gross: string;
}
const countedColumns = { total: sql`counted.n`, gross: sql`counted.gross` };

export async function listReports(db: Trx, filter: ReportFilter) {
  const page = keyset(filter, reportSorts, sql`r.id`);
  const ofImport: RawBuilder<boolean>[] = [];
  if (filter.type) ofImport.push(sql`r.type = ${filter.type}`);
  if (filter.from !== undefined) ofImport.push(sql`r.month >= ${storedMonth(filter.from)}::date`);
  if (filter.to !== undefined) ofImport.push(sql`r.month <= ${storedMonth(filter.to)}::date`);
  const conditions = [sql<boolean>`r.reversed_at IS NULL`, ...ofImport];
  if (filter.import !== undefined) {
    conditions.push(sql`r.import_id = ${filter.import}`);
    // The month's index has the list's order: a page of a large import needs no sort.
    conditions.push(sql`r.month = (SELECT m.month FROM imports m WHERE m.id = ${filter.import})`);
  }
  if (filter.userId !== undefined) conditions.push(sql`r.account_id = ${filter.userId}`);
  if (filter.import !== undefined) ofImport.push(sql`r.id = ${filter.import}`);
  const isCountedByImports = filter.userId === undefined && !filter.q;
  if (filter.q) conditions.push(await textCondition(db, filter.q));

  // Imports hold their counts and income: filters of types, months and an import need no more.
  const counted = isCountedByImports
    ? sql`SELECT coalesce(sum(r.reports), 0)::bigint AS n, coalesce(sum(r.gross_usd - r.deleted_usd), 0) AS gross
            FROM imports r WHERE ${and([sql<boolean>`r.reversed_at IS NULL`, ...ofImport])}`
    : sql`SELECT count(*) AS n, coalesce(sum(c.gross_usd), 0) AS gross
            FROM (SELECT r.gross_usd FROM reports r WHERE ${and(conditions)} LIMIT ${sql.lit(countLimit + 1)}) c`;
  const rows = await readRecords<ReportRow & Counted>(
    db,
    { ...reportColumns, ...countedColumns },
    sql`FROM (SELECT r.* FROM reports r
               WHERE ${and([...conditions, page.after])} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}) r
      ${reportJoins} CROSS JOIN (${counted}) counted ORDER BY ${page.orderBy}`,
  );
  const cut = cutPage(rows, page, (row) => (filter.sort === 'id' ? row.id : row.month));
  // The count is on the rows; a page emptied meanwhile has none.
  const [total] =
    rows.length > 0 ? rows : await readRecords<Counted>(db, countedColumns, sql`FROM (${counted}) counted`);
  const n = Number(total?.total ?? 0);
  const count = isCountedByImports ? { total: n, totalIsExact: true } : capCount(n);
  const sums = count.totalIsExact ? [{ currency: 'USD', amount: toWireNumber(total?.gross ?? '0') }] : null;
  return { data: cut.rows.map(reportToWire), meta: { nextCursor: cut.nextCursor, ...count, sums } };
}

/** A live report with who got what. */
export async function findReport(db: Trx, id: number) {
  const [row] = await readRecords<
    ReportRow & {
      rate: string;
      percentile: string;
      grossEur: string;
      accountEur: string;
      platformEur: string;
      importId: string;
      importKind: string;
      importFile: string | null;
      importAtMs: string;
      createdBy: string | null;
    }
  >(
    db,
    {
      ...reportColumns,
      rate: sql`i.rate`,
      percentile: sql`r.percentile`,
      grossEur: sql`r.gross_eur`,
      accountEur: sql`r.account_eur`,
      platformEur: sql`r.platform_eur`,
      importId: sql`i.id`,
      importKind: sql`i.kind`,
      importFile: sql`i.file_name`,
      importAtMs: sql`floor(extract(epoch FROM i.created_at) * 1000)`,
      createdBy: sql`c.first_name || ' ' || c.last_name`,
    },
    sql`FROM reports r ${reportJoins} LEFT JOIN admins c ON c.id = i.created_by
       WHERE r.id = ${id} AND r.reversed_at IS NULL`,
  );
  if (!row) return undefined;
  const [referrals, transactions, neighbours] = await Promise.all([
    db
      .selectFrom('reportReferralShares as s')
      .innerJoin('accounts as a', 'a.id', 's.referrerId')
      .select(['s.referralId', 's.percentile', 's.amountEur', 'a.id', 'a.firstName', 'a.lastName'])
      .where('s.reportId', '=', id)
      .orderBy('s.referralId')
      .execute(),
    sql<{ id: number; occurredAt: Date; amountEur: string }>`
      SELECT t.id, t.occurred_at, coalesce(p.amount, 0) AS amount_eur
        FROM ledger_transactions t
        LEFT JOIN ledger_postings p ON p.transaction_id = t.id AND p.account = ${ledgerName.account('t.account_id')}
       WHERE t.import_id = ${row.importId} AND t.account_id = ${row.accountId} AND t.kind = 'report'
       ORDER BY t.id LIMIT 500`.execute(db),
    listNeighbours(db, id),
  ]);
  return {
    ...toWireRow(row, 'rate', 'grossEur', 'percentile', 'accountEur', 'platformEur'),
    ...reportToWire(row),
    referrals: referrals.map((share) => ({
      ...toWireRow(share, 'percentile', 'amountEur'),
      referrer: { id: share.id, fname: share.firstName, lname: share.lastName },
    })),
    import: {
      id: Number(row.importId),
      kind: row.importKind,
      fileName: row.importFile,
      createdAt: Number(row.importAtMs),
    },
    transactions: transactions.rows.map((transaction) => toWireRow(transaction, 'amountEur')),
    previous: neighbours.find(({ isPrevious }) => isPrevious) ?? null,
    next: neighbours.find(({ isPrevious }) => !isPrevious) ?? null,
  };
}

/** Of the account and month: the report with the next larger share, and with the next smaller one. */
const listNeighbours = (db: Trx, id: number) => queryRows<{ id: number; name: string; isPrevious: boolean }>(db)`
    SELECT n.id, coalesce(t.title, a.first_name || ' ' || a.last_name) AS name, n.is_previous
      FROM (SELECT id, lag(id) OVER shares AS previous_id, lead(id) OVER shares AS next_id
              FROM reports
             WHERE (account_id, month) = (SELECT account_id, month FROM reports WHERE id = ${id}) AND reversed_at IS NULL
            WINDOW shares AS (ORDER BY account_eur DESC, id)) s
     CROSS JOIN LATERAL (VALUES (s.previous_id, true), (s.next_id, false)) AS n (id, is_previous)
      JOIN reports r ON r.id = n.id JOIN accounts a ON a.id = r.account_id LEFT JOIN tracks t ON t.id = r.track_id
     WHERE s.id = ${id}`;

interface ImportRow
  extends Omit<Selectable<Imports>, 'createdBy' | 'deletedUsd' | 'fileKey' | 'reversedBy' | 'termsVersion'> {
  kind: 'csv' | 'single' | 'automatic';
  type: 'platform' | 'youtube';
  stagedBatches: number;
  stagedRows: number;
  receivedAt: Date | null;
  createdBy: string | null;
  reversedBy: string | null;
}

const importColumns = sql`
  i.id, i.kind, i.type, i.file_name, i.month, i.to_date, i.rate, i.batches, i.batches_expected, i.rows, i.saved, i.unsaved,
  i.reports, i.gross_usd, i.gross_eur, i.accounts_eur, i.referrals_eur, i.platform_eur, i.created_at, i.reversed_at, i.posted_at,
  s.staged_batches, s.staged_rows, (SELECT max(b.created_at) FROM import_batches b WHERE b.import_id = i.id) AS received_at,
  c.first_name || ' ' || c.last_name AS created_by, v.first_name || ' ' || v.last_name AS reversed_by`;
const importJoins = sql`LEFT JOIN admins c ON c.id = i.created_by LEFT JOIN admins v ON v.id = i.reversed_by
  CROSS JOIN LATERAL (SELECT count(*) AS staged_batches, coalesce(sum(cardinality(row)), 0)::bigint AS staged_rows
                        FROM import_staged_rows w WHERE w.import_id = i.id) s`;

const importToWire = (row: ImportRow) => ({
  ...toWireRow(row, 'rate', 'grossUsd', 'grossEur', 'accountsEur', 'referralsEur', 'platformEur'),
  month: monthToMs(row.month),
  toDate: lastInstant(row.toDate),
  receivedAt: (row.receivedAt ?? row.createdAt).getTime(),
});

export interface ImportFilter extends ListQuery {
  kind?: string | undefined;
  type?: string | undefined;
  month?: number | undefined;
  state?: 'active' | 'staged' | 'reversed' | undefined;
}

const hasStaged = sql`EXISTS (SELECT FROM import_staged_rows w WHERE w.import_id = i.id)`;
const inState = {
  active: sql<boolean>`(i.reversed_at IS NULL AND NOT ${hasStaged})`,
  staged: sql<boolean>`(i.reversed_at IS NULL AND ${hasStaged})`,
  reversed: sql<boolean>`i.reversed_at IS NOT NULL`,
};

const importWords = sql`fold(concat_ws(' ', i.file_name, ${shownName(sql`i.kind`, importKindNames)},
  ${shownName(sql`i.type`, reportTypes)}, ${shownMonth(sql`i.month`)},
  coalesce(${adminName('i.created_by')}, ${systemName})))`;

const importSorts: Record<string, SortKey> = { createdAt: { expression: sql`i.created_at`, type: 'timestamptz' } };

/** By the date that the list shows. */
export async function listImports(db: Trx, filter: ImportFilter) {
  const page = keyset(filter, importSorts, sql`i.id`);
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (filter.kind) conditions.push(sql`i.kind = ${filter.kind}`);
  if (filter.type) conditions.push(sql`i.type = ${filter.type}`);
  if (filter.month !== undefined) conditions.push(sql`i.month = ${storedMonth(filter.month)}::date`);
  if (filter.state) conditions.push(inState[filter.state]);
  if (filter.q) {
    const number = findNumber(filter.q, 'import');
    const inName = hasWords(importWords, filter.q);
    conditions.push(number === undefined ? inName : sql`(${inName} OR i.id = ${number}::bigint)`);
  }
  const { rows, meta } = await readPage<ImportRow>(db, page, {
    columns: importColumns,
    from: sql`imports i`,
    row: 'i',
    where: conditions,
    joins: importJoins,
    sum: {
      amount: sql`CASE WHEN i.reversed_at IS NULL OR ${filter.state !== undefined}::boolean THEN i.accounts_eur ELSE 0 END`,
      currency: sql`'EUR'`,
    },
  });
  return { data: rows.map(importToWire), meta };
}

export async function findImport(db: Trx, id: number) {
  const row = await queryRow<ImportRow>(db)`SELECT ${importColumns} FROM imports i ${importJoins} WHERE i.id = ${id}`;
  return row && importToWire(row);
}

export async function listUnsavedRows(db: Trx, importId: number, query: ListQuery) {
  // Batches are numbered in the order of rows.
  const page = keyset(query, { row: { expression: sql`u.batch`, type: 'bigint' } }, sql`u.row`);
  type Row = { id: number; batch: number; row: number; isrc: string; reason: string; given: GivenValues };
  const { rows, meta } = await readPage<Row>(db, page, {
    columns: sql`u.row AS id, u.batch, u.row, u.isrc, u.reason, coalesce(u.given, '{}') AS given`,
    from: sql`import_unsaved_rows u`,
    row: 'u',
    where: [
      sql`u.import_id = ${importId}`,
      query.q ? sql`upper(u.isrc) LIKE upper(${containsPattern(query.q)})` : sql`true`,
    ],
  });
  return { data: rows, meta };
}

export const findImportIds = (db: Trx, reportId: number) => queryColumn<number>(db)`
    SELECT import_id FROM reports WHERE id = ${reportId}`;
