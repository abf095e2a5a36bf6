import { expect, test } from 'vitest';
import { findNumber, hasWords } from './search-text.ts';

test.each([
  ['Grâce Bah', 'Bah Grâce'],
  ['Grâce Bah', 'bah, grace'],
  ['Île-de-France', 'ile france'],
  ['Grâce Bah', '  GRÂ  '],
  ['Grâce Bah', ''],
  ['Levée d’un second facteur', "d'un"],
])('%j is found by %j', (text, typed) => {
  expect(hasWords(text, typed)).toBe(true);
});

test('a text without one of the words is not found', () => {
  expect(hasWords('Grâce Bah', 'Bah Serge')).toBe(false);
});

test.each([
  ['143', 143],
  [' #143', 143],
  ['n° 143', 143],
  ['nº143', 143],
  ['Order #396', 396],
  ['Commande n° 396', 396],
  ['commande 396', 396],
  ['order-396', 396],
  ['000241', 241],
])('%j is the number of an order', (typed, number) => {
  expect(findNumber(typed, 'order')).toBe(number);
});

test.each(['V-000241', 'Bah 143', '143 Bah', '2026-00082', '12,50', ''])('%j is not a record number', (typed) => {
  expect(findNumber(typed, 'order')).toBeUndefined();
});

test.each(['Lot 1', 'lot n° 1', '1'])('%j is the number of a batch', (typed) => {
  expect(findNumber(typed, 'batch')).toBe(1);
});

test('a payout is found by the number on its receipt', () => {
  expect(findNumber('V-000241', 'payout')).toBe(241);
});
