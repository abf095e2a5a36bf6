import { isOwnPreset } from '@regie/contract/statements.ts';
import { type MonthForm, plainForms, readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import type { DecimalMark } from './decimals.ts';
import { type HeadRow, type PresetMatch, unwrapRow } from './recognise.ts';
import { allCells, type FileRow, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import { type FileFacts, LineSummer, type SummedLines, totalReason } from './summing.ts';
import { currenciesOfSign } from './values.ts';

export interface RowReader {
  take: (row: FileRow) => void;
  finished: () => SummedLines[];
  /** @throws StatementRefusal when the file declares more rows */
  end: () => SummedLines[];
  readonly seen: Pick<LineSummer, 'rows' | 'counted' | 'skipped' | 'announced'> &
    Partial<Pick<LineSummer, 'totalLines' | 'equalTotals'>>;
  /** The last line, when it ends in a counted number without a line end: the number may be truncated. */
  readonly mayBeCutAt?: number | undefined;
}

/** The same for text chunks. */
export interface StatementReader extends Omit<RowReader, 'take' | 'finished'> {
  push: (text: string) => SummedLines[];
  readonly line: number;
}

/** Settings the preset leaves open, chosen by staff or detected from the first rows. */
export type ReadingChoice = Pick<FileFacts, 'mark' | 'isMarkChosen' | 'monthForms' | 'month' | 'currency'>;

type RowChoice = ReadingChoice & Pick<FileFacts, 'onIncome'>;

export const skipReasons = {
  blank: 'Ligne vide',
  repeatedHeader: 'En-tête répété',
  footer: 'Pied de relevé',
} as const;

/** Folded names of a total, and of the number of all rows. */
export const totalName =
  /^(?:(?:grand|sous|sub|montant)?total|totals|total(?:general|amount|earnings|revenue|royalties)|totaux|sum|summe|итого)$/;
const countName = /^(?:total(?:rows|lines|records)|rowcount|recordcount|numberofrows|nombredelignes)$/;

/** Cells of an unwrapped or rebuilt row. */
export class MadeRow implements FileRow {
  line = 0;
  #cells: string[] = [];
  get count(): number {
    return this.#cells.length;
  }
  of(line: number, cells: string[]): this {
    this.line = line;
    this.#cells = cells;
    return this;
  }
  cell = (index: number): string => this.#cells[index] ?? '';
}

/** Handles preambles, footers, totals and repeated headers. */
export function createRowReader(fit: PresetMatch, choice: RowChoice): RowReader {
  const { preset } = fit.known;
  const width = fit.header.length;
  const isMarkChosen =
    choice.isMarkChosen === true || (isOwnPreset(fit.known.key) && preset.decimalMark === choice.mark);
  const summer = new LineSummer(preset, fit.columns, { ...choice, ...fit.preamble, header: fit.names, isMarkChosen });
  const footers = preset.footers.map(foldName);
  const identity = (['isrc', 'upc', 'title', 'artist'] as const).flatMap((field) => fit.columns[field] ?? []);
  const amountNames = new Set(preset.columns.amount?.map(foldName));
  const currencyNames = new Set(preset.columns.currency?.map(foldName));
  const made = new MadeRow();
  /** Columns of the table of sums behind a footer. */
  let sums: { amount: number; currency: number } | undefined;
  let hasEnded = false;
  /** The number of rows that footers declare. */
  let declared: { count: number; line: number } | undefined;

  const isEmptyFrom = (row: FileRow, from: number) => {
    for (let index = from; index < row.count; index++) if (row.cell(index).trim() !== '') return false;
    return true;
  };
  const isEmpty = (row: FileRow) => isEmptyFrom(row, 0);
  /** Only its first cell has text: a whole row in quotes, with another program's delimiters after it. */
  const isAlone = (row: FileRow) => row.count < width && isEmptyFrom(row, 1);

  function takeRow(row: FileRow) {
    if (row.line <= fit.headerLine) {
      if (row.line < fit.headerLine) announces(row, row.cell(0));
      return;
    }
    // Without a header, rows of other types have other columns.
    if (preset.width !== undefined && summer.leavesOut(row)) return;
    const first = row.cell(0);
    if (hasEnded) {
      takeFooter(row, first);
      return summer.skip(skipReasons.footer);
    }
    if (footers.length > 0 && /^\p{L}/u.test(first) && footers.includes(foldName(first))) {
      const count = Number(row.cell(1).replace(/[\s,]/g, ''));
      if (row.count > 1 && row.cell(1).trim() !== '' && Number.isSafeInteger(count)) {
        declared = { count: (declared?.count ?? 0) + count, line: row.line };
      }
      hasEnded = true;
      return summer.skip(skipReasons.footer);
    }
    if (row.count === width) return takeWhole(row, first);
    if (isEmpty(row)) return summer.skip(skipReasons.blank);
    const wrapped = isAlone(row) ? unwrapRow(first, fit.delimiter) : undefined;
    if (wrapped && wrapped.length >= width) return takeWider(made.of(row.line, wrapped));
    if (announces(row, first)) summer.skip(totalReason, row.line);
    else takeWider(row);
  }

  function takeFooter(row: FileRow, first: string): void {
    // A second block has its own header.
    if (row.count === width && isHeader(row)) {
      summer.endBlock();
      sums = undefined;
      hasEnded = false;
      return;
    }
    const names = allCells(row).map(foldName);
    const amount = names.findIndex((name) => amountNames.has(name));
    if (amount >= 0) sums = { amount, currency: names.findIndex((name) => currencyNames.has(name)) };
    else if (!announces(row, first) && sums) {
      summer.announceInTable(row.cell(sums.amount), sums.currency < 0 ? '' : row.cell(sums.currency), row.line);
    }
  }

  /** Takes what a row says of all rows, or of those before. @returns whether it does */
  function announces(row: FileRow, first: string): boolean {
    const name = foldName(first.slice(0, 60).replace(/[:：=].*$/, ''));
    if (totalName.test(name)) summer.announceTotal(row);
    else if (countName.test(name)) summer.announceCount(row);
    else return false;
    return true;
  }

  function takeWider(row: FileRow): void {
    for (let index = width; index < row.count; index++) {
      if (row.cell(index).trim() !== '') throw ragged(row);
    }
    if (row.count < width) throw ragged(row);
    takeWhole(row, row.cell(0));
  }

  const ragged = (row: FileRow) =>
    new StatementRefusal(
      `Cette ligne a ${row.count} colonnes, ${preset.width === undefined ? 'l’en-tête' : 'le modèle'} en a ${width}`,
      row.line,
    );
  const folded = fit.header.map(foldName);
  const isHeader = (row: FileRow) => folded.every((name, index) => foldName(row.cell(index)) === name);
  const initialOf = (text: string) => text.trimStart().charCodeAt(0) | 32;
  const initial = initialOf(fit.header[0] ?? '');

  const namesNothing = (row: FileRow) => identity.every((index) => index === 0 || row.cell(index).trim() === '');

  /** Totals under their columns, with the word in some cell and without a month. */
  const isUnnamedTotal = (row: FileRow) => {
    if (fit.columns.month === undefined || row.cell(fit.columns.month).trim() !== '') return false;
    for (let index = 1; index < width; index++) if (totalName.test(foldName(row.cell(index)))) return true;
    return false;
  };

  /** A total with a month, whose title is the word. The ISRC is checked first because nearly every row has one. */
  const isTotalByTitle = (row: FileRow) => {
    const { title, isrc, upc, artist, store } = fit.columns;
    if (title === undefined || store === undefined || (isrc !== undefined && row.cell(isrc) !== '')) return false;
    if (![isrc, store, upc, artist].every((column) => column === undefined || row.cell(column).trim() === ''))
      return false;
    return totalName.test(foldName(row.cell(title)));
  };

  function takeWhole(row: FileRow, first: string) {
    // A total names no item; a row that looks like one but names an item is income.
    const mayBeTotal = namesNothing(row) || (fit.columns.amount !== undefined && row.cell(fit.columns.amount) === '');
    if (mayBeTotal && first.length < 40 && announces(row, first)) return summer.skip(totalReason, row.line);
    if (initialOf(first) === initial && isHeader(row)) return summer.skip(skipReasons.repeatedHeader);
    if (first === '' && isEmpty(row)) return summer.skip(skipReasons.blank);
    if (isTotalByTitle(row) || (first === '' && isUnnamedTotal(row))) {
      summer.announceTotal(row);
      return summer.skip(totalReason, row.line);
    }
    summer.add(row);
  }

  /** @throws StatementRefusal when the end of the file is missing, or its footers declare another number of rows */
  function requireFooter(): void {
    if (preset.footers.length > 0 && preset.isFooterRequired && !hasEnded) {
      throw new StatementRefusal('La fin du relevé manque\u00a0: le fichier semble coupé');
    }
    if (declared && declared.count !== summer.given) {
      throw new StatementRefusal(`Le relevé annonce ${declared.count} lignes, il en a ${summer.given}`, declared.line);
    }
  }

  return {
    take: takeRow,
    finished: () => summer.take(),
    end() {
      requireFooter();
      const lines = summer.end();
      summer.requireMark();
      return lines;
    },
    seen: summer,
  };
}

/** The same for text. */
export function createTableReader(fit: PresetMatch, choice: ReadingChoice): StatementReader {
  const reader = createRowReader(fit, choice);
  const { seen } = reader;
  const scanner = new RecordScanner(fit.delimiter, reader.take, { width: fit.header.length });
  const endsInNumber = countedColumns(fit).includes(fit.header.length - 1);
  let mayBeCutAt: number | undefined;
  return {
    push(text) {
      scanner.push(text);
      return reader.finished();
    },
    /** @throws StatementRefusal when the last row lacks its end, too */
    end() {
      // A number at the end of the file that ends with its decimal mark lost its decimals.
      if (endsInNumber && /\d[.,]$/.test(scanner.rest)) {
        throw new StatementRefusal('La dernière ligne semble coupée', scanner.nextLine);
      }
      const { rest } = scanner;
      const { counted } = seen;
      scanner.end();
      const isOpen = rest !== '' && !/["\r]$/.test(rest) && seen.counted > counted;
      if (endsInNumber && isOpen && scanner.count <= fit.header.length) mayBeCutAt = scanner.line;
      return reader.end();
    },
    get line() {
      return scanner.nextLine;
    },
    seen,
    get mayBeCutAt() {
      return mayBeCutAt;
    },
  };
}

export function countedColumns({ columns }: PresetMatch): number[] {
  const incomes = (columns.incomes ?? []).flatMap(({ amount, quantity }) => [amount, quantity]);
  return [columns.amount, columns.quantity, ...incomes].filter(
    (column): column is number => column !== undefined && column >= 0,
  );
}

function* cellsBehind(fit: PresetMatch, rows: readonly HeadRow[], columns: readonly number[]) {
  for (const row of rows) {
    if (row.line <= fit.headerLine) continue;
    for (const column of columns) yield { text: (row.cells[column] ?? '').trim(), line: row.line };
  }
}

/**
 * Numbers with both marks, or with one that cannot separate thousands, decide. The preset's mark applies unless all of
 * them show the other one, as after saving in a French Excel.
 * @throws StatementRefusal when they contradict each other, or none decides and the preset does not either
 */
export function detectMark(fit: PresetMatch, rows: readonly HeadRow[]): DecimalMark {
  const { decimalMark } = fit.known.preset;
  const seen = new Set<DecimalMark>();
  let doubt: number | undefined;
  for (const { text, line } of cellsBehind(fit, rows, countedColumns(fit))) {
    const marks = text.replace(/[^.,]/g, '');
    const last = marks.at(-1);
    if (last !== '.' && last !== ',') continue;
    const isOnce = marks.lastIndexOf(last) === marks.indexOf(last);
    if (!isOnce) seen.add(last === '.' ? ',' : '.');
    else if (marks.length > 1 || !/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text)) seen.add(last);
    else doubt ??= line;
  }
  const [mark, other] = seen;
  if (decimalMark !== 'either') return mark && !other ? mark : decimalMark;
  if (other) throw new StatementRefusal('Le point et la virgule y servent tous deux de séparateur décimal');
  if (mark) return mark;
  if (doubt !== undefined) {
    throw new StatementRefusal(
      'Rien ne dit si la virgule et le point séparent les décimales ou les milliers\u00a0: relisez le fichier en indiquant son séparateur décimal',
      doubt,
    );
  }
  return '.';
}

const dayAndMonth = /(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d{2})(?!\d)/g;

/** The preset's date formats, then unambiguous ones. Rows with a day above twelve tell days from months. */
export function detectMonthForms(fit: PresetMatch, rows: readonly HeadRow[]): readonly MonthForm[] {
  const { monthForms } = fit.known.preset;
  const forms = [...new Set([...monthForms, ...plainForms])];
  if (monthForms.includes('D/M/YY') || monthForms.includes('M/D/YY')) return forms;
  const columns = [fit.columns.month, fit.columns.periodEnd].filter((column) => column !== undefined);
  let isDayFirst = false;
  let isMonthFirst = false;
  for (const { text } of cellsBehind(fit, rows, columns)) {
    if (readMonth(text, monthForms) !== undefined) continue;
    for (const [, first, second] of text.matchAll(dayAndMonth)) {
      isDayFirst ||= Number(first) > 12;
      isMonthFirst ||= Number(second) > 12;
    }
  }
  if (isDayFirst === isMonthFirst) return forms;
  return [...forms, isDayFirst ? 'D/M/YY' : 'M/D/YY'];
}

/** The currency beside every amount of the first rows, when it is always the same. */
export function detectCurrency(fit: PresetMatch, rows: readonly HeadRow[]): string | undefined {
  const column = fit.columns.amount;
  if (column === undefined) return undefined;
  const found = new Set<string>();
  for (const { text } of cellsBehind(fit, rows, [column])) {
    if (!/\d/.test(text)) continue;
    const [currency, other] = currenciesOfSign(text.replace(/[\d\s\u00a0\u202f.,()+\u2212-]/g, ''));
    if (currency === undefined || other !== undefined) return undefined;
    found.add(currency);
  }
  const [only, another] = found;
  return another === undefined ? only : undefined;
}
