import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { deepCount } from '#test/deep.ts';
import { readRecords } from './records.ts';

const app = useApp();

it('returns any text, and null, as stored', async () => {
  const value = fc.option(fc.oneof(fc.constantFrom('', ',', '"', '\\', '()', 'a, "b"', '\n'), fc.string()));
  await fc.assert(
    fc.asyncProperty(fc.tuple(value, value, value), async (values) => {
      const given = values.map((text) => text?.replaceAll('\0', '') ?? null);
      const [a, b, c] = given.map((text) => sql`${text}::text`);
      const [row] = await readRecords<{ a: string | null; b: string | null; c: string | null }>(
        app.db,
        { a: a ?? sql`NULL`, b: b ?? sql`NULL`, c: c ?? sql`NULL` },
        sql``,
      );
      expect(row).toEqual({ a: given[0], b: given[1], c: given[2] });
    }),
    { numRuns: deepCount(1000) },
  );
});
