/** A cell of a workbook: a text, a number, or a formula's result; `ref` names all cells that it fills. */
export type SheetCell = string | { n: string } | { f: string; n: string; ref?: string };

/** An expected line: month, store, country, item or `~`, kind, currency, quantity, amount. */
type Line = [string, string, string, string, string, string, string, string];

export interface Fixture {
  /** A workbook when these are rows of cells. */
  file: string | Buffer | SheetCell[][];
  totals: Record<string, string>;
  lines: Line[];
  /** Rows left out, by reason. */
  skipped?: Record<string, number>;
  /** The month staff enters when the file names none. */
  month?: string;
  /** The currency staff enters when the file names none. */
  currency?: string;
  /** Another preset matches too: staff chooses. */
  isChosen?: boolean;
  /** Some rows are a single cell, which no workbook has. */
  hasWrappedRows?: boolean;
  /** Other variants of the same form. */
  variants?: Record<string, { file: string; totals: Record<string, string> }>;
}

type Row = Record<string, string>;

/** A file of these rows under a header; columns missing in a row are empty. */
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

/** Covers only the letters of the code page; Node encodes text as Unicode only. */
export function windows1251(text: string): Buffer {
  const decoder = new TextDecoder('windows-1251');
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
  return Buffer.from([...text].map((letter) => codes.get(letter) ?? 63));
}
