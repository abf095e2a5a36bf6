/** A cell of a workbook: text, a number as it is written, or the result of a formula. */
export type SheetCell = string | { n: string } | { f: string; n: string };

/** What one line of a file is expected to say: month, store, country, item or `~`, kind, currency, quantity, amount. */
type Line = [string, string, string, string, string, string, string, string];

/** A file of a preset's form, beside what it says. */
export interface Fixture {
  /** A workbook where these are rows of cells. */
  file: string | Buffer | SheetCell[][];
  totals: Record<string, string>;
  lines: Line[];
  /** Rows that are left out, by reason. */
  skipped?: Record<string, number>;
  /** What staff says where the file names no month. */
  month?: string;
  /** What staff says where the file names no currency. */
  currency?: string;
  /** Another preset fits too: staff chooses. */
  isChosen?: boolean;
  /** Some of its rows are one cell each, as in no workbook. */
  hasWrappedRows?: boolean;
  /** The same form as it was also seen. */
  variants?: Record<string, { file: string; totals: Record<string, string> }>;
}

type Row = Record<string, string>;

/** A file of these rows under a header; columns that a row does not name are empty. */
export function table(header: string, rows: readonly (Row | string)[], delimiter = ',', end = '\r\n'): string {
  const names = header.split(delimiter);
  const cells = rows.map((row) => {
    if (typeof row === 'string') return row;
    const unknown = Object.keys(row).filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`no column ${unknown.join(', ')}`);
    return names.map((name) => quoted(row[name] ?? '', delimiter)).join(delimiter);
  });
  return [header, ...cells, ''].join(end);
}
const quoted = (text: string, delimiter: string) =>
  delimiter !== '\t' && (text.includes(delimiter) || text.includes('"')) ? `"${text.replaceAll('"', '""')}"` : text;

/** Only letters that the page has: the platform writes no other text than Unicode. */
export function windows1251(text: string): Buffer {
  const decoder = new TextDecoder('windows-1251');
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
  return Buffer.from([...text].map((letter) => codes.get(letter) ?? 63));
}
