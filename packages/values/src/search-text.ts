/** The comparison form of a text: no accents, lower case, straight apostrophes. */
export const fold = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase();

/** The comparison form of a name of a column, store or month: letters and digits only, no accents, lower case. */
export const foldName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The words of a search text; each is searched separately, in any order. */
export function searchWords(typed: string): string[] {
  const words = typed.split(/[\s,;]+/).filter(Boolean);
  return words.length > 0 ? [...new Set(words)] : [typed];
}

/** Whether a text contains every typed word, in any order, ignoring accents and case. */
export function hasWords(text: string, typed: string): boolean {
  const folded = fold(text);
  return searchWords(fold(typed.trim())).every((word) => folded.includes(word));
}

/** Accepted prefixes of a record number, by kind of record. */
const numberPrefixes = {
  account: ['compte'],
  order: ['commande', 'order'],
  payout: ['v', 'versement'],
  ticket: ['dt', 'ticket'],
  import: ['import'],
  batch: ['lot'],
} as const satisfies Record<string, readonly string[]>;

/** A record number as typed: `143`, `#143`, `n° 143`, `V-000241`, `Commande n° 396`; undefined for another kind's. */
export function findNumber(typed: string, kind: keyof typeof numberPrefixes): number | undefined {
  const [, name, digits] = /^\s*(\p{L}*?)[\s-]*(?:#|n[°ºo]\s*)?\s*(\d{1,15})\s*$/iu.exec(typed) ?? [];
  const names: readonly string[] = ['', ...numberPrefixes[kind]];
  if (digits === undefined || !names.includes(fold(name ?? ''))) return undefined;
  return Number(digits);
}
