import type { StatementPreset } from '@regie/contract/statements.ts';
import { expect, it } from 'vitest';
import { storedFile } from '#test/statement-files.ts';
import { cellsOf } from './decimals.ts';
import { builtInPresets } from './presets.ts';
import { openStatement, type ReadOptions } from './read-statement.ts';

/** A file without a header: totals first, then sales of recordings and works with different columns. */
const file = [
  'T,M,2024-01-01T00:00:00.000Z,2024-03-31T23:59:59.999Z,2,USD,100.0000,14.58',
  'S,M,2024-01-14T00:00:00.000Z,Cliente,Titre,"A, B",FRABC2400001,Label,FR,USD,25.0000,70.00,7.2916',
  'S,M,2024-02-01T00:00:00.000Z,Client,Titre,A,FRABC2400001,Label,BE,USD,25.0000,70.00,7.2917',
  'T,P,2024-01-01T00:00:00.000Z,2024-03-31T23:59:59.999Z,1,USD,50.0000,3.65',
  'S,P,2024-01-01T00:00:00.000Z,Client,Œuvre,A,"B, C",T3452468001,FR,USD,25.0000,70.00,5.2083,50.00,3.6458',
  '',
].join('\n');

const preset: StatementPreset = {
  source: 'Licences',
  name: 'Licences, relevé trimestriel',
  isVerified: true,
  layout: 'table',
  width: 13,
  columns: {
    month: ['Colonne 3'],
    title: ['Colonne 5'],
    artist: ['Colonne 6'],
    isrc: ['Colonne 7'],
    country: ['Colonne 9'],
    currency: ['Colonne 10'],
    amount: ['Colonne 13'],
  },
  optional: [],
  signature: [],
  absent: [],
  kind: 'stream',
  monthForms: ['YYYY-MM-DD'],
  decimalMark: '.',
  kinds: {},
  skip: [
    { column: 'Colonne 1', words: ['T'], reason: 'Ligne de total' },
    { column: 'Colonne 2', words: ['P'], reason: 'Édition' },
  ],
  footers: [],
  isFooterRequired: true,
  preamble: {},
  currencies: [],
  emptyAmount: 'refuse',
  calendar: 'common',
};
const known = { key: 'custom:1', preset };
const open = (content: string, options: ReadOptions = {}, own = known) =>
  openStatement(storedFile(content), [...builtInPresets, own], options);

it('a file without a header is ambiguous, then read by positions', async () => {
  expect(await open(file)).toMatchObject({
    is: 'ambiguous',
    findings: {
      presets: [{ key: 'custom:1', source: 'Licences', needsMonth: false }],
    },
  });
  const opened = await open(file, { chosen: 'custom:1' });
  if (opened.is !== 'recognised') throw new Error(opened.is);
  const lines: string[][] = [];
  for await (const { copyText } of opened.lines()) {
    lines.push(...String(copyText).split('\n').slice(0, -1).map(cellsOf));
  }
  expect(lines).toEqual([
    ['2024-01-01', 'Licences', 'FR', 'FRABC2400001', 'stream', 'USD', '0', '7.2916', '1', '2'],
    ['2024-02-01', 'Licences', 'BE', 'FRABC2400001', 'stream', 'USD', '0', '7.2917', '1', '3'],
  ]);
  expect(opened.totals).toMatchObject({ rows: 5, counted: 2 });
  expect(Object.fromEntries(opened.totals.skipped)).toEqual({ 'Ligne de total': 2, Édition: 1 });
});

it('a row of another width that is not left out is refused with its line', async () => {
  const own = { key: 'custom:1', preset: { ...preset, skip: preset.skip.slice(0, 1) } };
  const opened = await open(file, { chosen: 'custom:1' }, own);
  if (opened.is !== 'recognised') throw new Error(opened.is);
  const reading = (async () => {
    for await (const _ of opened.lines());
  })();
  await expect(reading).rejects.toMatchObject({ message: 'Cette ligne a 15 colonnes, le modèle en a 13', line: 5 });
});

it.each([
  ['of another width', 'S,M,2024-01-14,1.5\n'],
  ['with a word for an amount', file.replaceAll('7.2916', 'payé')],
  ['with a word for a month', file.replaceAll('2024-01-14T00:00:00.000Z', 'janvier')],
])('a file %s does not match', async (_, content) => {
  expect(await open(content)).toMatchObject({ is: 'unrecognised' });
  expect(await open(content, { chosen: 'custom:1' })).toMatchObject({ is: 'unrecognised' });
});

it('a month without a position is requested with the other choices', async () => {
  const { month: _, ...columns } = preset.columns;
  const own = { key: 'custom:1', preset: { ...preset, columns } };
  expect(await open(file, {}, own)).toMatchObject({ is: 'ambiguous', findings: { presets: [{ needsMonth: true }] } });
  expect(await open(file, { chosen: 'custom:1', month: '2024-01-01' }, own)).toMatchObject({ is: 'recognised' });
});
