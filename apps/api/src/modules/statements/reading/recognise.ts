import type { StatementField, StatementPreset } from '@regie/contract/statements.ts';
import { type Delimiter, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import { foldName } from './values.ts';

/** A preset under the key that a statement remembers. */
export interface KnownPreset {
  key: string;
  preset: StatementPreset;
}

/** Where a file's rows begin and which of its columns means what. */
export interface Fit {
  known: KnownPreset;
  delimiter: Delimiter;
  /** Line of the header, counted from 1. */
  headerLine: number;
  header: string[];
  /** Index of the column of each field. */
  columns: Partial<Record<StatementField, number>>;
}

/** Why a preset does not fit, beside how near it was: for the person who decides. */
export interface Miss {
  key: string;
  name: string;
  missing: string[];
}

export type Recognition =
  | { is: 'recognised'; fit: Fit }
  | { is: 'ambiguous'; fits: Fit[] }
  | { is: 'unrecognised'; misses: Miss[]; delimiter: Delimiter; rows: { line: number; cells: string[] }[] };

const delimiters: readonly Delimiter[] = ['\t', ',', ';', '|'];
/** Rows before the header that some stores write. */
const maxPreamble = 20;
const shownMisses = 3;

interface HeadRow {
  line: number;
  cells: string[];
}

/** The first rows of a file, cut by a delimiter; what quotes break ends there. */
export function headRows(head: string, delimiter: Delimiter, most = maxPreamble + 10): HeadRow[] {
  const rows: HeadRow[] = [];
  const full = new Error('enough');
  const scanner = new RecordScanner(delimiter, (row) => {
    rows.push({ line: row.line, cells: Array.from({ length: row.count }, (_, index) => row.cell(index)) });
    if (rows.length >= most) throw full;
  });
  try {
    scanner.push(head);
    scanner.end();
  } catch (error) {
    if (error !== full && !(error instanceof StatementRefusal)) throw error;
  }
  return rows;
}

/** Cells of a row that some writers wrap whole into quotes, with a trailing delimiter. */
export function unwrapRow(cell: string, delimiter: Delimiter): string[] | undefined {
  if (!cell.includes(delimiter)) return undefined;
  let cells: string[] | undefined;
  const scanner = new RecordScanner(delimiter, (row) => {
    cells ??= Array.from({ length: row.count }, (_, index) => row.cell(index));
  });
  scanner.push(`${cell}\n`);
  scanner.end();
  return cells;
}

type HeaderFit = { columns: Fit['columns']; matched: number } | { missing: string[]; doubled?: string };

/** Whether these are the columns of a preset. */
function fitHeader(preset: StatementPreset, folded: readonly string[]): HeaderFit {
  const columns: Fit['columns'] = {};
  const missing: string[] = [];
  const used = new Set<string>();
  let doubled: string | undefined;
  const find = (name: string): number | undefined => {
    const wanted = foldName(name);
    const index = folded.indexOf(wanted);
    if (index < 0) return undefined;
    used.add(wanted);
    if (folded.indexOf(wanted, index + 1) >= 0) doubled ??= name;
    return index;
  };
  for (const [field, names] of Object.entries(preset.columns) as [StatementField, string[]][]) {
    const index = names.map(find).find((found) => found !== undefined);
    if (index !== undefined) columns[field] = index;
    else if (!preset.optional.includes(field)) missing.push(names[0] ?? field);
  }
  for (const name of preset.signature) if (find(name) === undefined) missing.push(name);
  for (const { column } of preset.skip) find(column);
  for (const name of preset.absent) if (folded.includes(foldName(name))) missing.push(`sans « ${name} »`);
  if (missing.length > 0) return { missing };
  return doubled === undefined ? { columns, matched: used.size } : { missing: [], doubled };
}

/**
 * Which preset reads this file. By the names of its columns, in any order, case and accents, behind up to twenty rows of
 * something else; of two presets that fit, the one that knows more of the columns.
 * @throws StatementRefusal when a column that is needed stands there twice
 */
export function recognise(head: string, presets: readonly KnownPreset[]): Recognition {
  const fits: (Fit & { matched: number })[] = [];
  const misses = new Map<string, Miss>();
  let doubled: { name: string; line: number } | undefined;
  for (const delimiter of delimiters) {
    if (!head.includes(delimiter)) continue;
    const rows = headRows(head, delimiter).slice(0, maxPreamble);
    for (const { line, cells: raw } of rows) {
      const cells = (raw.length === 1 && raw[0] ? unwrapRow(raw[0], delimiter) : undefined) ?? raw;
      if (cells.length < 2) continue;
      const header = cells.map((cell) => cell.trim());
      const folded = header.map(foldName);
      for (const known of presets) {
        if (known.preset.layout !== 'table' || fits.some((fit) => fit.known.key === known.key)) continue;
        const found = fitHeader(known.preset, folded);
        if ('columns' in found) {
          fits.push({ known, delimiter, headerLine: line, header, columns: found.columns, matched: found.matched });
        } else if (found.doubled !== undefined) doubled ??= { name: found.doubled, line };
        else {
          const former = misses.get(known.key);
          if (!former || found.missing.length < former.missing.length) {
            misses.set(known.key, { key: known.key, name: known.preset.name, missing: found.missing });
          }
        }
      }
    }
  }
  const most = Math.max(...fits.map((fit) => fit.matched));
  const best = fits.filter((fit) => fit.matched === most);
  if (best[0] && best.length === 1) return { is: 'recognised', fit: best[0] };
  if (best.length > 1) return { is: 'ambiguous', fits: best };
  if (doubled) {
    throw new StatementRefusal(`La colonne « ${doubled.name} » est deux fois dans l’en-tête`, doubled.line);
  }
  const delimiter = widest(head);
  return {
    is: 'unrecognised',
    misses: [...misses.values()].sort((a, b) => a.missing.length - b.missing.length).slice(0, shownMisses),
    delimiter,
    rows: headRows(head, delimiter).slice(0, maxPreamble),
  };
}

/** The delimiter that cuts the first rows into the most columns, alike in most of them. */
function widest(head: string): Delimiter {
  const scores = delimiters.map((delimiter) => {
    const counts = new Map<number, number>();
    for (const row of headRows(head, delimiter)) counts.set(row.cells.length, (counts.get(row.cells.length) ?? 0) + 1);
    return Math.max(0, ...[...counts].map(([columns, rows]) => (columns > 1 ? rows * 100 + columns : 0)));
  });
  return delimiters[scores.indexOf(Math.max(...scores))] ?? ',';
}
