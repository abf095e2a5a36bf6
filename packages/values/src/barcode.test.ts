import { expect, it } from 'vitest';
import { isBarcodeValid } from './barcode.ts';

it.each(['96385074', '036000291452', '3760123450027', '13760123450024'])('%s is a barcode', (text) => {
  expect(isBarcodeValid(text)).toBe(true);
});

it.each(['3760123450028', '376012345002', '3760123450027 ', '376012345002X', '', '0'])('%j is none', (text) => {
  expect(isBarcodeValid(text)).toBe(false);
});
