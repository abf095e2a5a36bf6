import { findNumber, searchWords } from '@regie/contract/words.ts';
import { type RawBuilder, sql } from 'kysely';

/** A LIKE pattern that finds `text` anywhere in a folded column. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/**
 * Whether a folded text has every word that was typed, in any order; the indexes of trigrams answer it. Words of one or
 * two characters stand at the beginning of a word: anywhere they are in nearly every text, and no trigram tells them.
 */
export function hasWords(folded: RawBuilder<unknown>, typed: string): RawBuilder<boolean> {
  const words = searchWords(typed).map((word) => {
    const pattern = containsPattern(word);
    if (word.length > 2 || word === '') return sql<boolean>`${folded} LIKE fold(${pattern})`;
    return sql<boolean>`(${folded} LIKE fold(${pattern.slice(1)}) OR ${folded} LIKE fold(${`% ${pattern.slice(1)}`}))`;
  });
  return sql<boolean>`(${sql.join(words, sql` AND `)})`;
}

/** Whether the account `a` has the words in its name, company or e-mail, or is the one with this number. */
export function matchesAccount(typed: string): RawBuilder<boolean> {
  const number = findNumber(typed, 'account');
  const inText = hasWords(sql`a.search`, typed);
  return number === undefined ? inText : sql<boolean>`(${inText} OR a.id = ${number}::bigint)`;
}

/** The ids of the accounts whose name, company or e-mail has the words: for lists of what belongs to accounts. */
export const accountsWith = (typed: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM accounts WHERE ${hasWords(sql`search`, typed)})`;
