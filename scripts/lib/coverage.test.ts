import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Covered, collectCoverage, coverageFile, type Row, readTable } from './coverage.ts';

let screens: Covered[];
let calls: Covered[];
let rows: Row[];

beforeAll(async () => {
  ({ screens, calls } = await collectCoverage());
  rows = readTable(await readFile(coverageFile, 'utf8'));
});

const again = 'write the table again: node scripts/coverage-table.ts';

describe('docs/coverage.md', () => {
  it('finds no screen and no call without a test', () => {
    expect(screens.length).toBeGreaterThan(40);
    expect(calls.length).toBeGreaterThan(100);
    expect([...screens, ...calls].filter(({ by }) => by.length === 0).map(({ what }) => what)).toEqual([]);
  });

  it('has a row for each, and none for what is gone', () => {
    expect(
      rows.map(({ what }) => what),
      again,
    ).toEqual([...screens, ...calls].map(({ what }) => what));
  });

  it('names tests that are there and cover what they are said to', () => {
    const places = new Map([...screens, ...calls].map(({ what, by }) => [what, by]));
    for (const { what, file, title } of rows) {
      expect(places.get(what), `${what}: ${again}`).toContainEqual({ file, title });
    }
  });
});
