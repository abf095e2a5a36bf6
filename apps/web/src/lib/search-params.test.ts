import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search-params.ts';

test('values stay text, as typed in the address', () => {
  expect(parseSearch('?q=12&sort=month&from=2026-01&empty=')).toEqual({
    q: '12',
    sort: 'month',
    from: '2026-01',
    empty: '',
  });
  expect(parseSearch('')).toEqual({});
});

test('the address stays readable and leaves out what is empty', () => {
  expect(stringifySearch({ q: 'deux mots', page: 2, cursor: undefined, type: '', origin: '/journal' })).toBe(
    '?q=deux+mots&page=2&origin=/journal',
  );
  expect(stringifySearch({ a: undefined })).toBe('');
});

test.each(['é&=?#%', 'a+b c', '"{}[]"', 'true', '1e3', 'ISRC FR-AB1-25-00001'])('%j comes back as it went', (q) => {
  expect(parseSearch(stringifySearch({ q }))).toEqual({ q });
});
