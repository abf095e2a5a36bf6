import { describe, expect, it } from 'vitest';
import { readStatement, totalsOf } from '#test/statement-files.ts';
import { fixtures as apple } from './presets/apple.fixtures.ts';
import { table } from './presets/fixture.ts';

const itunesHeader =
  'Start Date\tEnd Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tPartner Share\tExtended Partner Share\tPartner Share Currency\tSales or Return\tApple Identifier\tArtist/Show/Developer/Author\tTitle\tLabel/Studio/Network/Developer/Publisher\tGrid\tProduct Type Identifier\tISAN/Other Identifier\tCountry Of Sale\tPre-order Flag\tPromo Code\tCustomer Price\tCustomer Currency';
const sale = (amount: string, currency = 'CHF') => ({
  'Start Date': '08/01/2021',
  'End Date': '08/28/2021',
  'ISRC/ISBN': 'FRABC2100001',
  Quantity: '1',
  'Extended Partner Share': amount,
  'Partner Share Currency': currency,
  'Country Of Sale': 'CH',
});
const itunes = (rows: ReturnType<typeof sale>[], ...end: string[]) =>
  `${table(itunesHeader, rows, '\t')}Total_Rows\t${rows.length}\r\n${end.map((line) => `${line}\r\n`).join('')}`;
const tableHeader = 'Country Of Sale\tPartner Share Currency\tQuantity\tExtended Partner Share';

const landr = 'Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %';
const landrRows = ['0.5', '1.25'].map((amount) => `2024-03-15,,FRABC2400001,Deezer,Streaming,1,${amount},100`);
const withEnd = (...end: string[]) => [landr, ...landrRows, ...end, ''].join('\n');

const read = async (content: string) => {
  const { lines, totals } = await readStatement(content);
  return { sums: totalsOf(lines), announced: totals.announced };
};

describe('the totals at the end of an iTunes report', () => {
  it.each([
    ['a total', ['Total_Amount\t2.3', 'Total_Units\t9']],
    ['a total with its currency', ['Total_Amount\t2.30\tCHF']],
    ['a total in one cell', ['Total_Amount:2.3']],
    ['a total and a table', ['Total_Amount\t2.3', tableHeader, 'CH\tCHF\t1\t1.8', 'LI\tCHF\t1\t0.5']],
    ['a table without amounts', ['Country Of Sale\tPartner Share Currency\tQuantity', 'CH\tCHF\t7']],
    ['a table with its own total', [tableHeader, 'CH\tCHF\t2\t2.3', 'Total\t\t2\t2.3']],
  ])('are not reported when they equal the sums of its rows: %s', async (_, end) => {
    expect(await read(itunes([sale('1.8'), sale('0.5')], ...end))).toEqual({ sums: { CHF: '2.3' }, announced: [] });
  });

  it.each([
    ['another total', ['Total_Amount\t18.00'], [['18', '2.3', 'CHF', 5]]],
    ['another total in one cell', ['Total_Amount:18.00'], [['18', '2.3', 'CHF', 5]]],
    ['another table', [tableHeader, 'CH\tCHF\t1\t1.8', 'LI\tCHF\t1\t0.51'], [['2.31', '2.3', 'CHF', 7]]],
    [
      'a currency of no row, and none of the rows’ currencies',
      [tableHeader, 'AU\tAUD\t1\t4'],
      [
        ['0', '2.3', 'CHF', 6],
        ['4', '0', 'AUD', 6],
      ],
    ],
  ])('are reported when they differ from its rows: %s', async (_, end, expected) => {
    const { sums, announced } = await read(itunes([sale('1.8'), sale('0.5')], ...end));
    expect(sums).toEqual({ CHF: '2.3' });
    expect(announced.map(({ declared, sum, currency, line }) => [declared, sum, currency, line])).toEqual(expected);
  });

  it('are compared within each block', async () => {
    const blocks = (second: string) =>
      itunes([sale('1.8')], 'Total_Amount\t1.8') +
      itunes([sale('3', 'EUR'), sale('4', 'EUR')], `Total_Amount\t${second}`);
    expect((await read(blocks('7'))).announced).toEqual([]);
    expect((await read(blocks('8.8'))).announced).toEqual([{ declared: '8.8', sum: '7', currency: 'EUR', line: 9 }]);
    const { totals } = await readStatement(itunes([sale('1.8'), sale('0.5')], 'Total_Amount\t2.30'));
    expect(totals.equalTotals).toEqual([{ declared: '2.3', currency: 'CHF', line: 5 }]);
    const [later, sameCurrency] = [blocks('7'), blocks('7').replaceAll('EUR', 'CHF')];
    // Of its currency each is the total; in one currency each is only that of its block.
    expect((await readStatement(later)).totals.equalTotals.map(({ line }) => line)).toEqual([4, 9]);
    expect((await readStatement(sameCurrency)).totals.equalTotals).toEqual([]);
    const table = `${tableHeader}\r\nCH\tCHF\t1\t1.8\r\n`;
    expect((await read(itunes([sale('1.8')]) + table + itunes([sale('3')]))).announced).toEqual([]);
  });
});

it('the table behind an Apple Music report is compared with its rows', async () => {
  const { file } = apple['apple-music']?.variants?.[
    'the header on line 4, names with spaces, the currency in each row, a summary behind'
  ] ?? { file: '' };
  expect((await read(file)).announced).toEqual([]);
  expect((await read(file.replace('AU\tAUD\t.021330', 'AU\tAUD\t.02134'))).announced).toEqual([
    { declared: '0.02134', sum: '0.02133', currency: 'AUD', line: 8 },
  ]);
});

describe('the totals of any file', () => {
  it.each([
    ['a total below the amounts', 'Total,,,,,2,1.75,'],
    ['a total beside its name', 'Grand total,1.75'],
    ['a total with its currency', 'Total Amount,1.75 USD,,,,,,'],
    ['a number of rows', 'Total Rows,2'],
    ['a number of rows, in a whole row', 'Row count,2,,,,,,'],
  ])('are not reported when they equal the sums of the rows: %s', async (_, end) => {
    expect(await read(withEnd(end))).toEqual({ sums: { USD: '1.75' }, announced: [] });
    if (!end.includes(',,')) expect(await read(`${end}\n\n${withEnd()}`)).toMatchObject({ announced: [] });
  });

  it.each<[string, string, string, string | null]>([
    ['a total below the amounts', 'Total,,,,,2,17.5,', '17.5', 'USD'],
    ['a total beside its name', 'Grand total,17.50', '17.5', 'USD'],
    ['a total in another currency', 'Total Amount,1.75 EUR,,,,,,', '1.75', 'EUR'],
    ['a number of rows', 'Total Rows,3', '3', null],
  ])('are reported when they differ from the rows: %s', async (_, end, declared, currency) => {
    const sum = currency === null ? '2' : currency === 'EUR' ? '0' : '1.75';
    expect(await read(withEnd(end))).toEqual({
      sums: { USD: '1.75' },
      announced: [{ declared, sum, currency, line: 4 }],
    });
    if (end.includes(',,')) return;
    expect((await read(`${end}\n\n${withEnd()}`)).announced).toEqual([{ declared, sum, currency, line: 1 }]);
  });

  it('a row at the end that is no total is refused', async () => {
    await expect(read(withEnd('Nombre,2'))).rejects.toMatchObject({ line: 4 });
  });
});
