import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { queryColumn, queryRows } from '#src/lib/db.ts';
import { useApp } from './app.ts';
import { checkRowTypes, findDifference, readRowTypes } from './row-types.ts';

const app = useApp();

test('columns and kinds of values are compared with the row type', () => {
  const type = { place: 'a.ts:1', columns: { id: ['number'], paidOn: ['string', 'null'], data: undefined } };
  expect(findDifference({ id: 1, paidOn: null, data: {}, further: 1 }, type)).toBeUndefined();
  expect(findDifference({ id: '1', paidOn: null, data: 1 }, type)).toBe('id is string, not number');
  expect(findDifference({ paidOn: '2026-01-01', data: 1 }, type)).toBe('id is undefined, not number');
  expect(findDifference({ count: '2' }, { place: 'a.ts:1', value: ['number'] })).toBe('count is string, not number');
});

test('a query whose row type is wrong fails', { tags: ['slow'] }, async () => {
  const types = readRowTypes(resolve(import.meta.dirname, '..'), import.meta.filename);
  expect(Object.keys(types)).toHaveLength(3);
  const db = app.db.withPlugin(checkRowTypes(types));
  expect(await queryRows<{ id: number; paidOn: string | null }>(db)`SELECT ${1}::int AS id, NULL AS paid_on`).toEqual([
    { id: 1, paidOn: null },
  ]);
  await expect(queryRows<{ total: number }>(db)`SELECT ${'1.50'}::numeric AS total`).rejects.toThrow(
    /row-types\.test\.ts:\d+ is wrong: total is string, not number/,
  );
  await expect(queryColumn<string>(db)`SELECT ${1}::int AS id`).rejects.toThrow('id is number, not string');
});
