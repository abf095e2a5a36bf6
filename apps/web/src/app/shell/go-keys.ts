import type { Capability } from '@regie/contract/capabilities.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { type NavSection, sectionsFor } from '#src/app/screens.ts';

const goKeys: readonly (readonly [letter: string, to: NavSection | `/${string}`])[] = [
  ['a', paths.home],
  ['c', 'accounts'],
  ['s', 'production'],
  ['v', 'payouts'],
  ['r', 'reports'],
  ['l', paths.statements],
  ['m', paths.months],
  ['n', paths.unmatched],
  ['p', 'services'],
  ['k', 'contracts'],
  ['b', 'accounting'],
  ['t', 'tools'],
  ['d', 'administration'],
];

interface GoTarget {
  letter: string;
  to: string;
  label: string;
}

export function goTargetsFor(held: readonly Capability[]): GoTarget[] {
  const sections = sectionsFor(held);
  return goKeys.flatMap(([letter, to]) => {
    if (to === paths.home) return { letter, to, label: frScreens.home };
    const entry = to.startsWith('/')
      ? sections.flatMap(({ entries }) => entries).find(({ path }) => path === to)
      : sections.find(({ section }) => section === to)?.entries[0];
    return entry ? { letter, to: entry.to, label: entry.label } : [];
  });
}

export const findGoTarget = (letter: string, held: readonly Capability[]): GoTarget | undefined =>
  goTargetsFor(held).find((target) => target.letter === letter);

/** The Latin letter of a key; on the layout of another script, that of its place on the keyboard. */
export function letterOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const [, letter = ''] = /^Key([A-Z])$/.exec(code) ?? [];
  return /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key) ? letter.toLowerCase() : '';
}
