import { expect, it } from 'vitest';
import type { Cell } from './cell.ts';
import { openWorkbook } from './workbook.ts';
import { maxSheetRows, WorkbookWriter, type WrittenCell, type WrittenColumn } from './workbook-writer.ts';
import { openZip } from './zip.ts';

const columns: WrittenColumn[] = [
  { header: 'Titre', format: 'text' },
  { header: 'Montant (EUR)', format: 'money' },
];

async function readBack(file: Blob): Promise<Cell[][]> {
  const workbook = await openWorkbook(openZip(file), { sharedCharacters: 1000 });
  const rows: Cell[][] = [];
  for await (const batch of workbook.rows()) rows.push(...batch.map(({ cells }) => cells));
  return rows;
}

async function write(rows: WrittenCell[][]): Promise<Cell[][]> {
  const writer = new WorkbookWriter('Rapports', columns);
  await writer.add(rows);
  return readBack(await writer.finish());
}

it.each([
  ['an ISRC', 'FRX122600001'],
  ['a barcode with zeros in front', '0012345678905'],
  ['a text that is a formula in a text file', '=HYPERLINK("http://x","y")'],
  ['the signs of XML', 'Tom & <Jerry> "live"'],
  ['blanks and lines', '  deux\nlignes '],
  ['a control character', 'a\u0001b\u001fc'],
  ['a text that looks like an escape', 'x_x0041_y'],
  ['letters of every script', 'Été 春 🎵 ריתמוס'],
])('%s is the same text when it is read back', async (_name, text) => {
  expect(await write([[text, null]])).toEqual([['Titre', 'Montant (EUR)'], [text]]);
});

it('writes every digit of a number', async () => {
  const numbers = [0, -12.5, 1234.567891, 1e-7, 0.1 + 0.2, 9_007_199_254_740_991];
  const [, ...rows] = await write(numbers.map((number) => [null, number]));
  expect(rows.map(([, cell]) => Number(typeof cell === 'object' ? cell.number : cell))).toEqual(numbers);
});

it('writes an empty text and NaN as empty cells', async () => {
  expect(await write([['', Number.NaN]])).toEqual([['Titre', 'Montant (EUR)'], []]);
});

it('names the sheet as requested, without forbidden characters', async () => {
  const named = async (name: string) => {
    const file = await new WorkbookWriter(name, columns).finish();
    return (await openWorkbook(openZip(file), { sharedCharacters: 10 })).sheets;
  };
  expect(await named('Versements payés')).toEqual(['Versements payés']);
  expect(await named("'Revenus : 2026/03 [tous]")).toEqual(['Revenus   2026 03  tous']);
  expect(await named('?'.repeat(40))).toEqual(['Feuille 1']);
});

it('names columns beyond Z', async () => {
  const many = Array.from({ length: 60 }, (_, index): WrittenColumn => ({ header: `c${index}`, format: 'text' }));
  const writer = new WorkbookWriter('x', many);
  await writer.add([many.map(({ header }) => header.toUpperCase())]);
  const [header, row] = await readBack(await writer.finish());
  expect(header).toEqual(many.map((column) => column.header));
  expect(row).toEqual(many.map((column) => column.header.toUpperCase()));
});

it('refuses more rows than a spreadsheet opens', { tags: ['slow'] }, async () => {
  const writer = new WorkbookWriter('x', columns);
  await expect(writer.add(Array.from({ length: maxSheetRows }, () => []))).rejects.toThrow(RangeError);
});
