import { sheetStride } from '@regie/contract/statements.ts';
import { cellText } from '@regie/values/cell.ts';
import { readMonth } from '@regie/values/period.ts';
import {
  BrokenWorkbook,
  openWorkbook,
  type Workbook,
  type WorkbookFiles,
  type WorkbookRow,
} from '@regie/values/workbook.ts';
import { readEntry, requireArchive, type StoredFile } from './archives.ts';
import type { DecimalMark } from './decimals.ts';
import type { HeadRow, PresetMatch } from './recognise.ts';
import { StatementRefusal } from './refusal.ts';
import type { SummedLines } from './summing.ts';
import { countedColumns, createRowReader, MadeRow, type ReadingChoice, type RowReader } from './table-reader.ts';

/** Limits memory; a million rows of a real statement have fewer characters in shared strings. */
const limits = { sharedCharacters: 60_000_000 };
const headRowCount = 500;
/** Real statements have at most a sheet per month or store. */
const maxSheets = 100;

const refused = (error: unknown) =>
  error instanceof BrokenWorkbook || error instanceof StatementRefusal
    ? new StatementRefusal('Ce classeur Excel ne se lit pas\u00a0: enregistrez-le à nouveau, ou en CSV')
    : error;

async function openFiles(file: StoredFile): Promise<WorkbookFiles> {
  const { zip, entries } = await requireArchive(file);
  const byName = new Map(entries.map((entry) => [entry.fileName.toLowerCase(), entry]));
  return {
    names: new Set(byName.keys()),
    read: (name) => readEntry(zip, byName.get(name)),
  };
}

/** Whether a ZIP is a workbook, and not one of files. @throws StatementRefusal for a damaged one */
export const isWorkbook = async (file: StoredFile): Promise<boolean> =>
  (await openFiles(file)).names.has('xl/workbook.xml');

/** @throws StatementRefusal */
export async function openStoredWorkbook(file: StoredFile): Promise<Workbook> {
  return openWorkbook(openFiles(file), limits).catch((error: unknown) => {
    throw refused(error);
  });
}

async function* rowsOf(workbook: Workbook, sheet: number, isWhole = true): AsyncGenerator<WorkbookRow[], void> {
  try {
    const merged = isWhole ? await workbook.findMerged(sheet) : undefined;
    for await (const batch of workbook.rows(sheet, merged)) {
      yield batch.map((row) => ({ ...row, line: row.line + sheet * sheetStride }));
    }
  } catch (error) {
    throw refused(error);
  }
}

export interface SheetHead {
  name: string;
  isHidden: boolean;
  rows: HeadRow[];
  /** The rows without numeric cells, whose decimal mark is known. */
  texts: HeadRow[];
}

const allSheets = ({ sheets, hiddenSheets }: Workbook) => [...sheets, ...hiddenSheets];

/** Every row of the sheets, as text. @throws StatementRefusal */
export async function* readWorkbookRows(file: StoredFile): AsyncGenerator<HeadRow, void> {
  const workbook = await openStoredWorkbook(file);
  for (const sheet of allSheets(workbook).keys()) {
    for await (const batch of rowsOf(workbook, sheet)) {
      for (const { line, cells } of batch) yield { line, cells: cells.map(cellText) };
    }
  }
}

export async function readSheetHeads(workbook: Workbook): Promise<SheetHead[]> {
  const heads: SheetHead[] = [];
  for (const [sheet, name] of allSheets(workbook).slice(0, maxSheets).entries()) {
    const head: SheetHead = { name, isHidden: sheet >= workbook.sheets.length, rows: [], texts: [] };
    heads.push(head);
    for await (const batch of rowsOf(workbook, sheet, false)) {
      for (const { line, cells } of batch) {
        head.rows.push({ line, cells: cells.map(cellText) });
        head.texts.push({ line, cells: cells.map((cell) => (typeof cell === 'string' ? cell : '')) });
      }
      if (head.rows.length >= headRowCount) break;
    }
  }
  return heads;
}

const firstSerial = 20_000;
const lastSerial = 80_000;
const daysTo1904 = 1462;
const dayMs = 86_400_000;
const upcDigits = 12;

/** Converts a workbook's day number to a date; months as numbers stay. */
function dateText(text: string, fit: PresetMatch, startsIn1904: boolean): string {
  const serial = Number(text) + (startsIn1904 ? daysTo1904 : 0);
  if (!(serial > firstSerial && serial < lastSerial)) return text;
  if (readMonth(text, fit.known.preset.monthForms) !== undefined) return text;
  return new Date(Date.UTC(1899, 11, 30) + Math.floor(serial) * dayMs).toISOString().slice(0, 10);
}

export async function* readSheet(
  workbook: Workbook,
  sheet: number,
  fit: PresetMatch,
  choice: ReadingChoice,
  onReader: (reader: RowReader) => void,
): AsyncGenerator<SummedLines, void> {
  const counted = new Set(countedColumns(fit));
  const read = new Set([...counted, ...Object.values(fit.columns), ...Object.values(fit.columns.joins ?? {})]);
  let { formulas, repeated }: Pick<WorkbookRow, 'formulas' | 'repeated'> = { formulas: [], repeated: [] };
  const reader = createRowReader(fit, {
    ...choice,
    onIncome: (row) => {
      const refuse = (column: number | undefined, why: string) => {
        if (column === undefined) return;
        throw new StatementRefusal(`La colonne «\u00a0${fit.header[column] ?? ''}\u00a0» y est ${why}`, row.line);
      };
      refuse(
        formulas.find((index) => read.has(index)),
        'calculée par une formule\u00a0: enregistrez le relevé en valeurs, ou en CSV',
      );
      refuse(
        repeated.find((index) => counted.has(index)),
        'fusionnée avec une ligne précédente\u00a0: annulez la fusion de ces cellules',
      );
    },
  });
  onReader(reader);
  const made = new MadeRow();
  const marked = (text: string, mark: DecimalMark) => (mark === ',' ? text.replace('.', ',') : text);
  for await (const batch of rowsOf(workbook, sheet)) {
    for (const row of batch) {
      const cells = row.cells.map((cell, index) => {
        const text = cellText(cell);
        if (typeof cell === 'string') return text;
        if (counted.has(index)) return marked(text, choice.mark);
        if (index === fit.columns.month || index === fit.columns.periodEnd)
          return dateText(text, fit, workbook.startsIn1904);
        // A barcode stored as a number lost its leading zeros.
        if (index === fit.columns.upc && /^\d{1,11}$/.test(text)) return text.padStart(upcDigits, '0');
        return text;
      });
      // Workbooks do not store trailing empty cells, so short rows are padded.
      while (cells.length > 0 && cells.length < fit.header.length) cells.push('');
      ({ formulas, repeated } = row);
      reader.take(made.of(row.line, cells));
    }
    yield* reader.finished();
  }
  yield* reader.end();
}
