import { sql } from 'kysely';
import { type Database, queryRows, querySingle } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';

export type IncomeType = 'platform' | 'youtube';

export interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

/** Decimal texts in EUR. */
export function sumIncome(db: Database, type: IncomeType) {
  const income = sql.ref(type === 'platform' ? 'platform_income' : 'youtube_income');
  return querySingle<{ total: string; remaining: string; credited: number }>(db)`
    SELECT coalesce(sum(${income}), 0) AS total, coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS remaining,
           count(*) FILTER (WHERE ${income} > 0) AS credited
      FROM ledger_balances WHERE account_id IS NOT NULL AND currency = 'EUR'`;
}

const within = (column: string, { from, to }: Period) => sql<boolean>`
  (${from ?? null}::date IS NULL OR ${sql.ref(column)} >= ${from ?? null}::date)
  AND (${to ?? null}::date IS NULL OR ${sql.ref(column)} <= ${to ?? null}::date)`;

// Days since 2000.
const monthNumber = sql`(m.month - '2000-01-01'::date)::bigint`;
const sorts = {
  month: { expression: sql`m.month`, type: 'date' },
  income: { expression: sql`m.credited_eur`, type: 'numeric' },
} as const;

interface MonthRow {
  id: number;
  month: string;
  creditedEur: string;
  cursorValue: string;
}

/** Without months whose reports were all reversed. */
export async function listIncomeMonths(db: Database, type: IncomeType, query: Period & ListQuery<keyof typeof sorts>) {
  const page = keyset(query, sorts, monthNumber);
  return readPage<MonthRow>(db, page, {
    columns: sql`${monthNumber} AS id, m.month, m.credited_eur`,
    from: sql`income_months m`,
    row: 'm',
    where: [sql`m.type = ${type}`, sql`m.credited_eur <> 0`, within('m.month', query)],
    sum: { amount: sql`m.credited_eur`, currency: sql`'EUR'` },
  });
}

/** Oldest first; months without income are zero. */
export function listIncome(db: Database, period: Period) {
  return queryRows<{ month: string; platform: string; youtube: string }>(db)`
    WITH known AS (
      SELECT m.month, coalesce(sum(m.credited_eur) FILTER (WHERE m.type = 'platform'), 0) AS platform,
             coalesce(sum(m.credited_eur) FILTER (WHERE m.type = 'youtube'), 0) AS youtube
        FROM income_months m WHERE m.credited_eur <> 0 AND ${within('m.month', period)} GROUP BY m.month
    )
    SELECT days.month::date AS month, coalesce(k.platform, 0) AS platform, coalesce(k.youtube, 0) AS youtube
      FROM (SELECT min(month) AS first, max(month) AS last FROM known) span,
           generate_series(span.first::timestamp, span.last::timestamp, '1 month') AS days (month)
      LEFT JOIN known k ON k.month = days.month
     ORDER BY 1`;
}

/** Paid in each month and owed at its end, oldest first; owed sums include earlier months. */
export function listFlows(db: Database, period: Period) {
  return queryRows<{ month: string; paid: string; owed: string }>(db)`
    WITH spanned AS (
      SELECT days.month::date AS month
        FROM (SELECT min(month) AS first, max(month) AS last FROM ledger_months) span,
             generate_series(span.first::timestamp, span.last::timestamp, '1 month') AS days (month)
    ),
    running AS (
      SELECT s.month, coalesce(f.paid_eur, 0) AS paid, sum(coalesce(f.owed_eur, 0)) OVER (ORDER BY s.month) AS owed
        FROM spanned s LEFT JOIN ledger_months f ON f.month = s.month
    )
    SELECT m.month, m.paid, m.owed FROM running m WHERE ${within('m.month', period)} ORDER BY m.month`;
}
