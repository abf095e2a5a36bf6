import { fold } from './search-text.ts';

export const wordsOf = (text: string): string[] =>
  fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Shorter words are too near to others; longer ones would make patterns too long. */
const forgiven = { least: 4, most: 30 };

/**
 * For folded words that begin with one of `wordsOf`, or differ from it by one typo after its first letter: a letter
 * more, less or wrong, or two swapped. In the syntax that JavaScript and PostgreSQL share; an index finds the beginning.
 */
export function typoPattern(word: string): string {
  const [first = '', ...letters] = word;
  const before = (at: number) => letters.slice(0, at).join('');
  const from = (at: number) => letters.slice(at).join('');
  const isForgiven = word.length >= forgiven.least && word.length <= forgiven.most;
  const forms = (isForgiven ? letters : []).flatMap((letter, at) => [
    `${before(at)}${from(at + 1)}`,
    `${before(at)}.${from(at + 1)}`,
    `${before(at)}.${from(at)}`,
    `${before(at)}${letters[at + 1] ?? ''}${letter}${from(at + 2)}`,
  ]);
  return `^${first}(?:${[`${from(0)}.*`, ...forms].join('|')})$`;
}
