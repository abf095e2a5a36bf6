import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { storedFile, workbookOf, zipOf } from '#test/statement-files.ts';
import { appleSummaryColumns } from '#test/statements.ts';
import { builtInPresets } from './presets.ts';
import { openStatement, type ReadOptions } from './read-statement.ts';
import { headerCandidates } from './recognise.ts';

const line = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(',');
const header = (region = 'Country or Region (Currency)') => `${line([region, ...appleSummaryColumns])},,`;
/** Apple's row format: the two trailing columns are empty. */
const row = (region: string, earned: string, owed: string, rate: string, proceeds: string, bank = 'EUR') =>
  `${line([region, '12', earned, earned, '0', '0', '0', owed, rate, proceeds, bank])},,`;
const title = (month = '(September, 2014)') =>
  `"iTunes Connect - Payments and Financial Reports\t${month}",,,,,,,,,,,,`;
const blank = ',,,,,,,,,,,,';
const alone = (text: string) => `"","","","","","","","","","${text}","",,`;
const file = (...lines: string[]) => `${lines.join('\r\n')}\r\n`;

const whole = file(
  title(),
  blank,
  header(),
  row('Japan (JPY)', '1,179', '1,142', '0.00817', '9.33'),
  row('Rest of World (USD)', '100.50', '70.35', '0.91', '64.02'),
  row('United States (USD)', '10.25', '10.25', '0.91', '9.33'),
  row('Sweden (SEK)', '3.10', '3.10', '', ''),
  blank,
  alone('82.68 EUR'),
  '"Paid to BANQUE DE TEST ****1234",,,,,,,,,,,,',
);

async function open(content: string | Buffer, options: ReadOptions = {}) {
  return openStatement(storedFile(content), builtInPresets, options);
}
async function read(content: string | Buffer, options: ReadOptions = {}) {
  const opened = await open(content, options);
  if (opened.is !== 'summary') throw new Error(opened.is);
  expect(opened.known.preset.source).toBe('Apple');
  return opened.amounts();
}

const expected = [
  {
    month: '2014-09-01',
    currency: 'JPY',
    earned: '1179',
    rounding: '0.5',
    owed: '1142',
    bankRate: '0.00817',
    bankCurrency: 'EUR',
    proceeds: '9.33',
  },
  {
    month: '2014-09-01',
    currency: 'USD',
    earned: '100.5',
    rounding: '0.005',
    owed: '70.35',
    bankRate: '0.91',
    bankCurrency: 'EUR',
    proceeds: '64.02',
  },
  {
    month: '2014-09-01',
    currency: 'USD',
    earned: '10.25',
    rounding: '0.005',
    owed: '10.25',
    bankRate: '0.91',
    bankCurrency: 'EUR',
    proceeds: '9.33',
  },
  // Without a rate, the amount is carried forward.
  {
    month: '2014-09-01',
    currency: 'SEK',
    earned: '3.1',
    rounding: '0.005',
    owed: '3.1',
    bankRate: null,
    bankCurrency: null,
    proceeds: null,
  },
];

describe('an Apple summary', () => {
  it("is read row by row with its rates, without the bank's identification", async () => {
    expect(await read(whole)).toEqual(expected);
  });

  const forms = {
    'under its name until 2019': whole.replace('Country or Region (Currency)', 'Territory (Currency)'),
    'under its name of 2014': whole.replace('Country or Region (Currency)', 'Region (Currency)'),
    'without the blank line under the title': whole.replace(`${blank}\r\n"Country`, '"Country'),
    'without the empty columns behind': whole.replaceAll(/,,(?=\r\n)/g, ''),
    'without the pre-tax subtotal': whole
      .split('\r\n')
      .map((text) => (text.startsWith('"') && !text.startsWith('"iT') ? cut(text, 3) : text))
      .join('\r\n'),
    'with line feeds alone': whole.replaceAll('\r\n', '\n'),
    'with a byte order mark': `\ufeff${whole}`,
    'in UTF-16': Buffer.from(`\ufeff${whole}`, 'utf16le'),
    'with its month in French': whole.replace('(September, 2014)', '(septembre, 2014)'),
    gzipped: gzipSync(whole),
    'in a ZIP': zipOf([{ name: 'financial_report.csv', content: whole }]),
    'as a workbook': workbookOf((headerCandidates(whole)[1]?.rows ?? []).map(({ cells }) => cells)),
  };
  /** The line without one of its quoted cells. */
  function cut(text: string, index: number): string {
    const cells = text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    return cells.filter((_, at) => at !== index).join(',');
  }
  it.each(Object.entries(forms))('%s', async (_, content) => {
    expect(await read(content)).toEqual(expected);
  });

  it('names the bank accounts of its payment, and may end with a total of all blocks', async () => {
    const content = whole.replace(
      '"Paid',
      `${header()}\r\n${row('Japan (JPY)', '10', '10', '0.1', '1')}\r\n${alone('1 EUR')}\r\n${alone('83.68 EUR')}\r\n${row('Total', '', '', '', '1.00', '')}\r\n"Paid`,
    );
    const opened = await open(content);
    if (opened.is !== 'summary') throw new Error(opened.is);
    expect(await opened.amounts()).toHaveLength(5);
    expect(opened.banks).toEqual(['BANQUE DE TEST ****1234']);
  });

  it('with several blocks is read to the end, each with its own header and month', async () => {
    // Without conversion there is no rate, and the earned amount is paid.
    const narrow = line([
      'Country or Region (Currency)',
      ...appleSummaryColumns.filter((name) => !['Pre-Tax Subtotal', 'Exchange Rate'].includes(name)),
    ]);
    const content = file(
      title(),
      header(),
      row('Japan (JPY)', '179', '142', '0.00817', '1.16'),
      alone('1.16 EUR'),
      blank,
      narrow,
      line(['Mexico (MXN)', '4', '3,479.64', '0', '0', '0', '3,479.64', '3,479.64', 'MXN']),
      alone('3,479.64 MXN'),
      blank,
      title('(October, 2014)'),
      header(),
      row('Japan (JPY)', '-37', '-37', '', '0'),
    );
    expect(await read(content)).toMatchObject([
      { month: '2014-09-01', currency: 'JPY', earned: '179', bankCurrency: 'EUR' },
      {
        month: '2014-09-01',
        currency: 'MXN',
        earned: '3479.64',
        bankRate: null,
        bankCurrency: 'MXN',
        proceeds: '3479.64',
      },
      { month: '2014-10-01', currency: 'JPY', earned: '-37', proceeds: null },
    ]);
  });

  it.each([
    ['no title', whole.split('\r\n').slice(2).join('\r\n')],
    ['a month that cannot be read', whole.replace('(September, 2014)', '(2014年9月)')],
  ])('with %s asks for its month', async (_, content) => {
    expect(await open(content)).toMatchObject({
      is: 'ambiguous',
      findings: { presets: [{ key: 'apple-summary', needsMonth: true, needsCurrency: false }] },
    });
    const amounts = await read(content, { chosen: 'apple-summary', month: '2014-09-01' });
    expect(amounts).toEqual(expected);
  });

  it('uses the month of its title, whatever staff entered', async () => {
    expect(await read(whole, { month: '2024-01-01' })).toEqual(expected);
  });

  it.each([
    ['an amount that is none', whole.replace('"100.50"', '"cent"'), 5, '«\u00a0cent\u00a0» n’est pas un montant'],
    [
      'an amount with a currency',
      whole.replace('"100.50"', '"$100.50"'),
      5,
      '«\u00a0$100.50\u00a0» n’est pas un montant',
    ],
    ['an empty amount', whole.replace('"100.50"', '""'), 5, 'Un montant est vide'],
    ['a rate that is none', whole.replace('"0.91"', '"-0.91"'), 5, '«\u00a0-0.91\u00a0» n’est pas un taux de change'],
    [
      'a payment without its currency',
      whole.replace('"64.02","EUR"', '"64.02","Euro"'),
      5,
      '«\u00a0Euro\u00a0» n’est pas une devise',
    ],
    ['a rate without a payment', whole.replace('"64.02"', '""'), 5, 'Un montant est vide'],
    ['a row of no currency', whole.replace('Rest of World (USD)', 'Rest of World'), 5, 'ne nomme pas de devise'],
    ['a row that is cut', `${whole.slice(0, whole.indexOf('"70.35"'))}`, 5, 'colonnes, l’en-tête en a 11'],
    ['a quote that is cut', `${whole.slice(0, whole.indexOf('70.35'))}`, 5, 'guillemet'],
    [
      'a total that its payments do not come to',
      whole.replace('82.68 EUR', '82.86 EUR'),
      9,
      'Le total est de 82.86 EUR, les montants versés font 82.68',
    ],
    ['a total of another currency', whole.replace('82.68 EUR', '82.68 USD'), 9, 'les montants versés font 0'],
    [
      'a row of total that its payments do not come to',
      whole.replace(alone('82.68 EUR'), row('Total', '', '', '', '82.86', '')),
      9,
      'Le total est de 82.86 EUR, les montants versés font 82.68',
    ],
    ['no amount', file(title(), blank, header(), blank), 3, 'Ce récapitulatif ne contient aucun montant'],
    [
      'a block of other columns',
      whole + file(blank, line(['Region (Currency)', 'Units Sold', 'Earned']), row('Japan (JPY)', '1', '1', '1', '1')),
      12,
      'La colonne «\u00a0Total Owed\u00a0» manque',
    ],
  ])('with %s is refused with its line', async (_, content, at, message) => {
    await expect(read(content)).rejects.toMatchObject({ line: at, message: expect.stringContaining(message) });
  });

  it('with more rows than a month can have is refused', async () => {
    const rows = Array.from({ length: 10_001 }, () => row('Japan (JPY)', '1', '1', '1', '1'));
    await expect(read(file(title(), header(), ...rows))).rejects.toMatchObject({ line: 10_003 });
  });
});
