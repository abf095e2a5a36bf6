const names = new Intl.DisplayNames('fr', { type: 'region', fallback: 'code' });
const collator = new Intl.Collator('fr');

/** The French name of an ISO alpha-2 code; anything else as it is. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code);

/** Codes in the order of their French names. */
export const byCountryName = (codes: readonly string[]): string[] =>
  codes.toSorted((a, b) => collator.compare(countryName(a), countryName(b)));
