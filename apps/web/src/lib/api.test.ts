import { expect, test } from 'vitest';
import { buildPath } from './api.ts';

test('the path contains params and query, without undefined values', () => {
  expect(buildPath('/reporting/:id', { id: 12 })).toBe('/reporting/12');
  expect(buildPath('/reporting/all', {}, { q: 'a b&c', from: 0, cursor: undefined, sort: '', order: null })).toBe(
    '/reporting/all?q=a+b%26c&from=0',
  );
  expect(buildPath('/x/:id/y', { id: 'a/b' })).toBe('/x/a%2Fb/y');
});
