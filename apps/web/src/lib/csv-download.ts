/** Text, a number, or nothing. */
export type CsvCell = string | number | null | undefined;

const byteOrderMark = '\ufeff';
const lineEnd = '\r\n';

/**
 * One cell by RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe in front
 * (decisions §6); numbers stay numbers, with a dot.
 */
function writeCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? plainDecimal(cell) : '';
  // Spreadsheets read the wide forms of these signs as the signs themselves, and skip blanks before them.
  const safe = /^[\s\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫−]|^[\t\r]/u.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** 1e-7 as 0.0000001: not every spreadsheet reads exponents. */
function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

/** Rows as CSV lines, without the mark that starts a file. */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => row.map(writeCell).join(',') + lineEnd).join('');
}

/** A whole file: the byte order mark makes spreadsheets read the accents. */
export function csvFile(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return byteOrderMark + csvLines([header]) + csvLines(rows);
}

/** Hands a file to the browser's downloads. */
export function downloadBlob(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has its own hold on the blob once the click is handled.
  window.setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** Downloads CSV text given in pieces, the first of which is `csvFile`'s. */
export function downloadCsv(pieces: readonly string[], fileName: string): void {
  downloadBlob(new Blob([...pieces], { type: 'text/csv;charset=utf-8' }), fileName);
}
