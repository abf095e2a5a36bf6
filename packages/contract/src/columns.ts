import { foldName } from '@regie/values/search-text.ts';
import type { valueFields } from './imports.ts';
import { messages } from './messages.ts';
import { z } from './zod.ts';

/** The accepted names of each field; case, accents, spaces and signs do not count (product §33.16). */
export type ColumnNames<Field extends string> = Readonly<Record<Field, readonly string[]>>;
export type FindField<Field extends string = string> = (name: string) => Field | undefined;

export function fieldFinder<Field extends string>(names: ColumnNames<Field>): FindField<Field> {
  const fieldOf = new Map<string, Field>();
  for (const field in names) for (const name of names[field]) fieldOf.set(name, field).set(foldName(name), field);
  // Most names are spelled as the contract has them.
  return (name) => fieldOf.get(name) ?? fieldOf.get(foldName(name));
}

/** Rows of tracks (product §15.8); `upc` is the barcode (product §25.4). */
export const trackColumns = {
  titre: [
    'titre',
    'titres',
    'title',
    'track title',
    'titre du titre',
    'titre de la piste',
    'piste',
    'track',
    'chanson',
  ],
  artistes: ['artistes', 'artiste', 'artists', 'artist', 'interprete', 'interpretes'],
  barcode: ['barcode', 'upc', 'ean', 'gtin', 'code-barre', 'code-barres', 'code upc', 'code ean', 'upc/ean'],
  isrc: ['isrc', 'code isrc', 'isrc code'],
  recordingAi: ['recordingAi', 'ia enregistrement', 'ia dans l’enregistrement'],
  compositionAi: ['compositionAi', 'ia composition', 'ia dans la composition'],
  coverAi: ['coverAi', 'ia pochette', 'ia dans la pochette'],
} as const;
/** Rows of an account's releases: tracks, with their release's title. */
export const libraryColumns = { ...trackColumns, album: ['album', 'sortie', 'release', 'release title'] } as const;
/** Rows of company numbers, with the names of the accounts' export. */
export const companyColumns = {
  account: ['account', 'n°', 'no', 'numero', 'numero de compte', 'id', 'compte'],
  email: ['email', 'courriel'],
  siren: ['siren', 'numero siren'],
  electronicAddress: ['electronicAddress', 'adresse de facturation électronique', 'adresse de facturation'],
  tax: ['tax', 'numéro de TVA', 'tva', 'tva intracommunautaire'],
  vatRegime: ['vatRegime', 'régime de TVA'],
} as const;
/** Rows of the bulk edit of codes, with the names of our own exports. */
export const bulkColumns = {
  isrc: {
    id: ['id', 'track id', 'id du titre', 'id titre', 'id piste'],
    title: trackColumns.titre,
    code: trackColumns.isrc,
  },
  barcode: {
    id: ['id', 'library id', 'release id', 'id de la sortie', 'id sortie'],
    title: ['title', 'titre', ...libraryColumns.album],
    code: trackColumns.barcode,
  },
} as const;

export type ReportField = 'isrc' | (typeof valueFields)[number];

const incomes = ['incomeof', 'income', 'revenu', 'revenus', 'montant', 'montants'];
const units = ['', 'usd', 'enusd', 'dollars', 'endollars'];
/** One of each list, in a row. */
const combine = (...lists: (readonly string[])[]): string[] =>
  lists.reduce<string[]>((starts, list) => starts.flatMap((start) => list.map((next) => start + next)), ['']);
const countNames = (nouns: readonly string[]) => [
  ...nouns,
  ...combine(['nb', 'nbre', 'nombre', 'numof', 'quantite', 'quantites'], ['', 'de', 'des', 'd'], nouns),
];
const incomeNames = (nouns: readonly string[]) => [
  ...combine(incomes, ['', 'de', 'des', 'd', 'du'], nouns, units),
  ...combine(nouns, ['income', 'incomeusd']),
];
const streams = ['streams', 'stream', 'streaming', 'ecoutes', 'ecoute'];
const downloads = ['downloads', 'download', 'telechargements', 'telechargement'];
const videos = ['youtube', 'vues', 'vue', 'vuesyoutube', 'video', 'videos', 'vuesvideo'];
export const findReportField = fieldFinder<ReportField>({
  isrc: ['isrc', 'code isrc', 'isrc code', 'codes isrc'],
  numOfStreams: ['numOfStreams', ...countNames(streams)],
  incomeOfStreams: ['incomeOfStreams', ...incomeNames(streams)],
  numOfDownloads: ['numOfDownloads', ...countNames(downloads)],
  incomeOfDownloads: ['incomeOfDownloads', ...incomeNames(downloads)],
  numOfYoutube: ['numOfYoutube', ...countNames(videos)],
  incomeOfYoutube: ['incomeOfYoutube', ...incomeNames(videos)],
});

/** The values of a row by field, and the names of other and repeated columns; undefined for what is no row. */
export function readColumns<Field extends string>(row: unknown, find: FindField<Field>) {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return undefined;
  const fields: Partial<Record<Field, unknown>> = {};
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(row)) {
    const field = find(name);
    if (field === undefined || Object.hasOwn(fields, field)) ignored.push(name);
    else fields[field] = value;
  }
  return { fields, ignored };
}

/** A row whose keys are the names of columns. */
export const rowOf = <Field extends string, Shape extends z.ZodRawShape>(
  names: ColumnNames<Field>,
  row: z.ZodObject<Shape>,
) => {
  const find = fieldFinder(names);
  const schema = row.extend({ ignored: z.array(z.string()).optional() });
  return z.preprocess((given: Record<string, unknown>) => {
    const read = readColumns(given, find);
    return read ? { ...read.fields, ignored: read.ignored } : given;
  }, schema);
};

/** A cell as a CSV parser types it, as text: null is '', a number its digits. */
export const CellText = z.preprocess(
  (value: unknown) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : (value ?? '')),
  z.string().trim().max(2000),
);

/** A row that was read, with the names of its columns that were not. */
export type WithIgnored<Row> = Row & { ignored?: string[] | undefined };

const maxNamed = 20;
export function warnIgnored(rows: readonly (WithIgnored<unknown> | undefined)[]): string[] {
  const names = new Set(rows.flatMap((row) => row?.ignored ?? []));
  if (names.size === 0) return [];
  const shown = [...names].slice(0, maxNamed).map((name) => name.replaceAll(/\p{C}/gu, ' ').slice(0, 60));
  return [messages.columnsIgnored(names.size > maxNamed ? [...shown, '…'] : shown)];
}
