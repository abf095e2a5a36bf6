import { describe, expect, it } from 'vitest';
import { readStatement, totalsOf } from '#test/statement-files.ts';
import { rawHeader as bandcampHeader } from './presets/bandcamp.fixtures.ts';
import { table } from './presets/fixture.ts';

const distrokid =
  'Reporting Date,Sale Month,Store,Artist,Title,ISRC,UPC,Quantity,Team Percentage,Song/Album,Country of Sale,Songwriter Royalties Withheld,Earnings (USD)';
const sale = (amount: string, store = 'Deezer'): Record<string, string> => ({
  'Reporting Date': '2026-08-25',
  'Sale Month': '2026-07',
  Store: store,
  Artist: 'A',
  Title: 'T',
  ISRC: 'FRABC2600001',
  Quantity: '1',
  'Country of Sale': 'FR',
  'Earnings (USD)': amount,
});
const believe =
  'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Track title;UPC;ISRC;Sales Type;Quantity;Client Payment Currency;Gross Revenue;Net Revenue';
const believeSale = (amount: string, currency: string) =>
  `2026/05/01;2026/04/01;Deezer;France;L;A;T;;FRABC2600001;Stream;1;${currency};9;${amount}`;
const read = async (content: string) => {
  const { lines, totals } = await readStatement(content);
  return { totals: totalsOf(lines), skipped: Object.fromEntries(totals.skipped) };
};

describe('rows without a date or a label that equal the sum of others', () => {
  it('are left out as totals, including the total of a single row', async () => {
    const rows: Record<string, string>[] = [
      sale('1.1'),
      sale('2.2'),
      { Store: 'Deezer', Quantity: '2', 'Earnings (USD)': '3.30' },
      sale('0.4', 'Qobuz'),
      { Store: 'Qobuz', 'Earnings (USD)': '0.40' },
      { 'Earnings (USD)': '3.7' },
    ];
    expect(await read(table(distrokid, rows))).toEqual({ totals: { USD: '3.7' }, skipped: { 'Ligne de total': 3 } });
  });

  it('are left out where they name no currency either', async () => {
    const rows = [believeSale('1,5', 'EUR'), believeSale('2,25', 'EUR'), ';;;;;;;;;;2;;18;3,75', ';;;;;;;;;;2;;;3,75'];
    const file = [believe, ...rows, ''].join('\n');
    expect(await read(file)).toEqual({ totals: { EUR: '3.75' }, skipped: { 'Ligne de total': 2 } });
  });

  it('are left out under each currency', async () => {
    const rows = [
      believeSale('1,5', 'EUR'),
      believeSale('2,25', 'EUR'),
      ';;;;;;;;;;2;;;3,75',
      believeSale('9,5', 'USD'),
      ';;;;;;;;;;;;;9,5',
    ];
    expect(await read([believe, ...rows, ''].join('\n'))).toEqual({
      totals: { EUR: '3.75', USD: '9.5' },
      skipped: { 'Ligne de total': 2 },
    });
  });

  it.each([
    ['another sum', { 'Earnings (USD)': '3.31' }],
    ['a title', { Title: 'T', 'Earnings (USD)': '3.3' }],
  ])('are refused with %s', async (_, row) => {
    await expect(read(table(distrokid, [sale('1.1'), sale('2.2'), row]))).rejects.toMatchObject({
      message: 'La date de cette ligne est vide',
      line: 4,
    });
  });

  it('a row without an amount, an item and a quantity is a heading', async () => {
    const rows = [{ Store: 'Deezer' }, sale('1.1'), { Store: 'Qobuz' }, sale('2.2', 'Qobuz')];
    expect(await read(table(distrokid, rows))).toEqual({ totals: { USD: '3.3' }, skipped: { 'Montant vide': 2 } });
    await expect(read(table(distrokid, [sale('1'), { Title: 'T' }]))).rejects.toMatchObject({ line: 3 });
    await expect(read(table(distrokid, [sale('1'), { Quantity: '2' }]))).rejects.toMatchObject({ line: 3 });
  });
});

describe('a refund in several rows', () => {
  const row = { date: '3/1/24 1:00pm', 'item name': 'T', currency: 'EUR', 'bandcamp transaction id': '9' };
  const sold = {
    ...row,
    'item type': 'track',
    quantity: '1',
    'sub total': '10',
    'assessed revenue share': '1',
    'transaction fee': '0.4',
  };
  const back = { ...row, 'item type': 'refund', 'bandcamp transaction id': 'r1' };
  const amounts = { 'sub total': '-5', 'assessed revenue share': '-0.5', 'transaction fee': '-0.2' };
  const payout = { 'change to payout balance': '-4.30' };

  it.each([
    ['before', [back, { ...back, ...amounts, ...payout }]],
    ['behind', [{ ...back, ...amounts, ...payout }, back, back]],
    ['behind a row with a net amount', [{ ...back, ...amounts, ...payout, 'net amount': '-4.3' }, back]],
    ['before a row with a net amount', [back, { ...back, ...payout, 'net amount': '-4.3' }]],
  ])('is counted once, with the amounts of one row: %s', async (_, rows) => {
    expect(await read(table(bandcampHeader, [sold, ...rows]))).toEqual({
      totals: { EUR: '4.3' },
      skipped: { 'Montant vide': rows.length - 1 },
    });
  });

  it.each([
    ['no row has a payout amount', [back, { ...back, ...amounts }], 3],
    ['the others have other amounts', [{ ...back, ...amounts, 'change to payout balance': '-9' }, back], 3],
    [
      'each row has its own transaction',
      [
        { ...back, ...amounts, ...payout },
        { ...back, 'bandcamp transaction id': 'r2' },
      ],
      4,
    ],
    [
      'it names no transaction',
      [
        { ...back, ...amounts, ...payout },
        { ...back, 'bandcamp transaction id': '' },
      ],
      4,
    ],
  ])('is refused with its line where %s', async (_, rows, line) => {
    await expect(read(table(bandcampHeader, [sold, ...rows]))).rejects.toMatchObject({ line });
  });
});

it.each(['\x1a', '\x1a\x1a\x1a', '\x1a\r\n'])('the end mark of a DOS file is ignored: %j', async (end) => {
  const file = table(distrokid, [sale('1.5')]);
  expect(await read(file + end)).toEqual({ totals: { USD: '1.5' }, skipped: {} });
  const cuts = [file.length, file.length + 1];
  const cut = await readStatement(file + end, { cuts });
  expect(totalsOf(cut.lines)).toEqual({ USD: '1.5' });
  await expect(read(`${file}${end}x`)).rejects.toThrow('n’est pas un texte');
});

it('a repeated header is left out, also after a byte order mark and in other case', async () => {
  const file = table(distrokid, [sale('1.5')]);
  const upper = file.replace(distrokid, distrokid.toUpperCase().replaceAll(',', ' ,'));
  expect(await read(`\ufeff${file}\ufeff${file}${upper}`)).toEqual({
    totals: { USD: '4.5' },
    skipped: { 'En-tête répété': 2 },
  });
});
