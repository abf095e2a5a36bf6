import { expect, it } from 'vitest';
import { isrcPattern, normaliseIsrc } from './isrc.ts';

it.each([
  ['FRX122600001', 'FRX122600001'],
  ['fr-x12-26-00001', 'FRX122600001'],
  [' FR X12 26 00001 ', 'FRX122600001'],
  ['ISRC FR-X12-26-00001', 'FRX122600001'],
  ['isrc:FRX122600001', 'FRX122600001'],
  ['FR\u2011X12\u201126\u201100001', 'FRX122600001'],
  ['IS-RC1-26-00001', 'ISRC12600001'],
  ['ISRC IS-RC1-26-00001', 'ISRC12600001'],
])('the ISRC %j is %j', (text, isrc) => {
  expect(normaliseIsrc(text)).toBe(isrc);
  expect(isrc).toMatch(isrcPattern);
});

it('normalises the start of an ISRC too', () => {
  expect(normaliseIsrc('ISRC fr-x12')).toBe('FRX12');
});
