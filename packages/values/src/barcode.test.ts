import { expect, it } from 'vitest';
import { isBarcodeValid, readBarcode } from './barcode.ts';

it.each(['96385074', '036000291452', '3760123450027', '13760123450024'])('%s is a barcode', (text) => {
  expect(isBarcodeValid(text)).toBe(true);
});

it.each(['3760123450028', '376012345002', '3760123450027 ', '376012345002X', '', '0'])('%j is invalid', (text) => {
  expect(isBarcodeValid(text)).toBe(false);
});

it.each([
  ['4006381333931', '4006381333931'],
  ['4 006381-333931', '4006381333931'],
  // A UPC that a spreadsheet converted to a number.
  ['36000291452', '036000291452'],
  // Eleven digits that no leading zero makes valid stay unchanged.
  ['36000291453', '36000291453'],
  ['0036000291452', '0036000291452'],
  ['ABC', undefined],
  ['1.5', undefined],
  ['123456789012345678901', undefined],
])('the text %s is read as the barcode %s', (text, code) => {
  expect(readBarcode(text)).toBe(code);
});
