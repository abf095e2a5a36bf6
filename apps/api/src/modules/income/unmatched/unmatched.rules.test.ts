import type { CandidateGround } from '@regie/contract/unmatched.ts';
import { expect, it } from 'vitest';
import { isClear } from './unmatched.rules.ts';

const of = (...found: [CandidateGround, number][]) => found.map(([ground, userId]) => ({ ground, userId }));

it.each([
  ['nothing', of(), false],
  ['a barcode and a title', of(['barcode_title', 1]), true],
  ['a stronger ground before a weaker one', of(['barcode_title', 1], ['artist_title', 2]), true],
  ['two tracks of one account', of(['artist_title', 1], ['artist_title', 1]), true],
  ['two accounts for the same ground', of(['artist_title', 1], ['artist_title', 2]), false],
  ['two accounts that hold the ISRC', of(['isrc', 1], ['isrc', 2]), false],
  ['one of them with the barcode too', of(['isrc_barcode', 1], ['isrc', 2]), true],
  ['both of them with the barcode', of(['isrc_barcode', 1], ['isrc_barcode', 2]), false],
])('%s', (_name, candidates, expected) => {
  expect(isClear(candidates)).toBe(expected);
});
