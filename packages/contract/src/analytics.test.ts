import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readValues, writeValues } from './analytics.ts';

it('writes values of a filter into one text and reads them back', () => {
  expect(writeValues(['Deezer', '', 'Une, deux', '~'])).toBe('Deezer,~,Une\\, deux,\\~');
  const value = fc.string({ unit: fc.constantFrom('a', ',', '\\', '~', 'é') });
  fc.assert(
    fc.property(fc.array(value), (values) => {
      expect(readValues(writeValues(values))).toEqual(values);
    }),
  );
});
