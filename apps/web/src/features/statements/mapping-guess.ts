import type { MonthForm, PreambleField, StatementField } from '@regie/contract/statements.ts';
import { foldName } from '@regie/values/search-text.ts';

/** Usual column names, folded: suggestions that the user confirms. */
const fieldNames: Record<StatementField, readonly string[]> = {
  isrc: ['isrc', 'isrccode', 'codeisrc', 'trackisrc', 'assetisrc'],
  upc: ['upc', 'ean', 'barcode', 'codebarres', 'upcean', 'productupc', 'releaseupc'],
  title: ['title', 'titre', 'œuvre', 'track', 'tracktitle', 'song', 'morceau', 'assettitle'],
  artist: ['artist', 'artiste', 'artistname', 'trackartist'],
  store: ['store', 'magasin', 'boutique', 'dsp', 'service', 'platform', 'plateforme', 'retailer', 'channel'],
  country: ['country', 'pays', 'territory', 'territoire', 'countrycode', 'countryofsale'],
  month: [
    'month',
    'mois',
    'date',
    'period',
    'periode',
    'salemonth',
    'salesmonth',
    'reportingmonth',
    'salesperiod',
    'reportingperiod',
    'startdate',
    'periodstart',
  ],
  periodEnd: ['enddate', 'periodend', 'datedefin', 'saleenddate'],
  quantity: ['quantity', 'quantite', 'units', 'unites', 'streams', 'ecoutes', 'count', 'plays'],
  amount: [
    'amount',
    'montant',
    'revenue',
    'revenu',
    'earnings',
    'gain',
    'gains',
    'net',
    'netrevenue',
    'royalty',
    'royalties',
    'total',
    'partnette',
    'montantnet',
    'netearnings',
  ],
  currency: ['currency', 'devise', 'monnaie', 'currencycode'],
  kind: ['type', 'saletype', 'salestype', 'transactiontype', 'usagetype'],
};

/** `Part nette EUR`, `Earnings (USD)`: an amount column's name may end with its currency. */
const currencyAtEnd = /[\s(]+([A-Z]{3})\)?\s*$/;
export const currencyOf = (name: string): string | undefined => currencyAtEnd.exec(name)?.[1];

/** The suggested meaning of each column, each meaning once. */
export function guessMeanings(header: readonly string[]): (StatementField | '')[] {
  const taken = new Set<StatementField>();
  return header.map((cell) => {
    const folded = foldName(cell);
    const amount = foldName(cell.replace(currencyAtEnd, ''));
    const entry = (Object.entries(fieldNames) as [StatementField, readonly string[]][]).find(
      ([field, words]) => !taken.has(field) && words.includes(field === 'amount' ? amount : folded),
    );
    if (!entry) return '';
    taken.add(entry[0]);
    return entry[0];
  });
}

/** The preamble names suggested for fields without a column. */
export function guessPreamble(
  names: readonly string[],
  meanings: readonly (StatementField | '')[],
): Partial<Record<PreambleField, string>> {
  const found = (field: PreambleField) =>
    meanings.includes(field) ? undefined : names.find((name) => fieldNames[field].includes(foldName(name)));
  const [month, currency] = [found('month'), found('currency')];
  const periodEnd = month === undefined ? undefined : found('periodEnd');
  return {
    ...(month === undefined ? {} : { month }),
    ...(periodEnd === undefined ? {} : { periodEnd }),
    ...(currency === undefined ? {} : { currency }),
  };
}

/** The most frequent number of cells in a row. */
export function commonWidth(rows: readonly { cells: readonly string[] }[]): number {
  const widths = [...Map.groupBy(rows, ({ cells }) => cells.length)].map(([width, { length }]) => ({ width, length }));
  return widths.toSorted((a, b) => b.length - a.length)[0]?.width ?? 0;
}

/** The first row of that width without bare numbers. */
export function guessHeader(rows: readonly { line: number; cells: readonly string[] }[]): number {
  const most = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const isName = (cell: string) => cell.trim() !== '' && !/^[\d\s.,%€$£-]+$/.test(cell);
  const found = rows.findIndex(({ cells }) => cells.length === most && cells.filter(isName).length > cells.length / 2);
  return Math.max(0, found);
}

/** Year and month by group index; formats with month names are left to the server. */
const numeric: readonly [MonthForm, RegExp, year: 1 | 2, month: 1 | 2][] = [
  ['YYYY-MM-DD', /^(\d{4})[-/.](\d{1,2})[-/.]\d{1,2}(?:[T\s].*)?$/, 1, 2],
  ['YYYY-MM', /^(\d{4})[-/.](\d{1,2})$/, 1, 2],
  ['YYYYMMDD', /^(\d{4})(\d{2})\d{2}$/, 1, 2],
  ['YYYYMM', /^(\d{4})(\d{2})$/, 1, 2],
  ['YYYY_MM', /^(\d{4})_(\d{1,2})$/, 1, 2],
  ['YYYYMnn', /^(\d{4})\s?M(\d{1,2})$/i, 1, 2],
  ['M/D/YY', /^(\d{1,2})[/.-]\d{1,2}[/.-](\d{4}|\d{2})(?:[T\s].*)?$/, 2, 1],
  ['D/M/YY', /^\d{1,2}[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[T\s].*)?$/, 2, 1],
];
const worded: readonly [MonthForm, RegExp][] = [
  ['MMM-YY', /^[\p{L}.]{3,10}[-\s']*\d{2}$/u],
  ['MMMM YYYY', /^\p{L}+\.?\s+\d{4}$/u],
  ['YYYY-Qn', /^\d{4}[-\s]?Q[1-4]$/i],
];

/** `YYYY-MM` of a date in a format; undefined when only the server can parse it. */
export function previewMonth(text: string, form: MonthForm): string | undefined {
  const known = numeric.find(([name]) => name === form);
  const found = known?.[1].exec(text.trim());
  if (!known || !found) return undefined;
  const [year = '', month = ''] = [found[known[2]], found[known[3]]];
  if (Number(month) < 1 || Number(month) > 12) return undefined;
  return `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}`;
}

/** Formats with a day, by group index. */
const dayOf: Partial<Record<MonthForm, RegExp>> = {
  'YYYY-MM-DD': /^\d{4}[-/.]\d{1,2}[-/.](\d{1,2})/,
  YYYYMMDD: /^\d{6}(\d{2})$/,
  'M/D/YY': /^\d{1,2}[/.-](\d{1,2})[/.-]/,
  'D/M/YY': /^(\d{1,2})[/.-]/,
};

const dayMs = 86_400_000;
/** A quarter; the server assigns longer periods to their first month. */
const longestMonthDays = 45;

/** `YYYY-MM` of a period: the month of its middle, or its first month when it spans several. */
export function previewPeriod(start: string, end: string | undefined, form: MonthForm): string | undefined {
  const month = previewMonth(start, form);
  const last = end === undefined ? undefined : previewMonth(end, form);
  const [from, to] = [start, end ?? ''].map((text) => dayOf[form]?.exec(text.trim())?.[1]);
  if (month === undefined || end === undefined) return month;
  if (last === undefined) return undefined;
  if (from === undefined || to === undefined) return month;
  const at = (of: string, day: string) => Date.parse(`${of}-${day.padStart(2, '0')}T00:00:00Z`);
  const [first, final] = [at(month, from), at(last, to)];
  if (!(final >= first)) return undefined;
  if ((final - first) / dayMs > longestMonthDays) return month;
  const middle = first + Math.floor((final - first) / dayMs / 2) * dayMs;
  return new Date(middle).toISOString().slice(0, 7);
}

/** The format of all these dates; day-first only when some day is unambiguous. */
export function guessMonthForm(texts: readonly string[]): MonthForm | undefined {
  const dates = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (dates.length === 0) return undefined;
  const found = numeric.filter(([form]) => dates.every((date) => previewMonth(date, form) !== undefined));
  // Ambiguous: the user chooses.
  if (found.length > 1) return undefined;
  return found[0]?.[0] ?? worded.find(([, pattern]) => dates.every((date) => pattern.test(date)))?.[0];
}

/** An amount as it will be read; undefined when invalid. */
export function previewAmount(text: string, mark: '.' | ',' | 'either'): number | undefined {
  if (mark === 'either') return undefined;
  const thousands = mark === '.' ? ',' : '.';
  const plain = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replaceAll(thousands, '')
    .replace(mark, '.');
  return /^[+-]?\d*\.?\d+(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : undefined;
}
