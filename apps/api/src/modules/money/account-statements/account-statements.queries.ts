import { statementNames } from '@regie/contract/statement-names.ts';
import { fromMicros, toMicros } from '@regie/values/decimal.ts';
import { sql } from 'kysely';
import { type Database, exists, queryRows, querySingle, queryValue } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import { countAndSum } from '#src/lib/keyset.ts';
import { hasWords, shownMonth, shownName } from '#src/lib/text-search.ts';
import { ledgerName } from '#src/modules/money/ledger/ledger.service.ts';
import { blockedUntil, isBillingWaiting } from '#src/modules/money/signing/signing.service.ts';

export interface StatementFilter {
  userId: number;
  limit: number;
  cursor?: string | undefined;
  order: 'asc' | 'desc';
  q?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

interface LineRow {
  id: number;
  at: string;
  occurredAt: Date;
  kind: 'report' | 'adjustment' | 'payout';
  isReversal: boolean;
  isOwn: boolean;
  amount: string;
  importId: number | null;
  importType: 'platform' | 'youtube' | null;
  importMonth: string | null;
  fileName: string | null;
  importBatch: number | null;
  referredId: number | null;
  referredName: string | null;
  payoutId: number | null;
  memo: string;
  adminName: string | null;
  opening: string;
  closing: string;
  /** Null in a search: computing it needs all lines. */
  balance: string | null;
}

/** The row of an empty page. */
interface NoLine extends Pick<LineRow, 'opening' | 'closing'> {
  id: null;
}

export interface Line extends LineRow {
  balance: string;
}

/** A page's cursor: the last movement and the balance after it. */
type Mark = [tag: string, at: string, transactionId: number, balance: string];

const encode = (mark: Mark) => Buffer.from(JSON.stringify(mark)).toString('base64url');

function decode(cursor: string, tag: string): Mark {
  try {
    const mark: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(mark) && mark.length === 4 && mark[0] === tag && Number.isSafeInteger(mark[2])) {
      const [at, balance] = [String(mark[1]), String(mark[3])];
      if (/^\d{4}-\d{2}-\d{2} [\d:.]+[+-][\d:]+$/.test(at) && /^-?\d{1,20}(\.\d{1,6})?$/.test(balance)) {
        return [tag, at, mark[2], balance];
      }
    }
  } catch {}
  throw new AppError('invalid_data');
}

const maxMs = 8.64e15;
const instant = (ms: number) => {
  if (!Number.isFinite(ms) || Math.abs(ms) > maxMs) throw new AppError('invalid_data');
  return new Date(ms);
};

const hasLineWords = (userId: number, q: string) => {
  const { kind, type, income, reversal } = statementNames;
  const text = sql`fold(concat_ws(' ', CASE WHEN t.kind = 'reversal' THEN ${reversal} END,
    CASE coalesce(o.kind, t.kind) WHEN 'payout' THEN ${kind.payout} WHEN 'adjustment' THEN ${kind.adjustment}
      ELSE CASE WHEN t.account_id = ${userId} THEN ${income} ELSE ${kind.referral} END END,
    ${shownName(sql`i.type`, type)}, ${shownMonth(sql`i.month`)}, i.file_name, c.first_name, c.last_name, c.company,
    'V-' || lpad(t.payout_id::text, 6, '0'), t.memo, d.first_name, d.last_name))`;
  return sql`EXISTS (
    SELECT FROM ledger_transactions t
      LEFT JOIN ledger_transactions o ON o.id = t.reverses
      LEFT JOIN imports i ON i.id = t.import_id
      LEFT JOIN accounts c ON c.id = t.account_id AND t.account_id <> ${userId}
      LEFT JOIN admins d ON d.id = t.admin_id
     WHERE t.id = p.transaction_id AND ${hasWords(text, q)})`;
};

/**
 * One page of movements by time. The running balance starts from the cursor or the period, so a page only reads its
 * postings.
 */
export async function readStatement(db: Database, filter: StatementFilter) {
  const account = ledgerName.account(filter.userId);
  const tag = `statement:${filter.userId}:${filter.order}${filter.q ? ':q' : ''}`;
  const mark = filter.cursor === undefined ? undefined : decode(filter.cursor, tag);
  const isNewestFirst = filter.order === 'desc';
  const direction = sql.raw(filter.order);
  const from = filter.from === undefined ? undefined : instant(filter.from);
  // `to` is the last millisecond of a day, which is included.
  const after = filter.to === undefined ? undefined : instant(filter.to + 1);
  const isOfAccount = sql`p.account = ${account} AND p.currency = 'EUR'`;
  const since = from ? sql`AND p.occurred_at >= ${from}` : sql``;
  const until = after ? sql`AND p.occurred_at < ${after}` : sql``;
  const next = mark
    ? sql`AND (p.occurred_at, p.transaction_id) ${sql.raw(isNewestFirst ? '<' : '>')} (${mark[1]}::timestamptz, ${mark[2]}::bigint)`
    : sql``;
  const later = after
    ? sql`(SELECT coalesce(sum(p.amount), 0) FROM ledger_postings p WHERE ${isOfAccount} AND p.occurred_at >= ${after})`
    : sql`0`;
  const earlier = from
    ? sql`(SELECT coalesce(sum(p.amount), 0) FROM ledger_postings p WHERE ${isOfAccount} AND p.occurred_at < ${from})`
    : sql`0::numeric`;
  const matches = filter.q ? sql`AND ${hasLineWords(filter.userId, filter.q)}` : sql``;
  const moved = filter.q
    ? sql`(SELECT p.*, sum(p.amount) OVER (ORDER BY p.occurred_at, p.transaction_id) AS balance
             FROM ledger_postings p WHERE ${isOfAccount}) p`
    : sql`(SELECT p.*, NULL::numeric AS balance FROM ledger_postings p) p`;
  const [rows, count] = await Promise.all([
    // A single statement, so that balance and movements are consistent.
    queryRows<LineRow | NoLine>(db)`
      WITH page AS MATERIALIZED (
        SELECT p.transaction_id, p.occurred_at, p.amount, p.balance FROM ${moved}
         WHERE ${isOfAccount} ${since} ${until} ${next} ${matches}
         ORDER BY p.occurred_at ${direction}, p.transaction_id ${direction} LIMIT ${sql.lit(filter.limit + 1)}
      )
      SELECT l.transaction_id AS id, l.occurred_at::text AS at, l.occurred_at, l.amount, l.balance, t.memo,
             coalesce(o.kind, t.kind) AS kind, t.kind = 'reversal' AS is_reversal, t.account_id = ${filter.userId} AS is_own,
             i.id AS import_id, i.type AS import_type, i.month AS import_month, i.file_name,
             coalesce(t.import_batch, o.import_batch) AS import_batch, c.id AS referred_id,
             coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.company, c.email::text, 'Compte ' || c.id) AS referred_name,
             t.payout_id, d.first_name || ' ' || d.last_name AS admin_name, totals.opening, totals.closing
        FROM (SELECT coalesce((SELECT b.amount FROM ledger_balances b
                                WHERE b.account = ${account} AND b.currency = 'EUR'), 0) - ${later} AS closing,
                     ${earlier} AS opening) totals
        LEFT JOIN page l ON true
        LEFT JOIN ledger_transactions t ON t.id = l.transaction_id
        LEFT JOIN ledger_transactions o ON o.id = t.reverses
        LEFT JOIN imports i ON i.id = t.import_id
        LEFT JOIN accounts c ON c.id = t.account_id AND t.account_id <> ${filter.userId}
        LEFT JOIN admins d ON d.id = t.admin_id
       ORDER BY l.occurred_at ${direction}, l.transaction_id ${direction}`,
    countAndSum(db, sql`FROM ledger_postings p WHERE ${isOfAccount} ${since} ${until} ${matches}`, {
      amount: sql`p.amount`,
      currency: sql`p.currency`,
    }),
  ]);
  const [{ opening, closing } = { opening: '0', closing: '0' }] = rows;
  let running = toMicros(mark?.[3] ?? (isNewestFirst ? closing : opening));
  const lines = rows.slice(0, filter.limit).flatMap((row): Line[] => {
    if (row.id === null) return [];
    const amount = toMicros(row.amount);
    const balance = isNewestFirst ? running : running + amount;
    running = isNewestFirst ? running - amount : balance;
    return [{ ...row, balance: row.balance ?? fromMicros(balance) }];
  });
  const last = lines.at(-1);
  return {
    opening,
    closing,
    lines,
    meta: {
      nextCursor: rows.length > filter.limit && last ? encode([tag, last.at, last.id, fromMicros(running)]) : null,
      ...count,
    },
  };
}

export interface MonthRow {
  month: string;
  imports: string;
  referrals: string;
  payouts: string;
  adjustments: string;
  closing: string;
  opening: string;
}

export const sumMonths = (db: Database, accountId: number) => queryRows<MonthRow>(db)`
    WITH moved AS (
      SELECT date_trunc('month', p.occurred_at AT TIME ZONE 'Europe/Paris')::date AS month, p.amount,
             coalesce(o.kind, t.kind) AS kind, t.account_id = ${accountId} AS is_own
        FROM ledger_postings p
        JOIN ledger_transactions t ON t.id = p.transaction_id
        LEFT JOIN ledger_transactions o ON o.id = t.reverses
       WHERE p.account = ${ledgerName.account(accountId)} AND p.currency = 'EUR'
    ), summed AS (
      SELECT month, sum(amount) AS total,
             coalesce(sum(amount) FILTER (WHERE kind = 'report' AND is_own), 0) AS imports,
             coalesce(sum(amount) FILTER (WHERE kind = 'report' AND NOT is_own), 0) AS referrals,
             coalesce(sum(amount) FILTER (WHERE kind = 'payout'), 0) AS payouts,
             coalesce(sum(amount) FILTER (WHERE kind = 'adjustment'), 0) AS adjustments
        FROM moved GROUP BY month
    )
    SELECT month, imports, referrals, payouts, adjustments,
           sum(total) OVER (ORDER BY month) AS closing, sum(total) OVER (ORDER BY month) - total AS opening
      FROM summed ORDER BY month DESC`;

export interface IncomeRow {
  month: string;
  own: string;
  referrals: string;
}

/** Income by report month, newest first; from postings, which are far fewer than reports. */
export const sumIncome = (db: Database, accountId: number) => queryRows<IncomeRow>(db)`
    SELECT to_char(i.month, 'YYYY-MM') AS month,
           coalesce(sum(p.amount) FILTER (WHERE t.account_id = ${accountId}), 0) AS own,
           coalesce(sum(p.amount) FILTER (WHERE t.account_id <> ${accountId}), 0) AS referrals
      FROM ledger_postings p
      JOIN ledger_transactions t ON t.id = p.transaction_id
      JOIN imports i ON i.id = t.import_id
     WHERE p.account = ${ledgerName.account(accountId)} AND p.currency = 'EUR'
     GROUP BY i.month HAVING sum(p.amount) <> 0 ORDER BY i.month DESC`;

interface ReportRow {
  id: number;
  trackId: number | null;
  trackTitle: string | null;
  isrc: string | null;
  grossUsd: string;
  grossEur: string;
  percentile: string;
  accountEur: string;
  referralPercentile: string | null;
  share: string;
  isReversed: boolean;
}

/**
 * The reports of an import that credited an account, also as a referrer, and reversed ones, whose postings are shown
 * too.
 */
export async function listPostedReports(
  db: Database,
  posting: { importId: number; month: string; incomeOf: number; accountId: number },
  page: { limit: number; after?: { share: string; id: number } | undefined },
): Promise<{ rows: ReportRow[]; total: string; count: number }> {
  const isOwn = posting.incomeOf === posting.accountId;
  // A union, so that each half uses its own index.
  const reports = sql`(
    SELECT * FROM reports WHERE account_id = ${posting.incomeOf} AND month = ${posting.month}::date
       AND import_id = ${posting.importId} AND reversed_at IS NULL
    UNION ALL
    SELECT * FROM reports WHERE account_id = ${posting.incomeOf} AND import_id = ${posting.importId}
       AND reversed_at IS NOT NULL) r`;
  const from = isOwn
    ? sql`FROM ${reports} WHERE true`
    : sql`FROM ${reports} JOIN report_referral_shares s ON s.report_id = r.id AND s.referrer_id = ${posting.accountId}
          WHERE true`;
  const share = isOwn ? sql`r.account_eur` : sql`s.amount_eur`;
  const referral = isOwn ? sql`NULL::numeric` : sql`s.percentile`;
  const next = page.after ? sql`AND (-${share}, r.id) > (-${page.after.share}::numeric, ${page.after.id})` : sql``;
  const [rows, sums] = await Promise.all([
    queryRows<ReportRow>(db)`
      SELECT r.id, r.track_id, t.title AS track_title, t.isrc, r.gross_usd, r.gross_eur, r.percentile, r.account_eur,
             r.referral_percentile, r.share, r.reversed_at IS NOT NULL AS is_reversed
        FROM (SELECT r.*, ${referral} AS referral_percentile, ${share} AS share ${from} ${next}
               ORDER BY ${share} DESC, r.id LIMIT ${sql.lit(page.limit + 1)}) r
        LEFT JOIN tracks t ON t.id = r.track_id
       ORDER BY r.share DESC, r.id`,
    querySingle<{ total: string; count: number }>(
      db,
    )`SELECT coalesce(sum(${share}), 0) AS total, count(*) AS count ${from}`,
  ]);
  return { rows, ...sums };
}

const topTracks = 10;
const shownPayouts = 20;

export const listTopTracks = (db: Database, accountId: number) => queryRows<{
  id: number;
  title: string;
  isrc: string | null;
  releaseId: number;
  releaseTitle: string;
  streams: string;
  earned: string;
}>(db)`
    SELECT t.id, t.title, t.isrc, l.id AS release_id, l.title AS release_title, r.streams, r.earned
      FROM (SELECT track_id, sum(num_streams) AS streams, sum(account_eur) AS earned FROM reports
             WHERE account_id = ${accountId} AND reversed_at IS NULL AND track_id IS NOT NULL
               AND month > (SELECT max(month) FROM reports WHERE account_id = ${accountId} AND reversed_at IS NULL)
                           - interval '12 months'
             GROUP BY track_id ORDER BY earned DESC, track_id LIMIT ${sql.lit(topTracks)}) r
      JOIN tracks t ON t.id = r.track_id JOIN releases l ON l.id = t.release_id
     ORDER BY r.earned DESC, t.id`;

export function listPendingPayouts(db: Database, accountId: number) {
  return queryRows<{ id: number; amountEur: string; createdAt: Date }>(db)`
    SELECT id, amount_eur, created_at FROM payouts
     WHERE account_id = ${accountId} AND state = 'pending' AND deleted_at IS NULL
     ORDER BY id LIMIT ${sql.lit(shownPayouts)}`;
}

export const countReleases = (db: Database, accountId: number) => queryValue<number>(db)`
    SELECT count(*) AS n FROM releases WHERE account_id = ${accountId} AND deleted_at IS NULL`;

export const countOpenTickets = (db: Database, accountId: number) => queryValue<number>(db)`
    SELECT count(*) AS n FROM tickets WHERE account_id = ${accountId} AND status = 'opened'`;

export const hasDetails = (db: Database, accountId: number) => exists(db)`
    SELECT FROM billing_accounts WHERE account_id = ${accountId} AND deleted_at IS NULL`;

/** Payment details that wait after a change. */
export function listChangedDetails(db: Database, accountId: number) {
  return queryRows<{ id: number; type: 'bank' | 'paypal'; blockedUntil: Date }>(db)`
    SELECT b.id, b.type, ${blockedUntil} AS blocked_until FROM billing_accounts b
     WHERE b.account_id = ${accountId} AND b.deleted_at IS NULL AND ${isBillingWaiting} ORDER BY b.id`;
}
