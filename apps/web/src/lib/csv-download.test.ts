import { expect, test } from 'vitest';
import { csvFile, csvLines } from './csv-download.ts';

test('a file starts with the byte order mark and ends its lines with CRLF', () => {
  expect(csvFile(['Titre', 'Montant'], [['Été', 1.5]])).toBe('\ufeffTitre,Montant\r\nÉté,1.5\r\n');
});

test.each([
  ['a,b', '"a,b"'],
  ['dit "non"', '"dit ""non"""'],
  ['deux\nlignes', '"deux\nlignes"'],
  [' espace', '" espace"'],
  ['1234,56', '"1234,56"'],
  ['', ''],
])('the text %j', (text, written) => {
  expect(csvLines([[text]])).toBe(`${written}\r\n`);
});

test.each([
  ...['=1+1', '+33 6', '-2+3', '@SUM(A1)', '\tx', '\r=1', '=HYPERLINK("http://x","y")'],
  ...['＝1+1', '＋33', '－2', '＠SUM(A1)', '﹦1', '﹢1', '﹣1', '﹫x', ' =1', '\u00a0＝1', '\u200b=1', '\n=1'],
])('the formula %j is text', (text) => {
  expect(csvLines([[text]])).toMatch(/^"?'/);
});

test.each([
  [-12.5, '-12.5'],
  [0, '0'],
  [1e-7, '0.0000001'],
  [-2.5e-9, '-0.0000000025'],
  [Number.NaN, ''],
])('the number %d stays a number', (value, written) => {
  expect(csvLines([[value]])).toBe(`${written}\r\n`);
});

test('nothing is an empty cell', () => {
  expect(csvLines([[null, undefined, 'x']])).toBe(',,x\r\n');
});
