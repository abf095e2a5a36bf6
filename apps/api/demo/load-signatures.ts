import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { coverImport } from '#src/modules/money/signing/signed-money.service.ts';

/**
 * Two signatories have signed all months but the newest of each kind, and the details that have not changed lately. What had left
 * the accounts before counts as an opening.
 */
export async function loadSignatures(trx: Trx, signatoryIds: readonly number[]): Promise<void> {
  await sql`
    INSERT INTO signed_parts (account_id, subject, amount_eur)
    SELECT account_id, 'opening', -eur FROM signed_money(ARRAY(SELECT id FROM accounts a WHERE NOT EXISTS (
             SELECT FROM signed_parts s WHERE s.account_id = a.id))) WHERE eur < 0`.execute(trx);
  await sql`
    INSERT INTO signed_parts (account_id, subject, subject_id, destination)
    SELECT b.account_id, 'billing', b.id, destination_hash(b.type, b.iban, b.swift, b.email::text) FROM billing_accounts b
     WHERE b.deleted_at IS NULL AND coalesce(b.changed_at, '-infinity') < now() - interval '30 days'
       AND NOT EXISTS (SELECT FROM signed_parts s WHERE s.subject = 'billing' AND s.subject_id = b.id)`.execute(trx);
  const { rows } = await sql<{ id: number; version: string }>`
    SELECT i.id, max(t.id)::text AS version FROM (SELECT *, max(month) OVER (PARTITION BY kind, type) AS newest FROM imports) i
      JOIN ledger_transactions t ON t.import_id = i.id
     WHERE i.reversed_at IS NULL AND i.month < i.newest
       AND NOT EXISTS (SELECT FROM signatures s WHERE s.subject = 'import' AND s.subject_id = i.id)
     GROUP BY i.id ORDER BY i.id`.execute(trx);
  for (const { id, version } of rows) {
    await coverImport(trx, id, version);
    await sql`
      INSERT INTO signatures (subject, subject_id, version, admin_id, at, used_at)
      SELECT 'import', i.id, ${version}, a.id, i.posted_at + interval '1 day', i.posted_at + interval '1 day'
        FROM imports i, unnest(${signatoryIds}::bigint[]) AS a (id) WHERE i.id = ${id}`.execute(trx);
  }
}
