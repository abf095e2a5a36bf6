import type { Cell } from '@regie/values/cell.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { describe, expect, it, test } from 'vitest';
import { csvLine, escapeFormula, exampleColumns, type FileColumn, type FileFormat, openFile } from './table-file.ts';
import { readSmallTable } from './tables/small-table.ts';
import { findSheet, workbookRows } from './tables/workbook.ts';

async function write<Row>(format: FileFormat, columns: readonly FileColumn<Row>[], rows: readonly Row[]) {
  const file = await openFile(format, 'Essai', columns);
  await file.add(rows);
  return file.finish();
}

async function readCsv<Row>(columns: readonly FileColumn<Row>[], rows: readonly Row[]): Promise<string> {
  const bytes = new Uint8Array(await (await write('csv', columns, rows)).arrayBuffer());
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function readXlsx<Row>(columns: readonly FileColumn<Row>[], rows: readonly Row[]): Promise<Cell[][]> {
  const read: Cell[][] = [];
  const file = await write('xlsx', columns, rows);
  const kindOf = () => 'text' as const;
  for await (const batch of workbookRows(file, await findSheet(file, kindOf), kindOf)) read.push(...batch);
  return read;
}

interface Payout {
  title: string;
  isrc: string;
  upc: string;
  amount: number | null;
  rate: number;
  month: number;
  paidAt: number | null;
  out: string | null;
}
const payout: Payout = {
  title: 'Été ; « deux »',
  isrc: 'FRX122600001',
  upc: '0012345678905',
  amount: -1234.565,
  rate: 1.0824,
  month: monthToMs('2020-03'),
  // Half past midnight in Paris, the previous day in UTC.
  paidAt: Date.UTC(2026, 6, 13, 22, 30),
  out: '14/07/2026',
};
const columns: FileColumn<Payout>[] = [
  { header: 'Titre', value: (row) => row.title },
  { header: 'ISRC', value: (row) => row.isrc },
  { header: 'Code-barres', value: (row) => row.upc },
  { header: 'Montant', type: 'money', unit: 'EUR', value: (row) => row.amount },
  { header: 'Taux', value: (row) => row.rate },
  { header: 'Mois', type: 'month', value: (row) => row.month },
  { header: 'Payé le', type: 'moment', value: (row) => row.paidAt },
  { header: 'Jour', type: 'day', value: (row) => row.paidAt },
  { header: 'Sortie', type: 'day', value: (row) => row.out },
];

test('a CSV opens in French Excel: semicolons, decimal commas, months, days and cents in French format', async () => {
  expect(await readCsv(columns, [payout, { ...payout, amount: null, paidAt: null, out: 'à venir' }])).toBe(
    [
      '\ufeffTitre;ISRC;Code-barres;Montant (EUR);Taux;Mois;Payé le;Jour;Sortie',
      '"Été ; « deux »";FRX122600001;0012345678905;-1234,56;1,0824;2020-03;14/07/2026 00:30;14/07/2026;14/07/2026',
      '"Été ; « deux »";FRX122600001;0012345678905;;1,0824;2020-03;;;à venir',
      '',
    ].join('\r\n'),
  );
});

test('a file rounds to the same cents as the screen', async () => {
  for (const amount of [297.236, 297.235, 297.245, -0.005, 0.0151, -1234.565, 12_345_678.999_999]) {
    const shown = formatMoney(amount, 'EUR').replaceAll(/[\s€]/g, '').replace('\u2212', '-');
    const csv = await readCsv([{ header: 'Montant', type: 'money', value: (row: number) => row }], [amount]);
    expect(csv).toBe(`\ufeffMontant\r\n${shown}\r\n`);
  }
});

test('a workbook has the same columns: numbers and dates are numbers, codes are text', async () => {
  const day = (Date.UTC(2026, 6, 14) - Date.UTC(1899, 11, 30)) / 86_400_000;
  expect(await readXlsx(columns, [payout])).toEqual([
    ['Titre', 'ISRC', 'Code-barres', 'Montant (EUR)', 'Taux', 'Mois', 'Payé le', 'Jour', 'Sortie'],
    [
      ...['Été ; « deux »', 'FRX122600001', '0012345678905', { number: '-1234.565' }, { number: '1.0824' }],
      ...[{ number: '43891' }, { number: String(day + 30 / 1440) }, { number: String(day) }, { number: String(day) }],
    ],
  ]);
});

test('a day before 1900, which spreadsheets do not support, is text', async () => {
  const day: FileColumn<string>[] = [{ header: 'Jour', type: 'day', value: (text) => text }];
  expect(await readXlsx(day, ['01/05/1898'])).toEqual([['Jour'], ['01/05/1898']]);
});

describe('text that a spreadsheet would run as a formula', () => {
  const formulas = [
    ...['=1+1', '+33 6', '-2+3', '@SUM(A1)', '\tx', '\r=1', '=HYPERLINK("http://x","y")'],
    ...['＝1+1', '＋33', '－2', '＠SUM(A1)', '﹦1', '﹢1', '﹣1', '﹫x', ' =1', '\u00a0＝1', '\u200b=1', '\n=1'],
  ];
  it.each(formulas)('%j is text in CSV and XLSX', async (text) => {
    const column: FileColumn<string>[] = [{ header: 'Titre', value: (row) => row }];
    expect(await readCsv(column, [text])).toMatch(/^\ufeffTitre\r\n"?'/);
    const [, [cell] = []] = await readXlsx(column, [text]);
    expect(cell).toBe(text);
  });
  it('in a header is text', async () => {
    expect(await readCsv([{ header: '=1', value: () => 1 }], [])).toBe("\ufeff'=1\r\n");
  });
});

test.each([
  ['a;b', '"a;b"'],
  ['dit "non"', '"dit ""non"""'],
  ['deux\nlignes', '"deux\nlignes"'],
  [' espace', '" espace"'],
  ['1234,56', '1234,56'],
  ['', ''],
])('the text %j', (text, written) => {
  expect(csvLine([escapeFormula(text)])).toBe(`${written}\r\n`);
});

test.each([
  [-12.5, '-12,5', '-12,50', '-12,50'],
  [0, '0', '0,00', '0,00'],
  [-0.001, '-0,001', '0,00', '-0,001'],
  [1e-7, '0,0000001', '0,00', '0,0000001'],
  [-2.5e-9, '-0,0000000025', '0,00', '-0,0000000025'],
  [1234567.891, '1234567,891', '1234567,89', '1234567,891'],
  [13.8469985, '13,8469985', '13,85', '13,8469985'],
  [Number.NaN, '', '', ''],
])('the number %d stays a number', async (value, plain, money, exact) => {
  const both: FileColumn<number>[] = [
    { header: 'n', value: (row) => row },
    { header: 'm', type: 'money', value: (row) => row },
    { header: 'e', type: 'exactMoney', value: (row) => row },
  ];
  expect(await readCsv(both, [value])).toBe(`\ufeffn;m;e\r\n${plain};${money};${exact}\r\n`);
});

describe('a template, filled in', () => {
  const example = { titre: 'Titre d’exemple', upc: '', prix: 2.5 };
  const names = { titre: ['titre'], upc: ['upc'], prix: ['prix'] } as const;

  it('is read back in CSV and XLSX as downloaded', async () => {
    for (const format of ['csv', 'xlsx'] as const) {
      const { rows } = await readSmallTable(await write(format, exampleColumns(example), [undefined]), names, 9);
      expect(rows).toEqual([{ titre: 'Titre d’exemple', upc: '', prix: format === 'csv' ? '2,5' : '2.5' }]);
    }
  });

  it('is read as French Excel saves it, in Windows-1252, and in the former format with commas', async () => {
    const header = (await readCsv(exampleColumns(example), [])).replace('\ufeff', '');
    const windows = Uint8Array.from(`${header}Été à Nîmes;0012345678905;3,25\r\n`, (sign) => sign.charCodeAt(0));
    const former = `\ufeff${header.replaceAll(';', ',')}Été à Nîmes,0012345678905,3.25\r\n`;
    expect((await readSmallTable(new Blob([windows]), names, 9)).rows).toEqual([
      { titre: 'Été à Nîmes', upc: '0012345678905', prix: '3,25' },
    ]);
    expect((await readSmallTable(new Blob([former]), names, 9)).rows).toEqual([
      { titre: 'Été à Nîmes', upc: '0012345678905', prix: '3.25' },
    ]);
  });
});
