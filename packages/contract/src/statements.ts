import { z } from './zod.ts';

/** Statements (relevés): what the stores' own files are, before and after they are read (product §33.18). */

/** A file of more is no monthly statement. */
export const maxStatementBytes = 5 * 1024 ** 3;
/** What one call of an upload carries. */
export const statementChunkBytes = 4 * 1024 * 1024;

export const statementStatuses = [
  'received',
  'reading',
  'unrecognised',
  'ambiguous',
  'refused',
  'unpacked',
  'summary',
  'loaded',
  'checked',
  'replaced',
  'removed',
] as const;
export const StatementStatus = z.enum(statementStatuses);
export type StatementStatus = z.infer<typeof StatementStatus>;

/** In what characters a file can be written; what its first bytes say is taken unless staff says otherwise. */
export const charsets = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
] as const;
export const Charset = z.enum(charsets);
export type Charset = z.infer<typeof Charset>;

/** Decimals that are kept of an amount: no store is known to write more than 45. */
export const maxDecimals = 90;

/** What income is of: the three columns of a report. */
export const IncomeKind = z.enum(['stream', 'download', 'video']);
export type IncomeKind = z.infer<typeof IncomeKind>;

/** What the columns of a file can mean. */
export const statementFields = [
  'isrc',
  'upc',
  'title',
  'artist',
  'store',
  'country',
  'month',
  'periodEnd',
  'quantity',
  'amount',
  'currency',
  'kind',
] as const;
export const StatementField = z.enum(statementFields);
export type StatementField = z.infer<typeof StatementField>;

/** What can stand before the header instead of in each row. */
export const preambleFields = ['month', 'periodEnd', 'currency', 'store', 'country'] as const;
export type PreambleField = (typeof preambleFields)[number];

/**
 * How a date or period is written. A period of several months is told by its first one; `M/D/YY` and `D/M/YY` take years of
 * two or four digits and whatever time of day follows. `YYYY-Qn` takes quarters and half-years in signs and words (`2024-Q1`,
 * `1er trimestre 2024`, `H2 2023`).
 */
export const monthForms = [
  'YYYY-MM-DD',
  'YYYY-MM',
  'YYYYMMDD',
  'YYYYMM',
  'YYYY_MM',
  'YYYYMnn',
  'M/D/YY',
  'D/M/YY',
  'MM-YYYY',
  'D-MMM-YY',
  'MMM-YY',
  'MMMM YYYY',
  'YYYY-Qn',
] as const;
export const MonthForm = z.enum(monthForms);
export type MonthForm = z.infer<typeof MonthForm>;

/** Forms in which a date says its month without doubt, whatever the others of its file look like. */
export const plainForms: readonly MonthForm[] = [
  'YYYY-MM-DD',
  'YYYY-MM',
  'YYYYMMDD',
  'YYYYMM',
  'YYYY_MM',
  'YYYYMnn',
  'MM-YYYY',
  'D-MMM-YY',
  'MMM-YY',
  'MMMM YYYY',
  'YYYY-Qn',
];

const HeaderName = z.string().trim().min(1).max(200);
const HeaderNames = z.array(HeaderName).min(1).max(20);
const Words = z.array(z.string().trim().min(1).max(200)).max(100);
const Currency = z.string().regex(/^[A-Z]{3}$/);

/**
 * How one kind of file is read: names of columns and their meaning, never positions. Names are compared without case,
 * accents, spaces and signs.
 */
export const StatementPreset = z.object({
  /** Who sends it, as the month board calls it. */
  source: z.string().trim().min(1).max(100),
  name: z.string().trim().min(1).max(100),
  /** Whether a real file of this form was read; else only its header is known. */
  isVerified: z.boolean(),
  /** `dsr`: DDEX flat files, whose rows have types. `summary`: what a store declares by currency, which is no income. */
  layout: z.enum(['table', 'dsr', 'summary']),
  /**
   * Names a column may have, the first one found counts. What is here has to be there, unless it is optional. A form without
   * a month is of the month that staff says.
   */
  columns: z.partialRecord(StatementField, HeaderNames),
  /**
   * Names of values that stand before the header and hold for every row: a name and its value on one line
   * (`Currency⇥AUD`), or a line of names above a line of values. Read from each file anew.
   */
  preamble: z.partialRecord(z.enum(preambleFields), HeaderNames).default({}),
  /**
   * Of files without a header: how many columns their rows have, which are then named by position (`positionName`). Rows
   * that are left out may be longer or shorter. Positions say little: staff is asked whether a file is of this form.
   */
  width: z.number().int().min(2).max(1000).optional(),
  optional: z.array(StatementField),
  /** Further columns that tell this form from others. */
  signature: z.array(HeaderName).max(100),
  /** Columns that this form never has. */
  absent: z.array(HeaderName).max(100),
  /** Where the form itself says it: in the name of its amount's column, or because its sender pays in no other. */
  currency: Currency.optional(),
  /** What staff is offered where neither the form nor the file says the currency: it is asked for each file. */
  currencies: z.array(Currency).max(20).default([]),
  /**
   * A column of text that ends, behind its last `=`, in the sign of the currency that the amounts are in. A sign of several
   * currencies is asked about.
   */
  currencySign: z
    .object({ column: HeaderName, signs: z.record(z.string().min(1).max(10), z.array(Currency).min(1)) })
    .optional(),
  /** Where no column and no line before the header says it. */
  store: z.string().trim().min(1).max(100).optional(),
  /** What income is of unless the `kind` column tells; without it the store's name does. */
  kind: IncomeKind.optional(),
  /** Up to three incomes per row, in place of the `quantity`, `amount` and `kind` columns; what is not there is 0. */
  incomes: z
    .array(z.object({ kind: IncomeKind, quantity: HeaderNames, amount: HeaderNames }))
    .min(1)
    .max(3)
    .optional(),
  /** Rows that take back, whatever sign the file gives them. */
  negative: z.object({ column: HeaderName, words: Words }).optional(),
  /**
   * What a counted row whose amount is empty means. Never zero: the file is refused with the line, or the row is left out
   * and told as such, or the amount is a sum of other columns. One that may be empty may be missing too.
   */
  emptyAmount: z
    .union([
      z.enum(['refuse', 'leaveOut']),
      z.object({
        sum: z
          .array(
            z.object({
              column: HeaderName,
              sign: z.union([z.literal(1), z.literal(-1)]),
              mayBeEmpty: z.boolean(),
              /** Only rows that take back may leave it empty; `n/a` says that there is none. */
              isNeededInSales: z.boolean().optional(),
            }),
          )
          .min(1)
          .max(10),
        /**
         * A column that says what such sums are together with those of `with`, and possibly of `mayBeWith`: of all rows with
         * the same cell in `together`, in one of which it stands. A contradiction is refused.
         */
        check: z
          .object({ column: HeaderName, with: HeaderNames, mayBeWith: HeaderNames, together: HeaderName })
          .optional(),
      }),
    ])
    .default('refuse'),
  /** `apple`: months are those of Apple's fiscal year, of four or five weeks that end on a Saturday. */
  calendar: z.enum(['common', 'apple']).default('common'),
  monthForms: z.array(MonthForm).min(1),
  /** `either`: settled once for the whole file by its first rows, never per cell. */
  decimalMark: z.enum(['.', ',', 'either']),
  /** Words of the `kind` column; what none of them tells is told by the store. */
  kinds: z.partialRecord(IncomeKind, Words),
  /** Rows that are no income, by a cell of a column. */
  skip: z.array(z.object({ column: HeaderName, words: Words, reason: z.string().min(1).max(200) })).max(20),
  /** How the rows end before the file does; a number in the second cell is the count of rows. */
  footers: Words,
  /** Whether a file without such an end was cut; not of forms that are known with and without it. */
  isFooterRequired: z.boolean().default(true),
});
export type StatementPreset = z.infer<typeof StatementPreset>;

/** Lines among which a file's header is looked for. */
export const maxHeaderLine = 200;

/** The name of a column of a file without a header, counted from 1. */
export const positionName = (position: number): string => `Colonne ${position}`;

/** Names of columns as presets know them: of two that are called alike the second is `Total (2e)`, as no column is called. */
export function uniqueNames(header: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return header.map((cell) => {
    const name = cell.trim();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 || name === '' ? name : `${name} (${count}e)`;
  });
}

/**
 * Rows of a workbook's second sheet are counted from this on, of the third from twice this: more than a sheet can have. So
 * one number names a line of any file.
 */
export const sheetStride = 10_000_000_000;

/** The key of a preset that staff made. */
export const ownPresetKey = (id: number): string => `custom:${id}`;
export const isOwnPreset = (key: string): boolean => key.startsWith('custom:');
/** Undefined of a preset of the house. */
export const ownPresetId = (key: string): number | undefined =>
  isOwnPreset(key) ? Number(key.slice('custom:'.length)) : undefined;

/** What a session hears while statements are read (GET /reporting/statements/events). */
export const StatementProgress = z.object({
  statementId: z.number(),
  /** Bytes of the file that were read, of how many. */
  bytes: z.number().optional(),
  sizeBytes: z.number().optional(),
  rows: z.number().optional(),
});
export type StatementProgress = z.infer<typeof StatementProgress>;

export const statementMessages = {
  fileName: 'Le nom du fichier n’est pas valide',
  empty: 'Ce fichier est vide',
  tooLarge: 'Un relevé pèse au plus 5 Go',
  sameBytes: (fileName: string, date: string, by: string | null) =>
    `Ce fichier a déjà été déposé\u00a0: «\u00a0${fileName}\u00a0», le ${date}${by === null ? '' : ` par ${by}`}`,
  uploadStart: 'L’envoi reprend là où le serveur en est',
  emptyChunk: 'Cet envoi ne contient rien',
  declaredAmount: 'Indiquez un montant, par exemple 1234,56',
  declaredCurrency: 'Indiquez la devise du montant déclaré',
  currency: 'Une devise a trois lettres, par exemple USD',
  notLoaded: 'Ce relevé n’est pas chargé',
  changed: 'Le relevé a changé depuis que vous l’avez ouvert\u00a0: vérifiez-le de nouveau',
  monthChanged: 'Ce qui serait comptabilisé a changé depuis que vous l’avez vu\u00a0: vérifiez de nouveau ce mois',
  notChecked: 'Ce relevé n’est pas vérifié',
  noRows: 'Ce relevé ne contient aucune ligne de revenu\u00a0: il ne peut pas être validé',
  killedReader:
    'La lecture de ce fichier s’est interrompue trois fois sans réponse\u00a0: elle n’est plus relancée d’elle-même',
  noMember: 'Ce fichier n’est pas dans l’archive, ou il est déjà un relevé',
  checkedFirst: 'Ce relevé est vérifié\u00a0: retirez d’abord la vérification',
  notEditable: 'Ce relevé n’est plus modifiable',
  isPosted: 'Des revenus de ce relevé sont dans des rapports\u00a0: annulez d’abord leur import',
  rateMissing: (currency: string, month: string) =>
    `Aucun taux de change ${currency} pour ${month}\u00a0: ajoutez-le dans Comptabilité → Taux de change`,
  tooEarly: 'Ce relevé a des mois d’avant janvier 2020\u00a0: indiquez le mois comptable',
  confirmRates: 'Un taux date de plus de deux mois, ou un mois est à venir\u00a0: confirmez-le',
  noteRequired: 'Le montant déclaré diffère de la somme des lignes\u00a0: expliquez l’écart',
  notWaiting: 'Ce relevé est en cours de lecture ou terminé\u00a0: il ne peut pas être relu',
  currencyRequired: 'Indiquez la devise de ce fichier',
  charsetRequired: 'Les caractères de ce fichier se lisent de plusieurs façons\u00a0: indiquez leur encodage',
  duplicates: (lines: number, fileName: string) =>
    `${lines === 1 ? 'Une ligne est' : `${new Intl.NumberFormat('fr-FR').format(lines)} lignes sont`} en double avec «\u00a0${fileName}\u00a0»\u00a0: confirmez qu’il ne s’agit pas d’un doublon`,
  containsNothing: 'Ce relevé ne reprend pas celui que vous voulez remplacer',
  monthRequired: 'Indiquez le mois de ce fichier',
  unknownPreset: 'Ce modèle n’existe pas ou n’existe plus',
  replacesNothing: 'Ce relevé n’en corrige aucun',
  replacesGone: 'Le relevé à corriger n’est plus là',
  replacesFirst: 'Ce relevé en corrige un autre, qui compte encore\u00a0: remplacez d’abord l’ancien relevé',
  fileGone: 'Le fichier de ce relevé n’est plus conservé',
  presetAmount: 'Indiquez la colonne du montant',
  presetPeriodEnd:
    'La fin d’une période va avec son début\u00a0: indiquez aussi la date ou le mois, au même endroit du fichier',
  presetItem: 'Indiquez la colonne de l’ISRC, ou celles du code-barres ou du titre',
  presetWidth: 'Sans en-tête, les colonnes se nomment par leur position, de « Colonne 1 » à la dernière',
  diskFull: 'Il n’y a plus de place sur le disque\u00a0: rien n’est perdu, la lecture reprendra d’elle-même',
  databaseGone: 'La base de données ne répondait plus\u00a0: la lecture reprendra d’elle-même',
  fileMissing: 'Le fichier du relevé est introuvable dans le stockage\u00a0: la lecture sera tentée de nouveau',
  readingFailed: 'La lecture s’est arrêtée sans que le fichier soit en cause\u00a0: elle reprendra d’elle-même',
} as const;
