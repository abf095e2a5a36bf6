import { formatDate, formatDateTime } from '@regie/values/formats.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import type { WrittenCell } from '@regie/values/workbook-writer.ts';
import { downloadBlob } from './download.ts';

export type FileValue = string | number | null | undefined;

export interface FileColumn<Row> {
  header: string;
  value: (row: Row) => FileValue;
  /** Absent: plain numbers. `exactMoney`: all decimals, which must add up. Values typed into a `text` one stay text. */
  type?: 'text' | 'money' | 'exactMoney' | 'day' | 'month' | 'moment';
  unit?: string;
}

export type FileFormat = 'csv' | 'xlsx';
export const fileFormats = ['csv', 'xlsx'] as const satisfies readonly FileFormat[];

const byteOrderMark = '\ufeff';
const lineEnd = '\r\n';
const delimiter = ';';

const headerOf = ({ header, unit }: Pick<FileColumn<never>, 'header' | 'unit'>) =>
  unit === undefined ? header : `${header} (${unit})`;

const moneyFormat = (decimals: number) =>
  new Intl.NumberFormat('fr-FR', {
    useGrouping: false,
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
    roundingMode: 'halfEven',
    signDisplay: 'negative',
  });
const moneyFormats = { money: moneyFormat(2), exactMoney: moneyFormat(20) };

/** 0,0000001 for 1e-7: some spreadsheets do not read exponents. */
function plainDecimal(value: number): string {
  const text = String(value);
  return (text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text).replace('.', ',');
}

const instants = { day: formatDate, month: monthOfInstant, moment: formatDateTime };

/** Spreadsheets treat the full-width forms of these characters the same, and skip leading blanks. */
const formula = '[\\s\\p{Cf}]*[=+\\-@＝＋－＠﹢﹣﹦﹫−]|[\\t\\r]';
const formulaStart = new RegExp(`^(?:${formula})`, 'u');
const escapedFormulaStart = new RegExp(`^'(?=${formula})`, 'u');

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe (product §36.5). */
export const escapeFormula = (text: string): string => (formulaStart.test(text) ? `'${text}` : text);

export const unescapeFormula = (text: string): string => text.replace(escapedFormulaStart, '');

const quote = (text: string): string =>
  /[";\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;

export const csvLine = (cells: readonly string[]): string => cells.map(quote).join(delimiter) + lineEnd;

function csvCell<Row>({ type, value }: FileColumn<Row>, row: Row): string {
  const cell = value(row);
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return escapeFormula(cell);
  if (!Number.isFinite(cell)) return '';
  if (type === undefined || type === 'text') return plainDecimal(cell);
  return type === 'money' || type === 'exactMoney' ? moneyFormats[type].format(cell) : instants[type](cell);
}

/** The byte order mark makes spreadsheets decode accents. */
export const csvStart = (header: readonly string[]): string => byteOrderMark + csvLine(header.map(escapeFormula));

const msPerDay = 86_400_000;
/** 30 December 1899, day 0 of spreadsheets. */
const dayZero = Date.UTC(1899, 11, 30);

/** Of `dd/MM/yyyy`, `dd/MM/yyyy HH:mm` or `yyyy-MM`; undefined for any other text, or before 1900. */
function serialOf(text: string): number | undefined {
  const month = /^(\d{4})-(\d{2})$/.exec(text);
  const day = /^(\d{2})\/(\d{2})\/(\d{4})(?: (\d{2}):(\d{2}))?$/.exec(text);
  const parts = month ? [month[1], month[2], 1] : day ? [day[3], day[2], day[1], day[4], day[5]] : undefined;
  if (!parts) return undefined;
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0] = parts.map((part) => Number(part ?? 0));
  return years < 1900 ? undefined : (Date.UTC(years, months - 1, days, hours, minutes) - dayZero) / msPerDay;
}

function workbookCell<Row>({ type, value }: FileColumn<Row>, row: Row): WrittenCell {
  const cell = value(row);
  if (cell === null || cell === undefined) return null;
  if (type === undefined || type === 'text' || type === 'money' || type === 'exactMoney') return cell;
  if (typeof cell === 'string') return type === 'day' ? (serialOf(cell) ?? cell) : cell;
  return serialOf(instants[type](cell)) ?? null;
}

export interface FileWriter<Row> {
  add: (rows: readonly Row[]) => Promise<void>;
  finish: () => Promise<Blob>;
}

export async function openFile<Row>(
  format: FileFormat,
  name: string,
  columns: readonly FileColumn<Row>[],
): Promise<FileWriter<Row>> {
  if (format === 'csv') {
    const pieces = [csvStart(columns.map(headerOf))];
    return {
      add: async (rows) => {
        pieces.push(rows.map((row) => csvLine(columns.map((column) => csvCell(column, row)))).join(''));
      },
      finish: async () => new Blob(pieces, { type: 'text/csv;charset=utf-8' }),
    };
  }
  const { WorkbookWriter } = await import('@regie/values/workbook-writer.ts');
  const writer = new WorkbookWriter(
    name,
    columns.map((column) => ({
      header: headerOf(column),
      format: column.type === 'exactMoney' ? 'money' : (column.type ?? 'number'),
    })),
  );
  return {
    add: (rows) => writer.add(rows.map((row) => columns.map((column) => workbookCell(column, row)))),
    finish: () => writer.finish(),
  };
}

const slice = 1000;

export async function downloadTable<Row>(
  format: FileFormat,
  fileName: string,
  columns: readonly FileColumn<Row>[],
  rows: readonly Row[],
): Promise<void> {
  const file = await openFile(format, fileName, columns);
  for (let from = 0; from === 0 || from < rows.length; from += slice) {
    await file.add(rows.slice(from, from + slice));
    // Yields to the event loop, so that the page responds.
    await new Promise((resolve) => setTimeout(resolve));
  }
  downloadBlob(await file.finish(), `${fileName}.${format}`);
}

/** A template to fill in: the columns, and one example row. Values typed into its text columns stay text. */
export const exampleColumns = (example: Readonly<Record<string, string | number>>): FileColumn<unknown>[] =>
  Object.entries(example).map(([header, value]) => ({
    header,
    type: typeof value === 'string' ? 'text' : undefined,
    value: () => value,
  }));

export const downloadTemplate = (
  format: FileFormat,
  fileName: string,
  example: Readonly<Record<string, string | number>>,
): Promise<void> => downloadTable(format, fileName, exampleColumns(example), [undefined]);
