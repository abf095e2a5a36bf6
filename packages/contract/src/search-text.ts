/** A text as it is compared: without accents, in lower case, with straight apostrophes. */
export const fold = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase();

/** What was typed to find something, in parts that are looked for each by itself, in any order. */
export function searchWords(typed: string): string[] {
  const words = typed.split(/[\s,;]+/).filter(Boolean);
  return words.length > 0 ? [...new Set(words)] : [typed];
}

/** Whether a text has every word that was typed, in any order; accents and case aside. */
export function hasWords(text: string, typed: string): boolean {
  const folded = fold(text);
  return searchWords(fold(typed.trim())).every((word) => folded.includes(word));
}

/** What may stand before a record's number, by the kind of record. */
const numberPrefixes = {
  account: ['compte'],
  order: ['commande', 'order'],
  payout: ['v', 'versement'],
  ticket: ['dt', 'ticket'],
  import: ['import'],
  batch: ['lot'],
} as const satisfies Record<string, readonly string[]>;

/**
 * The number of a record that was typed: `143`, `#143`, `n° 143`, or the name of its kind before it (`V-000241`,
 * `Commande n° 396`). Undefined where it is no number of this kind of record.
 */
export function findNumber(typed: string, kind: keyof typeof numberPrefixes): number | undefined {
  const [, name, digits] = /^\s*(\p{L}*?)[\s-]*(?:#|n[°ºo]\s*)?\s*(\d{1,15})\s*$/iu.exec(typed) ?? [];
  const names: readonly string[] = ['', ...numberPrefixes[kind]];
  if (digits === undefined || !names.includes(fold(name ?? ''))) return undefined;
  return Number(digits);
}
