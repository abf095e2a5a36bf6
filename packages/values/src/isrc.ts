import { isCountryCode } from './countries.ts';

/**
 * Valid ISRC prefixes besides country codes: codes that the International ISRC Registration Authority gave to countries
 * that ran out of registrant codes, to itself, and former codes that were replaced.
 */
const furtherPrefixes = {
  // Brazil
  BC: true,
  BK: true,
  BP: true,
  BX: true,
  // Canada, France, South Korea, South Africa
  CB: true,
  FX: true,
  KS: true,
  ZB: true,
  // United Kingdom
  UK: true,
  GX: true,
  // United States
  QM: true,
  QN: true,
  QT: true,
  QZ: true,
  // Kosovo
  XK: true,
  // Serbia and Montenegro, Yugoslavia
  CS: true,
  YU: true,
  // The Authority itself, wherever the registrant is
  CP: true,
  DG: true,
  TC: true,
  ZZ: true,
} as const satisfies Record<string, true>;

/** Whether the two-letter prefix is assigned; an unassigned one is most often a typing error. */
export const isIsrcPrefixKnown = (prefix: string): boolean =>
  Object.hasOwn(furtherPrefixes, prefix) || isCountryCode(prefix);

export const isrcPattern = /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/;

/** Upper-cases an ISRC, or the start of one, and removes its word, hyphens and spaces (product §33.12, §34.14). */
export function normaliseIsrc(text: string): string {
  if (isrcPattern.test(text)) return text;
  const bare = text.toUpperCase().replace(/[\s\u00a0\u2010-\u2015_-]/g, '');
  // `IS-RC1-26-00001` has no word to remove: it is an ISRC of Iceland.
  return isrcPattern.test(bare) ? bare : bare.replace(/^ISRC:?/, '');
}
