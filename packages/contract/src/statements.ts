import { z } from './zod.ts';

/** Statements (relevés): what the stores' own files are, before and after they are read (issue of the statements; decisions §3). */

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
  'loaded',
  'checked',
  'replaced',
  'removed',
] as const;
export const StatementStatus = z.enum(statementStatuses);
export type StatementStatus = z.infer<typeof StatementStatus>;

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
  'quantity',
  'amount',
  'currency',
  'kind',
] as const;
export const StatementField = z.enum(statementFields);
export type StatementField = z.infer<typeof StatementField>;

/**
 * How a date or period is written. A period of several months is told by its first one; `M/D/YY` and `D/M/YY` take years of
 * two or four digits and whatever time of day follows.
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
  'MMM-YY',
  'MMMM YYYY',
  'YYYY-Qn',
] as const;
export const MonthForm = z.enum(monthForms);
export type MonthForm = z.infer<typeof MonthForm>;

const HeaderName = z.string().trim().min(1).max(200);
const HeaderNames = z.array(HeaderName).min(1).max(20);
const Words = z.array(z.string().trim().min(1).max(200)).max(100);

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
  /** `dsr`: DDEX flat files, whose rows have types. */
  layout: z.enum(['table', 'dsr']),
  /** Names a column may have, the first one found counts. What is here has to be there, unless it is optional. */
  columns: z.partialRecord(StatementField, HeaderNames),
  optional: z.array(StatementField),
  /** Further columns that tell this form from others. */
  signature: z.array(HeaderName).max(100),
  /** Columns that this form never has. */
  absent: z.array(HeaderName).max(100),
  /** Where the file has no column for it. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  store: z.string().trim().min(1).max(100).optional(),
  monthForms: z.array(MonthForm).min(1),
  /** `either`: settled once for the whole file by its first rows, never per cell. */
  decimalMark: z.enum(['.', ',', 'either']),
  /** Words of the `kind` column; what none of them tells is told by the store. */
  kinds: z.partialRecord(IncomeKind, Words),
  /** Rows that are no income, by a cell of a column. */
  skip: z.array(z.object({ column: HeaderName, words: Words, reason: z.string().min(1).max(200) })).max(20),
  /** How the rows end before the file does; a number in the second cell is the count of rows. */
  footers: Words,
});
export type StatementPreset = z.infer<typeof StatementPreset>;
