/** Where an import comes from, and what one is called that has no file. */
export const importKindNames = { csv: 'Fichier CSV', single: 'Saisie à la main', automatic: 'Automatique' } as const;

/** The counts and incomes of a row, under the names of the call that brings them. */
export const valueFields = [
  'numOfStreams',
  'incomeOfStreams',
  'numOfDownloads',
  'incomeOfDownloads',
  'numOfYoutube',
  'incomeOfYoutube',
] as const;
