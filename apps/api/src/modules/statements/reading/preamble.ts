import type { PreambleField, StatementPreset } from '@regie/contract/statements.ts';
import { foldName, readMonth } from './values.ts';

/** Values that stand before a header, by their folded names; of a name that could have several, all of them in order. */
export type Preamble = ReadonlyMap<string, readonly string[]>;

const pairInOneCell = /^([^:=]{1,60})[:=]\s*(.+)$/;

/** A name and its value, and the line on which the value stands. */
export interface PreambleValue {
  name: string;
  value: string;
  line: number;
}

/**
 * What the lines before a header say: a name and its value on one line, in two cells or in one (`Currency: AUD`), then a
 * line of names above a line of values.
 */
export function listPreamble(rows: readonly { line: number; cells: readonly string[] }[]): PreambleValue[] {
  const lines = rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }));
  const pairs = lines.flatMap(({ line, cells }) => {
    const [name = '', value, ...others] = cells.filter((cell) => cell !== '');
    if (others.length > 0) return [];
    if (value !== undefined) return [{ name: name.replace(/\s*[:=]$/, ''), value, line }];
    const [, before = '', behind = ''] = pairInOneCell.exec(name) ?? [];
    return [{ name: before.trim(), value: behind.trim(), line }];
  });
  const columns = lines.slice(1).flatMap(({ line, cells: values }, index) => {
    const names = lines[index]?.cells ?? [];
    if (names.filter((name) => name !== '').length < 2) return [];
    return names.map((name, at) => ({ name, value: values[at] ?? '', line }));
  });
  return [...pairs, ...columns].filter(({ name, value }) => foldName(name) !== '' && value !== '');
}

export function findPreamble(rows: readonly { line: number; cells: readonly string[] }[]): Preamble {
  const values = Map.groupBy(listPreamble(rows), ({ name }) => foldName(name));
  return new Map([...values].map(([name, found]) => [name, found.map(({ value }) => value)]));
}

/**
 * The month in brackets at the end of a title, in words, as `YYYY-MM-01`: `Financial Reports (September, 2014)`. Its comma
 * may have cut it into two cells.
 */
export function titleMonth(cells: readonly string[]): string | undefined {
  const [, words = ''] = /\(([^()]{1,60})\)$/.exec(cells.join(' ').trim()) ?? [];
  return readMonth(words.replace(/[,\s]+/g, ' '), ['MMMM YYYY', 'MMM-YY']);
}

/** The values of a preset's names that make sense of their kind; the month of the period as `YYYY-MM-01`. */
export function readPreamble(
  { preamble, monthForms, calendar }: Pick<StatementPreset, 'preamble' | 'monthForms' | 'calendar'>,
  values: Preamble,
): Partial<Record<PreambleField, string>> {
  const of = (field: PreambleField) => (preamble[field] ?? []).flatMap((name) => values.get(foldName(name)) ?? []);
  const end = of('periodEnd').find((text) => readMonth(text, monthForms) !== undefined);
  const month = of('month')
    .map((text) => readMonth(text, monthForms, { end, calendar }))
    .find((read) => read !== undefined);
  const currency = of('currency')
    .map((text) => text.toUpperCase())
    .find((text) => /^[A-Z]{3}$/.test(text));
  const said = { month, currency, store: of('store')[0], country: of('country')[0] };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
