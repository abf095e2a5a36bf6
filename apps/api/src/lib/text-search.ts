import { findNumber, searchWords } from '@regie/values/search-text.ts';
import { type RawBuilder, sql } from 'kysely';

/** A LIKE pattern that finds `text` anywhere in a folded column. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/**
 * Whether a folded text contains every typed word, in any order (product §36.7), by trigram indexes. Words of one or
 * two characters match at the start of words only: trigrams cannot find them, and nearly every text has them elsewhere.
 */
export function hasWords(folded: RawBuilder<unknown>, typed: string): RawBuilder<boolean> {
  const words = searchWords(typed).map((word) => {
    const pattern = containsPattern(word);
    if (word.length > 2 || word === '') return sql<boolean>`${folded} LIKE fold(${pattern})`;
    return sql<boolean>`(${folded} LIKE fold(${pattern.slice(1)}) OR ${folded} LIKE fold(${`% ${pattern.slice(1)}`}))`;
  });
  return sql<boolean>`(${sql.join(words, sql` AND `)})`;
}

export const hasEachWord = (typed: string, isIn: (word: string) => RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    searchWords(typed).map((word) => sql`(${isIn(word)})`),
    sql` AND `,
  )})`;

export const shownName = (column: RawBuilder<unknown>, names: Readonly<Record<string, string>>): RawBuilder<unknown> =>
  sql`(${JSON.stringify(names)}::jsonb ->> ${column})`;

const monthWords = Array.from({ length: 12 }, (_, month) =>
  (['long', 'short'] as const)
    .map((form) => new Intl.DateTimeFormat('fr-FR', { month: form, timeZone: 'UTC' }).format(Date.UTC(2000, month, 15)))
    .join(' '),
);
/** A month as displayed and typed: `03/2024 2024-03 mars 2024`. */
export const shownMonth = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(to_char(${column}, 'MM/YYYY YYYY-MM ') || (${monthWords}::text[])[extract(month FROM ${column})] || to_char(${column}, ' YYYY'))`;

export function matchesAccount(typed: string): RawBuilder<boolean> {
  const number = findNumber(typed, 'account');
  const inText = hasWords(sql`a.search`, typed);
  return number === undefined ? inText : sql<boolean>`(${inText} OR a.id = ${number}::bigint)`;
}

export const accountsWith = (typed: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM accounts WHERE ${hasWords(sql`search`, typed)})`;
