import type { PreambleField, StatementPreset } from '@regie/contract/statements.ts';
import { readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import { isCurrency } from './values.ts';

/** Values before a header by normalised name; several in order when a name could have more than one. */
export type Preamble = ReadonlyMap<string, readonly string[]>;

const pairInOneCell = /^([^:=]{1,60})[:=]\s*(.+)$/;

export type PreambleValue = { name: string; value: string; line: number };

/**
 * The values before the header: name and value on one line, in two cells or one (`Currency: AUD`), or a line of names
 * above a line of values.
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
 * The month in words in brackets at the end of a title, as `YYYY-MM-01`: `Financial Reports (September, 2014)`. Its
 * comma may have split it into two cells.
 */
export function titleMonth(cells: readonly string[]): string | undefined {
  const [, words = ''] = /\(([^()]{1,60})\)$/.exec(cells.join(' ').trim()) ?? [];
  return readMonth(words.replace(/[,\s]+/g, ' '), ['MMMM YYYY', 'MMM-YY']);
}

/** Values of the lines before the header that apply to every row. */
export interface PreambleMatch {
  said: Partial<Record<PreambleField, string>>;
  /** As written: an invalid period or currency, or several that differ. */
  unclear: { month?: string; currency?: string };
}

/**
 * The valid values for a preset's names; the month as `YYYY-MM-01`. When the preset names the end of a period too, both
 * ends are required. Of several different values none is used.
 */
export function readPreamble(
  { preamble, columns, monthForms, calendar }: StatementPreset,
  values: Preamble,
): PreambleMatch {
  const names = new Set([...Object.values(preamble), ...Object.values(columns)].flat().map(foldName));
  // In two lines of names and values, the second name is where the first one's value would be.
  const of = (field: PreambleField) => {
    const all = (preamble[field] ?? []).flatMap((name) => values.get(foldName(name)) ?? []);
    return [...new Set(all)].filter((value) => !names.has(foldName(value)));
  };
  const starts = of('month');
  const ends = of('periodEnd');
  const months = new Set(
    starts.flatMap((start) =>
      preamble.periodEnd === undefined
        ? readMonth(start, monthForms, { calendar })
        : ends.map((end) => readMonth(start, monthForms, { end, calendar })),
    ),
  );
  const written = of('currency');
  const currencies = new Set(written.map((text) => text.toUpperCase()).filter(isCurrency));
  const [month] = months;
  const [currency] = currencies;
  const said = {
    month: months.size === 1 ? month : undefined,
    currency: currencies.size === 1 ? currency : undefined,
    store: of('store')[0],
    country: of('country')[0],
  };
  const unclear = {
    month: said.month === undefined ? distinctValue([...starts, ...ends]) : undefined,
    currency: said.currency === undefined ? distinctValue(written) : undefined,
  };
  return { said: withoutUndefined(said), unclear: withoutUndefined(unclear) };
}

const maxPreambleValues = 200;
const distinctValue = (texts: readonly string[]) =>
  texts.length === 0 ? undefined : [...new Set(texts)].join(' – ').slice(0, maxPreambleValues);

const withoutUndefined = <T extends object>(record: T) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };
