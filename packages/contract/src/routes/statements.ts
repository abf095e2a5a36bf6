import { messages } from '#src/messages.ts';
import { MonthMs, MonthMsQuery } from '#src/month.ts';
import { defineRoute, Id, IdParams, Instant, listQuery, SeenVersion } from '#src/route.ts';
import {
  Charset,
  maxDecimals,
  maxStatementBytes,
  StatementPreset,
  StatementStatus,
  statementChunkBytes,
  statementMessages,
} from '#src/statements.ts';
import { z } from '#src/zod.ts';

/** An amount as a file has it, to its last decimal: never a number, never rounded. */
const Decimal = z.string();
/** In EUR at the month's rate; null where a rate is missing. */
const Eur = z.number().nullable();

const maxFileName = 255;
const UploadForm = z.object({
  fileName: z
    .string({ error: statementMessages.fileName })
    .trim()
    .min(1, { error: statementMessages.fileName })
    .max(maxFileName, { error: messages.maxLength(maxFileName) })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
    .refine((name) => !/[\u0000-\u001f\u007f/\\]/.test(name) && name.isWellFormed(), {
      error: statementMessages.fileName,
    }),
  sizeBytes: z
    .number({ error: statementMessages.empty })
    .int({ error: statementMessages.empty })
    .min(1, { error: statementMessages.empty })
    .max(maxStatementBytes, { error: statementMessages.tooLarge }),
  /** The statement that this file corrects. */
  replaces: Id.optional(),
});

export const StatementUpload = z.object({
  id: Id,
  /** How many bytes the server has; the next chunk starts there. */
  received: z.number(),
  size: z.number(),
  /** Once the file is whole. */
  statementId: Id.nullable(),
});
export type StatementUpload = z.infer<typeof StatementUpload>;

const StatementRef = z.object({ id: Id, fileName: z.string(), status: StatementStatus });

export const Statement = z.object({
  id: Id,
  status: StatementStatus,
  fileName: z.string(),
  sizeBytes: z.number(),
  source: z.string().nullable(),
  /** The preset that reads it, once one does. */
  preset: z.object({ key: z.string(), name: z.string(), isVerified: z.boolean() }).nullable(),
  /** Months its income is counted in, first and last. */
  firstMonth: Instant.nullable(),
  lastMonth: Instant.nullable(),
  amountEur: Eur,
  unmatchedEur: Eur,
  postedEur: Eur,
  rows: z.number(),
  /** Of an archive, how many statements were made of its files. */
  memberCount: z.number(),
  /** Why it was not read, or could not be yet. */
  problem: z
    .object({
      message: z.string(),
      line: z.number().nullable(),
      /** Whether sheets repeat each other: those to read have to be named, be it all of them. */
      asksSheets: z.boolean(),
    })
    .nullable(),
  /** It corrects another one that is still there: staff confirms the replacement once this one is loaded. */
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
  /** Units of the currency per euro, and the month it is of; null where none is known. */
  rate: z.number().nullable(),
  rateMonth: Instant.nullable(),
  /** Something of it waits to be posted, at a rate that is more than two months older; in a month after the current one. */
  isStale: z.boolean(),
  isFuture: z.boolean(),
  /** Whether staff has confirmed that rate or month when they checked the statement or posted the month. */
  isConfirmed: z.boolean(),
  amountEur: Eur,
  unmatchedEur: Eur,
  postedEur: Eur,
  /** Reports can only be of months from January 2020 on. */
  isTooEarly: z.boolean(),
});

/** What summaries of a source declare of one of its months and currencies, beside what its statements say. */
const Declaration = z.object({
  month: Instant,
  currency: z.string(),
  /** Before taxes and adjustments, and what of it is owed after them. */
  earned: Decimal,
  owed: Decimal,
  /** Sum of the lines of all live statements of that source, month and currency, and that sum minus `earned`. */
  sum: Decimal,
  difference: Decimal,
  /** The difference is no more than what the summary's own rounding of each row can make. */
  isRounding: z.boolean(),
  /** What reaches the bank account; none while everything is carried forward. The rate is null where nothing is converted. */
  payments: z.array(z.object({ rate: Decimal.nullable(), proceeds: Decimal, currency: z.string() })),
  summaries: z.array(z.object({ id: Id, fileName: z.string() })),
  /** Several summaries are added up that may be of one bank account: one may be a newer version of another. */
  isDoubled: z.boolean(),
  /** Those that were added up, at most the first fifty, and how many there are. */
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
  /** Sum of its lines in the declared currency, and that sum minus the declared amount. */
  declaredSum: Decimal.nullable(),
  declaredDifference: Decimal.nullable(),
  /** Of its months and currencies, but for the currency of a declared amount; of a summary, all that it declares. */
  declarations: z.array(Declaration),
  months: z.array(StatementMonth),
  /** Stores that another live statement has in the same month. */
  doubled: z.array(
    z.object({ store: z.string(), month: Instant, statementId: Id, fileName: z.string(), source: z.string() }),
  ),
  /** Live statements that have lines of this one too; one that it corrects is left out. */
  duplicates: z.array(
    z.object({
      statementId: Id,
      fileName: z.string(),
      source: z.string(),
      status: StatementStatus,
      /** Rows of this file that the other one has too, and those of them in months that the other one has posted. */
      lines: z.number(),
      postedLines: z.number(),
      amountEur: Eur,
      /** The first of them in this file; null where all lines of a track are equal as a sum. */
      firstLine: z.number().nullable(),
    }),
  ),
  /** A former statement of the same source that this one contains, and by how much it has grown. */
  contains: z.object({ id: Id, fileName: z.string(), lines: z.number(), amountEur: Eur }).nullable(),
  /** Imports not reversed that posted lines of it. */
  imports: z.array(z.object({ id: Id, month: Instant })),
  /** A live statement that corrects this one. */
  correctedBy: StatementRef.nullable(),
  loadedAt: Instant.nullable(),
  /** Another one once it is read anew, counts for another month or has another declared amount: a check names it. */
  version: z.string(),
  checkedAt: Instant.nullable(),
  checkedBy: z.string().nullable(),
  checkNote: z.string().nullable(),
  endedAt: Instant.nullable(),
  endedBy: z.string().nullable(),
  /** Sheets of its workbook that were read, and what of the file was not, and why. */
  sheets: z.array(z.string()),
  leftOut: z.array(z.object({ name: z.string(), reason: z.string(), canRead: z.boolean() })),
  /** The last line, where it ends in a counted number without a line's end: the file may be cut there. */
  mayBeCutAt: z.number().nullable(),
  /** Statements that were made of this archive's files, and the archive that it comes from. */
  members: z.array(StatementRef),
  unpackedFrom: StatementRef.nullable(),
  /** What staff said of this file. */
  choices: z.object({
    currency: z.string().nullable(),
    charset: Charset.nullable(),
    decimalMark: z.enum(['.', ',']).nullable(),
    sheets: z.array(z.string()).nullable(),
  }),
  /** What its first rows are, while no preset reads it or several would. */
  head: z
    .object({
      rows: z.array(ShownRow),
      /** Presets that fit alike, or one that asks what its file does not say. */
      fitting: z.array(
        z.object({
          key: z.string(),
          source: z.string(),
          name: z.string(),
          needsMonth: z.boolean(),
          needsCurrency: z.boolean(),
          /** What the file says instead of them, as it is written there: no date or currency, or several that differ. */
          unclear: z.object({ month: z.string().optional(), currency: z.string().optional() }),
          /** What is offered of currencies, the one that was chosen last for this source first. */
          currencies: z.array(z.string()),
          lastCurrency: z.string().nullable(),
        }),
      ),
      /** What its characters may be, each with the first text that it is read as; none where its bytes tell. */
      charsets: z.array(z.object({ charset: Charset, sample: z.string() })),
      /** Presets that came nearest, with the columns they miss. */
      tried: z.array(z.object({ key: z.string(), name: z.string(), missing: z.array(z.string()) })),
    })
    .nullable(),
});
export type StatementDetail = z.infer<typeof StatementDetail>;

const Difference = z.object({
  label: z.string(),
  /** Of a track that is known. */
  trackId: Id.nullable(),
  amountEur: z.number(),
  formerEur: z.number(),
  differenceEur: z.number(),
});
export type Difference = z.infer<typeof Difference>;

const Differences = z
  .object({
    /** The month with the most income in it, and the one before. */
    month: Instant,
    formerMonth: Instant,
    amountEur: z.number(),
    formerEur: z.number(),
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

const maxNote = 1000;
const maxLinesShown = 200;
const Key = z.string().min(1).max(100);

/** What staff makes of an unknown file; the server adds the rest. */
const PresetForm = StatementPreset.omit({ isVerified: true, layout: true }).extend({
  /** The preset made here that this one mends. */
  replaces: Id.optional(),
});
/** What can be sent of it, before defaults. */
export type PresetForm = z.input<typeof PresetForm>;

/** The first lines of a file as they are cut, and what stands before a header. */
export const StatementHead = z.object({
  /** Those of `sheets` that are read only when they are named. */
  hiddenSheets: z.array(z.string()),
  charset: Charset.nullable(),
  sheets: z.array(z.string()),
  /** The one whose lines these are: the one that was asked for, or the fullest. */
  sheet: z.string().nullable(),
  /** The preset that read it last, if it was made here and can be mended. */
  preset: Id.nullable(),
  rows: z.array(ShownRow),
  /** Names and values that stand before line `line`'s end, in the file's order. */
  preamble: z.array(z.object({ name: z.string(), value: z.string(), line: z.number() })),
});
export type StatementHead = z.infer<typeof StatementHead>;

export const PresetRow = StatementPreset.extend({
  key: z.string(),
  /** Of one that was made here, and can be removed. */
  id: Id.nullable(),
});
export type PresetRow = z.infer<typeof PresetRow>;

const Consequence = z.object({
  /** The statement that goes. */
  replaced: StatementRef,
  imports: z.number(),
  reports: z.number(),
  /** What leaves the balances of accounts and referrers, EUR. */
  amountEur: z.number(),
});
export type Consequence = z.infer<typeof Consequence>;

const edit = ['edit_reports'] as const;
const read = ['read_reports'] as const;
const status = z.object({ id: Id, status: StatementStatus });

export const storeStatementRoutes = {
  beginStatementUpload: defineRoute({
    method: 'POST',
    path: '/reporting/statements/uploads',
    capability: edit,
    summary: 'Begin to send a statement’s file, or find where the server stands with the one of this name and size.',
    body: UploadForm,
    response: StatementUpload,
  }),
  uploadStatement: defineRoute({
    method: 'PUT',
    path: '/reporting/statements/uploads/:id',
    capability: edit,
    summary:
      'One chunk of at most 4 MiB, with header X-File-Start; a start that is not where the server stands gets 409 with {received}.',
    params: IdParams,
    response: StatementUpload,
    message: 'Le relevé est reçu',
    upload: { field: 'chunk', maxBytes: statementChunkBytes },
  }),
  cancelStatementUpload: defineRoute({
    method: 'DELETE',
    path: '/reporting/statements/uploads/:id',
    capability: edit,
    summary: 'Give up an upload of the caller.',
    params: IdParams,
    response: z.object({}),
    message: 'L’envoi est annulé',
  }),
  listStatements: defineRoute({
    method: 'GET',
    path: '/reporting/statements',
    capability: read,
    summary: 'The stores’ statements, newest first.',
    query: listQuery(['date'], 'desc', {
      status: StatementStatus.optional(),
      source: z.string().max(100).optional(),
      month: MonthMsQuery.optional(),
      /** Those that were replaced or removed are left out unless they are asked for. */
      ended: z.enum(['true', 'false']).optional(),
    }),
    response: z.array(Statement),
    list: true,
  }),
  listStatementSources: defineRoute({
    method: 'GET',
    path: '/reporting/statements/sources',
    capability: read,
    summary: 'Who has sent statements so far.',
    response: z.array(z.string()),
  }),
  followStatements: defineRoute({
    method: 'GET',
    path: '/reporting/statements/events',
    capability: read,
    summary: 'Server-sent events: how far the reading of statements is; without figures, it has ended.',
    query: z.strictObject({}),
    response: z.unknown(),
    isFile: true,
  }),
  getStoreStatement: defineRoute({
    method: 'GET',
    path: '/reporting/statements/:id',
    capability: ['read_reports', 'edit_reports'],
    summary: 'A statement with its months, checks and what was found in its file.',
    params: IdParams,
    response: StatementDetail,
  }),
  getStatementDifferences: defineRoute({
    method: 'GET',
    path: '/reporting/statements/:id/differences',
    capability: read,
    summary: 'What differs most from its source’s month before, by store, country and track.',
    params: IdParams,
    response: Differences,
  }),
  editStatement: defineRoute({
    method: 'PUT',
    path: '/reporting/statements/:id',
    capability: edit,
    summary: 'The month its income is counted in, and the amount that was declared or banked.',
    params: IdParams,
    body: StatementForm,
    response: status,
    message: 'Le relevé est enregistré',
  }),
  readStatementWith: defineRoute({
    method: 'POST',
    path: '/reporting/statements/:id/preset',
    capability: edit,
    summary:
      'Read a statement with this preset, or with whichever fits, and with what staff says of the file; what is loaded and not posted is read anew.',
    params: IdParams,
    body: z.object({
      preset: Key.nullable(),
      /** Of a file that names none. */
      month: MonthMs.optional(),
      currency: CurrencyCode.optional(),
      /** Of a workbook, the sheets to read; null for all that fit. What is not said stays as it was. */
      sheets: z.array(SheetName).min(1).max(100).nullish(),
      /** Null for the one that the file's bytes show. */
      charset: Charset.nullish(),
      /** Null for what the preset or the file's numbers say. */
      decimalMark: z.enum(['.', ',']).nullish(),
    }),
    response: status,
    message: 'La lecture reprend',
  }),
  checkStatement: defineRoute({
    method: 'POST',
    path: '/reporting/statements/:id/check',
    capability: edit,
    stepUp: true,
    summary: 'Mark a loaded statement as checked, as it was shown: it can be posted.',
    params: IdParams,
    body: z.object({
      version: SeenVersion,
      note: z
        .string()
        .trim()
        .max(maxNote, { error: messages.maxLength(maxNote) })
        .optional(),
      /** Asked for where a rate is old or a month lies in the future. */
      confirmRates: z.boolean().default(false),
      /** Required where other statements have lines of this one too. */
      confirmDuplicates: z.boolean().default(false),
    }),
    response: status,
    message: 'Le relevé est vérifié',
  }),
  uncheckStatement: defineRoute({
    method: 'POST',
    path: '/reporting/statements/:id/uncheck',
    capability: edit,
    summary: 'Take a check back.',
    params: IdParams,
    response: status,
    message: 'La vérification est retirée',
  }),
  replaceStatement: defineRoute({
    method: 'POST',
    path: '/reporting/statements/:id/replace',
    capability: edit,
    stepUp: true,
    summary: 'Put a loaded statement in the place of the one it corrects or contains, or only tell what that reverses.',
    params: IdParams,
    body: z.object({
      dryRun: z.boolean().default(false),
      /** The former statement that it contains; without it, the one it was sent as a correction of. */
      replaces: Id.optional(),
    }),
    response: Consequence,
    message: 'Le relevé corrigé remplace le précédent',
  }),
  deleteStatement: defineRoute({
    method: 'DELETE',
    path: '/reporting/statements/:id',
    capability: edit,
    summary: 'Take a statement away, or stop its reading; refused while lines of it are posted.',
    params: IdParams,
    response: status,
    message: 'Le relevé est retiré',
  }),
  downloadStatement: defineRoute({
    method: 'GET',
    path: '/reporting/statements/:id/file',
    capability: read,
    summary: 'The file as it was sent.',
    params: IdParams,
    response: z.unknown(),
    isFile: true,
  }),
  getStatementHead: defineRoute({
    method: 'GET',
    path: '/reporting/statements/:id/head',
    capability: edit,
    summary: 'The first 200 lines of the stored file as cells, to say what they mean.',
    params: IdParams,
    query: z.object({ sheet: SheetName.optional(), charset: Charset.optional() }),
    response: StatementHead,
  }),
  readStatementMember: defineRoute({
    method: 'POST',
    path: '/reporting/statements/:id/members',
    capability: edit,
    summary: 'Make a statement of a file that was left out of an archive.',
    params: IdParams,
    body: z.object({ name: z.string().min(1).max(1000) }),
    response: z.object({ id: Id }),
    message: 'Le fichier est lu',
  }),
  getStatementLines: defineRoute({
    method: 'GET',
    path: '/reporting/statements/:id/lines',
    capability: read,
    summary: 'Lines of the stored file as text.',
    params: IdParams,
    query: z.object({
      from: z.coerce.number().int().min(1).max(10_000_000_000_000).default(1),
      count: z.coerce.number().int().min(1).max(maxLinesShown).default(20),
    }),
    response: z.array(z.object({ line: z.number(), text: z.string() })),
  }),
  listPresets: defineRoute({
    method: 'GET',
    path: '/reporting/presets',
    capability: ['read_reports', 'edit_reports'],
    summary: 'Every form of statement that can be read: the house’s and those made here.',
    response: z.array(PresetRow),
  }),
  createPreset: defineRoute({
    method: 'POST',
    path: '/reporting/presets',
    capability: edit,
    summary: 'A form of statement, from a file that none of the others reads.',
    body: PresetForm,
    response: z.object({ key: z.string() }),
    message: 'Le modèle est enregistré',
  }),
  deletePreset: defineRoute({
    method: 'DELETE',
    path: '/reporting/presets/:id',
    capability: edit,
    summary: 'Remove a form made here; statements read with it stay.',
    params: IdParams,
    response: z.object({}),
    message: 'Le modèle est supprimé',
  }),
};
