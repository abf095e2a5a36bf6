import type { InvoiceDetail } from '@regie/contract/routes/invoices.ts';
import { expect, it } from 'vitest';
import { invoiceDocument, invoiceLines } from './invoice-document.ts';

const invoice: InvoiceDetail = {
  id: 12,
  status: 'PAID',
  plan: 'album',
  totalAmountByLocation: 54,
  createdAt: Date.UTC(2026, 0, 5),
  LibraryId: 4,
  Account: { id: 3, fname: 'Awa', lname: 'Diallo' },
  orderItems: JSON.stringify({
    planPrice: 40,
    labelFees: 20,
    expressDeliveryPrice: 0,
    discount: 6,
    currency: 'EUR',
    dueDate: null,
  }),
  transactionDetails: JSON.stringify({
    id: 'pi_123',
    receipt_email: null,
    metadata: { customer_fullname: 'Awa Diallo', customer_id: 3, release_title: 'Marée', release_id: 4 },
  }),
  invoiceNumber: '2026-00042',
  paidAt: Date.UTC(2026, 0, 6),
  issuedAt: Date.UTC(2026, 0, 6),
  isPaidByCard: true,
  promoCode: 'ETE10',
  vatPercent: 20,
  vatAmount: 9,
  release: { id: 4, title: 'Marée', barcode: '3760123450010' },
  house: { name: 'Maison', lines: ['Paris'], siren: '732829320', vatNumber: 'FR44732829320', email: '' },
  customer: { name: 'Awa Diallo', lines: ['Lyon'], vatNumber: null },
};

it('leaves out the lines of nothing', () => {
  expect(invoiceLines(invoice)).toEqual([
    { label: 'Formule Album', amount: 40 },
    { label: 'Label au nom du client', amount: 20 },
    { label: 'Remise, code promo ETE10', amount: -6 },
  ]);
});

it('says all that an invoice must', () => {
  const text = JSON.stringify(invoiceDocument(invoice, '2026-00042'));
  for (const part of [
    'Facture 2026-00042',
    'Maison',
    'SIREN 732829320',
    'TVA FR44732829320',
    'Awa Diallo',
    '3760123450010',
    'Transaction par carte',
    'pi_123',
    'Order #12',
    '45,00',
    'Dont TVA à 20',
    '9,00',
    '54,00',
  ]) {
    expect(text, part).toContain(part);
  }
});
