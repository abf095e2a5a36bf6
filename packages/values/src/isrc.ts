import { isCountryCode } from './countries.ts';

/**
 * ISRC prefixes besides country codes: given to Brazil, Canada, France, South Korea, South Africa, the United Kingdom,
 * the United States, Kosovo and the International ISRC Registration Authority, and former codes.
 */
const furtherPrefixes = new Set('BC BK BP BX CB FX KS ZB UK GX QM QN QT QZ XK CS YU CP DG TC ZZ'.split(' '));

/** Whether the two-letter prefix is assigned; an unassigned one is most often a typing error. */
export const isIsrcPrefixKnown = (prefix: string): boolean => furtherPrefixes.has(prefix) || isCountryCode(prefix);

export const isrcPattern = /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/;

/** Upper-cases an ISRC, or the start of one, and removes its word, hyphens and spaces (product §33.12, §34.14). */
export function normaliseIsrc(text: string): string {
  if (isrcPattern.test(text)) return text;
  const bare = text.toUpperCase().replace(/[\s\u00a0\u2010-\u2015_-]/g, '');
  // `IS-RC1-26-00001` has no word to remove: it is an ISRC of Iceland.
  return isrcPattern.test(bare) ? bare : bare.replace(/^ISRC:?/, '');
}
