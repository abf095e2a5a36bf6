/** ISRCs under one prefix and year: `FRX12` `26` `00001`. */
export const lastDesignation = 99_999;

/** The ISRC of a number given out under a prefix in a year. */
export const isrcOf = (prefix: string, year: number, designation: number): string =>
  `${prefix}${String(year % 100).padStart(2, '0')}${String(designation).padStart(5, '0')}`;

/** The year in Paris that an ISRC given now carries. */
export const isrcYear = (now: Date): number =>
  Number(new Intl.DateTimeFormat('fr-FR', { year: 'numeric', timeZone: 'Europe/Paris' }).format(now));
