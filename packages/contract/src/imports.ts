/** Where an import comes from, and the label of an import without a file. */
export const importKindNames = { csv: 'Fichier CSV', single: 'Saisie à la main', automatic: 'Automatique' } as const;

/** The counts and incomes of a row, under their wire names. */
export const valueFields = [
  'numOfStreams',
  'incomeOfStreams',
  'numOfDownloads',
  'incomeOfDownloads',
  'numOfYoutube',
  'incomeOfYoutube',
] as const;
