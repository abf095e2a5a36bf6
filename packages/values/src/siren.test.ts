import { expect, it } from 'vitest';
import { isSirenValid, sirenOfVat } from './siren.ts';

it.each([
  ['732829320', true],
  ['732829321', false],
  ['73282932', false],
  ['73282932O', false],
])('SIREN %s: %s', (digits, isValid) => {
  expect(isSirenValid(digits)).toBe(isValid);
});

it.each([
  ['FR44732829320', '732829320'],
  ['fr 44 732 829 320', '732829320'],
  ['FR44732829321', undefined],
  ['BE0732829320', undefined],
  ['', undefined],
])('the SIREN of VAT number “%s” is %s', (vatNumber, siren) => {
  expect(sirenOfVat(vatNumber)).toBe(siren);
});
