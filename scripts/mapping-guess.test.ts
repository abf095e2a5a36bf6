import { readdirSync, readFileSync } from 'node:fs';
import { builtInPresets } from '@regie/api/reading/presets.ts';
import { readStatementHead } from '@regie/api/reading/read-statement.ts';
import { hasSharedData, sharedData } from '@regie/api/test/shared-data.ts';
import { storedFile } from '@regie/api/test/statement-files.ts';
import { foldName } from '@regie/values/search-text.ts';
import { columnNames, startMapping } from '@regie/web/features/income/statements/mapping-form.ts';
import { describe, expect, it } from 'vitest';

/** What is guessed of a file as if its format were unknown. */
async function guess(name: string) {
  const head = { ...(await readStatementHead(storedFile(readFileSync(sharedData(name))), {})), preset: null };
  const values = startMapping(head, { currency: '', month: undefined });
  const names = columnNames(head, values);
  const columns: Partial<Record<string, string>> = Object.fromEntries(
    values.meanings.flatMap((field, at) => (field === '' ? [] : [[field, names[at]]])),
  );
  return { ...values, columns, from: { ...values.preamble, ...columns } as Partial<Record<string, string>> };
}

/** Of its preset: fields not guessed, or from another column; and fields guessed that the preset has not. */
const known: [name: string, preset: string, form: string, currency: string, missing: string[], more: string[]][] = [
  ['DistroKid_Test.tsv', 'distrokid', 'YYYY-MM', 'USD', [], []],
  ['DistroKid_NonAscii.tsv', 'distrokid', 'YYYY-MM', 'USD', [], []],
  ['bandcamp-simple-multiple-artist.csv', 'bandcamp', 'M/D/YY', '', [], ['kind']],
  ['bandcamp-non-ascii.csv', 'bandcamp', 'M/D/YY', '', [], ['kind']],
  // Its currency is that of the sales: only the text of a formula gives that of the royalties.
  ['cargo-simple-3-songs.csv', 'fuga-extended', 'YYYY-MM-DD', '', [], ['periodEnd', 'currency']],
  // Two titles and two dates, which values do not tell apart.
  ['sddigital.csv', 'sddigital', 'M/D/YY', '', ['title', 'month'], []],
  ['Cargo_Physical_Test.xlsx', 'cargo-physical', 'YYYY_MM', '', ['store'], []],
  ['spotify-201710-excerpt.txt', 'spotify-usd', 'YYYY-MM-DD', 'USD', [], []],
  // 10/01/2017 and 11/04/2017 may be days or months.
  ['apple-music-s1-AU-201710-excerpt.txt', 'apple-music', '', '', [], ['kind']],
];

describe.skipIf(!hasSharedData('statements'))('the columns of real files are guessed without their preset', () => {
  it.each(known)('%s', async (name, key, form, currency, missing, more) => {
    const guessed = await guess(`statements/${name}`);
    const columns: Partial<Record<string, string[]>> =
      builtInPresets.find((preset) => preset.key === key)?.preset.columns ?? {};
    const isSame = (field: string) => columns[field]?.map(foldName).includes(foldName(guessed.from[field] ?? ''));
    expect(guessed).toMatchObject({ monthForm: form, currency });
    expect(Object.keys(columns).filter((field) => !isSame(field))).toEqual(missing);
    expect(Object.keys(guessed.columns).filter((field) => !(field in columns))).toEqual(more);
  });

  it('nothing is guessed of a file that is no table', async () => {
    expect((await guess('statements/gubbins.txt')).columns).toEqual({});
  });

  it('a file without a header is guessed by position', async () => {
    const { hasHeader, columns } = await guess('statements/TEST_RIGHTSHOLDER_STANDARD_Q1_2023.csv');
    expect(hasHeader).toBe(false);
    expect(columns).toMatchObject({ month: 'Colonne 3' });
  });

  it('all are covered', () => expect(readdirSync(sharedData('statements'))).toHaveLength(known.length + 2));
});
