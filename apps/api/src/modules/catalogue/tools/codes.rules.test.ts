import { messages } from '@regie/contract/messages.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { expect, test } from 'vitest';
import { comparable, isrcOf, isrcYear, readBulkRow } from './codes.rules.ts';

const row = (values: object) => ({ id: '', title: '', code: '', ...values });

test.each([
  [
    { title: 'Été', code: 'isrc: fr-x12-26-00001' },
    { title: 'Été', code: 'FRX122600001', id: null },
  ],
  [
    { id: '12', code: 'FRX122600001' },
    { id: 12, missing: undefined, fault: undefined },
  ],
  [
    { title: '  Été \u00a0 à  Rome ', code: 'x' },
    { title: 'Été à Rome', code: null, fault: messages.invalidIsrc },
  ],
  [{ code: 'FRX122600001' }, { missing: messages.titleMissing }],
  [{ title: 'Été' }, { missing: toolMessages.isrcMissing }],
  [
    { id: '1e3', title: 'Été', code: 'FRX122600001' },
    { id: null, fault: toolMessages.idWrong },
  ],
])('the row %o is parsed', (values, read) => {
  expect(readBulkRow('isrc', row(values))).toMatchObject(read);
});

test('a wrong check digit is accepted with a warning, letters are not', () => {
  const read = (code: string) => readBulkRow('barcode', row({ title: 'Été', code }));
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
