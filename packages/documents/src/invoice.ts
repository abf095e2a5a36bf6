import {
  type CreditNote,
  InvoiceItems,
  type InvoiceRecord,
  InvoiceTransaction,
  type Parties,
} from '@regie/contract/routes/invoices.ts';
import { formatLongDate, formatMoney, formatPercent, sumAmounts } from '@regie/values/formats.ts';
import { formatIban } from '@regie/values/iban.ts';
import type { TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { head, houseParty, type PdfDocument, type PdfFile, parties, party, right } from './parts.ts';

const t = frDocuments.invoice;

export function invoiceLines(invoice: InvoiceRecord): { label: string; amount: number }[] {
  const items = InvoiceItems.parse(JSON.parse(invoice.orderItems));
  return [
    { label: `${t.planPrice} ${t.plan[invoice.plan]}`, amount: items.planPrice },
    { label: t.labelFees, amount: items.labelFees },
    { label: t.express, amount: items.expressDeliveryPrice },
    { label: invoice.promoCode ? t.discountOf(invoice.promoCode) : t.discount, amount: -items.discount },
  ].filter((line, index) => index === 0 || line.amount !== 0);
}

/** The document of an order's invoice, or of its credit note: the same lines, negative. */
export type IssuedDocument = Parties & { number: string; payment: CreditNote['payment'] } & (
    | { kind: 'invoice'; issuedAt: number | null }
    | { kind: 'creditNote'; issuedAt: number; invoiceNumber: string; invoiceIssuedAt: number | null }
  );

export const paymentLabel = ({ isCard }: { isCard: boolean }) => (isCard ? t.card : t.paymentReference);

/** Whether the order's invoice is not credited. */
export const hasInvoice = (invoice: InvoiceRecord): invoice is InvoiceRecord & { invoiceNumber: string } =>
  invoice.invoiceNumber !== null &&
  invoice.creditNotes.every(({ invoiceNumber }) => invoiceNumber !== invoice.invoiceNumber);

/** The documents of an order, oldest first: a cancelled invoice precedes its credit note. */
export function documentsOf(invoice: InvoiceRecord): IssuedDocument[] {
  const documents = invoice.creditNotes.flatMap((note): IssuedDocument[] => [
    { ...note, kind: 'invoice', number: note.invoiceNumber, issuedAt: note.invoiceIssuedAt },
    { ...note, kind: 'creditNote' },
  ]);
  if (!hasInvoice(invoice)) return documents;
  const { id } = InvoiceTransaction.parse(JSON.parse(invoice.transactionDetails));
  const payment = id === null ? null : { id, isCard: invoice.isPaidByCard };
  const { invoiceNumber: number, issuedAt, house, customer } = invoice;
  return [...documents, { kind: 'invoice', number, issuedAt, payment, house, customer }];
}

/** The pdfmake document of an issued invoice or credit note (product §34.8). */
export function invoiceDocument(invoice: InvoiceRecord, issued: IssuedDocument): PdfFile {
  const isCredit = issued.kind === 'creditNote';
  const title = isCredit ? t.creditNoteTitle(issued.number) : t.documentTitle(issued.number);
  const sign = isCredit ? -1 : 1;
  const creditedBy = invoice.creditNotes.find((note) => note.invoiceNumber === issued.number)?.number;
  const items = InvoiceItems.parse(JSON.parse(invoice.orderItems));
  const money = (amount: number) => formatMoney(sign * amount, items.currency);
  const { house, customer } = issued;
  const bank = [house.iban && t.iban(formatIban(house.iban)), house.bic && t.bic(house.bic)];
  const customerLines = [
    customer.contact,
    customer.address,
    customer.address2,
    `${customer.postcode ?? ''} ${customer.city ?? ''}`,
    customer.country,
    customer.siren && frDocuments.siren(customer.siren),
    customer.vatNumber && frDocuments.vatNumber(customer.vatNumber),
  ];
  const { notes } = frDocuments.facturX;
  const facts = [
    [t.column.order, t.orderNumber(invoice.id)],
    [isCredit ? t.creditIssuedAt : t.issuedAt, issued.issuedAt === null ? '' : formatLongDate(issued.issuedAt)],
    [t.creditedInvoice, isCredit ? issued.invoiceNumber : ''],
    [t.creditNote, creditedBy ?? ''],
    [t.release, invoice.release?.title ?? ''],
    [t.barcode, invoice.release?.barcode ?? ''],
    [t.column.plan, t.plan[invoice.plan]],
    [issued.payment ? paymentLabel(issued.payment) : '', issued.payment?.id ?? ''],
    [t.column.status, isCredit || creditedBy !== undefined ? '' : t.status[invoice.status]],
  ].filter(([, value]) => value);
  const document: PdfDocument = {
    title,
    footer: t.footer(house.name, title),
    content: [
      parties(houseParty(house, '', bank), party(customer.name, customerLines, t.billedTo)),
      { text: title, style: 'title' },
      {
        layout: 'lines',
        margin: [0, 0, 0, 16],
        table: { widths: [150, '*'], body: facts.map(([label = '', value = '']): TableCell[] => [label, value]) },
      },
      {
        layout: 'lines',
        table: {
          headerRows: 1,
          widths: ['*', 'auto'],
          body: [
            [head(t.description), head(t.amount, 'right')],
            ...invoiceLines(invoice).map((line): TableCell[] => [line.label, right(money(line.amount))]),
            [t.excludingVat, right(money(sumAmounts([invoice.totalAmountByLocation, -invoice.vatAmount])))],
            [t.vat(formatPercent(invoice.vatPercent)), right(money(invoice.vatAmount))],
            [{ text: t.total, bold: true }, right(money(invoice.totalAmountByLocation), true)],
          ],
        },
      },
      {
        style: 'small',
        margin: [0, 16, 0, 0],
        stack: [
          ...(invoice.vatPercent === 0 && house.vatRegime === 'franchise' ? [notes.franchise] : []),
          ...(isCredit ? [notes.refund(issued.invoiceNumber)] : []),
          ...[notes.recovery, notes.penalty, notes.discount],
        ],
      },
    ],
  };
  return { document, fileName: t.fileName[issued.kind](issued.number) };
}
