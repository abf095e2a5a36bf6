import type { UnsavedRow } from '@regie/contract/routes/reports.ts';

/** The columns of a batch beside the ISRC, in the order in which the database takes them. */
const countFields = ['numOfStreams', 'numOfDownloads', 'numOfYoutube'] as const;
const incomeFields = ['incomeOfStreams', 'incomeOfDownloads', 'incomeOfYoutube'] as const;

type NumberField = (typeof countFields)[number] | (typeof incomeFields)[number];
/** As staff call the columns, for the reason beside an unsaved row. */
const fieldLabels: Record<NumberField, string> = {
  numOfStreams: 'écoutes',
  incomeOfStreams: 'revenus des écoutes',
  numOfDownloads: 'téléchargements',
  incomeOfDownloads: 'revenus des téléchargements',
  numOfYoutube: 'vues vidéo',
  incomeOfYoutube: 'revenus vidéo',
};

export type Unsaved = UnsavedRow;

/** Columns of a batch as arrays of exact texts, ready for `unnest`; rows that cannot be read are in `unsaved`. */
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
  badNumber: (field: NumberField) => `Nombre illisible\u00a0: ${fieldLabels[field]}`,
} as const;

const shownIsrcLength = 100;
const isrcPattern = /^[A-Z]{2}[A-Z0-9]{3}\d{7}$/;
const countPattern = /^[+-]?\d{1,15}$/;
/** One decimal mark, no thousands mark; the exponent form is what a JSON number may carry (0E-18, 1.2e-7). */
const decimalPattern = /^[+-]?(?:\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})$/;
const exponentPattern = /^[+-]?\d(?:\.\d{1,40})?[eE][+-]?\d{1,2}$/;
const maxIncome = 1_000_000_000;

/** Upper case, without the word ISRC, hyphens and spaces (decisions §3). */
export function normaliseIsrc(text: string): string {
  return text
    .toUpperCase()
    .replace(/[\s\u00a0\u2010-\u2015_-]/g, '')
    .replace(/^ISRC:?/, '');
}

/** The text of a cell; '' when there is nothing in it, undefined when it is neither a number nor a text. */
function readText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'number' || typeof value === 'string' ? String(value).trim() : undefined;
}

function readCount(value: unknown): string | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  if (text === '') return '0';
  if (countPattern.test(text)) return text;
  // A spreadsheet writes a whole number as 12.0.
  const [whole, decimals, ...rest] = text.split(/[.,]/);
  return rest.length === 0 && decimals !== undefined && /^0+$/.test(decimals) && countPattern.test(whole ?? '')
    ? whole
    : undefined;
}

function readIncome(value: unknown): string | undefined {
  const text = readText(value)?.replace(',', '.');
  if (text === undefined) return undefined;
  if (text === '') return '0';
  if (decimalPattern.test(text)) return text;
  return exponentPattern.test(text) && Math.abs(Number(text)) < maxIncome ? text : undefined;
}

interface ReadRow {
  isrc: string;
  counts: string[];
  incomes: string[];
}

const isReason = (read: ReadRow | string): read is string => typeof read === 'string';

function readRow(record: Record<string, unknown>, given: string): ReadRow | string {
  const isrc = isrcPattern.test(given) ? given : normaliseIsrc(given);
  if (isrc === '') return reasons.noIsrc;
  if (!isrcPattern.test(isrc)) return reasons.badIsrc;
  const read: ReadRow = { isrc, counts: [], incomes: [] };
  for (const field of countFields) {
    const count = readCount(record[field]);
    if (count === undefined) return reasons.badNumber(field);
    read.counts.push(count);
  }
  for (const field of incomeFields) {
    const income = readIncome(record[field]);
    if (income === undefined) return reasons.badNumber(field);
    read.incomes.push(income);
  }
  return read;
}

/**
 * Reads the rows of one batch (decisions §3, CSV report import). `firstRow` is the number, from 1 over the whole
 * file, of its first row. A bad row is unsaved with its reason; the others are not held up.
 */
export function parseReportRows(rows: readonly unknown[], firstRow: number): ParsedRows {
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
  for (const [index, value] of rows.entries()) {
    const row = firstRow + index;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      parsed.unsaved.push({ row, isrc: '', reason: reasons.unreadable });
      continue;
    }
    const record = value as Record<string, unknown>;
    const given = typeof record.isrc === 'string' || typeof record.isrc === 'number' ? String(record.isrc) : '';
    const read = readRow(record, given);
    if (isReason(read)) {
      const shown = given.replaceAll('\0', '').trim().slice(0, shownIsrcLength);
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
  return parsed;
}
