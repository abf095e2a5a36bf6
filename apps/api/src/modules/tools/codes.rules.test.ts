import { messages } from '@regie/contract/messages.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { expect, test } from 'vitest';
import { comparable, isrcOf, isrcYear, readBarcode, readBulkRow } from './codes.rules.ts';

const row = (values: object) => ({ id: '', title: '', isrc: '', 'code-barre': '', ...values });

test.each([
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
])('the barcode %s is %s', (text, code) => {
  expect(readBarcode(text)).toBe(code);
});

test.each([
  [
    { title: 'Été', isrc: 'isrc: fr-x12-26-00001' },
    { title: 'Été', code: 'FRX122600001', id: null },
  ],
  [
    { id: '12', isrc: 'FRX122600001' },
    { id: 12, missing: undefined, fault: undefined },
  ],
  [
    { title: '  Été \u00a0 à  Rome ', isrc: 'x' },
    { title: 'Été à Rome', code: null, fault: messages.invalidIsrc },
  ],
  [{ isrc: 'FRX122600001' }, { missing: toolMessages.titleMissing }],
  [{ title: 'Été' }, { missing: toolMessages.isrcMissing }],
  [
    { id: '1e3', title: 'Été', isrc: 'FRX122600001' },
    { id: null, fault: toolMessages.idWrong },
  ],
])('the row %o is parsed', (values, read) => {
  expect(readBulkRow('isrc', row(values))).toMatchObject(read);
});

test('a wrong check digit is accepted with a warning, letters are not', () => {
  const read = (code: string) => readBulkRow('barcode', row({ title: 'Été', 'code-barre': code }));
  expect(read('4006381333932')).toMatchObject({ code: '4006381333932', warning: toolMessages.wrongCheckDigit });
  expect(read('4006381333931').warning).toBeUndefined();
  expect(read('ABC')).toMatchObject({ code: null, fault: messages.importBarcodeDigits });
  expect(read('').missing).toBe(toolMessages.barcodeMissing);
});

test('an ISRC contains the year in Paris and five digits', () => {
  expect(isrcOf('FRX12', 2026, 7)).toBe('FRX122600007');
  expect(isrcYear(new Date('2026-12-31T23:30:00Z'))).toBe(2027);
  expect(isrcYear(new Date('2026-12-31T22:30:00Z'))).toBe(2026);
});

test('GTINs are compared without leading zeros, ISRCs exactly', () => {
  expect(comparable('barcode', '0036000291452')).toBe(comparable('barcode', '036000291452'));
  expect(comparable('isrc', '0A')).toBe('0A');
});
