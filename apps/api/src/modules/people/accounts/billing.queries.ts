import type { BankAnswer } from '@regie/contract/bank-answers.ts';
import { type Selectable, sql } from 'kysely';
import { adminName, isAction } from '#src/lib/audit.ts';
import type { BillingAccounts } from '#src/lib/db.generated.ts';
import { type Database, queryColumn, queryRow, queryValue } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { lastAnswer } from '#src/modules/money/signing/signed-money.service.ts';
import { blockedUntil } from '#src/modules/money/signing/signing.service.ts';

export interface BillingRow extends Selectable<BillingAccounts> {
  type: 'bank' | 'paypal';
  /** Null when they are not blocked. */
  blockedUntil: Date | null;
  changedByName: string | null;
  /** The last one about this holder and destination. */
  bankAnswer: BankAnswer | null;
  firstName: string;
  lastName: string;
}

const columns = sql`
  b.*, ${blockedUntil} AS blocked_until, a.first_name, a.last_name, ${adminName('b.changed_by')} AS changed_by_name,
  ${lastAnswer(sql`s.account_id = b.account_id AND s.destination = destination_hash(b.type, b.iban, b.swift, b.email::text)
                     AND s.beneficiary ->> 'owner' = b.owner`)} AS bank_answer`;

export async function listBillingAccounts(db: Database, accountId: number, query: ListQuery<'id'>) {
  const page = keyset(query, { id: { expression: sql`b.id`, type: 'bigint' } }, sql`b.id`);
  return readPage<BillingRow>(db, page, {
    columns,
    from: sql`billing_accounts b`,
    row: 'b',
    where: [sql`b.account_id = ${accountId}`, sql`b.deleted_at IS NULL`],
    joins: sql`JOIN accounts a ON a.id = b.account_id`,
  });
}

export const findBillingAccount = (db: Database, id: number, isLocked = false) => queryRow<BillingRow>(db)`
    SELECT ${columns} FROM billing_accounts b JOIN accounts a ON a.id = b.account_id
     WHERE b.id = ${id} AND b.deleted_at IS NULL ${isLocked ? sql`FOR NO KEY UPDATE OF b` : sql``}`;

/** Details or a payout ever: added details then change the destination. */
export const hasDestination = (db: Database, accountId: number) => queryValue<boolean>(db)`
    SELECT EXISTS (SELECT FROM billing_accounts WHERE account_id = ${accountId})
        OR EXISTS (SELECT FROM payouts WHERE account_id = ${accountId} AND paid_at IS NOT NULL) AS has`;

/** EUR: balance and pending payouts. */
export const findUnpaid = (db: Database, accountId: number) => queryValue<string>(db)`
    SELECT coalesce((SELECT amount FROM ledger_balances WHERE account_id = ${accountId} AND currency = 'EUR'), 0)
         + coalesce((SELECT sum(amount_eur) FROM payouts
                      WHERE account_id = ${accountId} AND state = 'pending' AND deleted_at IS NULL), 0) AS amount`;

/** Of the account, also of the last 90 days, and of PayPal details. */
export const listKnownEmails = (db: Database, accountId: number) => queryColumn<string>(db)`
    SELECT email::text AS email FROM accounts WHERE id = ${accountId} AND email IS NOT NULL
     UNION
    SELECT email::text FROM billing_accounts
     WHERE account_id = ${accountId} AND deleted_at IS NULL AND email IS NOT NULL
     UNION
    SELECT before ->> 'email' FROM audit_log
     WHERE entity = 'account' AND entity_id = ${String(accountId)} AND ${isAction('account.edit')}
       AND before ->> 'email' IS NOT NULL AND at > now() - interval '90 days'`;
