import { monthToMs } from '@regie/contract/month.ts';
import { routes } from '@regie/contract/routes.ts';
import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { countUpTo } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { route } from '#src/lib/route.ts';

async function countAndSum(db: Trx, query: ReturnType<typeof sql<{ count: number; amount: string }>>) {
  const { rows } = await query.execute(db);
  return { count: rows[0]?.count ?? 0, amountEur: toWireNumber(rows[0]?.amount ?? '0') };
}

async function reportFigures(db: Trx) {
  const { rows } = await sql<{ count: string; lastMonth: string | null; gross: string }>`
    SELECT coalesce(sum(reports), 0) AS count, max(month) FILTER (WHERE reports > 0) AS last_month,
           coalesce((SELECT sum(gross_usd - deleted_usd) FROM imports l WHERE l.reversed_at IS NULL AND l.month =
             (SELECT max(month) FROM imports m WHERE m.reversed_at IS NULL AND m.reports > 0)), 0) AS gross
      FROM imports WHERE reversed_at IS NULL`.execute(db);
  const [row] = rows;
  return {
    count: Number(row?.count ?? 0),
    countIsExact: true,
    lastMonth: row?.lastMonth ? monthToMs(row.lastMonth) : null,
    lastMonthGrossUsd: toWireNumber(row?.gross ?? '0'),
  };
}

export const homeRoutes = [
  route(routes.getHome, async ({ caller }, db) => {
    const [accounts, unpaidReleases, pendingPayouts, unpaidAccounts, reports] = await Promise.all([
      caller.can('manage_profiles') ? countUpTo(db, sql`FROM accounts`) : null,
      caller.can('read_none_paid_libraries')
        ? countUpTo(db, sql`FROM releases WHERE status IN ('pending', 'opened') AND deleted_at IS NULL`)
        : null,
      caller.can('read_pending_payout')
        ? countAndSum(
            db,
            sql`SELECT count(*) AS count, coalesce(sum(amount_eur), 0) AS amount FROM payouts WHERE state = 'pending' AND deleted_at IS NULL`,
          )
        : null,
      caller.can('read_unpaid_accounts')
        ? countAndSum(
            db,
            sql`SELECT count(*) AS count, coalesce(sum(amount), 0) AS amount FROM ledger_balances
                 WHERE account_id IS NOT NULL AND currency = 'EUR' AND amount >= 0.1`,
          )
        : null,
      caller.can('read_reports') ? reportFigures(db) : null,
    ]);
    return {
      data: {
        accounts: accounts?.total ?? null,
        unpaidReleases: unpaidReleases?.total ?? null,
        pendingPayouts,
        unpaidAccounts,
        reports,
      },
    };
  }),
];
