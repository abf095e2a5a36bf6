import { type Cell, cellText, isBlankRow } from '@regie/values/cell.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from './refusal.ts';
import {
  type Delimiter,
  findDelimiter,
  markedEncoding,
  parseRows,
  readText,
  type TextEncoding,
  WrongEncoding,
} from './text.ts';
import { type ColumnKind, findSheet, type WorkbookReading, workbookRows } from './workbook.ts';

const acceptedTypes = new Set(['text/csv', 'text/comma-separated-values', 'application/vnd.ms-excel']);
const workbookTypes = /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\./;

/** product §15.8; the extension helps when the browser gives no type. */
export function isAcceptedFile(file: { name: string; type: string }): boolean {
  const type = file.type.toLowerCase().split(';')[0] ?? '';
  if (type === '') return /\.(csv|xlsx)$/i.test(file.name);
  return acceptedTypes.has(type) || workbookTypes.test(type);
}

export type TableReading =
  | { kind: 'text'; encoding: TextEncoding; delimiter: Delimiter; notes: string[] }
  | WorkbookReading;

const startCharacters = 64 * 1024;
const legacyExcel = [0xd0, 0xcf, 0x11, 0xe0];
const zip = [0x50, 0x4b, 0x03, 0x04];

const startsWith = (bytes: Uint8Array, signature: number[]) => signature.every((byte, index) => bytes[index] === byte);

async function findTextReading(file: Blob, encoding: TextEncoding, kindOf: ColumnKind): Promise<TableReading> {
  let start = '';
  for await (const text of readText(file, encoding)) {
    start += text;
    if (start.length >= startCharacters && start.trim().includes('\n')) break;
  }
  return { kind: 'text', encoding, delimiter: findDelimiter(start, kindOf), notes: [] };
}

/** By its bytes, never its name; text that is not valid UTF-8 is read as Windows-1252. @throws TableRefusal */
export async function openTable<Result>(
  file: Blob,
  kindOf: ColumnKind,
  read: (reading: TableReading) => Promise<Result>,
  sheet?: string,
): Promise<Result> {
  const start = new Uint8Array(await file.slice(0, 8).arrayBuffer());
  if (startsWith(start, legacyExcel)) throw new TableRefusal(fr.tables.legacyExcel);
  if (startsWith(start, zip)) return read(await findSheet(file, kindOf, sheet));
  try {
    return await read(await findTextReading(file, markedEncoding(start) ?? 'utf-8', kindOf));
  } catch (error) {
    if (!(error instanceof WrongEncoding)) throw error;
    return read(await findTextReading(file, 'windows-1252', kindOf));
  }
}

export async function* filledRows(file: Blob, reading: TableReading, kindOf: ColumnKind): AsyncGenerator<Cell[][]> {
  const source =
    reading.kind === 'workbook'
      ? workbookRows(file, reading, kindOf)
      : parseRows(readText(file, reading.encoding), reading.delimiter);
  let width: number | undefined;
  for await (const rows of source) {
    const filled = rows.filter((row) => !isBlankRow(row));
    width ??= filled[0]?.length;
    // A workbook does not store trailing empty cells, so its rows are never too short.
    if (reading.kind === 'workbook' && width !== undefined)
      for (const row of filled) while (row.length < width) row.push('');
    if (filled.length > 0) yield filled;
  }
}

/** A trailing delimiter in the header line is not a column. */
export function trimHeader(row: readonly Cell[]): string[] {
  const header = row.map((cell) => cellText(cell));
  while (header.length > 0 && header.at(-1)?.trim() === '') header.pop();
  return header;
}
