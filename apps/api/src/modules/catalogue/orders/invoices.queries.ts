import { findNumber } from '@regie/values/search-text.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { CreditNotes, Orders } from '#src/lib/db.generated.ts';
import { type Database, queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { accountsWith } from '#src/lib/text-search.ts';

export interface BuyerRow {
  firstName: string;
  lastName: string;
  company: string | null;
  address: string | null;
  address2: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
  vatNumber: string | null;
  siren: string | null;
  electronicAddress: string | null;
  email: string | null;
}

export interface InvoiceRow extends Selectable<Orders>, BuyerRow {
  status: 'pending' | 'paid' | 'cancelled';
  plan: 'single' | 'ep' | 'album' | 'label';
  total: string;
  /** By a credit note. */
  isCredited: boolean;
  promoCode: string | null;
  releaseTitle: string | null;
  /** Null also for a deleted release. */
  releaseStatus: string | null;
  barcode: string | null;
}

export interface InvoiceFilter extends ListQuery<'id'> {
  status?: InvoiceRow['status'] | undefined;
  userId?: number | undefined;
}

export const invoiceColumns = sql`
  o.*, p.name AS promo_code, b.first_name, b.last_name, b.company, b.address, b.address2, b.city, b.postcode, b.country,
  b.vat_number, b.siren, b.electronic_address, b.email, r.title AS release_title,
  CASE WHEN r.deleted_at IS NULL THEN r.status END AS release_status, r.barcode,
  EXISTS (SELECT FROM credit_notes c
           WHERE (c.invoice_year, c.invoice_number) = (o.invoice_year, o.invoice_number)) AS is_credited`;
const buyerFields = sql`
  first_name text, last_name text, company text, address text, address2 text, city text, postcode text, country text,
  vat_number text, siren text, electronic_address text, email text`;
export const invoiceJoins = sql`
  -- An issued invoice keeps its buyer (product §34.18); otherwise it is the account.
  CROSS JOIN LATERAL jsonb_to_record(buyer_on_invoice(o.account_id, o.buyer)) AS b (${buyerFields})
  LEFT JOIN releases r ON r.id = o.release_id
  LEFT JOIN promo_codes p ON p.id = o.promo_code_id`;

/**
 * The order with this order, invoice (`2026-00042`) or credit note number (`AV-2026-00007`); undefined for other texts.
 */
function matchesNumber(q: string): RawBuilder<boolean> | undefined {
  const issued = /^(?:facture\s*)?(?:n[°ºo]\s*)?(av-)?(\d{4})-0*(\d{1,9})$/i.exec(q);
  if (issued) {
    const [, credit, year, number] = issued;
    const credited = credit ? sql`(c.year, c.number)` : sql`(c.invoice_year, c.invoice_number)`;
    const named = sql`(${year}::smallint, ${number}::integer)`;
    const current = credit ? sql`` : sql`(o.invoice_year, o.invoice_number) = ${named} OR`;
    return sql<boolean>`(${current} o.id IN (SELECT c.order_id FROM credit_notes c WHERE ${credited} = ${named}))`;
  }
  const number = findNumber(q, 'order');
  return number === undefined ? undefined : sql<boolean>`o.id = ${number}::bigint`;
}

/** By number, or else by words of the account. */
export const matchesOrder = (q: string): RawBuilder<boolean> =>
  matchesNumber(q) ?? sql<boolean>`o.account_id IN ${accountsWith(q)}`;

/** By number, then the newest of this total. */
export async function searchInvoices(db: Database, q: string, total: string | null, limit: number) {
  const isNumbered = matchesNumber(q);
  if (isNumbered === undefined && total === null) return [];
  return queryRows<InvoiceRow>(db)`
    SELECT ${invoiceColumns} FROM orders o ${invoiceJoins} WHERE ${isNumbered ?? sql`false`} OR o.total = ${total}::numeric
     ORDER BY o.total = ${total}::numeric, o.id DESC LIMIT ${limit}`;
}

/** Without a status, the sum is that of issued invoices, without cancelled and credited ones. */
export async function listInvoices(db: Database, filter: InvoiceFilter) {
  const page = keyset(filter, { id: { expression: sql`o.id`, type: 'bigint' } }, sql`o.id`);
  const conditions = [sql<boolean>`true`];
  if (filter.status) conditions.push(sql<boolean>`o.status = ${filter.status}`);
  if (filter.userId !== undefined) conditions.push(sql<boolean>`o.account_id = ${filter.userId}`);
  if (filter.q) conditions.push(matchesOrder(filter.q));
  return readPage<InvoiceRow>(db, page, {
    columns: invoiceColumns,
    from: sql`orders o`,
    row: 'o',
    where: conditions,
    joins: invoiceJoins,
    sum: {
      amount: sql`CASE WHEN NOT ${filter.status !== undefined}::boolean AND (o.status = 'cancelled' OR o.invoice_number IS NULL OR is_credited(o.invoice_year, o.invoice_number)) THEN 0 ELSE o.total END`,
      currency: sql`o.currency`,
    },
  });
}

export const findInvoice = (db: Database, id: number) =>
  queryRow<InvoiceRow>(db)`SELECT ${invoiceColumns} FROM orders o ${invoiceJoins} WHERE o.id = ${id}`;

/** Orders that have an invoice or a credit note issued in the period, its end excluded. */
export async function listIssued(db: Database, period: { from: Date; to: Date }, query: ListQuery<'id'>) {
  const page = keyset(query, { id: { expression: sql`o.id`, type: 'bigint' } }, sql`o.id`);
  const within = (instant: RawBuilder<unknown>) => sql`(${instant} >= ${period.from} AND ${instant} < ${period.to})`;
  return readPage<InvoiceRow>(db, page, {
    columns: invoiceColumns,
    from: sql`orders o`,
    row: 'o',
    where: [
      sql<boolean>`(o.invoice_number IS NOT NULL AND ${within(sql`o.issued_at`)} OR o.id IN (
        SELECT c.order_id FROM credit_notes c WHERE ${within(sql`c.issued_at`)} OR ${within(sql`c.invoice_issued_at`)}))`,
    ],
    joins: invoiceJoins,
  });
}

interface CreditNoteRow extends Selectable<CreditNotes>, BuyerRow {}

export const listCreditNotes = (db: Database, orderIds: readonly number[]) => queryRows<CreditNoteRow>(db)`
    SELECT c.*, b.*
      FROM credit_notes c JOIN orders o ON o.id = c.order_id
     CROSS JOIN LATERAL jsonb_to_record(buyer_on_invoice(o.account_id, coalesce(c.buyer, o.buyer))) AS b (${buyerFields})
     WHERE c.order_id = ANY(${orderIds}::bigint[]) ORDER BY c.issued_at`;

/**
 * Credits the invoice and moves its payment to the credit note. The counter moves in the transaction, so numbers have
 * no gaps. Undefined without an invoice. The caller holds the order's lock.
 */
export async function issueCreditNote(trx: Trx, id: number, adminId: number | null) {
  const note = await queryRow<{ year: number; number: number; invoiceYear: number; invoiceNumber: number }>(trx)`
    WITH credited AS (
      SELECT o.* FROM orders o
       WHERE o.id = ${id} AND o.invoice_number IS NOT NULL AND NOT is_credited(o.invoice_year, o.invoice_number)),
    counter AS (
      INSERT INTO credit_note_counters AS c (year, last_number)
      SELECT extract(year FROM clock_timestamp() AT TIME ZONE 'Europe/Paris')::smallint, 1 FROM credited
      ON CONFLICT (year) DO UPDATE SET last_number = c.last_number + 1
      RETURNING year, last_number)
    INSERT INTO credit_notes (year, number, order_id, invoice_year, invoice_number, invoice_issued_at, created_by,
                              card_transaction_id, payment_reference, seller, buyer)
    SELECT counter.year, counter.last_number, o.id, o.invoice_year, o.invoice_number, o.issued_at, ${adminId},
           o.card_transaction_id, o.payment_reference, o.seller, o.buyer
      FROM counter, credited o
    RETURNING year, number, invoice_year, invoice_number`;
  if (note) {
    await sql`
      UPDATE orders SET payment_intent_id = CASE WHEN card_transaction_id IS NULL THEN payment_intent_id END,
             card_transaction_id = NULL, payment_reference = NULL, receipt_email = NULL
       WHERE id = ${id}`.execute(trx);
  }
  return note;
}

/** An issued invoice is unchanged. A credited subscription that waits has no last day. */
export async function setStatus(
  trx: Trx,
  id: number,
  status: InvoiceRow['status'],
  paymentReference: string | undefined,
): Promise<void> {
  await trx
    .updateTable('orders')
    .set({
      status,
      paidAt: status === 'paid' ? new Date() : null,
      cancelledAt: status === 'cancelled' ? new Date() : null,
      ...(status === 'pending'
        ? { dueDate: sql`CASE WHEN NOT is_credited(invoice_year, invoice_number) THEN due_date END` }
        : {}),
      ...(paymentReference === undefined ? {} : { paymentReference }),
    })
    .where('id', '=', id)
    .execute();
}

export interface MovedSubscription {
  id: number;
  before: string;
  after: string;
}

/**
 * Moves the account's later subscriptions: earlier when this one is no longer paid, later when it is again, so that
 * each lasts a year. Nothing for other orders.
 */
export function moveFollowing(trx: Trx, id: number, way: 'earlier' | 'later'): Promise<MovedSubscription[]> {
  const [sign, slackDays] = way === 'earlier' ? [-1, 0] : [1, 1];
  return queryRows<MovedSubscription>(trx)`
    WITH given AS (
      SELECT o.id, o.account_id, o.due_date,
             age(o.due_date, greatest(t.day, o.due_date - interval '1 year')) * ${sign}::integer AS shift
        FROM orders o, (SELECT (now() AT TIME ZONE 'Europe/Paris')::date) AS t(day)
       WHERE o.id = ${id} AND o.plan = 'label' AND o.due_date > t.day),
    following AS (
      SELECT o.id, o.due_date AS before, (o.due_date + g.shift)::date AS after
        FROM orders o JOIN given g ON g.account_id = o.account_id AND g.id <> o.id
       WHERE o.plan = 'label' AND o.status <> 'cancelled' AND o.due_date > g.due_date - ${slackDays}::integer)
    UPDATE orders o SET due_date = f.after FROM following f WHERE o.id = f.id
    RETURNING o.id, f.before, f.after`;
}

/** A release has at most one pending and one paid order. */
export async function findOtherOrder(
  db: Trx,
  order: { id: number; releaseId: number | null },
  status: 'pending' | 'paid',
): Promise<number | undefined> {
  const [id] = await queryColumn<number>(db)`
    SELECT id FROM orders WHERE release_id = ${order.releaseId} AND id <> ${order.id} AND status = ${status}`;
  return id;
}
