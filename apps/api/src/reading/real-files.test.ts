import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedData } from '#test/shared-data.ts';
import { readStatement, sumOf, totalsOf } from '#test/statement-files.ts';

/** Totals computed independently: `awk` picks the column, `bc` adds it up. */
const known: [string, string, Record<string, string>, string, number][] = [
  ['statements/DistroKid_Test.tsv', 'distrokid', { USD: '0.00931179' }, '5', 4],
  ['statements/DistroKid_NonAscii.tsv', 'distrokid', { USD: '10' }, '4', 4],
  ['statements/bandcamp-simple-multiple-artist.csv', 'bandcamp', { GBP: '33.96' }, '13', 13],
  ['statements/bandcamp-non-ascii.csv', 'bandcamp', { GBP: '33.96' }, '13', 13],
  ['statements/cargo-simple-3-songs.csv', 'fuga-extended', { GBP: '0.01915233318307929' }, '8', 8],
  ['statements/sddigital.csv', 'sddigital', { USD: '0.07653940313805' }, '7', 5],
  ['statements/Cargo_Physical_Test.xlsx', 'cargo-physical', { GBP: '4.872' }, '1', 3],
  [
    'statements/spotify-201710-excerpt.txt',
    'spotify-usd',
    { USD: '33.0964897858356444621782127250224362' },
    '7407',
    247,
  ],
  ['statements/apple-music-s1-AU-201710-excerpt.txt', 'apple-music', { AUD: '11.79549' }, '553', 245],
  ['minimal/7b-period-year-quarter-digits.csv', 'bmi-statement', { USD: '12' }, '1234', 2],
  ['minimal/8-youtube-claim-raw.csv', 'youtube-claim', { USD: '0.7' }, '1190', 2],
  [
    'ddex-dsr/DSR_TEST_YouTube_AdSupport-music_2015-Q4_IS_1of1_20160121T150926.tsv',
    'dsr-ugc',
    { USD: '7' },
    '10210',
    6,
  ],
];

/** Files without a currency: staff enters it. */
const asked: Record<string, string> = { sddigital: 'USD', 'cargo-physical': 'GBP' };

describe.skipIf(!hasSharedData('statements'))('real files', () => {
  it.each(known)('%s', async (name, preset, totals, quantity, rows) => {
    const read = await readStatement(readFileSync(sharedData(name)), { currency: asked[preset] });
    expect(read.preset).toBe(preset);
    expect(totalsOf(read.lines)).toEqual(totals);
    expect(sumOf(read.lines.map((line) => line.quantity))).toBe(quantity);
    expect(read.totals).toMatchObject({ rows, counted: rows, announced: [] });
  });

  it.each([
    ['spotify-201710-excerpt.txt', '2017-10-01 Spotify'],
    ['apple-music-s1-AU-201710-excerpt.txt', '2017-10-01 Apple Music'],
    ['../minimal/8-youtube-claim-raw.csv', '2024-03-01 YouTube'],
  ])('%s is of its month', async (name, expected) => {
    const { lines } = await readStatement(readFileSync(sharedData(`statements/${name}`)));
    expect([...new Set(lines.map(({ month, store }) => `${month} ${store}`))]).toEqual([expected]);
  });

  it('that were truncated in transfer are refused', async () => {
    const name = 'DSR_TEST2_YouTube_AdSupport-music_2015-Q4_IS_1of1_20160121T150926.tsv';
    await expect(readStatement(readFileSync(sharedData(`ddex-dsr/${name}`)))).rejects.toThrow(
      'Le relevé annonce 35 lignes, il en a 34',
    );
  });

  it('that are not statements are refused', async () => {
    const names = ['statements/gubbins.txt', 'statements/TEST_RIGHTSHOLDER_STANDARD_Q1_2023.csv'];
    for (const name of [...names, 'ddex-dsr/test_file_parser.tsv', 'ddex-dsr/test_file_parser.tsv.gz']) {
      await expect(readStatement(readFileSync(sharedData(name))), name).rejects.toThrow('unrecognised');
    }
  });

  it('are all covered', () => {
    expect(readdirSync(sharedData('statements'))).toHaveLength(11);
  });
});
