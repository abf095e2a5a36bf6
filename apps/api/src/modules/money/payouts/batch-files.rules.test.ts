import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeSepaFile } from '#src/lib/sepa.ts';
import { hasSepaSchema, sepaErrors } from '#test/sepa-schema.ts';
import { fileOf, findFileProblems, paypalLine, toDebtor, toSepaTransfer } from './batch-files.rules.ts';
import type { Beneficiary } from './payouts.queries.ts';

const latin = fc.integer({ min: 0x20, max: 0x17f }).map((code) => String.fromCodePoint(code));
const hostile = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: latin, minLength: 2, maxLength: 140 }) },
  fc.string({ unit: 'binary', minLength: 2, maxLength: 140 }),
  fc.string({ unit: 'grapheme', minLength: 2, maxLength: 140 }),
  fc.constantFrom(
    'L’Haÿ-les-Roses',
    '//',
    'Œuvre & Cœur <b>',
    'Łódź',
    'Αθήνα',
    ']]>',
    '&amp;',
    'Saint‑Étienne / 2',
    '\ud800x',
  ),
);
const beneficiaries: fc.Arbitrary<Beneficiary> = fc.record({
  id: fc.constant(1),
  type: fc.constantFrom('bank' as const, 'paypal' as const),
  email: fc.oneof(hostile, fc.emailAddress(), fc.constantFrom('a@b.fr', '=1+1@b.fr', 'a,b@c.fr', 'a"b@c.fr')),
  owner: hostile,
  holderAddress: hostile,
  holderAddress2: fc.option(hostile),
  holderCity: hostile,
  holderCountry: fc.constantFrom('France', 'Allemagne', 'Grèce', 'Suisse', 'Atlantide'),
  holderPostcode: hostile,
  bankName: hostile,
  bankCountry: fc.constantFrom('France', 'Allemagne', 'États-Unis'),
  bankAddress: hostile,
  bankAddress2: fc.option(hostile),
  bankCity: hostile,
  bankZipCode: hostile,
  iban: fc.constantFrom(
    'FR14 2004 1010 0505 0001 3M02 606',
    'DE89370400440532013000',
    'FR1420041010050500013M02607',
    '12345',
  ),
  swift: fc.constantFrom('', 'PSSTFRPPXXX', 'psstfrpp', 'PSST FRPP', '<BIC>'),
});

const house = {
  ...{ name: 'Régie & Cie', address: '1, quai du Port\nBâtiment B', postcode: '13002', city: 'Marseille' },
  ...{
    country: 'France',
    siren: '',
    vatNumber: '',
    electronicAddress: '',
    vatRegime: '' as const,
    email: '',
    iban: 'FR1420041010050500013M02606',
    bic: 'PSSTFRPPXXX',
  },
};

/** A bank file of random beneficiaries that have no preflight problem. */
function sampleFile({ isStructured } = { isStructured: false }) {
  const debtor = toDebtor(house);
  if (typeof debtor === 'string') throw new Error(`no debtor for want of ${debtor}`);
  const messageId = 'RG20261121-3F9A1C00';
  const passed = fc
    .sample(beneficiaries, { numRuns: 10_000, seed: 20261121 })
    .filter((one) => fileOf(one) === 'sepa' && findFileProblems(one).length === 0);
  expect(passed.length).toBeGreaterThan(200);
  const transfers = passed.map((beneficiary, index) =>
    toSepaTransfer({ payoutId: index + 1, netEur: '12.30', beneficiary }, { messageId, houseName: debtor.name }),
  );
  const header = {
    messageId,
    createdAt: new Date('2026-11-21T10:00:00Z'),
    executionDay: '2026-11-21',
    debtor: { ...debtor, isStructured },
  };
  return { xml: [...writeSepaFile(header, transfers)].join(''), count: passed.length };
}

it('reports as preflight problems all details that a bank file cannot contain', { tags: ['slow'] }, () => {
  const { xml: hybrid, count } = sampleFile();
  const xml = hybrid + sampleFile({ isStructured: true }).xml;
  const texts = [
    ...xml.matchAll(/<(Nm|TwnNm|PstCd|AdrLine|StrtNm|BldgNb|BldgNm|Ustrd|EndToEndId|MsgId|PmtInfId)>([^<]*)<\/\1>/g),
  ];
  expect(texts.length).toBeGreaterThan(count * 4);
  for (const [, name, escaped = ''] of texts) {
    const text = escaped.replaceAll('&#39;', "'");
    expect([name, text]).toEqual([name, expect.stringMatching(/^[A-Za-z0-9?:().,'+ -][A-Za-z0-9/?:().,'+ -]*$/)]);
    expect([name, text]).toEqual([name, expect.not.stringMatching(/\/\/|\/$/)]);
  }
});

it.skipIf(!hasSepaSchema)('writes a bank file that is valid by its schema', async () => {
  expect(await sepaErrors(sampleFile().xml)).toEqual([]);
  expect(await sepaErrors(sampleFile({ isStructured: true }).xml)).toEqual([]);
});

it('writes six values per PayPal line and no spreadsheet formulas', () => {
  fc.assert(
    fc.property(beneficiaries, hostile, (beneficiary, houseName) => {
      fc.pre(beneficiary.type === 'paypal' && findFileProblems(beneficiary).length === 0);
      const values = paypalLine({ payoutId: 7, netEur: '12.30', beneficiary }, houseName).split(',');
      expect(values).toHaveLength(6);
      expect(values.slice(1, 4)).toEqual(['12.30', 'EUR', 'V-000007']);
      for (const value of values) expect(value).toMatch(/^[A-Za-z0-9][^"\r\n]*$/);
    }),
  );
});
