import { findReportField, type ReportField, readColumns, warnIgnored } from '@regie/contract/columns.ts';
import { valueFields } from '@regie/contract/imports.ts';
import { messages } from '@regie/contract/messages.ts';
import { type GivenValues, isZeroFigure, type UnsavedRow } from '@regie/contract/routes/reports.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';

const countFields = ['numOfStreams', 'numOfDownloads', 'numOfYoutube'] as const;
const incomeFields = ['incomeOfStreams', 'incomeOfDownloads', 'incomeOfYoutube'] as const;

type NumberField = (typeof countFields)[number] | (typeof incomeFields)[number];
const fieldLabels: Record<NumberField, string> = {
  numOfStreams: 'écoutes',
  incomeOfStreams: 'revenus des écoutes',
  numOfDownloads: 'téléchargements',
  incomeOfDownloads: 'revenus des téléchargements',
  numOfYoutube: 'vues vidéo',
  incomeOfYoutube: 'revenus vidéo',
};

export type Unsaved = UnsavedRow;

/** Columns as exact texts for `unnest`, without unreadable rows. */
export interface ParsedRows {
  row: number[];
  isrc: string[];
  streams: string[];
  incomeStreams: string[];
  downloads: string[];
  incomeDownloads: string[];
  youtube: string[];
  incomeYoutube: string[];
  unsaved: Unsaved[];
}

export const reasons = {
  unreadable: 'Ligne illisible',
  noIsrc: 'ISRC manquant',
  badIsrc: 'ISRC mal formé',
  unknownIsrc: 'ISRC inconnu',
  doubledIsrc: 'ISRC en double',
  zero: messages.zeroRow,
  noFigure: 'Aucune colonne de chiffres reconnue',
  doubledColumn: 'Deux colonnes désignent la même donnée',
  tooManyCells: 'Plus de cellules que de colonnes',
  badNumber: (field: NumberField) => `Nombre illisible\u00a0: ${fieldLabels[field]}`,
  bothMarks: (field: NumberField) => `Colonne avec des points et des virgules\u00a0: ${fieldLabels[field]}`,
} as const;

const shownLength = 100;
const countPattern = /^[+-]?\d{1,15}$/;
/** One decimal mark, no thousands separator; exponents of small numbers (0E-18, 1.2e-7). */
const decimalPattern = /^[+-]?(?:\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})$/;
const decimalMarks = [',', '.'];
const exponentPattern = /^[+-]?\d(?:\.\d{1,40})?[eE]-\d{1,2}$/;

/** Null for a row that is not an object. */
export function givenValues(row: unknown): GivenValues | null {
  const read = readColumns(row, findReportField);
  if (!read) return null;
  return Object.fromEntries(
    valueFields.flatMap((field) => {
      const text = readText(read.fields[field])?.replaceAll('\0', '').slice(0, shownLength);
      return text ? [[field, text]] : [];
    }),
  );
}

/** Undefined for neither a number nor a text. */
function readText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'number' || typeof value === 'string' ? String(value).trim() : undefined;
}

function readCount(value: unknown): string | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  if (text === '') return '0';
  return countPattern.test(text) ? text : undefined;
}

function readIncome(value: unknown): string | undefined {
  const text = readText(value)?.replace(',', '.');
  if (text === undefined) return undefined;
  if (text === '') return '0';
  return decimalPattern.test(text) || exponentPattern.test(text) ? text : undefined;
}

/** An income written with this decimal mark. */
const hasMark = (value: unknown, mark: string) =>
  typeof value === 'string' && value.includes(mark) && readIncome(value) !== undefined;

interface ReadRow {
  isrc: string;
  counts: string[];
  incomes: string[];
}

const isReason = (read: ReadRow | string): read is string => typeof read === 'string';

/** Papaparse's key for the cells beyond the header. */
const extraCells = '__parsed_extra';

function readRow(
  record: Partial<Record<ReportField, unknown>>,
  ignored: readonly string[],
  given: string,
  mixed: readonly NumberField[],
): ReadRow | string {
  const isrc = normaliseIsrc(given);
  if (isrc === '') return reasons.noIsrc;
  if (!isrcPattern.test(isrc)) return reasons.badIsrc;
  if (ignored.includes(extraCells)) return reasons.tooManyCells;
  if (ignored.some((name) => findReportField(name))) return reasons.doubledColumn;
  if (!valueFields.some((field) => Object.hasOwn(record, field))) return reasons.noFigure;
  const read: ReadRow = { isrc, counts: [], incomes: [] };
  for (const field of countFields) {
    const count = readCount(record[field]);
    if (count === undefined) return reasons.badNumber(field);
    read.counts.push(count);
  }
  for (const field of incomeFields) {
    const income = readIncome(record[field]);
    if (income === undefined) return reasons.badNumber(field);
    if (mixed.includes(field) && decimalMarks.some((mark) => hasMark(record[field], mark))) {
      return reasons.bothMarks(field);
    }
    read.incomes.push(income);
  }
  const isZero = [...read.counts, ...read.incomes].every((figure) => isZeroFigure(Number(figure)));
  return isZero ? reasons.zero : read;
}

/**
 * Parses the rows of a batch (product §33.16, §33.17); `firstRow` counts from 1 over the file. An invalid row is
 * unsaved with its reason.
 */
export function parseReportRows(rows: readonly unknown[], firstRow: number): ParsedRows & { ignored: string[] } {
  const sent = rows.map((row) => readColumns(row, findReportField));
  const parsed: ParsedRows = {
    row: [],
    isrc: [],
    streams: [],
    incomeStreams: [],
    downloads: [],
    incomeDownloads: [],
    youtube: [],
    incomeYoutube: [],
    unsaved: [],
  };
  const mixed = incomeFields.filter((field) =>
    decimalMarks.every((mark) => sent.some((columns) => hasMark(columns?.fields[field], mark))),
  );
  for (const [index, columns] of sent.entries()) {
    const row = firstRow + index;
    if (!columns) {
      parsed.unsaved.push({ row, isrc: '', reason: reasons.unreadable });
      continue;
    }
    const { fields: record, ignored } = columns;
    const isrc = typeof record.isrc === 'string' || typeof record.isrc === 'number' ? String(record.isrc) : '';
    const read = readRow(record, ignored, isrc, mixed);
    if (isReason(read)) {
      const shown = isrc.replaceAll('\0', '').trim().slice(0, shownLength);
      parsed.unsaved.push({ row, isrc: shown, reason: read });
      continue;
    }
    parsed.row.push(row);
    parsed.isrc.push(read.isrc);
    const [streams = '0', downloads = '0', youtube = '0'] = read.counts;
    parsed.streams.push(streams);
    parsed.downloads.push(downloads);
    parsed.youtube.push(youtube);
    const [incomeStreams = '0', incomeDownloads = '0', incomeYoutube = '0'] = read.incomes;
    parsed.incomeStreams.push(incomeStreams);
    parsed.incomeDownloads.push(incomeDownloads);
    parsed.incomeYoutube.push(incomeYoutube);
  }
  return { ...parsed, ignored: warnIgnored(sent) };
}
