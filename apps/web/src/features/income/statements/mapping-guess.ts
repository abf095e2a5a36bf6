import type { PreambleField, StatementField } from '@regie/contract/statements.ts';
import { type MonthForm, monthForms, readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';

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

export function guessPreamble(
  names: readonly string[],
  meanings: readonly (StatementField | '')[],
): Partial<Record<PreambleField, string>> {
  const nameOf = (field: PreambleField) =>
    meanings.includes(field) ? undefined : names.find((name) => fieldNames[field].includes(foldName(name)));
  const [month, currency] = [nameOf('month'), nameOf('currency')];
  const periodEnd = month === undefined ? undefined : nameOf('periodEnd');
  return {
    ...(month === undefined ? {} : { month }),
    ...(periodEnd === undefined ? {} : { periodEnd }),
    ...(currency === undefined ? {} : { currency }),
  };
}

export function commonWidth(rows: readonly { cells: readonly string[] }[]): number {
  const widths = [...Map.groupBy(rows, ({ cells }) => cells.length)].map(([width, { length }]) => ({ width, length }));
  return widths.toSorted((a, b) => b.length - a.length)[0]?.width ?? 0;
}

export function guessHeader(rows: readonly { line: number; cells: readonly string[] }[]): number {
  const most = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const isName = (cell: string) => cell.trim() !== '' && !/^[\d\s.,%€$£-]+$/.test(cell);
  const header = rows.findIndex(({ cells }) => cells.length === most && cells.filter(isName).length > cells.length / 2);
  return Math.max(0, header);
}

export const previewMonth = (text: string, form: MonthForm, end?: string): string | undefined =>
  readMonth(text, [form], { end })?.slice(0, 7);

/** The format of all these dates; undefined when day and month, or month and quarter, are told apart by none. */
export function guessMonthForm(texts: readonly string[]): MonthForm | undefined {
  const dates = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (dates.length === 0) return undefined;
  const forms = monthForms.filter((form) => dates.every((date) => previewMonth(date, form) !== undefined));
  return forms.length > 1 && forms.some((form) => form === 'M/D/YY' || form === 'YYYYQ') ? undefined : forms.at(-1);
}

export function previewAmount(text: string, mark: '.' | ',' | 'either'): number | undefined {
  if (mark === 'either') return undefined;
  const thousands = mark === '.' ? ',' : '.';
  const plain = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replaceAll(thousands, '')
    .replace(mark, '.');
  return /^[+-]?\d*\.?\d+(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : undefined;
}
