import { type RawBuilder, sql } from 'kysely';
import { exists, queryRow, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { type InvoiceRow, invoiceColumns, invoiceJoins, matchesOrder } from './invoices.queries.ts';

export type SubscriptionRow = InvoiceRow & { isDuePassed: boolean };

export interface SubscriptionFilter extends ListQuery<'id' | 'dueDate'> {
  status?: 'pending' | 'paid' | undefined;
  due?: 'running' | 'passed' | undefined;
}

/** Without orders covered by a subscription, which buy nothing. */
const isSubscription = sql<boolean>`
  o.plan = 'label' AND o.status <> 'cancelled' AND (o.due_date IS NOT NULL OR o.plan_price > 0)`;
const isDuePassed = sql<boolean>`coalesce(o.due_date < (now() AT TIME ZONE 'Europe/Paris')::date, false)`;

const sorts: Record<SubscriptionFilter['sort'], SortKey> = {
  id: { expression: sql`o.id`, type: 'bigint' },
  // Unpaid ones last.
  dueDate: { expression: sql`coalesce(o.due_date, '9999-12-31'::date)`, type: 'date' },
};

export async function listSubscriptions(db: Trx, filter: SubscriptionFilter) {
  const page = keyset(filter, sorts, sql`o.id`);
  const conditions: RawBuilder<boolean>[] = [isSubscription];
  if (filter.status) conditions.push(sql<boolean>`o.status = ${filter.status}`);
  if (filter.due === 'passed') conditions.push(isDuePassed);
  if (filter.due === 'running') conditions.push(sql<boolean>`o.status = 'paid' AND NOT ${isDuePassed}`);
  if (filter.q) conditions.push(matchesOrder(filter.q));
  return readPage<SubscriptionRow>(db, page, {
    columns: sql`${invoiceColumns}, ${isDuePassed} AS is_due_passed`,
    from: sql`orders o`,
    row: 'o',
    where: conditions,
    joins: invoiceJoins,
    sum: { amount: sql`coalesce(o.total, 0)`, currency: sql`o.currency` },
  });
}

export const findSubscription = (db: Trx, id: number) => queryRow<SubscriptionRow>(db)`
    SELECT ${invoiceColumns}, ${isDuePassed} AS is_due_passed
      FROM orders o ${invoiceJoins} WHERE o.id = ${id} AND ${isSubscription}`;

/** Orders the account's subscriptions one after the other. */
export const lockAccount = (trx: Trx, id: number) => queryRow<{ id: number; state: string }>(trx)`
    SELECT id, state FROM accounts WHERE id = ${id} AND erased_at IS NULL FOR NO KEY UPDATE`;

/** Ordered without a release. */
export const hasPendingSubscription = (db: Trx, accountId: number) => exists(db)`
    SELECT FROM orders
     WHERE account_id = ${accountId} AND plan = 'label' AND status = 'pending' AND release_id IS NULL`;

export async function insertSubscription(
  trx: Trx,
  values: {
    accountId: number;
    currency: string;
    planPrice: string;
    discount: string;
    vatPercent: string;
    promoCodeId: number | null;
    /** The current one's last day; a year is added. */
    runningUntil: string | undefined;
    createdBy: number | null;
  },
): Promise<number> {
  const { runningUntil, ...order } = values;
  const { id } = await trx
    .insertInto('orders')
    .values({
      ...order,
      plan: 'label',
      dueDate: runningUntil === undefined ? null : sql<string>`(${runningUntil}::date + interval '1 year')::date`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
