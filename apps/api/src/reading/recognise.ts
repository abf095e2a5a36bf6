import {
  type IncomeKind,
  type JoinField,
  joinTexts,
  maxHeaderLine,
  positionName,
  type StatementField,
  type StatementPreset,
  skipTest,
  uniqueNames,
} from '@regie/contract/statements.ts';
import { readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import { readDecimal } from './decimals.ts';
import { findPreamble, type PreambleMatch, readPreamble, titleMonth } from './preamble.ts';
import { allCells, type Delimiter, type FileRow, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import { currencySign } from './values.ts';

/** A preset with the key that statements store. */
export type KnownPreset = { key: string; preset: StatementPreset };

/** Where a file's rows start, and what its columns mean. */
export interface PresetMatch {
  known: KnownPreset;
  delimiter: Delimiter;
  /** Line of the header, from 1. */
  headerLine: number;
  header: string[];
  names: string[];
  columns: MatchedColumns;
  preamble: PreambleMatch['said'];
  /** Texts before the header that are no valid month or currency. */
  unclear: PreambleMatch['unclear'];
  /** Possible currencies of the sign at the end of the first row's formula. */
  signCurrencies: readonly string[];
}

/** Column index of each field. */
export interface MatchedColumns extends Partial<Record<StatementField, number>> {
  /** The incomes of a row with several; -1 marks a missing column. */
  incomes?: { kind: IncomeKind; quantity: number; amount: number }[];
  joins?: { [field in JoinField]?: number };
  /** Column of the text that ends in the currency's sign. */
  currencySign?: number;
}

/** Why a preset does not match, and how close it was, for staff. */
export type PresetMismatch = { key: string; name: string; matched: number; missing: string[] };

export type Recognition =
  | { is: 'recognised'; fit: PresetMatch }
  | { is: 'ambiguous'; fits: PresetMatch[] }
  | { is: 'unrecognised'; misses: PresetMismatch[]; rows: HeadRow[] };

const delimiters: readonly Delimiter[] = ['\t', ',', ';', '|'];
/** Maximum distance between a header and its first row. */
const maxHeaderDistance = 20;
const shownMismatches = 3;

export type HeadRow = { line: number; cells: string[] };

/** Splits the first rows of a file by a delimiter; stops at invalid quotes. */
export function headRows(head: string, delimiter: Delimiter, most = maxHeaderLine + 10, width = 0): HeadRow[] {
  const rows: HeadRow[] = [];
  const full = new Error('enough');
  const take = (row: FileRow) => {
    const cells = allCells(row);
    rows.push({ line: row.line, cells: unwrapCells(cells, delimiter) ?? cells });
    if (rows.length >= most) throw full;
  };
  const scanner = new RecordScanner(delimiter, take, { width });
  try {
    scanner.push(head);
    scanner.end();
  } catch (error) {
    if (error !== full && !(error instanceof StatementRefusal)) throw error;
  }
  return rows;
}

export type HeaderCandidate = { delimiter: Delimiter; rows: HeadRow[] };

export const headerCandidates = (head: string): HeaderCandidate[] =>
  delimiters
    .filter((delimiter) => head.includes(delimiter))
    .map((delimiter) => ({ delimiter, rows: headRows(head, delimiter) }));

/** The cells of a row quoted whole by another program; undefined for other rows. */
function unwrapCells([first = '', ...others]: readonly string[], delimiter: Delimiter): string[] | undefined {
  return others.every((cell) => cell.trim() === '') ? unwrapRow(first, delimiter) : undefined;
}

/** Parses a cell that contains a whole row; undefined when it does not. */
export function unwrapRow(cell: string, delimiter: Delimiter): string[] | undefined {
  if (!cell.includes(delimiter)) return undefined;
  let cells: string[] | undefined;
  const scanner = new RecordScanner(delimiter, (row) => {
    cells ??= allCells(row);
  });
  try {
    scanner.push(`${cell}\n`);
    scanner.end();
  } catch (error) {
    if (error instanceof StatementRefusal) return undefined;
    throw error;
  }
  return cells;
}

/** Cache: the normalised preset names are compared with every row. */
const foldedNames = new Map<string, string>();
const maxFoldedNames = 10_000;

function foldOnce(name: string): string {
  let folded = foldedNames.get(name);
  if (folded === undefined) {
    if (foldedNames.size >= maxFoldedNames) foldedNames.clear();
    folded = foldName(name);
    foldedNames.set(name, folded);
  }
  return folded;
}

/** A file without a header whose first counted row has the preset's width, and an amount and a month in place. */
function matchPositions(known: KnownPreset, { delimiter, rows }: HeaderCandidate): PresetMatch | undefined {
  const { preset } = known;
  if (preset.width === undefined) return undefined;
  const header = Array.from({ length: preset.width }, (_, index) => positionName(index + 1));
  const match = matchHeader(preset, header.map(foldOnce));
  if (!('columns' in match)) return undefined;
  const { columns } = match;
  const skips = preset.skip.map(({ column, ...rule }) => ({ at: header.indexOf(column), leavesOut: skipTest(rule) }));
  const isLeftOut = ({ cells }: HeadRow) => skips.some(({ at, leavesOut }) => leavesOut(cells[at] ?? ''));
  const first = rows.find((row) => !isLeftOut(row) && row.cells.some((cell) => cell.trim() !== ''));
  if (first?.cells.length !== preset.width) return undefined;
  const amount = first.cells[columns.amount ?? -1] ?? '';
  const month =
    columns.month === undefined
      ? undefined
      : joinTexts('month', first.cells[columns.month] ?? '', first.cells[columns.joins?.month ?? -1] ?? '');
  const isIncome =
    /\d/.test(amount) &&
    (preset.decimalMark === 'either' ? (['.', ','] as const) : [preset.decimalMark]).some((mark) =>
      readDecimal(amount, mark),
    ) &&
    (month === undefined || readMonth(month, preset.monthForms) !== undefined);
  return isIncome
    ? { known, delimiter, headerLine: 0, header, names: header, columns, preamble: {}, unclear: {}, signCurrencies: [] }
    : undefined;
}

/** The names of a preset's columns: a row without any is no header. */
const namesOf = ({ columns, incomes = [], signature, join = {} }: StatementPreset): string[] =>
  [
    ...Object.values(columns).flat(),
    ...incomes.flatMap(({ quantity, amount }) => [...quantity, ...amount]),
    ...signature,
    ...Object.values(join),
  ].map(foldOnce);

type HeaderMatch =
  | { columns: MatchedColumns; matched: number; signCurrencies?: readonly string[] }
  | { missing: string[]; matched: number; doubled?: string };

/** Whether these are the columns of a preset. */
function matchHeader(preset: StatementPreset, folded: readonly string[]): HeaderMatch {
  const columns: PresetMatch['columns'] = {};
  const missing: string[] = [];
  const used = new Set<string>();
  const joins = Object.values(preset.join ?? {});
  const named = new Set([...Object.values(preset.columns).flat(), ...preset.signature, ...joins].map(foldOnce));
  let doubled: string | undefined;
  const find = (name: string): number | undefined => {
    const wanted = foldOnce(name);
    const index = folded.indexOf(wanted);
    if (index < 0) return undefined;
    used.add(wanted);
    // A preset created from such a file has both names.
    const second = foldOnce(`${name} (2e)`);
    if (folded.includes(second) && !named.has(second)) doubled ??= name;
    return index;
  };
  for (const [field, names] of Object.entries(preset.columns) as [StatementField, string[]][]) {
    const index = names.map(find).find((found) => found !== undefined);
    if (index !== undefined) columns[field] = index;
    else if (!preset.optional.includes(field) && !Object.hasOwn(preset.preamble, field))
      missing.push(names[0] ?? field);
  }
  if (preset.incomes) {
    const first = (names: readonly string[]) => names.map(find).find((found) => found !== undefined) ?? -1;
    columns.incomes = preset.incomes
      .map(({ kind, quantity, amount }) => ({ kind, quantity: first(quantity), amount: first(amount) }))
      .filter(({ amount }) => amount >= 0);
    if (columns.incomes.length === 0) missing.push(...preset.incomes.map(({ amount }) => amount[0] ?? ''));
  }
  if (preset.currencySign) {
    const index = find(preset.currencySign.column);
    if (index === undefined) missing.push(preset.currencySign.column);
    else columns.currencySign = index;
  }
  for (const name of preset.signature) if (find(name) === undefined) missing.push(name);
  for (const [field, name] of Object.entries(preset.join ?? {})) {
    const index = find(name);
    if (index === undefined) missing.push(name);
    else columns.joins = { ...columns.joins, [field]: index };
  }
  for (const { column } of preset.skip) find(column);
  if (preset.negative) find(preset.negative.column);
  if (typeof preset.emptyAmount === 'object') {
    for (const { column, mayBeEmpty } of preset.emptyAmount.sum) {
      if (find(column) === undefined && !mayBeEmpty) missing.push(column);
    }
  }
  for (const name of preset.absent) if (folded.includes(foldOnce(name))) missing.push(`sans «\u00a0${name}\u00a0»`);
  const matched = used.size;
  if (missing.length > 0) return { missing: [...new Set(missing)], matched };
  return doubled === undefined ? { columns, matched } : { missing: [], matched, doubled };
}

/** Rejects a match when the first row's sign is unknown to the preset. */
function matchSign(preset: StatementPreset, fit: HeaderMatch, next: readonly string[] | undefined): HeaderMatch {
  if (!preset.currencySign || !('columns' in fit) || !next) return fit;
  const { column, signs } = preset.currencySign;
  const sign = currencySign(next[fit.columns.currencySign ?? 0] ?? '');
  if (sign === '') return fit;
  const signCurrencies = Object.hasOwn(signs, sign) ? signs[sign] : undefined;
  return signCurrencies
    ? { ...fit, signCurrencies }
    : { matched: fit.matched, missing: [`«\u00a0${column}\u00a0» en ${Object.keys(signs).join(' ou ')}`] };
}

/**
 * Finds the preset by its column names, in any order, case and accents, in one of the first `maxHeaderLine` lines. Of
 * two matching presets, the one that uses more columns wins. @throws StatementRefusal when a required column occurs
 * twice
 */
export function recognise(cuts: readonly HeaderCandidate[], presets: readonly KnownPreset[]): Recognition {
  const fits: (PresetMatch & { matched: number })[] = [];
  const misses = new Map<string, PresetMismatch>();
  let doubled: { name: string; line: number } | undefined;
  const wanted = new Set(presets.flatMap(({ preset }) => namesOf(preset)));
  for (const { delimiter, rows: all } of cuts) {
    const rows = all.slice(0, maxHeaderLine);
    let last = rows.length;
    for (const [index, { line, cells }] of rows.entries()) {
      if (index > last) break;
      const header = cells.map((cell) => cell.trim());
      // Ignore a delimiter after the last name.
      while (header.at(-1) === '') header.pop();
      if (header.length < 2) continue;
      const names = uniqueNames(header);
      const folded = names.map(foldName);
      if (!folded.some((name) => wanted.has(name))) continue;
      for (const known of presets) {
        const { key, preset } = known;
        if (preset.layout === 'dsr' || preset.width !== undefined || fits.some((fit) => fit.known.key === key))
          continue;
        const match = matchSign(preset, matchHeader(preset, folded), rows[index + 1]?.cells);
        if ('columns' in match) {
          last = Math.min(last, index + maxHeaderDistance);
          const above = rows.slice(0, index);
          const { said, unclear } =
            preset.layout === 'summary'
              ? { said: readTitle(above), unclear: {} }
              : readPreamble(preset, findPreamble(above));
          const { columns, signCurrencies = [] } = match;
          const matched = match.matched + Object.keys({ ...said, ...unclear }).length;
          const place = { delimiter, headerLine: line, header, names };
          fits.push({ known, ...place, columns, preamble: said, unclear, signCurrencies, matched });
        } else if (match.doubled !== undefined) doubled ??= { name: match.doubled, line };
        else {
          const { matched, missing } = match;
          const former = misses.get(known.key);
          if (matched > 0 && (!former || missing.length < former.missing.length)) {
            misses.set(known.key, { key: known.key, name: known.preset.name, matched, missing });
          }
        }
      }
    }
  }
  if (fits.length === 0) {
    const byPosition = cuts.flatMap((cut) => presets.flatMap((known) => matchPositions(known, cut) ?? []));
    if (byPosition.length > 0) return { is: 'ambiguous', fits: byPosition };
  }
  const most = Math.max(...fits.map((fit) => fit.matched));
  const [best, ...others] = fits.filter((fit) => fit.matched === most);
  if (best) return others.length > 0 ? { is: 'ambiguous', fits: [best, ...others] } : { is: 'recognised', fit: best };
  if (doubled) {
    throw new StatementRefusal(`La colonne «\u00a0${doubled.name}\u00a0» est deux fois dans l’en-tête`, doubled.line);
  }
  const widest = cuts.toSorted((a, b) => evenness(b) - evenness(a))[0];
  return { is: 'unrecognised', misses: rankMismatches([...misses.values()]), rows: widest?.rows ?? [] };
}

/** Of the title above the header of a summary. */
function readTitle(rows: readonly HeadRow[]): PresetMatch['preamble'] {
  const month = rows.map(({ cells }) => titleMonth(cells)).findLast((read) => read !== undefined);
  return month === undefined ? {} : { month };
}

export function rankMismatches(misses: readonly PresetMismatch[]): PresetMismatch[] {
  const nearness = ({ matched, missing }: PresetMismatch) => matched / (matched + missing.length);
  return misses.toSorted((a, b) => nearness(b) - nearness(a)).slice(0, shownMismatches);
}

/** High when a delimiter splits most rows into the same large number of columns; a comma may be a decimal mark. */
function evenness({ rows }: HeaderCandidate): number {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row.cells.length, (counts.get(row.cells.length) ?? 0) + 1);
  return Math.max(0, ...[...counts].map(([columns, alike]) => alike * (columns - 1)));
}
