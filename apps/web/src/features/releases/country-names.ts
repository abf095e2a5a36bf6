import { countryName } from '@regie/values/country-names.ts';

const collator = new Intl.Collator('fr');

/** Codes in the order of their French names. */
export const byCountryName = (codes: readonly string[]): string[] =>
  codes.toSorted((a, b) => collator.compare(countryName(a), countryName(b)));
