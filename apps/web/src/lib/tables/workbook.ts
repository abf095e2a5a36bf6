import { messages } from '@regie/contract/messages.ts';
import { type Cell, cellText, columnName, isBlankRow } from '@regie/values/cell.ts';
import {
  BrokenWorkbook,
  type MergedCells,
  openWorkbook,
  type Workbook,
  type WorkbookRow,
} from '@regie/values/workbook.ts';
import { openZip } from '@regie/values/zip.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from './refusal.ts';

const maxWorkbookBytes = 50 * 1024 * 1024;
const limits = { sharedCharacters: 200_000_000 };

/** What a column of that name holds; undefined for one that is not read. Amounts also are counts. */
export type ColumnKind = (name: string) => 'text' | 'amount' | undefined;

export interface WorkbookReading {
  kind: 'workbook';
  sheet: number;
  merged: MergedCells;
  notes: string[];
}

const refused = (error: unknown) =>
  error instanceof BrokenWorkbook ? new TableRefusal(`${messages.invalidData}\u00A0: ${fr.tables.workbook}`) : error;

/** The sheet chosen, else the only visible one with a known column. @throws TableRefusal with the sheets */
export async function findSheet(file: Blob, kindOf: ColumnKind, chosen?: string): Promise<WorkbookReading> {
  if (file.size > maxWorkbookBytes) throw new TableRefusal(fr.tables.workbookTooLarge('50\u00A0Mo'));
  try {
    const workbook = await openWorkbook(openZip(file), limits);
    const fitting: string[] = [];
    for (const [sheet, name] of chosen === undefined ? workbook.sheets.entries() : []) {
      if (await hasColumn(workbook, sheet, kindOf)) fitting.push(name);
    }
    if (fitting.length > 1) throw new TableRefusal(fr.tables.chooseSheet, fitting);
    const sheet = Math.max(0, workbook.sheets.indexOf(chosen ?? fitting[0] ?? ''));
    return { kind: 'workbook', sheet, merged: await workbook.findMerged(sheet), notes: [] };
  } catch (error) {
    throw refused(error);
  }
}

async function hasColumn(workbook: Workbook, sheet: number, kindOf: ColumnKind): Promise<boolean> {
  for await (const rows of workbook.rows(sheet)) {
    const first = rows.find(({ cells }) => !isBlankRow(cells));
    if (first) return first.cells.some((cell) => kindOf(cellText(cell)) !== undefined);
  }
  return false;
}

/** As statements are (product §15.8). @throws TableRefusal for a formula, or an amount merged with another row */
export async function* workbookRows(
  file: Blob,
  reading: WorkbookReading,
  kindOf: ColumnKind,
): AsyncGenerator<Cell[][]> {
  let kinds: ReturnType<ColumnKind>[] | undefined;
  let hidden = 0;
  let repeating = 0;
  const isRead = (column: number) => kinds?.[column] !== undefined;
  const check = ({ line, cells, formulas, repeated }: WorkbookRow) => {
    const refuse = (column: number | undefined, why: (cell: string) => string) => {
      if (column !== undefined) throw new TableRefusal(why(`${columnName(column)}${line}`));
    };
    // A row of totals has no name, so that it is not saved.
    const isNamed = cells.some((cell, column) => kinds?.[column] === 'text' && cellText(cell).trim() !== '');
    if (isNamed) refuse(formulas.find(isRead), fr.tables.formula);
    const shared = repeated.find((column) => kinds?.[column] === 'amount');
    refuse(shared, fr.tables.mergedAmount);
  };
  try {
    const workbook = await openWorkbook(openZip(file), limits);
    for await (const rows of workbook.rows(reading.sheet, reading.merged)) {
      for (const row of rows) {
        if (isBlankRow(row.cells)) continue;
        if (kinds && row.formulas.length + row.repeated.length > 0) check(row);
        kinds ??= row.cells.map((cell) => kindOf(cellText(cell)));
        if (row.isHidden) hidden++;
        if (row.repeated.some(isRead)) repeating++;
      }
      yield rows.map(({ cells }) => cells);
    }
    const others = [...workbook.sheets, ...workbook.hiddenSheets];
    const [read = ''] = others.splice(reading.sheet, 1);
    reading.notes = [
      ...(others.length > 0 ? [fr.tables.sheetRead(read, others)] : []),
      ...(hidden > 0 ? [fr.tables.hiddenRows(hidden)] : []),
      ...(repeating > 0 ? [fr.tables.mergedRows(repeating)] : []),
    ];
  } catch (error) {
    throw refused(error);
  }
}
