import { isElectronicAddress } from '@regie/contract/companies.ts';
import { InvoiceItems, type InvoiceRecord, type Parties } from '@regie/contract/routes/invoices.ts';
import { findCountryCode, isCountryCode } from '@regie/values/countries.ts';
import { toCents, toDecimal, vatWithin } from '@regie/values/decimal.ts';
import { formatDate } from '@regie/values/formats.ts';
import { frDocuments } from './documents.fr.ts';
import { type IssuedDocument, invoiceDocument, invoiceLines } from './invoice.ts';
import type { PdfFile } from './parts.ts';

const t = frDocuments.facturX;

/** Rates of BR-FR-16; at 0 only a house with `franchise` is known to be exempt. */
const frenchRates = '20.00 10.00 8.50 5.50 2.10 13.00 19.60 20.60 7.00 9.60 9.20 1.75 1.05 0.90';
/** Where a company has a SIREN. */
const frenchCountries = new Set(['FR', 'GP', 'GF', 'MQ', 'RE', 'YT']);

const countryOf = ({ country }: { country: string | null }) => findCountryCode(country ?? '');
const isCompanyAbroad = ({ customer }: Parties) => !frenchCountries.has(countryOf(customer) ?? '');

/** The electronic address of a French company is that of its SIREN (BR-FR-21); others may have an e-mail address. */
function addressOf({ siren, electronicAddress, email }: Parties['customer']): [scheme: string, id: string] | undefined {
  const isOwn = electronicAddress !== null && isElectronicAddress(electronicAddress);
  if (isOwn && electronicAddress.startsWith(siren ?? '')) return ['0225', electronicAddress];
  return siren === null && email ? ['EM', email] : undefined;
}

/** What the record lacks for an invoice of EN 16931 by the French rules, in French; empty when nothing does. */
export function missingForFacturX(invoice: InvoiceRecord, issued: IssuedDocument): string[] {
  const { house, customer } = issued;
  const { currency } = InvoiceItems.parse(JSON.parse(invoice.orderItems));
  const isExempt = invoice.vatPercent === 0;
  const isFranchise = house.vatRegime === 'franchise';
  const lacks: [boolean, string][] = [
    [issued.issuedAt === null || (issued.kind === 'creditNote' && issued.invoiceIssuedAt === null), t.missing.issuedAt],
    [currency !== 'EUR', t.missing.currency],
    [!isExempt && !frenchRates.split(' ').includes(toDecimal(toCents(invoice.vatPercent))), t.missing.rate],
    [isExempt && !isFranchise, t.missing.exemption],
    [house.siren === '', t.missing.sellerSiren],
    [!isElectronicAddress(house.electronicAddress), t.missing.sellerAddress],
    [!isFranchise && house.vatNumber === '', t.missing.sellerVat],
    [countryOf(house) === undefined, t.missing.sellerCountry],
    [customer.name === '', t.missing.buyerName],
    [countryOf(customer) === undefined, t.missing.buyerCountry],
    [customer.contact !== null && customer.siren === null && !isCompanyAbroad(issued), t.missing.buyerSiren],
    [addressOf(customer) === undefined, customer.siren === null ? t.missing.buyerEmail : t.missing.buyerAddress],
  ];
  return lacks.flatMap(([isLacking, what]) => (isLacking ? [what] : []));
}

/** The invoice as a PDF that holds its XML; a plain PDF when something is missing. */
export function invoiceFile(invoice: InvoiceRecord, issued: IssuedDocument): PdfFile & { missing: string[] } {
  const missing = missingForFacturX(invoice, issued);
  const { document, fileName } = invoiceDocument(invoice, issued);
  if (missing.length > 0) return { document, fileName, missing };
  return { document: { ...document, facturX: facturXml(invoice, issued) }, fileName, missing };
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters, which XML lacks, are dropped. */
const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]+/gu, ' ')
    .replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

/** Of `ram`, where the name has no prefix. */
function group(name: string, ...parts: readonly string[]): string {
  const [start = '', ...attributes] = (name.includes(':') ? name : `ram:${name}`).split(' ');
  return `<${[start, ...attributes].join(' ')}>${parts.join('')}</${start}>`;
}
/** Nothing for an empty text. */
const leaf = (name: string, text: string | null | undefined) =>
  text?.trim() ? group(name, escapeXml(text.trim())) : '';

const dayOf = (ms: number | null) =>
  formatDate(ms ?? 0)
    .split('/')
    .toReversed()
    .join('');
const date = (name: string, ms: number | null, type = 'udt') =>
  group(name, group(`${type}:DateTimeString format="102"`, dayOf(ms)));

function party(
  name: string,
  who: { name: string; siren: string | null; postcode: string | null; city: string | null; country: string | null },
  lines: readonly (string | null)[],
  [scheme, address]: readonly [scheme: string, id: string],
  tax: readonly [scheme: string, id: string] | undefined,
): string {
  const filled = lines.filter((line) => line?.trim());
  return group(
    name,
    leaf('Name', who.name),
    who.siren ? group('SpecifiedLegalOrganization', leaf('ID schemeID="0002"', who.siren)) : '',
    group(
      'PostalTradeAddress',
      leaf('PostcodeCode', who.postcode),
      ...['LineOne', 'LineTwo', 'LineThree'].map((line, index) => leaf(line, filled[index])),
      leaf('CityName', who.city),
      leaf('CountryID', countryOf(who)),
    ),
    group('URIUniversalCommunication', leaf(`URIID schemeID="${scheme}"`, address)),
    tax ? group('SpecifiedTaxRegistration', leaf(`ID schemeID="${tax[0]}"`, tax[1])) : '',
  );
}

/** Only a number that begins with a country may be one (BR-CO-09); Greece begins with EL. */
function vatOf({ vatNumber }: Parties['customer']): readonly [string, string] | undefined {
  const number = vatNumber?.replaceAll(/[\s.-]/g, '').toUpperCase() ?? '';
  const country = number.slice(0, 2);
  return isCountryCode(country) || country === 'EL' ? ['VA', number] : undefined;
}

/** Who a document is for, as the French platforms ask (BR-FR-20). */
function audienceOf(issued: IssuedDocument): string {
  if (issued.customer.siren !== null) return 'B2B';
  return `${issued.customer.contact === null ? 'B2C' : 'B2B'}${isCompanyAbroad(issued) ? 'INT' : ''}`;
}

/**
 * The invoice in Cross Industry Invoice, EN 16931. Prices include VAT: what a line is without it is the difference of
 * rounded sums, so that the lines add up to the total without VAT.
 */
export function facturXml(invoice: InvoiceRecord, issued: IssuedDocument): string {
  const { house, customer } = issued;
  const isCredit = issued.kind === 'creditNote';
  const rate = toCents(invoice.vatPercent);
  const net = (cents: bigint) => cents - vatWithin(cents, rate);
  let sum = 0n;
  const parts = invoiceLines(invoice).map(({ label, amount }) => {
    const before = net(sum);
    sum += amount < 0 ? -toCents(-amount) : toCents(amount);
    return { label, isDiscount: amount < 0, cents: net(sum) - before };
  });
  const lines = parts.filter(({ isDiscount }) => !isDiscount);
  const discounts = parts.filter(({ isDiscount }) => isDiscount);
  const money = (cents: bigint) => toDecimal(cents < 0n ? -cents : cents);
  const totalOf = (some: typeof parts) => some.reduce((total, { cents }) => total + cents, 0n);
  const vat = sum - net(sum);
  const isExempt = rate === 0n;
  const category = leaf('CategoryCode', isExempt ? 'E' : 'S');
  const percent = leaf('RateApplicablePercent', toDecimal(rate));
  const tax = (name: string) => group(name, leaf('TypeCode', 'VAT'), category, percent);
  const release = invoice.release && [invoice.release.title, invoice.release.barcode].filter(Boolean).join(', ');
  const note = (code: string, text: string) => group('IncludedNote', leaf('Content', text), leaf('SubjectCode', code));
  const line = ({ label, cents }: (typeof parts)[number], index: number) =>
    group(
      'IncludedSupplyChainTradeLineItem',
      group('AssociatedDocumentLineDocument', leaf('LineID', String(index + 1))),
      group('SpecifiedTradeProduct', leaf('Name', label), index === 0 ? leaf('Description', release) : ''),
      group('SpecifiedLineTradeAgreement', group('NetPriceProductTradePrice', leaf('ChargeAmount', money(cents)))),
      group('SpecifiedLineTradeDelivery', leaf('BilledQuantity unitCode="C62"', '1')),
      group(
        'SpecifiedLineTradeSettlement',
        tax('ApplicableTradeTax'),
        group('SpecifiedTradeSettlementLineMonetarySummation', leaf('LineTotalAmount', money(cents))),
      ),
    );
  const allowance = ({ label, cents }: (typeof parts)[number]) =>
    group(
      'SpecifiedTradeAllowanceCharge',
      group('ChargeIndicator', leaf('udt:Indicator', 'false')),
      leaf('ActualAmount', money(cents)),
      leaf('Reason', label),
      tax('CategoryTradeTax'),
    );
  const namespaces = [
    ['rsm', 'data:standard:CrossIndustryInvoice:100'],
    ['ram', 'data:standard:ReusableAggregateBusinessInformationEntity:100'],
    ['qdt', 'data:standard:QualifiedDataType:100'],
    ['udt', 'data:standard:UnqualifiedDataType:100'],
  ].map(([prefix, name]) => `xmlns:${prefix}="urn:un:unece:uncefact:${name}"`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${group(
    `rsm:CrossIndustryInvoice ${namespaces.join(' ')}`,
    group(
      'rsm:ExchangedDocumentContext',
      // Services; S2 is paid already.
      group('BusinessProcessSpecifiedDocumentContextParameter', leaf('ID', isCredit ? 'S1' : 'S2')),
      group('GuidelineSpecifiedDocumentContextParameter', leaf('ID', 'urn:cen.eu:en16931:2017')),
    ),
    group(
      'rsm:ExchangedDocument',
      leaf('ID', issued.number),
      leaf('TypeCode', isCredit ? '381' : '380'),
      date('IssueDateTime', issued.issuedAt),
      note('PMT', t.notes.recovery),
      note('PMD', t.notes.penalty),
      note('AAB', t.notes.discount),
      note('BAR', audienceOf(issued)),
    ),
    group(
      'rsm:SupplyChainTradeTransaction',
      ...lines.map(line),
      group(
        'ApplicableHeaderTradeAgreement',
        party(
          'SellerTradeParty',
          house,
          house.address.split('\n'),
          ['0225', house.electronicAddress],
          house.vatNumber ? ['VA', house.vatNumber] : ['FC', house.siren],
        ),
        party(
          'BuyerTradeParty',
          customer,
          [customer.address, customer.address2],
          addressOf(customer) ?? ['', ''],
          vatOf(customer),
        ),
        group('SellerOrderReferencedDocument', leaf('IssuerAssignedID', String(invoice.id))),
      ),
      group('ApplicableHeaderTradeDelivery'),
      group(
        'ApplicableHeaderTradeSettlement',
        leaf('PaymentReference', issued.payment?.id),
        leaf('InvoiceCurrencyCode', 'EUR'),
        group(
          'ApplicableTradeTax',
          leaf('CalculatedAmount', money(vat)),
          leaf('TypeCode', 'VAT'),
          isExempt ? leaf('ExemptionReason', t.notes.franchise) : '',
          leaf('BasisAmount', money(net(sum))),
          category,
          isExempt ? leaf('ExemptionReasonCode', 'VATEX-FR-FRANCHISE') : '',
          percent,
        ),
        ...discounts.map(allowance),
        group(
          'SpecifiedTradePaymentTerms',
          isCredit ? leaf('Description', t.notes.refund(issued.invoiceNumber)) : '',
          date('DueDateDateTime', issued.issuedAt),
        ),
        group(
          'SpecifiedTradeSettlementHeaderMonetarySummation',
          leaf('LineTotalAmount', money(totalOf(lines))),
          discounts.length > 0 ? leaf('AllowanceTotalAmount', money(totalOf(discounts))) : '',
          leaf('TaxBasisTotalAmount', money(net(sum))),
          leaf('TaxTotalAmount currencyID="EUR"', money(vat)),
          leaf('GrandTotalAmount', money(sum)),
          isCredit ? '' : leaf('TotalPrepaidAmount', money(sum)),
          leaf('DuePayableAmount', money(isCredit ? sum : 0n)),
        ),
        isCredit
          ? group(
              'InvoiceReferencedDocument',
              leaf('IssuerAssignedID', issued.invoiceNumber),
              date('FormattedIssueDateTime', issued.invoiceIssuedAt, 'qdt'),
            )
          : '',
      ),
    ),
  )}\n`;
}
