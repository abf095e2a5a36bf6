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
