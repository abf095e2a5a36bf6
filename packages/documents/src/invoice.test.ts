import type { InvoiceDetail } from '@regie/contract/routes/invoices.ts';
import { expect, it } from 'vitest';
import { invoiceExample as invoice } from './invoice.fixtures.ts';
import { documentsOf, invoiceDocument, invoiceLines } from './invoice.ts';

it('omits lines of 0', () => {
  expect(invoiceLines(invoice)).toEqual([
    { label: 'Formule Album', amount: 40 },
    { label: 'Label personnel', amount: 20 },
    { label: 'Remise, code promo ETE10', amount: -6 },
  ]);
});

it('contains all mandatory details of an invoice', () => {
  const text = JSON.stringify(documentsOf(invoice).map((issued) => invoiceDocument(invoice, issued)));
  for (const part of [
    'Facture 2026-00042',
    'Maison',
    'SIREN 732829320',
    'TVA FR44732829320',
    'IBAN FR14\u00a02004\u00a01010\u00a00505\u00a00001\u00a03M02\u00a0606',
    'BIC PSSTFRPPXXX',
    'Awa Diallo',
    '3760123450010',
    'Transaction par carte',
    'pi_123',
    'n°\u00a012',
    'Émise le',
    '45,00',
    'Dont TVA à 20',
    '9,00',
    '54,00',
  ]) {
    expect(text, part).toContain(part);
  }
});

it('credits a cancelled invoice by a credit note with the same lines; each refers to the other', () => {
  const credited: InvoiceDetail = {
    ...invoice,
    status: 'CANCEL',
    creditNotes: [
      {
        number: 'AV-2026-00007',
        issuedAt: Date.UTC(2026, 1, 3),
        invoiceNumber: '2026-00042',
        invoiceIssuedAt: invoice.issuedAt,
        payment: { id: 'VIR 1', isCard: false },
        house: invoice.house,
        customer: invoice.customer,
      },
    ],
  };
  const [first, note, ...rest] = documentsOf(credited).map((issued) =>
    JSON.stringify(invoiceDocument(credited, issued)),
  );
  expect(rest).toEqual([]);
  for (const part of [
    'Facture 2026-00042',
    'Annulée par l’avoir',
    'AV-2026-00007',
    '54,00',
    'Référence du règlement',
    'VIR 1',
    'Émise le',
  ]) {
    expect(first).toContain(part);
  }
  expect(note).not.toContain('Émise le');
  for (const part of [
    'Émis le',
    'VIR 1',
    'Avoir AV-2026-00007',
    'Annule la facture',
    '2026-00042',
    '−54,00',
    '−45,00',
    '−9,00',
    '6,00',
  ]) {
    expect(note).toContain(part);
  }
  expect(documentsOf({ ...credited, status: 'PAID', invoiceNumber: '2026-00050' }).map(({ number }) => number)).toEqual(
    ['2026-00042', 'AV-2026-00007', '2026-00050'],
  );
});
