import { isCountryCode } from './countries.ts';

/**
 * What an ISRC may begin with beside the code of a country: the further codes that the International ISRC Registration
 * Authority gave to countries which ran out of registrants, to itself, and what was given before a code was known by
 * another name.
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

/** Whether ISRCs that begin with these two letters are given out; another beginning is most often a typing error. */
export const isIsrcPrefixKnown = (prefix: string): boolean =>
  Object.hasOwn(furtherPrefixes, prefix) || isCountryCode(prefix);
