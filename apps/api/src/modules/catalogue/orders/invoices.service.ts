import { messages } from '@regie/contract/messages.ts';
import { formatCreditNoteNumber, formatInvoiceNumber } from '@regie/contract/orders.ts';
import {
  type Invoice,
  type InvoiceDetail,
  InvoiceItems,
  type InvoiceRecord,
  type InvoiceStatus,
  type InvoiceStatusForm,
  InvoiceTransaction,
  type Parties,
} from '@regie/contract/routes/invoices.ts';
import { formatDay } from '@regie/contract/routes/releases.ts';
import type { House } from '@regie/contract/settings.ts';
import { states } from '@regie/contract/states.ts';
import { toCents, toDecimal, vatWithin } from '@regie/values/decimal.ts';
import { addMonths, findMonth, monthToMs } from '@regie/values/month.ts';
import { type Actor, writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, notFound, orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { statusOf } from '#src/modules/catalogue/releases/release-access.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as queries from './invoices.queries.ts';
import { lockAnyRelease, lockOrder } from './orders.queries.ts';
import { cancelOrder, deliverPaid, settle } from './orders.service.ts';

const fullName = (row: queries.BuyerRow) => `${row.firstName} ${row.lastName}`.trim() || row.company || '';

/** After a credit note, only the next payment issues an invoice. */
const waitsUnissued = (row: queries.InvoiceRow) => row.status === 'pending' && row.isCredited;

export function toInvoice(row: queries.InvoiceRow): Invoice {
  return {
    ...toWireRow(row),
    status: states.order.toWire[row.status],
    totalAmountByLocation: toWireNumber(row.total),
    LibraryId: row.releaseId,
    Account: { id: row.accountId, fname: row.firstName, lname: row.lastName },
    orderItems: JSON.stringify(
      InvoiceItems.parse({
        planPrice: toWireNumber(row.planPrice),
        labelFees: toWireNumber(row.labelFees),
        expressDeliveryPrice: toWireNumber(row.expressPrice),
        discount: toWireNumber(row.discount),
        currency: row.currency,
        dueDate: row.dueDate === null ? null : row.dueDate.split('-').reverse().join('/'),
      }),
    ),
    transactionDetails: JSON.stringify(
      InvoiceTransaction.parse({
        id: row.cardTransactionId ?? row.paymentReference,
        receipt_email: row.receiptEmail,
        metadata: {
          customer_fullname: fullName(row),
          customer_id: row.accountId,
          release_title: row.releaseTitle,
          release_id: row.releaseId,
        },
      }),
    ),
    invoiceNumber:
      row.invoiceYear === null || row.invoiceNumber === null || waitsUnissued(row)
        ? null
        : formatInvoiceNumber(row.invoiceYear, row.invoiceNumber),
  };
}

function toPayment(note: { cardTransactionId: string | null; paymentReference: string | null }) {
  const id = note.cardTransactionId ?? note.paymentReference;
  return id === null ? null : { id, isCard: note.cardTransactionId !== null };
}

/** Earlier invoices have no seller of their own. */
const toParties = (row: queries.BuyerRow & { seller: unknown }, house: House): Parties => ({
  house: (row.seller as House | null) ?? house,
  customer: {
    name: row.company || fullName(row),
    contact: row.company ? fullName(row) : null,
    address: row.address,
    address2: row.address2,
    postcode: row.postcode,
    city: row.city,
    country: row.country,
    vatNumber: row.vatNumber,
    siren: row.siren,
    electronicAddress: row.electronicAddress,
    email: row.email,
  },
});

async function toRecords(db: Trx, rows: readonly queries.InvoiceRow[]): Promise<InvoiceRecord[]> {
  const { house } = await readSettings(db);
  const notes = await queries.listCreditNotes(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...toInvoice(row),
    ...toParties(row, house),
    issuedAt: waitsUnissued(row) ? null : (row.issuedAt?.getTime() ?? null),
    creditNotes: notes
      .filter(({ orderId }) => orderId === row.id)
      .map((note) => ({
        ...toParties(note, house),
        number: formatCreditNoteNumber(note.year, note.number),
        issuedAt: note.issuedAt.getTime(),
        invoiceNumber: formatInvoiceNumber(note.invoiceYear, note.invoiceNumber),
        invoiceIssuedAt: note.invoiceIssuedAt?.getTime() ?? null,
        payment: toPayment(note),
      })),
    isPaidByCard: row.cardTransactionId !== null,
    promoCode: row.promoCode,
    vatPercent: toWireNumber(row.vatPercent),
    vatAmount: toWireNumber(toDecimal(vatWithin(toCents(row.total), toCents(row.vatPercent)))),
    release:
      row.releaseId === null
        ? null
        : {
            id: row.releaseId,
            title: row.releaseTitle ?? '',
            barcode: row.barcode,
            status: row.releaseStatus === null ? null : statusOf({ status: row.releaseStatus }),
          },
  }));
}

async function toDetail(db: Trx, row: queries.InvoiceRow): Promise<InvoiceDetail> {
  const [record] = await toRecords(db, [row]);
  const waiting = await queries.findOtherOrder(db, row, 'pending');
  const paid = await queries.findOtherOrder(db, row, 'paid');
  return {
    ...orNotFound(record),
    cancelledAt: row.cancelledAt?.getTime() ?? null,
    otherWaiting: waiting ?? null,
    otherPaid: paid ?? null,
  };
}

export async function listInvoices(
  db: Trx,
  filter: Omit<queries.InvoiceFilter, 'status'> & { status?: InvoiceStatus | undefined },
) {
  const { rows, meta } = await queries.listInvoices(db, {
    ...filter,
    status: filter.status && states.order.toStored[filter.status],
  });
  return { data: rows.map(toInvoice), meta };
}

/** Journalled once, with the first page: the documents name customers. */
export async function listIssuedInvoices(
  db: Trx,
  actor: Actor,
  { month, ...query }: Parameters<typeof queries.listIssued>[2] & { month: number },
) {
  const first = orNotFound(findMonth(month));
  const period = { from: new Date(monthToMs(first)), to: new Date(monthToMs(addMonths(first, 1))) };
  if (query.cursor === undefined) {
    await writeAudit(db, actor, { action: 'order.download', entityId: null, after: { month: first } });
  }
  const { rows, meta } = await queries.listIssued(db, period, query);
  return { data: await toRecords(db, rows), meta };
}

export const searchInvoices = async (...asked: Parameters<typeof queries.searchInvoices>): Promise<Invoice[]> =>
  (await queries.searchInvoices(...asked)).map(toInvoice);

export async function listUserInvoices(db: Trx, userId: number, filter: Parameters<typeof listInvoices>[1]) {
  orNotFound(await db.selectFrom('accounts').select('id').where('id', '=', userId).executeTakeFirst());
  return listInvoices(db, { ...filter, userId });
}

export async function getInvoice(db: Trx, id: number) {
  const row = orNotFound(await queries.findInvoice(db, id));
  return toDetail(db, row);
}

/** Moves later subscriptions when this one leaves PAID or returns to it. */
export async function moveFollowing(
  trx: Trx,
  caller: Caller,
  id: number,
  change: { from: queries.InvoiceRow['status']; to: queries.InvoiceRow['status'] },
): Promise<void> {
  if (change.from !== 'paid' && change.to !== 'paid') return;
  const moved = await queries.moveFollowing(trx, id, change.to === 'paid' ? 'later' : 'earlier');
  await writeAudits(
    trx,
    caller,
    moved.map(({ id: entityId, before, after }) => ({
      action: 'subscription.move',
      entityId,
      before: { dueDate: formatDay(before) },
      after: { dueDate: formatDay(after) },
    })),
  );
}

/**
 * See product §24.1: PAID issues an invoice once, which keeps its number; CANCEL issues a credit note, after which
 * PAID issues a new one. PAID cancels other pending orders of the release.
 * @throws not_found; conflict when another order is paid or pending
 */
export async function setInvoiceStatus(trx: Trx, caller: Caller, id: number, { status, reference }: InvoiceStatusForm) {
  const invoice = orNotFound(await queries.findInvoice(trx, id));
  const release = invoice.releaseId === null ? undefined : await lockAnyRelease(trx, invoice.releaseId);
  const order = await lockOrder(trx, id);
  const row = await queries.findInvoice(trx, id);
  if (!order || !row) throw notFound();
  const stored = states.order.toStored[status];
  if (row.status === stored) return toDetail(trx, row);
  const otherPaid = await queries.findOtherOrder(trx, row, 'paid');
  if (otherPaid !== undefined && (stored === 'paid' || row.status === 'cancelled')) {
    throw conflict(messages.releasePaid(otherPaid));
  }
  if (stored === 'paid' && (row.invoiceNumber === null || row.isCredited)) {
    await settle(trx, caller, order, release, {
      cardTransactionId: null,
      reference: reference ?? null,
      receiptEmail: null,
    });
    await moveFollowing(trx, caller, id, { from: row.status, to: stored });
    return getInvoice(trx, id);
  }
  const otherWaiting = await queries.findOtherOrder(trx, row, 'pending');
  if (stored === 'pending' && otherWaiting !== undefined) throw conflict(messages.orderWaits(otherWaiting));
  if (stored === 'cancelled') await cancelOrder(trx, caller, id, { from: row.status === 'paid' ? 'PAID' : 'PENDING' });
  const paidBy = stored === 'paid' && row.cardTransactionId === null ? (reference ?? undefined) : undefined;
  if (stored !== 'cancelled') await queries.setStatus(trx, id, stored, paidBy);
  if (stored === 'paid') await deliverPaid(trx, caller, id, release);
  await moveFollowing(trx, caller, id, { from: row.status, to: stored });
  const changed = await getInvoice(trx, id);
  if (stored !== 'cancelled') {
    const paid = { total: changed.totalAmountByLocation, invoiceNumber: changed.invoiceNumber };
    await writeAudit(trx, caller, {
      action: stored === 'paid' ? 'order.pay' : 'order.set_status',
      entityId: id,
      before: { status: states.order.toWire[row.status] },
      after: { status, ...(stored === 'paid' ? paid : {}), ...(paidBy === undefined ? {} : { reference: paidBy }) },
    });
  }
  return changed;
}
