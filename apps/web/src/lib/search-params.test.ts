import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './search-params.ts';

test('values stay text, as in the URL', () => {
  expect(parseSearch('?q=12&sort=month&from=2026-01&empty=')).toEqual({
    q: '12',
    sort: 'month',
    from: '2026-01',
    empty: '',
  });
  expect(parseSearch('')).toEqual({});
});

test('the URL stays readable and omits empty values', () => {
  expect(stringifySearch({ q: 'deux mots', page: 2, cursor: undefined, type: '', origin: '/journal' })).toBe(
    '?q=deux+mots&page=2&origin=/journal',
  );
  expect(stringifySearch({ a: undefined })).toBe('');
});

test.each(['é&=?#%', 'a+b c', '"{}[]"', 'true', '1e3', 'ISRC FR-AB1-25-00001'])(
  '%j is unchanged after serialising and parsing',
  (q) => {
    expect(parseSearch(stringifySearch({ q }))).toEqual({ q });
  },
);
