import { capabilityNames } from '@regie/contract/capabilities.ts';
import { expect, test } from 'vitest';
import { frScreens } from '#src/app/screens.fr.ts';
import { goTargetsFor, letterOf } from './go-keys.ts';

test('with every right, each section has a distinct letter', () => {
  const targets = goTargetsFor(capabilityNames);
  expect(targets.length).toBeGreaterThan(Object.keys(frScreens.sections).length);
  expect(new Set(targets.map(({ letter }) => letter)).size).toBe(targets.length);
  expect(targets).toContainEqual({ letter: 'v', to: '/payouts/pending', label: 'Versements en attente' });
});

test('a section opens at its first allowed entry, and screens that are not allowed have no letter', () => {
  expect(goTargetsFor(['read_paid_payout']).map(({ letter, to }) => `${letter} ${to}`)).toEqual([
    'a /',
    'v /payouts/paid',
  ]);
});

test.each([
  ['a French keyboard', 'a', 'KeyQ', 'a'],
  ['capitals', 'V', 'KeyV', 'v'],
  ['a Russian keyboard, by the place of the key', 'м', 'KeyV', 'v'],
  ['an accented letter of a French keyboard', 'é', 'Digit2', ''],
  ['a comma in the place of M', ',', 'KeyM', ''],
  ['an arrow', 'ArrowUp', 'ArrowUp', ''],
])('the letter of %s', (_, key, code, letter) => {
  expect(letterOf({ key, code })).toBe(letter);
});
