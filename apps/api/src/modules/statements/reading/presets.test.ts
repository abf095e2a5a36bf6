import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { StatementPreset } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import { readStatement, storedFile, totalsOf, workbookOf, zipOf } from './files-for-tests.ts';
import type { Fixture } from './presets/fixture.ts';
import { collectPresets, describePresets, housePresets } from './presets.ts';
import { openStatement } from './read-statement.ts';
import { headRows } from './recognise.ts';

/** Those of each source, beside its presets. */
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

/** What their files leave open is the currency: these are read once staff has said which. */
const asked: Record<string, string[]> = {
  'fuga-extended': ['usd', 'cad', 'aud'],
  kontor: ['eur', 'usd', 'gbp'],
  sonosuite: ['eur', 'usd', 'gbp'],
  sddigital: ['usd', 'eur', 'gbp'],
  sdphysical: ['usd', 'eur', 'gbp'],
  'cargo-physical': ['gbp', 'eur', 'usd'],
  pretzel: ['usd', 'eur', 'gbp'],
};
const chosenOnly = [
  'sonosuite',
  ...Object.entries(asked).flatMap(([form, currencies]) => currencies.map((currency) => `${form}-${currency}`)),
];
const choice = (key: string, month: string | undefined) => ({
  month,
  chosen: chosenOnly.includes(key) ? key : undefined,
});

describe('the presets of the house', () => {
  it('are each held to a file of their form', () => {
    const keys = new Set([...Object.keys(fixtures), ...chosenOnly]);
    expect([...keys].sort()).toEqual(housePresets.map(({ key }) => key).sort());
  });

  it.each(housePresets.map(({ key, preset }) => [key, preset] as const))('%s is what a preset may be', (_, preset) => {
    expect(StatementPreset.parse(preset)).toEqual(preset);
  });

  it.each(Object.entries(fixtures))('%s', async (key, fixture) => {
    const { month, totals, lines, skipped = {} } = fixture;
    const read = await readStatement(bytesOf(fixture), choice(key, month));
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

  it.each(variants)('%s, with %s', async (key, _, { file, totals }) => {
    const read = await readStatement(file, choice(key, '2025-04-01'));
    expect(read.preset).toBe(key);
    expect(totalsOf(read.lines)).toEqual(totals);
  });

  const packable = Object.entries(fixtures).flatMap(([key, { file, month }]) =>
    Array.isArray(file) ? [] : [[key, file, month] as const],
  );
  it.each(packable)('%s, packed, says the same', async (key, file, month) => {
    const options = choice(key, month);
    const { lines } = await readStatement(file, options);
    expect((await readStatement(gzipSync(file), options)).lines).toEqual(lines);
    expect((await readStatement(zipOf([{ name: 'Relevé.txt', content: file }]), options)).lines).toEqual(lines);
  });

  const tables = Object.entries(fixtures).flatMap(([key, { file, month, hasWrappedRows = false }]) => {
    const { preset } = housePresets.find((known) => known.key === key) ?? {};
    return typeof file === 'string' && preset?.layout === 'table' && !hasWrappedRows ? [{ key, file, month }] : [];
  });
  it.each(tables)('$key, saved as a workbook, says the same', async ({ key, file, month }) => {
    const { lines } = await readStatement(file, choice(key, month));
    const delimiter = file.includes('\t') ? '\t' : file.includes(';') ? ';' : ',';
    const rows = headRows(file.replace(/^\ufeff/, ''), delimiter, Number.POSITIVE_INFINITY);
    const read = await readStatement(workbookOf(rows.map(({ cells }) => cells)), choice(key, month));
    expect(read.preset).toBe(key);
    expect(read.lines).toEqual(lines);
  });

  it.each(['usd', 'cad', 'aud'])('a formula in dollars is %s where staff says so', async (currency) => {
    const pounds = fixtures['fuga-extended'];
    const read = await readStatement(String(pounds?.file).replaceAll('£', '$'), {
      chosen: `fuga-extended-${currency}`,
    });
    expect(totalsOf(read.lines)).toEqual({ [currency.toUpperCase()]: pounds?.totals.GBP });
  });

  it.each(Object.entries(asked).filter(([form]) => form !== 'fuga-extended'))(
    '%s names no currency: staff is asked',
    async (form, currencies) => {
      const fixture = fixtures[form] ?? fixtures[`${form}-${currencies[0]}`];
      if (!fixture) throw new Error(`${form} has no file`);
      const file = bytesOf(fixture);
      const opened = await openStatement(storedFile(file), housePresets);
      if (opened.is !== 'ambiguous') throw new Error(opened.is);
      const own = currencies.map((currency) => `${form}-${currency}`);
      expect(opened.findings.presets.map(({ key }) => key)).toEqual(form === 'sonosuite' ? [...own, form] : own);
      for (const [index, key] of own.entries()) {
        const { lines } = await readStatement(file, { chosen: key });
        expect(new Set(lines.map(({ currency }) => currency))).toEqual(new Set([currencies[index]?.toUpperCase()]));
      }
    },
  );

  it('of SonoSuite reads what the client is paid, in the currency that staff says', async () => {
    const { lines } = await readStatement(String(fixtures.sonosuite?.file), { chosen: 'sonosuite-eur' });
    expect(totalsOf(lines)).toEqual({ EUR: '9' });
  });

  it('describes itself to a screen', () => {
    const described = describePresets();
    expect(described.find(({ key }) => key === 'distrokid')).toMatchObject({ source: 'DistroKid', isVerified: true });
    expect(described.find(({ key }) => key === 'landr')).toMatchObject({ source: 'LANDR', isVerified: false });
    expect(described.find(({ key }) => key === 'regie')?.columns).toEqual([
      'isrc',
      'streams',
      'incomeofstreams',
      'downloads',
      'incomeofdownloads',
      'youtube',
      'incomeofyoutube',
    ]);
  });

  it('may not share a key: statements remember it', () => {
    const presets = Object.fromEntries(housePresets.slice(0, 1).map(({ key, preset }) => [key, preset]));
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
