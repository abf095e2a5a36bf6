import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { StatementPreset } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import { readStatement, storedFile, totalsOf, workbookOf, zipOf } from '#test/statement-files.ts';
import type { Fixture } from './presets/fixture.ts';
import { builtInPresets, collectPresets } from './presets.ts';
import { openStatement } from './read-statement.ts';
import { headRows } from './recognise.ts';

/** The fixtures of each source, stored beside its presets. */
const fixtures: Record<string, Fixture> = Object.assign(
  {},
  ...(await Promise.all(
    readdirSync(join(import.meta.dirname, 'presets'))
      .flatMap((file) => /^(.+)\.fixtures\.ts$/.exec(file)?.[1] ?? [])
      .map(async (name) => (await import(`./presets/${name}.fixtures.ts`)).fixtures),
  )),
);
const bytesOf = ({ file }: Fixture): string | Buffer => (Array.isArray(file) ? workbookOf(file) : file);
const variants = Object.entries(fixtures).flatMap(([key, fixture]) =>
  Object.entries(fixture.variants ?? {}).map(([title, variant]) => [key, title, variant] as const),
);

const choice = (key: string, { month, currency, isChosen = false }: Fixture) => ({
  month,
  currency,
  chosen: isChosen ? key : undefined,
});

describe('the built-in presets', () => {
  it('each have a fixture file', () => {
    // Summaries have no lines: summary-reader.test.ts covers them.
    const withLines = builtInPresets.filter(({ preset }) => preset.layout !== 'summary');
    expect(Object.keys(fixtures).sort()).toEqual(withLines.map(({ key }) => key).sort());
  });

  it.each(builtInPresets.map(({ key, preset }) => [key, preset] as const))('%s is valid', (_, preset) => {
    expect(StatementPreset.parse(preset)).toEqual(preset);
  });

  it.each(Object.entries(fixtures))('%s reads its fixture file', async (key, fixture) => {
    const { totals, lines, skipped = {} } = fixture;
    const read = await readStatement(bytesOf(fixture), choice(key, fixture));
    expect(read.preset).toBe(key);
    expect(totalsOf(read.lines)).toEqual(totals);
    expect(
      read.lines.map((line) => [
        line.month,
        line.store,
        line.country,
        line.item.startsWith('~') ? '~' : line.item,
        line.kind,
        line.currency,
        line.quantity,
        line.amount,
      ]),
    ).toEqual(lines);
    expect(Object.fromEntries(read.totals.skipped)).toEqual(skipped);
    const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
    expect(read.totals.rows).toBe(read.totals.counted + left);
  });

  it.each(variants)('%s reads a variant: %s', async (key, _, { file, totals }) => {
    const read = await readStatement(file, { ...choice(key, fixtures[key] as Fixture), month: '2025-04-01' });
    expect(read.preset).toBe(key);
    expect(totalsOf(read.lines)).toEqual(totals);
  });

  const packable = Object.entries(fixtures).flatMap(([key, fixture]) =>
    Array.isArray(fixture.file) ? [] : [[key, fixture.file, choice(key, fixture)] as const],
  );
  it.each(packable)('%s, compressed, has the same lines', async (_, file, options) => {
    const { lines } = await readStatement(file, options);
    expect((await readStatement(gzipSync(file), options)).lines).toEqual(lines);
    expect((await readStatement(zipOf([{ name: 'Relevé.txt', content: file }]), options)).lines).toEqual(lines);
  });

  const tables = Object.entries(fixtures).flatMap(([key, fixture]) => {
    const { file, hasWrappedRows = false } = fixture;
    const { preset } = builtInPresets.find((known) => known.key === key) ?? {};
    return typeof file === 'string' && preset?.layout === 'table' && !hasWrappedRows
      ? [{ key, file, options: choice(key, fixture) }]
      : [];
  });
  it.each(tables)('$key, saved as a workbook, has the same lines', async ({ key, file, options }) => {
    const { lines } = await readStatement(file, options);
    const delimiter = file.includes('\t') ? '\t' : file.includes(';') ? ';' : ',';
    const rows = headRows(file.replace(/^\ufeff/, ''), delimiter, Number.POSITIVE_INFINITY);
    const read = await readStatement(workbookOf(rows.map(({ cells }) => cells)), options);
    expect(read.preset).toBe(key);
    expect(read.lines).toEqual(lines);
  });

  it('a formula in dollars asks for the currency', async () => {
    const pounds = fixtures['fuga-extended'];
    const file = String(pounds?.file).replaceAll('£', '$');
    const opened = await openStatement(storedFile(file), builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    expect(opened.findings.presets).toMatchObject([
      { key: 'fuga-extended', needsCurrency: true, needsMonth: false, currencies: ['USD', 'CAD', 'AUD'] },
    ]);
    const read = await readStatement(file, { currency: 'CAD' });
    expect(totalsOf(read.lines)).toEqual({ CAD: pounds?.totals.GBP });
  });

  const silent = Object.entries(fixtures).filter(([, { currency }]) => currency !== undefined);
  it.each(silent)('%s names no currency and asks for it', async (key, fixture) => {
    const opened = await openStatement(storedFile(bytesOf(fixture)), builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    const asked = opened.findings.presets.find((found) => found.key === key);
    expect(asked).toMatchObject({ needsCurrency: true, needsMonth: false });
    expect(asked?.currencies).toContain(fixture.currency);
    const { lines } = await readStatement(bytesOf(fixture), { chosen: key, currency: 'SEK' });
    expect(new Set(lines.map(({ currency }) => currency))).toEqual(new Set(['SEK']));
  });

  it('cannot share a key, since statements store it', () => {
    const presets = Object.fromEntries(builtInPresets.slice(0, 1).map(({ key, preset }) => [key, preset]));
    const [key] = Object.keys(presets);
    expect(() =>
      collectPresets([
        ['one', { presets }],
        ['two', { presets }],
      ]),
    ).toThrow(`presets/two.ts and presets/one.ts both have a preset "${key}"`);
    expect(() => collectPresets([['empty', {}]])).toThrow('presets/empty.ts does not export presets');
  });
});
