import { readFileSync } from 'node:fs';
import { hasIbans, isIbanValid } from '@regie/contract/bank-details.ts';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedData } from '#test/shared-data.ts';

const path = 'iban/registry.txt';
const [head = '', ...lines] = hasSharedData(path) ? readFileSync(sharedData(path), 'utf8').trim().split('\n') : [];
const names = head.split('|');
const official = lines
  .map((line) => line.split('|'))
  .map((cells) => (name: string) => cells[names.indexOf(name)] ?? '')
  // AA is the registry's test country; CG joined later and is not yet in our tables.
  .filter((row) => row('swift_official') === '1' && !['AA', 'CG'].includes(row('country_code')));

describe.skipIf(!hasSharedData(path))('the official IBAN registry', () => {
  it('has no country that our tables lack', () => {
    expect(official.length).toBeGreaterThan(70);
    expect(official.map((row) => row('country_code')).filter((country) => !hasIbans(country))).toEqual([]);
  });

  it.each(official.map((row) => [row('country_code'), row] as const))(
    '%s: accepts its example and rejects altered ones',
    (_, row) => {
      const example = row('iban_example').replaceAll(' ', '');
      expect(example).toHaveLength(Number(row('iban_length')));
      expect(isIbanValid(example), example).toBe(true);
      const key = example.slice(2, 4) === '50' ? '51' : '50';
      const last = example.at(-1) === '1' ? '2' : '1';
      for (const wrong of [
        example.slice(0, -1),
        `${example}0`,
        `${example.slice(0, -1)}${last}`,
        `${example.slice(0, 2)}${key}${example.slice(4)}`,
      ]) {
        expect(isIbanValid(wrong), wrong).toBe(false);
      }
    },
  );
});
