import { MonthMsQuery } from '#src/month.ts';
import { planNames } from '#src/orders.ts';
import { ReleaseStatus } from '#src/releases.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, QueryId } from '#src/route.ts';
import { House } from '#src/settings.ts';
import { states } from '#src/states.ts';
import { z } from '#src/zod.ts';
import { OfflinePayment, Quote } from './orders.ts';
import { TransactionDetails } from './releases.ts';

export const InvoiceStatus = z.enum(states.order.toWire, { error: 'Choisissez un état' });
export type InvoiceStatus = z.infer<typeof InvoiceStatus>;

/** What `orderItems` holds (product §23.5); amounts with VAT, `dueDate` dd/MM/yyyy. */
export const InvoiceItems = Quote.omit({ total: true, vatPercent: true, vatAmount: true }).extend({
  dueDate: z.string().nullable(),
});
/** What `transactionDetails` holds; `id` is the card transaction, else the reference of the payment. */
export const InvoiceTransaction = TransactionDetails.extend({
  metadata: TransactionDetails.shape.metadata.extend({
    customer_id: Id,
    release_title: z.string().nullable(),
    release_id: Id.nullable(),
  }),
});

export const Invoice = z.object({
  id: Id,
  status: InvoiceStatus,
  plan: z.enum(planNames),
  totalAmountByLocation: z.number(),
  createdAt: Instant,
  LibraryId: Id.nullable(),
  Account: AccountRef,
  /** JSON strings of InvoiceItems and InvoiceTransaction. */
  orderItems: z.string(),
  transactionDetails: z.string(),
  /** `2026-00042` once issued; null again when the order waits after a credit note. */
  invoiceNumber: z.string().nullable(),
  paidAt: Instant.nullable(),
});
export type Invoice = z.infer<typeof Invoice>;

/** As the record has them; null where it says nothing. */
const Buyer = z.object({
  name: z.string(),
  /** The person of a company; null: the buyer is a private person. */
  contact: z.string().nullable(),
  address: z.string().nullable(),
  address2: z.string().nullable(),
  postcode: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string().nullable(),
  vatNumber: z.string().nullable(),
  siren: z.string().nullable(),
  electronicAddress: z.string().nullable(),
  /** Of a buyer without electronic address. */
  email: z.string().nullable(),
});
/** Frozen when the invoice is issued. */
const Parties = z.object({ house: House, customer: Buyer });
export type Parties = z.infer<typeof Parties>;

/** A cancelled invoice and its credit note; a later payment of the order issues a new invoice. */
const CreditNote = Parties.extend({
  number: z.string(),
  issuedAt: Instant,
  invoiceNumber: z.string(),
  invoiceIssuedAt: Instant.nullable(),
  /** How the invoice was paid: a card transaction, or a payment reference. */
  payment: z.object({ id: z.string(), isCard: z.boolean() }).nullable(),
});
export type CreditNote = z.infer<typeof CreditNote>;

/** What its documents say. */
const InvoiceRecord = Invoice.extend({
  ...Parties.shape,
  issuedAt: Instant.nullable(),
  /** Oldest first. */
  creditNotes: z.array(CreditNote),
  isPaidByCard: z.boolean(),
  promoCode: z.string().nullable(),
  vatPercent: z.number(),
  vatAmount: z.number(),
  release: z
    .object({
      id: Id,
      title: z.string(),
      barcode: z.string().nullable(),
      /** Null when it was deleted. */
      status: ReleaseStatus.nullable(),
    })
    .nullable(),
});
export type InvoiceRecord = z.infer<typeof InvoiceRecord>;

export const InvoiceDetail = InvoiceRecord.extend({
  cancelledAt: Instant.nullable(),
  /** Another pending order of the release: it is cancelled when this one becomes PAID. */
  otherWaiting: Id.nullable(),
  /** Another order has paid for the release: this one cannot become PAID or PENDING. */
  otherPaid: Id.nullable(),
});
export type InvoiceDetail = z.infer<typeof InvoiceDetail>;

export const InvoiceStatusForm = z.object({
  status: InvoiceStatus,
  /** Reference of the transfer, cheque or receipt of a PAID order; the form requires it, the API does not. */
  reference: OfflinePayment.shape.reference,
});
export type InvoiceStatusForm = z.infer<typeof InvoiceStatusForm>;

const filters = { status: InvoiceStatus.optional() };

export const invoiceRoutes = {
  listInvoices: defineRoute('GET /invoices', ['manage_profiles'], {
    query: listQuery(['id'], 'desc', { ...filters, userId: QueryId.optional() }),
    response: z.array(Invoice),
  }),
  listUserInvoices: defineRoute('GET /invoices/user/:id/list', ['manage_profiles'], {
    query: listQuery(['id'], 'desc', filters),
    response: z.array(Invoice),
  }),
  listIssuedInvoices: defineRoute('GET /invoices/issued', ['manage_profiles'], {
    summary: 'Orders with an invoice or credit note issued in the month; journalled.',
    query: listQuery(['id'], 'asc', { month: MonthMsQuery }).omit({ q: true }),
    response: z.array(InvoiceRecord),
  }),
  getInvoice: defineRoute('GET /invoices/:id', ['manage_profiles'], { response: InvoiceDetail }),
  editInvoice: defineRoute('PUT /edit-invoice/:id', ['manage_profiles'], {
    summary: 'PAID issues the invoice and sends a pending release to quality control, CANCEL credits the invoice.',
    body: InvoiceStatusForm,
    response: InvoiceDetail,
    message: 'L’état de la facture est enregistré',
  }),
};
