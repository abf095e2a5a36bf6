import { expect, it } from 'vitest';
import { NewReleaseForm } from './orders.ts';
import { ReleaseForm } from './releases.ts';
import { toolRoutes } from './tools.ts';

const barcode = 3_760_123_450_027;

it.each([
  ['the release form', ReleaseForm.shape.barcode],
  ['a new release', NewReleaseForm.shape.barcode],
  ['the page of empty codes', toolRoutes.fillBarcode.body.shape.barcode],
])('%s accepts a barcode sent as a number', (_, schema) => {
  expect(schema.parse(barcode)).toBe(String(barcode));
  expect(schema.safeParse(1.5).success).toBe(false);
});
