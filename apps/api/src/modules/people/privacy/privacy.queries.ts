import type { AuditEntity } from '@regie/contract/audit.ts';
import type { Capability } from '@regie/contract/capabilities.ts';
import type { Subject, Table } from '@regie/contract/entity.ts';
import type { LeftAdmin } from '@regie/contract/routes/privacy.ts';
import { sql } from 'kysely';
import { type Database, queryColumn, queryRow, queryRows, querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';
import { journalAboutAdmin, personalData } from './personal-data.ts';

/** SQL: the rows `t` about a subject; undefined for none. The id comes from the database. */
export function conditionOf(table: Table, subject: Subject, id: number): string | undefined {
  return table.of?.[subject]?.replaceAll('$id', String(id));
}

export function findAccount(db: Database, id: number) {
  return db.selectFrom('accounts').select(['id', 'erasedAt']).where('id', '=', id).executeTakeFirst();
}

/** Also a deleted one. */
export function findAnyAdmin(db: Database, id: number) {
  return queryRow<{ id: number; deletedAt: Date | null; erasedAt: Date | null; capabilities: Capability[] }>(db)`
    SELECT a.id, a.deleted_at, a.erased_at,
           ARRAY(SELECT c.capability FROM admin_capabilities c WHERE c.admin_id = a.id) AS capabilities
      FROM admins a WHERE a.id = ${id}`;
}

export const weighErasure = (db: Trx, id: number) => querySingle<{
  releases: number;
  tracks: number;
  billings: number;
  invoices: number;
  payouts: number;
  contracts: number;
  journalEntries: number;
  balanceEur: string;
  pendingPayouts: number;
  openOrders: number;
  pendingAdjustments: number;
  referrals: number;
}>(db)`
    SELECT (SELECT count(*) FROM releases WHERE account_id = ${id} AND deleted_at IS NULL) AS releases,
           (SELECT count(*) FROM tracks WHERE account_id = ${id} AND deleted_at IS NULL) AS tracks,
           (SELECT count(*) FROM billing_accounts WHERE account_id = ${id} AND deleted_at IS NULL) AS billings,
           (SELECT count(*) FROM orders WHERE account_id = ${id} AND invoice_number IS NOT NULL) AS invoices,
           (SELECT count(*) FROM payouts WHERE account_id = ${id} AND state = 'paid' AND deleted_at IS NULL) AS payouts,
           (SELECT count(*) FROM custom_contracts WHERE account_id = ${id}) AS contracts,
           (SELECT count(*) FROM audit_log t WHERE ${sql.raw(conditionOf(journal, 'account', id) ?? 'false')}) AS journal_entries,
           coalesce((SELECT amount FROM ledger_balances WHERE account_id = ${id} AND currency = 'EUR'), 0) AS balance_eur,
           (SELECT count(*) FROM payouts WHERE account_id = ${id} AND state = 'pending' AND deleted_at IS NULL) AS pending_payouts,
           (SELECT count(*) FROM orders WHERE account_id = ${id} AND (status = 'pending' OR
             status = 'paid' AND plan = 'label' AND due_date >= (now() AT TIME ZONE 'Europe/Paris')::date)) AS open_orders,
           (SELECT count(*) FROM proposals WHERE kind = 'adjustment' AND target = ${String(id)} AND ended_at IS NULL) AS pending_adjustments,
           (SELECT count(*) FROM referrals WHERE ${id} IN (referrer_id, referred_id) AND deleted_at IS NULL) AS referrals`;
const journal = personalData.audit_log as Table;

/** Nothing is credited or requested until the end. */
export async function lockForErasure(trx: Trx, id: number): Promise<void> {
  await sql`SELECT FROM accounts WHERE id = ${id} FOR UPDATE`.execute(trx);
  await sql`SELECT lock_balances(ARRAY[${id}]::bigint[])`.execute(trx);
}

export const listReleases = (trx: Trx, accountId: number) => queryRows<{ id: number }>(trx)`
    SELECT id FROM releases WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY id`;

/** Invoices without a buyer of their own get the present account. */
export async function freezeBuyers(trx: Trx, accountId: number): Promise<void> {
  await sql`
    UPDATE orders SET buyer = buyer_of(account_id)
     WHERE account_id = ${accountId} AND invoice_number IS NOT NULL AND buyer IS NULL`.execute(trx);
}

export async function closeAccount(trx: Trx, id: number): Promise<void> {
  await sql`
    UPDATE accounts SET state = 'disabled', erased_at = now(), updated_at = now() WHERE id = ${id}`.execute(trx);
  await sql`UPDATE billing_accounts SET deleted_at = coalesce(deleted_at, now()) WHERE account_id = ${id}`.execute(trx);
}

/** By kind of record. */
export function listEntries(trx: Trx, subject: Subject, id: number) {
  const about =
    subject === 'admin' ? journalAboutAdmin.replaceAll('$id', String(id)) : conditionOf(journal, subject, id);
  return queryRows<{ entity: AuditEntity; ids: number[] }>(trx)`
    SELECT t.entity, array_agg(t.id) AS ids FROM audit_log t WHERE ${sql.raw(about ?? 'false')} GROUP BY t.entity`;
}

/** Acts that say from where. */
export const listActs = (trx: Trx, adminId: number) => queryColumn<number>(trx)`
    SELECT id FROM audit_log WHERE admin_id = ${adminId} AND num_nonnulls(address, agent) > 0`;

/** `isOrigin` removes address and browser. @returns how many entries changed */
export const redactJournal = (trx: Trx, ids: readonly number[], fields: readonly string[], isOrigin: boolean) =>
  queryValue<number>(trx)`SELECT redact_journal(${ids}::bigint[], ${fields}::text[], ${isOrigin})`;

export async function listLeftAdmins(db: Trx, query: ListQuery<'id'>) {
  const page = keyset(query, { id: { expression: sql`a.id`, type: 'bigint' } }, sql`a.id`);
  return readPage<Omit<LeftAdmin, 'deletedAt'> & { deletedAt: Date }>(db, page, {
    columns: sql`a.id, a.first_name AS fname, a.last_name AS lname, a.email::text AS email, a.deleted_at`,
    from: sql`admins a`,
    row: 'a',
    where: [
      sql<boolean>`a.deleted_at IS NOT NULL AND a.erased_at IS NULL`,
      query.q
        ? hasWords(sql`fold(a.first_name || ' ' || a.last_name || ' ' || a.email::text)`, query.q)
        : sql<boolean>`true`,
    ],
  });
}
