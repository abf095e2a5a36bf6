import { expect, test } from 'vitest';
import { containsRows } from './quoted-rows.ts';

test.each([
  ['opens and closes in the same column', ['1', 'Un,0.25\n2,Deux', '0.5'], ','],
  ['opens and closes in the first column', ['Un,1,0.5\nDeux', '1', '0.5'], ','],
  ['opens and closes in the last column', ['1', '0.5', 'Un\n2,0.5,Deux'], ','],
  ['closes two rows on', ['1', 'Un,0.5\n2,Deux,0.5\n3,Trois', '0.5'], ','],
  ['closes in another column', ['1', 'Un;0.5\n2;0.5;Deux'], ';'],
  ['closes in a shorter row', ['1', 'Un,0.5\n2,Deux,0.5\nTotal', '1'], ','],
])('a row whose quote %s contains other rows', (_, cells, delimiter) => {
  expect(containsRows(cells, 3, delimiter)).toBe(true);
});

test.each([
  ['a row without line ends', ['1', 'Un, deux, trois, quatre', '0.5']],
  ['a description of several lines', ['1', 'Un,\ndeux,\ntrois', '0.5']],
  ['one in the last column', ['1', '0.5', 'Un,\ndeux\n\ntrois, quatre']],
  ['one in the first column', ['Un\ndeux, trois\nquatre', '1', '0.5']],
  ['several descriptions', ['Un\ndeux', 'trois\nquatre', '0.5\n']],
  ['a row that is quoted whole', ['1,Un,"deux\ntrois"', '']],
])('%s contains no other rows', (_, cells) => {
  expect(containsRows(cells, 3, ',')).toBe(false);
});

test('a single column has no rows in its cells', () => {
  expect(containsRows(['Un\ndeux\ntrois'], 1, ',')).toBe(false);
});
