import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { defineRoute, ExpectedVersion, Id, IdParams, Instant, listQuery, QueryId } from '#src/route.ts';
import {
  Charset,
  deductionPattern,
  lineFileFormats,
  maxDecimals,
  maxStatementBytes,
  StatementPreset,
  StatementState,
  StatementStatus,
  statementChunkBytes,
  statementMessages,
} from '#src/statements.ts';
import { filledText, z } from '#src/zod.ts';

/** An exact decimal amount of a file: never a number, never rounded. */
const Decimal = z.string();
/** In EUR at the month's rate; null without a rate. */
const Eur = z.number().nullable();

const UploadForm = z.object({
  fileName: filledText(statementMessages.fileName, 255)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
    .refine((name) => !/[\u0000-\u001f\u007f/\\]/.test(name) && name.isWellFormed(), {
      error: statementMessages.fileName,
    }),
  sizeBytes: z
    .number({ error: statementMessages.empty })
    .int({ error: statementMessages.empty })
    .min(1, { error: statementMessages.empty })
    .max(maxStatementBytes, { error: statementMessages.tooLarge }),
  replaces: Id.optional(),
});

export const StatementUpload = z.object({
  id: Id,
  /** The number of bytes the server has; the next chunk starts there. */
  received: z.number(),
  size: z.number(),
  /** Set once the file is complete. */
  statementId: Id.nullable(),
});
export type StatementUpload = z.infer<typeof StatementUpload>;

const StatementRef = z.object({ id: Id, fileName: z.string(), status: StatementStatus });

export const Statement = z.object({
  id: Id,
  status: StatementStatus,
  state: StatementState,
  fileName: z.string(),
  sizeBytes: z.number(),
  source: z.string().nullable(),
  preset: z.object({ key: z.string(), name: z.string(), isVerified: z.boolean() }).nullable(),
  firstMonth: Instant.nullable(),
  lastMonth: Instant.nullable(),
  amountEur: Eur,
  unmatchedEur: Eur,
  postedEur: Eur,
  /** By currency, where one has no rate and the sums in EUR are null; otherwise empty. */
  amounts: z.array(z.object({ currency: z.string(), amount: z.number() })),
  rows: z.number(),
  /** For an archive: the number of statements created from its files. */
  memberCount: z.number(),
  /** Why it was not read, or cannot be read yet. */
  problem: z
    .object({
      message: z.string(),
      line: z.number().nullable(),
      /** Whether sheets repeat each other: the sheets to read must then be chosen. */
      asksSheets: z.boolean(),
    })
    .nullable(),
  /** It corrects a live statement: staff confirms the replacement once this one is loaded. */
  replaces: StatementRef.nullable(),
  createdAt: Instant,
  createdBy: z.string().nullable(),
});
export type Statement = z.infer<typeof Statement>;

const ShownRow = z.object({ line: z.number(), cells: z.array(z.string()) });

const StatementMonth = z.object({
  month: Instant,
  currency: z.string(),
  amount: Decimal,
  unmatchedAmount: Decimal,
  postedAmount: Decimal,
  /** Units of the currency per euro, and the rate's month; null without a rate. */
  rate: z.number().nullable(),
  rateMonth: Instant.nullable(),
  /** Unposted income uses a rate more than two months older, or belongs to a month after the current one. */
  isStale: z.boolean(),
  isFuture: z.boolean(),
  /** Whether staff confirmed that rate or month when checking the statement or posting the month. */
  isConfirmed: z.boolean(),
  amountEur: Eur,
  unmatchedEur: Eur,
  postedEur: Eur,
  /** Reports exist from January 2020 on only. */
  isTooEarly: z.boolean(),
});

/** A source's declared amounts by month and currency, compared with its statements. */
const Declaration = z.object({
  month: Instant,
  currency: z.string(),
  /** Before taxes and adjustments, and the amount due after them. */
  earned: Decimal,
  owed: Decimal,
  /** The sum of all live statement lines of that source, month and currency, and that sum minus `earned`. */
  sum: Decimal,
  difference: Decimal,
  /** The difference is within the summary's own rounding of rows. */
  isRounding: z.boolean(),
  /** The amount paid to the bank; null while everything is carried forward. The rate is null without a conversion. */
  payments: z.array(z.object({ rate: Decimal.nullable(), proceeds: Decimal, currency: z.string() })),
  summaries: z.array(z.object({ id: Id, fileName: z.string() })),
  /** Several summaries, possibly of the same bank account, are added up: one may be a newer version of another. */
  isDoubled: z.boolean(),
  /** The summaries added up, at most fifty, and their number. */
  statements: z.array(z.object({ id: Id, fileName: z.string() })),
  statementCount: z.number(),
});
export type Declaration = z.infer<typeof Declaration>;

export const StatementDetail = Statement.extend({
  sha256: z.string(),
  hasFile: z.boolean(),
  countedRows: z.number(),
  lines: z.number(),
  skipped: z.array(z.object({ reason: z.string(), rows: z.number() })),
  accountingMonth: Instant.nullable(),
  declaredAmount: Decimal.nullable(),
  declaredCurrency: z.string().nullable(),
  /** What its source keeps of the sum of its lines, in percent. */
  deduction: Decimal.nullable(),
  /** Of its lines in the declared currency: their sum, what the source keeps of it, and the rest minus the declared amount. */
  declaredSum: Decimal.nullable(),
  declaredDeduction: Decimal.nullable(),
  declaredDifference: Decimal.nullable(),
  /** Summaries of its months and currencies, except a declared amount's currency; for a summary, all it declares. */
  declarations: z.array(Declaration),
  months: z.array(StatementMonth),
  /** Stores that another live statement has in the same month. */
  doubled: z.array(
    z.object({ store: z.string(), month: Instant, statementId: Id, fileName: z.string(), source: z.string() }),
  ),
  /** Live statements that share lines with this one, except the one it corrects; imports that posted equal figures of a track. */
  duplicates: z.array(
    z.object({
      /** One of these two. */
      statementId: Id.nullable(),
      importId: Id.nullable(),
      fileName: z.string(),
      source: z.string(),
      status: StatementStatus,
      /** Rows of this file that the other one has too, and those among them in months that it has posted. */
      lines: z.number(),
      postedLines: z.number(),
      amountEur: Eur,
      /** The first shared line of this file; null when the lines of a track are only equal in sum. */
      firstLine: z.number().nullable(),
    }),
  ),
  /** An earlier statement of the source that this one contains, and the growth since. */
  contains: z.object({ id: Id, fileName: z.string(), lines: z.number(), amountEur: Eur }).nullable(),
  /** Unreversed imports that posted its lines. */
  imports: z.array(z.object({ id: Id, month: Instant })),
  correctedBy: StatementRef.nullable(),
  loadedAt: Instant.nullable(),
  /** Changes with a new reading, month or declared amount: a check names it. */
  version: z.string(),
  checkedAt: Instant.nullable(),
  checkedBy: z.string().nullable(),
  checkNote: z.string().nullable(),
  endedAt: Instant.nullable(),
  endedBy: z.string().nullable(),
  /** The sheets read of its workbook, and what was not read, with the reason. */
  sheets: z.array(z.string()),
  leftOut: z.array(z.object({ name: z.string(), reason: z.string(), canRead: z.boolean() })),
  /** The last line, when it ends in a counted number without a line end: the file may be truncated. */
  mayBeCutAt: z.number().nullable(),
  /** Totals that the file declares and its rows do not come to; without a currency a number of rows. */
  announced: z.array(z.object({ declared: Decimal, sum: Decimal, currency: z.string().nullable(), line: z.number() })),
  /** Totals of the file that all its rows come to. */
  equalTotals: z.array(z.object({ declared: Decimal, currency: z.string(), line: z.number() })),
  members: z.array(StatementRef),
  unpackedFrom: StatementRef.nullable(),
  /** The values staff gave for this file. */
  choices: z.object({
    currency: z.string().nullable(),
    charset: Charset.nullable(),
    decimalMark: z.enum(['.', ',']).nullable(),
    sheets: z.array(z.string()).nullable(),
  }),
  /** Its first rows, while no preset reads it or several match. */
  head: z
    .object({
      rows: z.array(ShownRow),
      /** Presets that match equally, or one that needs values the file does not give. */
      fitting: z.array(
        z.object({
          key: z.string(),
          source: z.string(),
          name: z.string(),
          needsMonth: z.boolean(),
          needsCurrency: z.boolean(),
          /** The text of the file in place of a date or currency: none, or several that differ. */
          unclear: z.object({ month: z.string().optional(), currency: z.string().optional() }),
          /** Currencies to choose from; the last one chosen for this source is first. */
          currencies: z.array(z.string()),
          lastCurrency: z.string().nullable(),
        }),
      ),
      /** Possible character encodings, each with the first text as decoded; empty when the bytes decide. */
      charsets: z.array(z.object({ charset: Charset, sample: z.string() })),
      /** The closest presets, with the columns they miss. */
      tried: z.array(z.object({ key: z.string(), name: z.string(), missing: z.array(z.string()) })),
    })
    .nullable(),
});
export type StatementDetail = z.infer<typeof StatementDetail>;

const Difference = z.object({
  label: z.string(),
  trackId: Id.nullable(),
  amountEur: z.number(),
  formerEur: z.number(),
  differenceEur: z.number(),
});
export type Difference = z.infer<typeof Difference>;

const Differences = z
  .object({
    /** The month with the most income, and the month before. */
    month: Instant,
    formerMonth: Instant,
    amountEur: z.number(),
    formerEur: z.number(),
    /** What the two sums include twice, unconfirmed. */
    doubledEur: z.number(),
    formerDoubledEur: z.number(),
    stores: z.array(Difference),
    countries: z.array(Difference),
    tracks: z.array(Difference),
  })
  .nullable();
export type Differences = z.infer<typeof Differences>;

const declared = new RegExp(`^-?\\d{1,15}(\\.\\d{1,${maxDecimals}})?$`);

const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, { error: statementMessages.currency });
const SheetName = z.string().max(255);
const StatementForm = z
  .object({
    accountingMonth: MonthMs.nullable(),
    declaredAmount: z
      .string()
      .trim()
      .transform((text) => text.replace(/[\s\u00a0\u202f]/g, '').replace(',', '.'))
      .pipe(z.string().regex(declared, { error: statementMessages.declaredAmount }))
      .nullable(),
    declaredCurrency: CurrencyCode.nullable(),
  })
  .refine((form) => form.declaredAmount === null || form.declaredCurrency !== null, {
    path: ['declaredCurrency'],
    error: statementMessages.declaredCurrency,
  })
  .transform((form) => (form.declaredAmount === null ? { ...form, declaredCurrency: null } : form));
export type StatementForm = z.output<typeof StatementForm>;

/** The mapping of an unknown file; the server adds the rest. */
const PresetForm = StatementPreset.omit({ isVerified: true, layout: true }).extend({
  deduction: z.string().regex(deductionPattern, { error: statementMessages.presetDeduction }).optional(),
  replaces: Id.optional(),
});
export type PresetForm = z.input<typeof PresetForm>;

/** The first lines of a file as cells, and the values before the header. */
export const StatementHead = z.object({
  /** Those of `sheets` that are read only when chosen. */
  hiddenSheets: z.array(z.string()),
  charset: Charset.nullable(),
  sheets: z.array(z.string()),
  /** The sheet of these lines: the requested one, or the fullest. */
  sheet: z.string().nullable(),
  /** The custom preset that last read it, if it can be edited. */
  preset: Id.nullable(),
  rows: z.array(ShownRow),
  /** Names and values before the end of line `line`, in the file's order. */
  preamble: z.array(z.object({ name: z.string(), value: z.string(), line: z.number() })),
});
export type StatementHead = z.infer<typeof StatementHead>;

/** What a mapping would read of a file; null when that is not known before the file is read. */
const StatementPreview = z
  .object({
    counted: z.number(),
    sums: z.array(z.object({ currency: z.string(), amount: Decimal })),
    /** The first lines that are totals. */
    totalLines: z.array(z.number()),
    problem: z.object({ message: z.string(), line: z.number().nullable() }).nullable(),
  })
  .nullable();
export type StatementPreview = z.infer<typeof StatementPreview>;

export const PresetRow = StatementPreset.extend({
  key: z.string(),
  id: Id.nullable(),
});
export type PresetRow = z.infer<typeof PresetRow>;

const Consequence = z.object({
  replaced: StatementRef,
  imports: z.number(),
  reports: z.number(),
  /** Amounts debited from accounts and referrers, EUR. */
  amountEur: z.number(),
});
export type Consequence = z.infer<typeof Consequence>;

/** What a person must look at before a statement is checked. */
export const StatementAlert = z.object({
  kind: z.enum(['refused', 'rate', 'difference', 'rates', 'duplicates', 'cut', 'preset', 'unmatched']),
  message: z.string(),
  /** Whether the statement can take the place of an earlier one, which ends what the alert says. */
  canReplace: z.boolean().optional(),
});
export type StatementAlert = z.infer<typeof StatementAlert>;

const CheckedStatements = z.object({
  checked: z.array(Id),
  /** Those that need a person, with the reason. */
  left: z.array(z.object({ id: Id, fileName: z.string(), reason: z.string() })),
});
export type CheckedStatements = z.infer<typeof CheckedStatements>;

const edit = ['edit_reports'] as const;
const read = ['read_reports'] as const;
const status = z.object({ id: Id, status: StatementStatus });

export const statementRoutes = {
  beginStatementUpload: defineRoute('POST /reporting/statements/uploads', edit, {
    summary: 'Start an upload, or find the offset of the one with this name and size.',
    body: UploadForm,
    response: StatementUpload,
  }),
  uploadStatement: defineRoute('PUT /reporting/statements/uploads/:id', edit, {
    summary:
      'One chunk of at most 4 MiB, with header X-File-Start; a start other than the server’s offset answers 409 with {received}.',
    response: StatementUpload,
    message: 'Le relevé est reçu',
    upload: { field: 'chunk', maxBytes: statementChunkBytes },
  }),
  cancelStatementUpload: defineRoute('DELETE /reporting/statements/uploads/:id', edit, {
    message: 'L’envoi est annulé',
  }),
  listStatements: defineRoute('GET /reporting/statements', read, {
    query: listQuery(['date'], 'desc', {
      /** `blocked`: refused, or not recognised. */
      status: z.union([StatementState, z.literal('blocked')]).optional(),
      source: z.string().max(100).optional(),
      month: MonthMsQuery.optional(),
      /** Includes replaced and removed statements. */
      ended: z.enum(['true', 'false']).optional(),
    }),
    response: z.array(Statement),
  }),
  listStatementSources: defineRoute('GET /reporting/statements/sources', read, { response: z.array(z.string()) }),
  followStatements: defineRoute('GET /reporting/statements/events', read, {
    summary: 'Server-sent events: how far the reading of statements is; without figures, it has ended.',
    query: z.strictObject({}),
    isFile: true,
  }),
  getStoreStatement: defineRoute('GET /reporting/statements/:id', ['read_reports', 'edit_reports'], {
    response: StatementDetail,
  }),
  getStatementDifferences: defineRoute('GET /reporting/statements/:id/differences', read, { response: Differences }),
  editStatement: defineRoute('PUT /reporting/statements/:id', edit, {
    body: StatementForm,
    response: status,
    message: 'Le relevé est enregistré',
  }),
  readStatementWith: defineRoute('POST /reporting/statements/:id/preset', edit, {
    summary: 'With this preset or the one that matches, and values given by staff; unposted lines are replaced.',
    body: z.object({
      preset: z.string().min(1).max(100).nullable(),
      /** For a file without a currency. */
      month: MonthMs.optional(),
      currency: CurrencyCode.optional(),
      /** The sheets of a workbook to read; null for all that match. Omitted fields are unchanged. */
      sheets: z.array(SheetName).min(1).max(100).nullish(),
      /** Null for the encoding that the bytes show. */
      charset: Charset.nullish(),
      /** Null for the decimal mark of the preset or of the file's numbers. */
      decimalMark: z.enum(['.', ',']).nullish(),
    }),
    response: status,
    message: 'La lecture reprend',
  }),
  checkStatement: defineRoute('POST /reporting/statements/:id/check', edit, {
    stepUp: true,
    body: z.object({
      version: ExpectedVersion,
      note: z.string().trim().max(1000).optional(),
      /** Required when a rate is old or a month is in the future. */
      confirmRates: z.boolean().default(false),
      /** Required when other statements share lines with this one. */
      confirmDuplicates: z.boolean().default(false),
    }),
    response: status,
    message: 'Le relevé est validé',
  }),
  checkStatements: defineRoute('POST /reporting/statements/check', edit, {
    stepUp: true,
    summary: 'Those that need a confirmation are left, each with its reason.',
    body: z.object({
      statements: z
        .array(z.object({ id: Id, version: ExpectedVersion }))
        .min(1)
        .max(1000),
    }),
    response: CheckedStatements,
  }),
  uncheckStatement: defineRoute('POST /reporting/statements/:id/uncheck', edit, {
    summary: 'Refused while lines of it are posted.',
    response: status,
    message: 'La validation est annulée',
  }),
  replaceStatement: defineRoute('POST /reporting/statements/:id/replace', edit, {
    stepUp: true,
    summary: 'By the loaded one that corrects or contains it; with dryRun only preview the reversals.',
    body: z.object({
      dryRun: z.boolean().default(false),
      /** The earlier statement that it contains; by default, the one it corrects. */
      replaces: Id.optional(),
    }),
    response: Consequence,
    message: 'Le relevé corrigé remplace le précédent',
  }),
  deleteStatement: defineRoute('DELETE /reporting/statements/:id', edit, {
    summary: 'Also stops its reading; refused while lines of it are posted.',
    response: status,
    message: 'Le relevé est retiré',
  }),
  downloadStatement: defineRoute('GET /reporting/statements/:id/file', read, { isFile: true }),
  downloadLines: defineRoute('GET /reporting/lines', read, {
    summary: 'The lines of a statement, or of a month that live statements are posted to, as one file.',
    query: z
      .object({
        format: z.enum(lineFileFormats),
        statement: QueryId.optional(),
        month: MonthMsQuery.optional(),
      })
      .refine(({ statement, month }) => (statement === undefined) !== (month === undefined), {
        error: statementMessages.oneOfBoth,
        path: ['statement'],
      }),
    isFile: true,
  }),
  getStatementHead: defineRoute('GET /reporting/statements/:id/head', edit, {
    query: z.object({ sheet: SheetName.optional(), charset: Charset.optional() }),
    response: StatementHead,
  }),
  previewStatement: defineRoute('POST /reporting/statements/:id/preview', edit, {
    summary: 'What a mapping would read; nothing is stored.',
    body: z.object({
      preset: PresetForm,
      month: MonthMs.optional(),
      currency: CurrencyCode.optional(),
      sheets: z.array(SheetName).min(1).max(100).optional(),
      charset: Charset.optional(),
    }),
    response: StatementPreview,
  }),
  readStatementMember: defineRoute('POST /reporting/statements/:id/members', edit, {
    summary: 'Make a statement of a file that was left out of an archive.',
    body: z.object({ name: z.string().min(1).max(1000) }),
    response: z.object({ id: Id }),
    message: 'Le fichier est lu',
  }),
  getStatementLines: defineRoute('GET /reporting/statements/:id/lines', read, {
    query: z.object({
      from: z.coerce.number().int().min(1).max(10_000_000_000_000).default(1),
      count: z.coerce.number().int().min(1).max(200).default(20),
    }),
    response: z.array(z.object({ line: z.number(), text: z.string() })),
  }),
  getStatementLine: defineRoute('GET /reporting/statements/:id/lines/:line', read, {
    summary: 'The cells of a line; `name` is that of the column, and empty where there is none.',
    params: IdParams.extend({ line: IdParams.shape.id }),
    response: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  listPresets: defineRoute('GET /reporting/presets', ['read_reports', 'edit_reports'], {
    response: z.array(PresetRow),
  }),
  createPreset: defineRoute('POST /reporting/presets', edit, {
    body: PresetForm,
    response: z.object({ key: z.string() }),
    message: 'Le modèle est enregistré',
  }),
  deletePreset: defineRoute('DELETE /reporting/presets/:id', edit, {
    summary: 'Statements read with it stay.',
    message: 'Le modèle est supprimé',
  }),
};
