import type { LetterFailure, RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { type Database, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { accountsWith, matchesAccount } from '#src/lib/text-search.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';

export interface RunRow {
  id: number;
  month: string;
  createdAt: Date;
  createdByName: string | null;
  failedAt: Date | null;
  publishedAt: Date | null;
  statements: number;
  incomeEur: string;
  closingEur: string;
  none: number;
  queued: number;
  sent: number;
  failed: number;
  withoutEmail: number;
  stopped: number;
}

/** Of a letter `l`, which may be missing. */
const letterState = sql`
  CASE WHEN l.statement_id IS NULL THEN 'none' WHEN l.sent_at IS NOT NULL THEN 'sent'
       WHEN coalesce(l.failure, 'unreachable') = 'unreachable' THEN 'queued' ELSE 'failed' END`;

const runColumns = sql`
  r.id, r.month, r.created_at, r.failed_at, r.published_at, ${adminName('r.created_by')} AS created_by_name, s.*`;
const runSums = sql`
  CROSS JOIN LATERAL (
    SELECT count(*) AS statements, coalesce(sum(income_eur), 0) AS income_eur, coalesce(sum(closing_eur), 0) AS closing_eur,
           count(*) FILTER (WHERE state = 'none') AS none, count(*) FILTER (WHERE state = 'queued') AS queued,
           count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'failed') AS failed,
           count(*) FILTER (WHERE state IN ('none', 'failed') AND email IS NULL) AS without_email,
           count(*) FILTER (WHERE state IN ('none', 'failed') AND email IS NOT NULL AND is_stopped) AS stopped
      FROM (
        SELECT s.income_eur, s.closing_eur, a.email, a.state <> 'enabled' AS is_stopped,
               CASE WHEN a.erased_at IS NULL THEN ${letterState} END AS state
          FROM royalty_statements s JOIN accounts a ON a.id = s.account_id LEFT JOIN royalty_letters l ON l.statement_id = s.id
         WHERE s.run_id = r.id) s) s`;

export const listRuns = (db: Database, query: ListQuery<'month'>) =>
  readPage<RunRow>(db, keyset(query, { month: { expression: sql`r.month::text`, type: 'text' } }, sql`r.id`), {
    columns: runColumns,
    from: sql`royalty_runs r`,
    row: 'r',
    where: [sql`true`],
    joins: runSums,
    sum: {
      amount: sql`(SELECT coalesce(sum(s.income_eur), 0) FROM royalty_statements s WHERE s.run_id = r.id)`,
      currency: sql`'EUR'`,
    },
  });

export const findRun = (db: Database, id: number) =>
  queryRow<RunRow>(db)`SELECT ${runColumns} FROM royalty_runs r ${runSums} WHERE r.id = ${id}`;

/** The latest run, and the one that is not published yet. */
export const findLastRun = (db: Trx) => queryRow<{ month: string; isOpen: boolean }>(db)`
    SELECT max(month)::text AS month, bool_or(published_at IS NULL) AS is_open FROM royalty_runs HAVING count(*) > 0`;

export interface DraftRow {
  id: number;
  firstName: string;
  lastName: string;
  fromMonth: string;
  isFirst: boolean;
  hasEmail: boolean;
  isStopped: boolean;
  opening: string;
  income: string;
  closing: string;
  formerIncome: string | null;
}

/** What a run of the month would publish now; it finds accounts and movements as `publishRun`. */
export function listDrafts(db: Database, month: string, query: ListQuery<'name' | 'income' | 'closing'>) {
  const keys = {
    name: { expression: sql`d.last_name`, type: 'text' as const },
    income: { expression: sql`d.income`, type: 'numeric' as const },
    closing: { expression: sql`d.closing`, type: 'numeric' as const },
  };
  const drafts = sql`(
    SELECT a.id, a.first_name, a.last_name, e.from_month, e.former_id IS NULL AS is_first, a.email IS NOT NULL AS has_email,
           a.state <> 'enabled' AS is_stopped, b.closing - b.moved AS opening, b.income, b.closing, f.income_eur AS former_income
      FROM due_statements(${month}) e
      JOIN accounts a ON a.id = e.account_id
      LEFT JOIN royalty_statements f ON f.id = e.former_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(p.amount), 0) AS closing, coalesce(sum(p.amount) FILTER (WHERE m.is_new), 0) AS moved,
              coalesce(sum(p.amount) FILTER (WHERE m.is_new AND t.kind = 'report' AND t.account_id = a.id), 0) AS income,
              count(*) FILTER (WHERE m.is_new) AS entries
         FROM ledger_postings p
         JOIN ledger_transactions t ON t.id = p.transaction_id
        CROSS JOIN LATERAL (
          SELECT CASE WHEN e.after_id IS NULL THEN p.occurred_at >= e.from_month::timestamp AT TIME ZONE 'Europe/Paris'
                      ELSE p.transaction_id > e.after_id END AS is_new) m
        WHERE p.account = ${ledgerName.account('a.id')} AND p.currency = 'EUR') b
     WHERE (b.entries > 0 OR b.closing <> 0) AND ${query.q ? matchesAccount(query.q) : sql`true`}) d`;
  return readPage<DraftRow>(db, keyset(query, keys, sql`d.id`), {
    columns: sql`d.*`,
    from: drafts,
    row: 'd',
    where: [sql`true`],
    sum: { amount: sql`d.income`, currency: sql`'EUR'` },
  });
}

export interface SalesMonths {
  accountId: number;
  a: string;
  b: string;
}

/**
 * Of drafts of one month whose former statement is of one month too: the months of sales that brought most of both's own
 * income. The comparison explains months of sales; longer statements mix too many of them.
 */
export const listSalesMonths = (db: Database, month: string, accounts: readonly number[]) => queryRows<SalesMonths>(db)`
    SELECT e.account_id, m.a, m.b
      FROM due_statements(${month}) e
      JOIN royalty_statements f ON f.id = e.former_id
      JOIN royalty_runs r ON r.id = f.run_id
      LEFT JOIN LATERAL (
       SELECT q.through_id FROM royalty_statements g JOIN royalty_runs q ON q.id = g.run_id
        WHERE g.account_id = f.account_id AND g.number = f.number - 1) g ON true
     CROSS JOIN LATERAL (
       SELECT (array_agg(s.month ORDER BY s.amount DESC) FILTER (WHERE NOT s.is_new))[1] AS a,
              (array_agg(s.month ORDER BY s.amount DESC) FILTER (WHERE s.is_new))[1] AS b
         FROM (
           SELECT p.transaction_id > e.after_id AS is_new, i.month, sum(p.amount) AS amount
             FROM ledger_postings p
             JOIN ledger_transactions t ON t.id = p.transaction_id
             JOIN imports i ON i.id = t.import_id
            WHERE p.account = ${ledgerName.account('e.account_id')} AND p.currency = 'EUR' AND t.kind = 'report'
              AND t.account_id = e.account_id
              AND CASE WHEN g.through_id IS NULL THEN p.occurred_at >= f.from_month::timestamp AT TIME ZONE 'Europe/Paris'
                       ELSE p.transaction_id > g.through_id END
            GROUP BY 1, 2) s) m
     WHERE e.account_id = ANY(${accounts}::bigint[]) AND e.from_month = ${month} AND f.from_month = r.month AND m.a < m.b`;

export interface StatementRow {
  id: number;
  runId: number;
  accountId: number;
  firstName: string;
  lastName: string;
  number: number;
  fromMonth: string;
  month: string;
  openingEur: string;
  incomeEur: string;
  closingEur: string;
  publishedAt: Date;
  letter: 'none' | 'queued' | 'sent' | 'failed';
  failure: LetterFailure | null;
  sentAt: Date | null;
  queuedAt: Date | null;
}

const statementColumns = sql`
  s.id, s.run_id, s.account_id, a.first_name, a.last_name, s.number, s.from_month, r.month, s.opening_eur, s.income_eur,
  s.closing_eur, r.published_at, ${letterState} AS letter, l.failure, l.sent_at, l.queued_at`;
const statementJoins = sql`
  JOIN royalty_runs r ON r.id = s.run_id JOIN accounts a ON a.id = s.account_id
  LEFT JOIN royalty_letters l ON l.statement_id = s.id`;

export function listStatements(
  db: Database,
  query: ListQuery<'publishedAt' | 'closing' | 'income'> & {
    runId?: number | undefined;
    userId?: number | undefined;
    letter?: StatementRow['letter'] | undefined;
  },
) {
  const keys = {
    publishedAt: { expression: sql`s.id`, type: 'bigint' as const },
    closing: { expression: sql`s.closing_eur`, type: 'numeric' as const },
    income: { expression: sql`s.income_eur`, type: 'numeric' as const },
  };
  return readPage<StatementRow>(db, keyset(query, keys, sql`s.id`), {
    columns: statementColumns,
    from: sql`royalty_statements s`,
    row: 's',
    sum: { amount: sql`s.income_eur`, currency: sql`'EUR'` },
    joins: statementJoins,
    where: [
      query.runId === undefined ? sql`true` : sql`s.run_id = ${query.runId}`,
      query.userId === undefined ? sql`true` : sql`s.account_id = ${query.userId}`,
      query.q ? sql`s.account_id IN ${accountsWith(query.q)}` : sql`true`,
      query.letter
        ? sql`${query.letter} = (
            SELECT ${letterState} FROM accounts a LEFT JOIN royalty_letters l ON l.statement_id = s.id
             WHERE a.id = s.account_id AND a.erased_at IS NULL)`
        : sql`true`,
    ],
  });
}

export interface StatementOut extends StatementRow {
  record: RoyaltyRecord | null;
  sha256: Buffer;
  storageKey: string | null;
  isErased: boolean;
  /** The account's, now. */
  accountEmail: string | null;
  /** Of the letter. */
  email: string | null;
  link: number | null;
  linkExpiresAt: Date | null;
}

export const findStatement = (db: Database, id: number, condition = sql`true`) => queryRow<StatementOut>(db)`
    SELECT ${statementColumns}, nullif(s.record, '{}') AS record, s.sha256, f.storage_key, a.erased_at IS NOT NULL AS is_erased,
           a.email AS account_email, l.email,
           CASE WHEN l.revoked_at IS NULL AND l.expires_at > now() THEN l.link END AS link, l.expires_at AS link_expires_at
      FROM royalty_statements s ${statementJoins} LEFT JOIN files f ON f.id = r.file_id
     WHERE s.id = ${id} AND ${condition}`;

/** Until the transaction ends. @throws while the letter is being sent */
export const lockLetter = (trx: Trx, statementId: number) =>
  sql`SELECT FROM royalty_letters WHERE statement_id = ${statementId} FOR UPDATE NOWAIT`.execute(trx);

export const addRun = (trx: Trx, month: string, adminId: number) => queryRows<{ id: number }>(trx)`
    INSERT INTO royalty_runs (month, created_by) VALUES (${month}::date, ${adminId}) RETURNING id`;

export async function setFailed(db: Database, id: number, hasFailed: boolean): Promise<void> {
  await sql`UPDATE royalty_runs SET failed_at = ${hasFailed ? sql`now()` : null} WHERE id = ${id}`.execute(db);
}
