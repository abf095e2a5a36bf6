import { sql } from 'kysely';
import { adminName, isAction } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryRow, queryValue, type Trx } from '#src/lib/db.ts';
import { capCount, countExpression, cutPage, keyset, type ListQuery } from '#src/lib/keyset.ts';
import { blockedUntil } from '#src/modules/money/signing/signing.service.ts';

export interface BillingRow {
  id: number;
  accountId: number;
  type: 'bank' | 'paypal';
  email: string | null;
  owner: string;
  holderAddress: string;
  holderAddress2: string | null;
  holderCity: string;
  holderCountry: string;
  holderPostcode: string;
  bankName: string | null;
  bankCountry: string | null;
  bankAddress: string | null;
  bankAddress2: string | null;
  bankCity: string | null;
  bankZipCode: string | null;
  iban: string | null;
  swift: string | null;
  createdAt: Date;
  changedAt: Date | null;
  /** When payouts to these details are possible again; null when they are not blocked. */
  blockedUntil: Date | null;
  changedByName: string | null;
  firstName: string;
  lastName: string;
  accountEmail: string | null;
}

const columns = sql`
  b.id, b.account_id, b.type, b.email, b.owner, b.holder_address, b.holder_address2, b.holder_city, b.holder_country,
  b.holder_postcode, b.bank_name, b.bank_country, b.bank_address, b.bank_address2, b.bank_city, b.bank_zip_code, b.iban,
  b.swift, b.created_at, b.changed_at, ${blockedUntil} AS blocked_until, a.first_name, a.last_name, a.email AS account_email,
  ${adminName('b.changed_by')} AS changed_by_name`;

/** One page of an account's details, oldest first. */
export async function listBillingAccounts(db: Database | Trx, accountId: number, query: ListQuery<'id'>) {
  const page = keyset(query, { id: { expression: sql`b.id`, type: 'bigint' } }, sql`b.id`);
  const from = sql`FROM billing_accounts b JOIN accounts a ON a.id = b.account_id
                  WHERE b.account_id = ${accountId} AND b.deleted_at IS NULL`;
  const [{ rows }, count] = await Promise.all([
    sql<BillingRow>`
      SELECT ${columns} ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${page.limit + 1}`.execute(db),
    sql<{ n: number }>`SELECT ${countExpression(from)} AS n`.execute(db),
  ]);
  const cut = cutPage(rows, page, (row) => row.id);
  return { rows: cut.rows, meta: { nextCursor: cut.nextCursor, ...capCount(count.rows[0]?.n ?? 0) } };
}

/** One billing account; `isLocked` locks it until the transaction ends. */
export const findBillingAccount = (db: Database | Trx, id: number, isLocked = false) => queryRow<BillingRow>(db)`
    SELECT ${columns} FROM billing_accounts b JOIN accounts a ON a.id = b.account_id
     WHERE b.id = ${id} AND b.deleted_at IS NULL ${isLocked ? sql`FOR NO KEY UPDATE OF b` : sql``}`;

/** Whether the account ever had bank or PayPal details or a payout; added details then change the destination. */
export const hasDestination = (db: Database | Trx, accountId: number) => queryValue<boolean>(db)`
    SELECT EXISTS (SELECT FROM billing_accounts WHERE account_id = ${accountId})
        OR EXISTS (SELECT FROM payouts WHERE account_id = ${accountId} AND paid_at IS NOT NULL) AS has`;

/** EUR owed to an account: its balance and its pending payouts. */
export const findUnpaid = (db: Database | Trx, accountId: number) => queryValue<string>(db)`
    SELECT coalesce((SELECT amount FROM ledger_balances WHERE account_id = ${accountId} AND currency = 'EUR'), 0)
         + coalesce((SELECT sum(amount_eur) FROM payouts
                      WHERE account_id = ${accountId} AND state = 'pending' AND deleted_at IS NULL), 0) AS amount`;

/** E-mail addresses of an account and its PayPal details, including those of the last 90 days. */
export const listKnownEmails = (db: Database | Trx, accountId: number) => queryColumn<string>(db)`
    SELECT email::text AS email FROM accounts WHERE id = ${accountId} AND email IS NOT NULL
     UNION
    SELECT email::text FROM billing_accounts
     WHERE account_id = ${accountId} AND deleted_at IS NULL AND email IS NOT NULL
     UNION
    SELECT before ->> 'email' FROM audit_log
     WHERE entity = 'account' AND entity_id = ${String(accountId)} AND ${isAction('account.edit')}
       AND before ->> 'email' IS NOT NULL AND at > now() - interval '90 days'`;
