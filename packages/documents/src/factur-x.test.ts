import type { InvoiceDetail } from '@regie/contract/routes/invoices.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { facturXml, invoiceFile, missingForFacturX } from './factur-x.ts';
import { invoiceExample } from './invoice.fixtures.ts';
import { documentsOf } from './invoice.ts';

const company = {
  ...invoiceExample.customer,
  name: 'Disques & Co',
  contact: 'Awa Diallo',
  siren: '918273640',
  electronicAddress: '918273640_VENTES',
  email: null,
  vatNumber: 'FR77 918273640',
};
const documentOf = (changes: Partial<InvoiceDetail> = {}) => {
  const invoice = { ...invoiceExample, ...changes };
  const issued = documentsOf(invoice).at(-1);
  if (!issued) throw new Error('no document');
  return { invoice, issued };
};
const xmlOf = (changes?: Partial<InvoiceDetail>) => {
  const { invoice, issued } = documentOf(changes);
  return facturXml(invoice, issued);
};
const missing = (changes: Partial<InvoiceDetail>) => {
  const { invoice, issued } = documentOf(changes);
  return missingForFacturX(invoice, issued);
};
const values = (xml: string, name: string) =>
  Array.from(xml.matchAll(new RegExp(`<ram:${name}(?: [^>]*)?>([^<]*)<`, 'g')), ([, value]) => value);

it('says a paid invoice with its parties, its lines without VAT and its discount', () => {
  const xml = xmlOf({ customer: company });
  expect(values(xml, 'ID')).toEqual([
    ...['S2', 'urn:cen.eu:en16931:2017', '2026-00042', '732829320', 'FR44732829320', '918273640', 'FR77918273640'],
  ]);
  expect(values(xml, 'LineTotalAmount')).toEqual(['33.33', '16.67', '50.00']);
  expect(values(xml, 'ActualAmount')).toEqual(['5.00']);
  expect(values(xml, 'GrandTotalAmount')).toEqual(['54.00']);
  expect(values(xml, 'TotalPrepaidAmount')).toEqual(['54.00']);
  expect(values(xml, 'DuePayableAmount')).toEqual(['0.00']);
  expect(values(xml, 'SubjectCode')).toEqual(['PMT', 'PMD', 'AAB', 'BAR']);
  expect(xml).toContain('<ram:Content>B2B</ram:Content>');
  expect(xml).toContain('<ram:URIID schemeID="0225">918273640_VENTES</ram:URIID>');
  expect(xml).toContain('<ram:Name>Disques &amp; Co</ram:Name>');
  expect(xml).toContain('<udt:DateTimeString format="102">20260106</udt:DateTimeString>');
});

it('refers a credit note to its invoice and leaves its total to refund', () => {
  const note = {
    ...{ number: 'AV-2026-00007', issuedAt: Date.UTC(2026, 1, 3), invoiceNumber: '2026-00042', payment: null },
    ...{ invoiceIssuedAt: invoiceExample.issuedAt, house: invoiceExample.house, customer: company },
  };
  const xml = xmlOf({ status: 'CANCEL', creditNotes: [note] });
  expect(values(xml, 'TypeCode')[0]).toBe('381');
  expect(values(xml, 'IssuerAssignedID')).toEqual(['12', '2026-00042']);
  expect(xml).toContain('<qdt:DateTimeString format="102">20260106</qdt:DateTimeString>');
  expect(values(xml, 'DuePayableAmount')).toEqual(['54.00']);
  expect(missing({ creditNotes: [{ ...note, invoiceIssuedAt: null }], status: 'CANCEL' })).toEqual([
    'la date d’émission de la facture',
  ]);
});

it('names the private person by e-mail, and a house without VAT by its SIREN and its exemption', () => {
  const house = { ...invoiceExample.house, vatRegime: 'franchise' as const, vatNumber: '' };
  const xml = xmlOf({ house, vatPercent: 0, vatAmount: 0 });
  expect(xml).toContain('<ram:Content>B2C</ram:Content>');
  expect(xml).toContain('<ram:URIID schemeID="EM">awa@exemple.fr</ram:URIID>');
  expect(xml).toContain('<ram:ID schemeID="FC">732829320</ram:ID>');
  expect(values(xml, 'ExemptionReasonCode')).toEqual(['VATEX-FR-FRANCHISE']);
  expect(xmlOf({ customer: { ...company, siren: null, country: 'Belgique', email: 'a@exemple.be' } })).toContain(
    '>B2BINT<',
  );
});

it.each([
  [{ customer: { ...company, siren: null } }, ['le SIREN de l’acheteur']],
  [
    { customer: { ...company, electronicAddress: '732829320' } },
    ['l’adresse de facturation électronique de l’acheteur'],
  ],
  [{ customer: { ...company, country: null } }, ['le pays de l’acheteur']],
  [{ customer: { ...invoiceExample.customer, email: null } }, ['l’adresse e-mail de l’acheteur']],
  [{ vatPercent: 0 }, ['le motif d’exonération de la TVA à 0\u00a0%']],
  [{ vatPercent: 21 }, ['un taux de TVA français']],
  [{ house: { ...invoiceExample.house, siren: '' } }, ['le SIREN du vendeur']],
  [
    { customer: { ...company, siren: null, country: 'BE', electronicAddress: null } },
    ['l’adresse e-mail de l’acheteur'],
  ],
] satisfies [Partial<InvoiceDetail>, string[]][])(
  'keeps the plain PDF and says what is missing: %#',
  (changes, what) => {
    const { invoice, issued } = documentOf(changes);
    const file = invoiceFile(invoice, issued);
    expect(file.missing).toEqual(what);
    expect(file.document.facturX).toBeUndefined();
  },
);

it('adds up to the cent for any amounts and rate; VAT is what is left of the total', () => {
  const cents = fc.integer({ min: 0, max: 200_000 }).map((amount) => amount / 100);
  fc.assert(
    fc.property(
      cents,
      cents,
      cents,
      fc.nat(100),
      fc.constantFrom(20, 10, 5.5, 2.1),
      (plan, label, express, part, rate) => {
        const gross = Math.round((plan + label + express) * 100);
        const discount = Math.round((gross * part) / 100);
        const items = { planPrice: plan, labelFees: label, expressDeliveryPrice: express, discount: discount / 100 };
        const xml = xmlOf({
          ...{ vatPercent: rate, totalAmountByLocation: (gross - discount) / 100 },
          orderItems: JSON.stringify({ ...items, currency: 'EUR', dueDate: null }),
        });
        const sum = (name: string) => values(xml, name).map((value) => Math.round(Number(value) * 100));
        const [total = 0, ...lines] = sum('LineTotalAmount').toReversed();
        const [basis = 0] = sum('TaxBasisTotalAmount');
        const [vat = 0] = sum('TaxTotalAmount');
        expect(lines.reduce((all, one) => all + one, 0)).toBe(total);
        expect(total - sum('ActualAmount').reduce((all, one) => all + one, 0)).toBe(basis);
        expect(basis + vat).toBe(gross - discount);
        // BR-CO-17 and BR-S-09 allow less than one euro.
        expect(Math.abs(vat - (basis * rate) / 100)).toBeLessThan(2);
      },
    ),
  );
});
