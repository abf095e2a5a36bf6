// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCount } from '#test/deep.ts';
import { hasSharedData, sharedData } from '#test/shared-data.ts';
import { readStatement, storedFile, sumOf, totalsOf, workbookOfSheets } from '#test/statement-files.ts';
import type { Fixture } from './presets/fixture.ts';
import { builtInPresets } from './presets.ts';
import { openStatement, type ReadOptions } from './read-statement.ts';
import { headerCandidates } from './recognise.ts';
import { type Delimiter, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';

/**
 * A file with one change is refused with its line, or its total changes by exactly that row's change. A row's own
 * amounts are read from a file that has no other rows.
 */

interface TestFile {
  name: string;
  delimiter: Delimiter;
  /** Lines before the header, the header, and the lines after the rows. */
  preamble: string[];
  header: string[];
  rows: string[][];
  footer: string[];
  amount: number;
  options: ReadOptions;
}

const folder = join(import.meta.dirname, 'presets');
const fixtures: Record<string, Fixture> = Object.assign(
  {},
  ...(await Promise.all(
    readdirSync(folder)
      .flatMap((file) => /^(.+)\.fixtures\.ts$/.exec(file)?.[1] ?? [])
      .map(async (name) => (await import(`./presets/${name}.fixtures.ts`)).fixtures),
  )),
);

const realFiles: [string, string][] = [
  ['spotify-usd', 'spotify-201710-excerpt.txt'],
  ['apple-music', 'apple-music-s1-AU-201710-excerpt.txt'],
  ['distrokid', 'DistroKid_NonAscii.tsv'],
  ['fuga-extended', 'cargo-simple-3-songs.csv'],
];

function rowsOf(text: string, delimiter: Delimiter): string[][] {
  const rows: string[][] = [];
  const scanner = new RecordScanner(delimiter, (row) => {
    rows.push(Array.from({ length: row.count }, (_, index) => row.cell(index)));
  });
  scanner.push(text);
  scanner.end();
  return rows;
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

function testFile(key: string, name: string, text: string, options: ReadOptions): TestFile | undefined {
  const { preset } = builtInPresets.find((known) => known.key === key) ?? {};
  const names = preset?.columns.amount?.map(fold);
  // Rows quoted whole, refunds and rows with several incomes are tested elsewhere.
  if (!preset || !names || preset.layout !== 'table' || preset.negative) return undefined;
  const plain = text.replace(/^\ufeff/, '');
  const [found] = headerCandidates(plain).filter(({ rows }) =>
    rows.some(({ cells }) => cells.length > 3 && cells.some((cell) => names.includes(fold(cell)))),
  );
  for (const { delimiter } of found ? [found] : []) {
    const all = rowsOf(plain, delimiter).filter((cells) => cells.some((cell) => cell !== ''));
    const at = all.findIndex((cells) => cells.length > 3 && cells.some((cell) => names.includes(fold(cell))));
    const header = all[at];
    if (!header) continue;
    const behind = all.slice(at + 1);
    const rows = behind.filter((cells) => cells.length === header.length);
    if (rows.length !== behind.length || rows.length === 0 || preset.skip.length > 0) return undefined;
    const amount = header.findIndex((cell) => names.includes(fold(cell)));
    const preamble = all.slice(0, at).map((cells) => cells.join(delimiter));
    return { name, delimiter, preamble, header, rows, footer: [], amount, options };
  }
  return undefined;
}

const files = [
  ...Object.entries(fixtures).flatMap(([key, { file, month, currency, isChosen }]) =>
    typeof file === 'string'
      ? (testFile(key, key, file, { month, currency, chosen: isChosen ? key : undefined }) ?? [])
      : [],
  ),
  ...realFiles.flatMap(([key, name]) => {
    const path = `statements/${name}`;
    return hasSharedData(path) ? (testFile(key, name, readFileSync(sharedData(path), 'utf8'), {}) ?? []) : [];
  }),
];

const quoted = (cell: string, delimiter: string) =>
  delimiter !== '\t' && (cell.includes(delimiter) || cell.includes('"')) ? `"${cell.replaceAll('"', '""')}"` : cell;
const lineOf = (cells: readonly string[], delimiter: string) =>
  cells.map((cell) => quoted(cell, delimiter)).join(delimiter);
const textOf = ({ preamble, header, delimiter, footer }: TestFile, lines: readonly string[]) =>
  [...preamble, lineOf(header, delimiter), ...lines, ...footer, ''].join('\n');

type Totals = Record<string, string>;
type Outcome = { totals: Totals; counted: number; skipped: number } | { refusal: StatementRefusal } | { asked: true };

async function read(content: string | Buffer, options: ReadOptions): Promise<Outcome> {
  try {
    const opened = await openStatement(storedFile(content), builtInPresets, options);
    if (opened.is !== 'recognised') return { asked: true };
    const { lines, totals } = await readStatement(content, options);
    return { totals: totalsOf(lines), counted: totals.counted, skipped: totals.rows - totals.counted };
  } catch (error) {
    if (error instanceof StatementRefusal) return { refusal: error };
    throw error;
  }
}

const negated = (text: string) => (text.startsWith('-') ? text.slice(1) : `-${text}`);
/** Totals added by currency, without zeros. */
function added(...totals: Totals[]): Totals {
  const currencies = [...new Set(totals.flatMap((each) => Object.keys(each)))].sort();
  const sums = currencies.map((currency) => [currency, sumOf(totals.map((each) => each[currency] ?? '0'))] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum !== '0'));
}
const less = (totals: Totals): Totals =>
  Object.fromEntries(Object.entries(totals).map(([currency, sum]) => [currency, negated(sum)]));

/** The outcome of a row alone, beside one that determines the file's decimal mark. */
async function outcomeAlone(file: TestFile, line: string): Promise<Outcome> {
  const [first] = file.rows;
  const settled = lineOf(first ?? [], file.delimiter);
  const [both, one] = await Promise.all([
    read(textOf(file, [settled, line]), file.options),
    read(textOf(file, [settled]), file.options),
  ]);
  if (!('totals' in both) || !('totals' in one)) return both;
  return { totals: added(both.totals, less(one.totals)), counted: both.counted - 1, skipped: both.skipped };
}

it.skipIf(!hasSharedData('statements'))('every real file is changed below', () => {
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(realFiles.map(([, name]) => name)));
});

const firstLine = (file: TestFile) => file.preamble.length + 2;

describe.each(files.map((file) => [file.name, file] as const))('a file of %s', (_, file) => {
  const lines = file.rows.map((cells) => lineOf(cells, file.delimiter));
  const whole = read(textOf(file, lines), file.options);
  const row = fc.nat({ max: file.rows.length - 1 });
  const column = fc.nat({ max: file.header.length - 1 });
  const runs = { numRuns: deepCount(40) };

  /** Expects the file with these lines to differ only by one row, or to be refused at its line. */
  async function expectChange(changed: string[], at: number, before: Outcome, after: Outcome, count: number) {
    const base = await whole;
    if (!('totals' in base) || !('totals' in before)) throw new Error('the file itself is not read');
    const outcome = await read(textOf(file, changed), file.options);
    if ('refusal' in after) {
      expect(outcome).toHaveProperty('refusal.line', firstLine(file) + at);
      return;
    }
    if (!('totals' in after) || !('totals' in outcome)) {
      expect(outcome).toEqual(after);
      return;
    }
    expect(added(outcome.totals)).toEqual(added(base.totals, less(before.totals), after.totals));
    expect(outcome.counted + outcome.skipped).toBe(base.counted + base.skipped + count);
  }
  const nothing: Outcome = { totals: {}, counted: 0, skipped: 0 };

  it('counts a repeated row twice', async () => {
    await fc.assert(
      fc.asyncProperty(row, async (at) => {
        const line = lines[at] ?? '';
        await expectChange(lines.toSpliced(at, 0, line), at, nothing, await outcomeAlone(file, line), 1);
      }),
      runs,
    );
  });

  it('with an emptied cell counts the row without it, and never counts an empty amount as zero', async () => {
    await fc.assert(
      fc.asyncProperty(row, fc.oneof(column, fc.constant(file.amount)), async (at, index) => {
        const cells = (file.rows[at] ?? []).with(index, '');
        const line = lineOf(cells, file.delimiter);
        const [before, after] = await Promise.all([outcomeAlone(file, lines[at] ?? ''), outcomeAlone(file, line)]);
        if (index === file.amount) {
          expect('refusal' in after || ('skipped' in after && after.skipped > 0 && after.counted === 0)).toBe(true);
        }
        await expectChange(lines.with(at, line), at, before, after, 0);
      }),
      runs,
    );
  });

  it('with a truncated line is refused, or counts the shorter line', async () => {
    await fc.assert(
      fc.asyncProperty(row, fc.double({ min: 0, max: 0.999, noNaN: true }), async (at, part) => {
        const line = lines[at] ?? '';
        const cut = line.slice(0, Math.floor(line.length * part));
        const isBlank = cut.replaceAll(file.delimiter, '').trim() === '';
        const [before, after] = await Promise.all([outcomeAlone(file, line), outcomeAlone(file, cut)]);
        if (cut.split(file.delimiter).length < file.header.length && !isBlank && !cut.includes('"')) {
          expect(after).toHaveProperty('refusal');
        }
        await expectChange(lines.with(at, cut), at, before, after, 0);
      }),
      runs,
    );
  });

  it('has the same totals with two columns swapped', async () => {
    await fc.assert(
      fc.asyncProperty(column, column, async (one, other) => {
        const swap = (cells: readonly string[]) => cells.with(one, cells[other] ?? '').with(other, cells[one] ?? '');
        const swapped = { ...file, header: swap(file.header) };
        const content = textOf(
          swapped,
          file.rows.map((cells) => lineOf(swap(cells), file.delimiter)),
        );
        expect(await read(content, file.options)).toEqual(await whole);
      }),
      runs,
    );
  });

  it('as a workbook with more sheets counts all sheets, after a choice when they repeat each other', async () => {
    const sheet = (name: string, rows: string[][]) => ({
      name,
      rows: [...file.preamble.map((line) => line.split(file.delimiter)), file.header, ...rows],
    });
    const cover = { name: 'Notes', rows: [['Relevé'], ['Page', '1']] };
    const base = await whole;
    if (!('totals' in base)) throw new Error('the file itself is not read');
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(['cover', 'some', 'all'], { minLength: 1 }), row, async (kinds, at) => {
        const some = file.rows.slice(0, at + 1);
        const sheets = kinds.map((kind) => (kind === 'cover' ? cover : sheet(kind, kind === 'all' ? file.rows : some)));
        const workbook = workbookOfSheets([...sheets, sheet('Relevé', file.rows)]);
        let outcome = await read(workbook, file.options);
        const partial = await read(textOf(file, lines.slice(0, at + 1)), file.options);
        if ('refusal' in outcome && outcome.refusal.asksSheets) {
          expect(kinds).not.toEqual(['cover']);
          const named = [...sheets.map(({ name }) => name), 'Relevé'].filter((name) => name !== cover.name);
          outcome = await read(workbook, { ...file.options, sheets: named });
        }
        if (!('totals' in partial) || !('totals' in outcome)) {
          expect(outcome).toEqual(partial);
          return;
        }
        const expected = kinds.flatMap((kind) =>
          kind === 'cover' ? [] : [kind === 'all' ? base.totals : partial.totals],
        );
        expect(added(outcome.totals)).toEqual(added(base.totals, ...expected));
      }),
      { numRuns: deepCount(10) },
    );
  });
});

it('covers files of most sources', () => {
  expect(files.length).toBeGreaterThan(15);
});
