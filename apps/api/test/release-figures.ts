import { sql } from 'kysely';
import type { Database } from '#src/lib/db.ts';

/** What an upgrade must not change. Only tables and columns that every release since 0.2 has. */
export async function findReleaseFigures(db: Database): Promise<Record<string, unknown>> {
  const { rows } = await sql<Record<string, unknown>>`
    SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM tracks) AS tracks,
           (SELECT count(*) FROM reports) AS reports, (SELECT count(*) FROM payouts) AS payouts,
           (SELECT count(*) FROM audit_log) AS journal, (SELECT count(*) FROM ledger_postings) AS postings,
           (SELECT md5(string_agg(account || currency || amount, ' ' ORDER BY account COLLATE "C", currency COLLATE "C"))
              FROM ledger_balances) AS balances`.execute(db);
  return rows[0] ?? {};
}
