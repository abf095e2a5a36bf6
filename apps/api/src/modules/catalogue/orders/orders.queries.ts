import type { House } from '@regie/contract/settings.ts';
import { type Selectable, sql } from 'kysely';
import type { Orders } from '#src/lib/db.generated.ts';
import { exists, queryColumn, queryRow, type Trx } from '#src/lib/db.ts';

/** The paid order, else the pending one. The caller holds the release's lock. */
export function findCurrentOrder(db: Trx, releaseId: number) {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('releaseId', '=', releaseId)
    .where('status', '<>', 'cancelled')
    .orderBy(sql`status = 'paid'`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
export type OrderRow = Selectable<Orders>;

export function lockOrder(trx: Trx, id: number) {
  return trx.selectFrom('orders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** By name in any case; expires in Paris time. */
export function findPromoCode(db: Trx, name: string) {
  return queryRow<{ id: number; name: string; percent: string; isExpired: boolean }>(db)`
    SELECT id, name, percent, due_date < (now() AT TIME ZONE 'Europe/Paris')::date AS is_expired
      FROM promo_codes WHERE name = ${name}::citext AND deleted_at IS NULL`;
}

/** Even if it expired or was deleted. */
export function findHeldPromoCode(db: Trx, id: number) {
  return db.selectFrom('promoCodes').select(['id', 'name', 'percent']).where('id', '=', id).executeTakeFirst();
}

/** The last day of the label subscription (product §34.7), yyyy-MM-dd. */
export async function findSubscriptionEnd(db: Trx, accountId: number): Promise<string | undefined> {
  const [dueDate] = await queryColumn<string>(db)`
    SELECT due_date FROM orders
     WHERE account_id = ${accountId} AND plan = 'label' AND status = 'paid'
       AND due_date >= (now() AT TIME ZONE 'Europe/Paris')::date
     ORDER BY due_date DESC LIMIT 1`;
  return dueDate;
}

/**
 * Issues the invoice; the counter moves in the transaction, so numbers have no gaps. An uncredited invoice stays, with
 * its subscription's end. A bought `label` lasts a year from today or the current one's end. The caller holds the lock.
 */
export async function markPaid(
  trx: Trx,
  id: number,
  payment: { cardTransactionId: string | null; reference: string | null; receiptEmail: string | null },
  seller: House,
) {
  const row = await queryRow<{ invoiceYear: number; invoiceNumber: number; dueDate: string | null }>(trx)`
    WITH counter AS (
      INSERT INTO invoice_counters AS c (year, last_number)
      SELECT extract(year FROM clock_timestamp() AT TIME ZONE 'Europe/Paris')::smallint, 1
        FROM orders o WHERE o.id = ${id} AND (o.invoice_number IS NULL OR is_credited(o.invoice_year, o.invoice_number))
      ON CONFLICT (year) DO UPDATE SET last_number = c.last_number + 1
      RETURNING year, last_number)
    UPDATE orders o
       SET status = 'paid', paid_at = clock_timestamp(), cancelled_at = NULL,
           issued_at = CASE WHEN EXISTS (SELECT FROM counter) THEN clock_timestamp() ELSE o.issued_at END,
           buyer = CASE WHEN EXISTS (SELECT FROM counter) THEN buyer_of(o.account_id) ELSE o.buyer END,
           seller = CASE WHEN EXISTS (SELECT FROM counter) THEN ${JSON.stringify(seller)}::jsonb ELSE o.seller END,
           invoice_year = coalesce((SELECT year FROM counter), o.invoice_year),
           invoice_number = coalesce((SELECT last_number FROM counter), o.invoice_number),
           card_transaction_id = ${payment.cardTransactionId}, payment_reference = ${payment.reference},
           receipt_email = ${payment.receiptEmail},
           due_date = CASE WHEN o.plan = 'label' AND o.plan_price > 0 AND EXISTS (SELECT FROM counter)
             THEN (greatest((clock_timestamp() AT TIME ZONE 'Europe/Paris')::date,
                            (SELECT max(r.due_date) FROM orders r
                              WHERE r.account_id = o.account_id AND r.plan = 'label' AND r.status = 'paid'))
                   + interval '1 year')::date
             ELSE o.due_date END
     WHERE o.id = ${id}
    RETURNING o.invoice_year, o.invoice_number, o.due_date`;
  if (!row) throw new Error(`order not found: ${id}`);
  return row;
}

/** False for an event that was handled before. */
export async function claimEvent(
  trx: Trx,
  event: { id: string; type: string; orderId: number | null },
): Promise<boolean> {
  const claimed = await trx
    .insertInto('stripeEvents')
    .values(event)
    .onConflict((existing) => existing.doNothing())
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export function findCustomer(db: Trx, orderId: number) {
  return db
    .selectFrom('orders as o')
    .innerJoin('accounts as a', 'a.id', 'o.accountId')
    .leftJoin('releases as r', 'r.id', 'o.releaseId')
    .select(['a.id', 'a.email', 'a.firstName', 'a.lastName', 'r.id as releaseId', 'r.title'])
    .where('o.id', '=', orderId)
    .executeTakeFirstOrThrow();
}

/** In any state; always locked before its order. */
export function lockAnyRelease(trx: Trx, id: number) {
  return queryRow<{ id: number; status: string; deletedAt: Date | null }>(trx)`
    SELECT id, status, deleted_at FROM releases WHERE id = ${id} FOR UPDATE`;
}

export const hasTrack = (db: Trx, releaseId: number) => exists(db)`
    SELECT FROM tracks WHERE release_id = ${releaseId} AND deleted_at IS NULL`;
