import { monthForms } from '@regie/values/period.ts';
import { fold, foldName } from '@regie/values/search-text.ts';
import { statementStates, statementStatuses } from './state-names.ts';
import { keysOf, z } from './zod.ts';

/** Larger files are not monthly statements. */
export const maxStatementBytes = 5 * 1024 ** 3;
export const statementChunkBytes = 4 * 1024 * 1024;

export const StatementStatus = z.enum(keysOf(statementStatuses));
export type StatementStatus = z.infer<typeof StatementStatus>;

/**
 * A status, or how far the income is (product §33.18): `doubled` may have lines of another one, `unmatched` has no
 * track, `posted` has everything with a track in reports.
 */
export const StatementState = z.enum(keysOf(statementStates));
export type StatementState = z.infer<typeof StatementState>;

/** Supported encodings; the file's first bytes decide unless staff chooses one. */
export const Charset = z.enum([
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
]);
export type Charset = z.infer<typeof Charset>;

/** Decimals kept of an amount; no known store writes more than 45. A stored line has room for eighteen and thirty. */
export const maxDecimals = 48;

export const lineHeadings = [
  ...['Mois comptable', 'Source', 'Relevé', 'Mois', 'Plateforme', 'Pays', 'ISRC', 'Code-barres', 'Titre', 'Artiste'],
  ...['Type', 'Devise', 'Quantité', 'Montant', 'Lignes du fichier', 'Première ligne'],
] as const;
export const lineFileFormats = ['csv', 'parquet'] as const;
export type LineFileFormat = (typeof lineFileFormats)[number];

export const IncomeKind = z.enum(['stream', 'download', 'video']);
export type IncomeKind = z.infer<typeof IncomeKind>;
export const frKinds: Record<IncomeKind, string> = { stream: 'Écoutes', download: 'Téléchargements', video: 'Vidéos' };

export const StatementField = z.enum([
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
]);
export type StatementField = z.infer<typeof StatementField>;

/** Fields that may be before the header instead of in each row. */
export const preambleFields = ['month', 'periodEnd', 'currency', 'store', 'country'] as const;
export type PreambleField = (typeof preambleFields)[number];

const MonthForm = z.enum(monthForms);

/** A percentage below 100, exact. */
export const deductionPattern = /^\d{1,2}(\.\d{1,6})?$/;

const HeaderName = z.string().trim().min(1).max(200);
const HeaderNames = z.array(HeaderName).min(1).max(20);
const Words = z.array(z.string().trim().min(1).max(200)).max(100);
const Currency = z.string().regex(/^[A-Z]{3}$/);

/** What a cell of a row without income is: one of the words (by default), a text with one of them, nothing, or zero. */
export const skipConditions = ['is', 'contains', 'empty', 'zero'] as const;
export type SkipCondition = (typeof skipConditions)[number];

const zero = /^(?:[A-Z]{3}|\p{Sc})?\s*[-+(]?\s*(?=[.,]?0)[0.,]+(?:E[-+]?\d+)?\)?\s*(?:[A-Z]{3}|\p{Sc})?$/iu;

/** Whether such a cell leaves its row out. An empty cell is not zero. */
export function skipTest({ when = 'is', words }: { when?: SkipCondition | undefined; words: readonly string[] }) {
  const folded = new Set(words.map(when === 'is' ? foldName : fold));
  const tests: Record<SkipCondition, (cell: string) => boolean> = {
    is: (cell) => cell !== '' && folded.has(foldName(cell)),
    contains: (cell) => cell !== '' && [...folded].some((word) => fold(cell).includes(word)),
    empty: (cell) => cell.trim() === '',
    zero: (cell) => zero.test(cell.trim()),
  };
  return tests[when];
}

/** Fields of text whose value may stand in two columns. */
export const joinFields = ['title', 'month', 'artist', 'store', 'periodEnd'] as const;
export type JoinField = (typeof joinFields)[number];

/** Two cells as one value: `Titre (Remix)`, `2024 1`. */
export function joinTexts(field: JoinField, first: string, second: string): string {
  const [one, other] = [first.trim(), second.trim()];
  if (one === '' || other === '') return one + other;
  return field === 'title' ? `${one} (${other})` : `${one} ${other}`;
}

/** How files of one kind are read: by column names, without case, accents, spaces and punctuation. */
export const StatementPreset = z.object({
  /** The source, as on the month board. */
  source: z.string().trim().min(1).max(100),
  name: z.string().trim().min(1).max(100),
  /** Whether a real file of this format was read; otherwise only its header is known. */
  isVerified: z.boolean(),
  /** `dsr`: DDEX flat files with typed rows. `summary`: a store's declared amounts by currency, not income. */
  layout: z.enum(['table', 'dsr', 'summary']),
  /** Names of a column, of which the first found is used. Without a month column, staff gives the month. */
  columns: z.partialRecord(StatementField, HeaderNames),
  /**
   * Names of values before the header that apply to every row: name and value on one line (`Currency⇥AUD`), or a line
   * of names above a line of values.
   */
  preamble: z.partialRecord(z.enum(preambleFields), HeaderNames).default({}),
  /**
   * For files without a header: the number of columns, named by position (`positionName`), which staff confirms.
   * Skipped rows may be longer or shorter.
   */
  width: z.number().int().min(2).max(1000).optional(),
  join: z.partialRecord(z.enum(joinFields), HeaderName).optional(),
  optional: z.array(StatementField),
  /** Columns that distinguish this format from others. */
  signature: z.array(HeaderName).max(100),
  absent: z.array(HeaderName).max(100),
  /** When the format implies it: in the amount column's name, or because the source pays in one currency only. */
  currency: Currency.optional(),
  /** Currencies to choose from when neither format nor file gives one: staff chooses for each file. */
  currencies: z.array(Currency).max(20).default([]),
  /** A text column that ends, after its last `=`, in the amounts' currency sign; staff chooses among several. */
  currencySign: z
    .object({ column: HeaderName, signs: z.record(z.string().min(1).max(10), z.array(Currency).min(1)) })
    .optional(),
  /** What the source keeps of the sum of each statement, in percent, without a row for it. */
  deduction: z.string().regex(deductionPattern).optional(),
  /** When neither a column nor the preamble gives it. */
  store: z.string().trim().min(1).max(100).optional(),
  /** The kind of income unless the `kind` column gives it; by default the store decides. */
  kind: IncomeKind.optional(),
  /** Up to three incomes per row, instead of the `quantity`, `amount` and `kind` columns; missing ones are 0. */
  incomes: z
    .array(z.object({ kind: IncomeKind, quantity: HeaderNames, amount: HeaderNames }))
    .min(1)
    .max(3)
    .optional(),
  /** Rows that are negative whatever sign the file gives them. */
  negative: z.object({ column: HeaderName, words: Words }).optional(),
  /**
   * What an empty amount of a counted row means, never zero: the file is refused, the row is skipped and listed, or the
   * amount is a sum of other columns.
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
              /** Only negative rows may leave it empty; `n/a` means none. */
              isNeededInSales: z.boolean().optional(),
            }),
          )
          .min(1)
          .max(10),
        /**
         * The control total of such sums with those of `with` (and `mayBeWith`) over all rows with the same cell in
         * `together`; a mismatch is refused.
         */
        check: z
          .object({ column: HeaderName, with: HeaderNames, mayBeWith: HeaderNames, together: HeaderName })
          .optional(),
      }),
    ])
    .default('refuse'),
  /** `apple`: months of Apple's fiscal year, of four or five weeks that end on a Saturday. */
  calendar: z.enum(['common', 'apple']).default('common'),
  monthForms: z.array(MonthForm).min(1),
  /** `either`: decided once per file from its first rows, never per cell. */
  decimalMark: z.enum(['.', ',', 'either']),
  /** Values of the `kind` column; for other values the store decides. */
  kinds: z.partialRecord(IncomeKind, Words),
  /** Rows that are not income, by a cell of a column. */
  skip: z
    .array(
      z.object({
        column: HeaderName,
        when: z.enum(skipConditions).optional(),
        words: Words.default([]),
        reason: z.string().min(1).max(200),
      }),
    )
    .max(20),
  /** The end marker of the rows; a number in its second cell is the row count. */
  footers: Words,
  /** Whether a file without that marker is truncated; false for formats known both with and without it. */
  isFooterRequired: z.boolean().default(true),
});
export type StatementPreset = z.infer<typeof StatementPreset>;

/** The header is searched within these first lines. */
export const maxHeaderLine = 200;

/** The name of a column of a file without a header, counted from 1. */
export const positionName = (position: number): string => `Colonne ${position}`;

/** Column names as presets use them: the second of two equal names is `Total (2e)`, which is no real column's name. */
export function uniqueNames(header: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return header.map((cell) => {
    const name = cell.trim();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 || name === '' ? name : `${name} (${count}e)`;
  });
}

/** Offset of the line numbers of each further sheet of a workbook: larger than any sheet. */
export const sheetStride = 10_000_000_000;

export const ownPresetKey = (id: number): string => `custom:${id}`;
export const isOwnPreset = (key: string): boolean => key.startsWith('custom:');
/** Undefined for a built-in preset. */
export const ownPresetId = (key: string): number | undefined =>
  isOwnPreset(key) ? Number(key.slice('custom:'.length)) : undefined;

/** Events of the statements stream (GET /reporting/statements/events). */
export const StatementProgress = z.object({
  statementId: z.number(),
  /** Bytes read, and the file's size. */
  bytes: z.number().optional(),
  sizeBytes: z.number().optional(),
  rows: z.number().optional(),
});
export type StatementProgress = z.infer<typeof StatementProgress>;

/** An exact decimal in French, whatever its digits. */
const exactly = (decimal: string) =>
  new Intl.NumberFormat('fr-FR', { minimumFractionDigits: 2, maximumFractionDigits: maxDecimals }).format(
    decimal as Intl.StringNumericLiteral,
  );

export const statementMessages = {
  fileName: 'Le nom du fichier n’est pas valide',
  empty: 'Ce fichier est vide',
  tooLarge: 'Un relevé pèse au plus 5 Go',
  sameBytes: (fileName: string, date: string, by: string | null) =>
    `Ce fichier a déjà été déposé\u00a0: «\u00a0${fileName}\u00a0», le ${date}${by === null ? '' : ` par ${by}`}`,
  emptyChunk: 'Cet envoi ne contient rien',
  declaredAmount: 'Indiquez un montant, par exemple 1234,56',
  declaredCurrency: 'Indiquez la devise du montant déclaré',
  currency: 'Une devise a trois lettres, par exemple USD',
  notLoaded: 'Ce relevé n’a pas été lu, ou il a été retiré depuis',
  alreadyChecked: 'Ce relevé est déjà validé',
  oneOfBoth: 'Indiquez un relevé ou un mois, l’un des deux',
  noLines: 'Aucune ligne de revenu n’est chargée ici',
  changed: 'Le relevé a changé depuis que vous l’avez ouvert\u00a0: vérifiez-le de nouveau',
  monthChanged: 'Ce qui serait comptabilisé a changé depuis que vous l’avez vu\u00a0: vérifiez de nouveau ce mois',
  checked: (count: number) =>
    count === 0 ? 'Aucun relevé n’est validé' : count === 1 ? '1 relevé est validé' : `${count} relevés sont validés`,
  announced: ({ declared, sum, currency }: { declared: string; sum: string; currency: string | null }) =>
    currency === null
      ? `Le fichier annonce ${declared} lignes, il en a ${sum}`
      : `Le fichier annonce ${exactly(declared)} ${currency}, ses lignes font ${exactly(sum)} ${currency}`,
  mayBeCut: 'La dernière ligne n’a pas de fin de ligne\u00a0: vérifiez que le fichier est entier',
  unverifiedPreset: 'Seul l’en-tête de ce modèle est connu\u00a0: comparez les sommes avant de valider',
  notChecked: 'Ce relevé n’est pas validé',
  noRows: 'Ce relevé ne contient aucune ligne de revenu\u00a0: il ne peut pas être validé',
  killedReader:
    'La lecture de ce fichier s’est interrompue trois fois sans réponse\u00a0: elle n’est plus relancée d’elle-même',
  noMember: 'Ce fichier n’est pas dans l’archive, ou il est déjà un relevé',
  checkedFirst: 'Ce relevé est validé\u00a0: annulez d’abord la validation',
  notEditable: 'Ce relevé n’est plus modifiable',
  isPosted: 'Des revenus de ce relevé sont dans des rapports\u00a0: contre-passez d’abord leur import',
  rateMissing: (currency: string, month: string) =>
    `Aucun taux de change ${currency} pour ${month}\u00a0: ajoutez-le dans Comptabilité → Taux de change`,
  tooEarly: 'Ce relevé a des mois d’avant janvier 2020\u00a0: indiquez le mois comptable',
  confirmRates: 'Un taux date de plus de deux mois, ou un mois est à venir\u00a0: confirmez-le',
  unconfirmedRates: (rates: readonly string[]) =>
    `Comptabilisé à des taux anciens ou pour un mois à venir\u00a0: ${rates.join(', ')}`,
  noteRequired: 'Le montant déclaré diffère de la somme des lignes\u00a0: expliquez l’écart',
  notWaiting: 'Ce relevé est en cours de lecture ou terminé\u00a0: il ne peut pas être relu',
  currencyRequired: 'Indiquez la devise de ce fichier',
  charsetRequired: 'Les caractères de ce fichier se lisent de plusieurs façons\u00a0: indiquez leur encodage',
  duplicates: (lines: number, fileName: string) =>
    `${lines === 1 ? 'Une ligne est' : `${new Intl.NumberFormat('fr-FR').format(lines)} lignes sont`} en double avec «\u00a0${fileName}\u00a0»\u00a0: confirmez qu’il ne s’agit pas d’un doublon`,
  extends: (lines: number, fileName: string) =>
    `Ce relevé reprend ${lines === 1 ? 'une ligne' : `${new Intl.NumberFormat('fr-FR').format(lines)} lignes`} de «\u00a0${fileName}\u00a0»\u00a0: remplacez-le, ou confirmez qu’il ne s’agit pas d’un doublon`,
  containsNothing: 'Ce relevé ne reprend pas celui que vous voulez remplacer',
  monthRequired: 'Indiquez le mois de ce fichier',
  unknownPreset: 'Ce modèle n’existe pas ou n’existe plus',
  unmatched: 'Des revenus ne sont pas attribués\u00a0: attribuez-les, ou validez ce relevé à part',
  replacesNothing: 'Ce relevé n’en corrige aucun',
  replacesGone: 'Le relevé à corriger n’est plus là',
  replacesFirst: 'Ce relevé en corrige un autre, encore pris en compte\u00a0: remplacez d’abord l’ancien relevé',
  fileGone: 'Le fichier de ce relevé n’est plus conservé',
  presetAmount: 'Indiquez la colonne du montant',
  presetDeduction: 'Une retenue est un pourcentage de moins de 100, par exemple 1 ou 2,5',
  presetPeriodEnd:
    'La fin d’une période va avec son début\u00a0: indiquez aussi la date ou le mois, au même endroit du fichier',
  presetItem: 'Indiquez la colonne de l’ISRC, ou celles du code-barres ou du titre',
  presetWidth: 'Sans en-tête, les colonnes se nomment par leur position, de «\u00a0Colonne 1\u00a0» à la dernière',
  diskFull: 'Il n’y a plus de place sur le disque\u00a0: rien n’est perdu, la lecture reprendra d’elle-même',
  databaseGone: 'La base de données ne répondait plus\u00a0: la lecture reprendra d’elle-même',
  fileMissing: 'Le fichier du relevé est introuvable dans le stockage\u00a0: la lecture sera tentée de nouveau',
  readingFailed: 'La lecture s’est arrêtée sans que le fichier soit en cause\u00a0: elle reprendra d’elle-même',
} as const;

/** Sources whose income comes in imports without a statement, and how the list of imports is filtered for them. */
export const importSources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Import CSV': { kind: 'csv', type: 'platform' },
  Saisie: { kind: 'single', type: 'platform' },
  Vidéo: { type: 'youtube' },
};
