import { expect, it } from 'vitest';
import { numberText } from './cell.ts';

it.each([
  ['7.9900000000000002', '7.99'],
  ['23.969999999999999', '23.97'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['-7.5', '-7.5'],
  ['-0', '0'],
  ['1.50', '1.5'],
  ['007', '7'],
  ['1.5E+1', '15'],
  ['1E-7', '1e-7'],
  ['1234567890123', '1234567890123'],
  // More than a double holds: another writer's own decimals, which are kept.
  ['0.001641301034507941234', '0.001641301034507941234'],
  ['', ''],
  ['x', 'x'],
])('the number %s of a workbook is read as %s', (written, text) => {
  expect(numberText(written)).toBe(text);
});
