import { readFileSync } from 'node:fs';
import { isIsrcPrefixKnown } from '@regie/values/isrc.ts';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedData } from '#test/shared-data.ts';

describe('an ISRC prefix', () => {
  it.each(['FR', 'FX', 'US', 'QM', 'QZ', 'QT', 'UK', 'GB', 'BR', 'BX', 'KR', 'KS', 'TC', 'CP', 'DG', 'ZZ', 'XK'])(
    '%s is valid',
    (prefix) => {
      expect(isIsrcPrefixKnown(prefix)).toBe(true);
    },
  );

  it.each(['XX', 'QQ', 'FF', 'ZX', 'EN', 'fr', '', 'toString', 'FRA'])('%s is not valid', (prefix) => {
    expect(isIsrcPrefixKnown(prefix)).toBe(false);
  });

  const published = 'isrc/isrc-prefixes.csv';
  it.skipIf(!hasSharedData(published))('is valid for every prefix of the published list', () => {
    const prefixes = [...readFileSync(sharedData(published), 'utf8').matchAll(/^\uFEFF?"?([A-Z]{2})"?,/gm)].map(
      ([, code = '']) => code,
    );
    expect(prefixes.length).toBeGreaterThan(150);
    expect(prefixes.filter((prefix) => !isIsrcPrefixKnown(prefix))).toEqual([]);
  });
});
