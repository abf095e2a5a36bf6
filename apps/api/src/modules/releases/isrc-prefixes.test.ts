import { existsSync, readFileSync } from 'node:fs';
import { isIsrcPrefixKnown } from '@regie/values/isrc.ts';
import { describe, expect, it } from 'vitest';

describe('an ISRC prefix', () => {
  it.each(['FR', 'FX', 'US', 'QM', 'QZ', 'QT', 'UK', 'GB', 'BR', 'BX', 'KR', 'KS', 'TC', 'CP', 'DG', 'ZZ', 'XK'])(
    '%s is known',
    (prefix) => {
      expect(isIsrcPrefixKnown(prefix)).toBe(true);
    },
  );

  it.each(['XX', 'QQ', 'FF', 'ZX', 'EN', 'fr', '', 'toString', 'FRA'])('%s is not valid', (prefix) => {
    expect(isIsrcPrefixKnown(prefix)).toBe(false);
  });

  // The published list is not part of the repository.
  const published = new URL('../../../../../../shared/data/isrc/isrc-prefixes.csv', import.meta.url);
  it.runIf(existsSync(published))('is valid for every prefix of the published list', () => {
    const prefixes = [...readFileSync(published, 'utf8').matchAll(/^\uFEFF?"?([A-Z]{2})"?,/gm)].map(
      ([, code = '']) => code,
    );
    expect(prefixes.length).toBeGreaterThan(150);
    expect(prefixes.filter((prefix) => !isIsrcPrefixKnown(prefix))).toEqual([]);
  });
});
