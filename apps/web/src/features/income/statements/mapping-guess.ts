import type { PreambleField, StatementField } from '@regie/contract/statements.ts';
import { findCountryCode } from '@regie/values/countries.ts';
import { type MonthForm, monthForms, readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';

/** What tells a field's column: words of its folded name, and what its cells hold. */
interface Clue {
  words: RegExp;
  /** Of several such columns, those with better words come before those without, and those with worse ones behind. */
  better?: RegExp;
  worse?: RegExp;
  /** Whether a cell may stand in this column; `isNamed` when the name says so already. */
  holds?: (cell: string, isNamed: boolean) => boolean;
  /** Whether a cell tells the field, whatever the column's name. */
  tells?: (cell: string) => boolean;
}

const alpha3 =
  'ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR BLZ BMU BOL BRA BRB BRN BTN BWA CAF CAN CHE CHL CHN CIV CMR COD COG COL COM CPV CRI CUB CUW CYM CYP CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESP EST ETH FIN FJI FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HND HRV HTI HUN IDN IMN IND IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG MNP MOZ MRT MTQ MUS MWI MYS MYT NAM NCL NER NGA NIC NLD NOR NPL NRU NZL OMN PAK PAN PER PHL PLW PNG POL PRI PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SLB SLE SLV SMR SOM SRB SSD STP SUR SVK SVN SWE SWZ SYC SYR TCA TCD TGO THA TJK TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR URY USA UZB VAT VCT VEN VGB VIR VNM VUT WSM XKX YEM ZAF ZMB ZWE';
const currencies = new Set(Intl.supportedValuesOf('currency'));
const signs: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', US$: 'USD', $US: 'USD' };

const number =
  /^[-+(]?\s*(?:[A-Z]{3}|[A-Z]{0,2}\p{Sc})?\s*[-+]?(?:\d[\d.,\s'’]*|[.,]\d+)(?:e[-+]?\d+)?\s*(?:[A-Z]{3}|\p{Sc}[A-Z]{0,2})?\)?-?$/iu;
const bare = (cell: string) => cell.replace(/[\s"'-]/g, '');
/** Spaces stand between its parts only: “Chez d9912811” is none. */
const isIsrc = (cell: string) =>
  /^[A-Z]{2}[\s\u2010-\u2015-]?[A-Z\d]{3}[\s\u2010-\u2015-]?\d{2}[\s\u2010-\u2015-]?\d{5}$/i.test(cell.trim());
const isCurrency = (cell: string) => currencies.has(cell.toUpperCase());
const isDate = (cell: string, isNamed: boolean) =>
  /\d/.test(cell) && monthForms.some((form) => (isNamed || form !== 'YYYYQ') && previewMonth(cell, form) !== undefined);

const stores =
  /^(?=[^@:/]*$).*(?:spotify|apple|itunes|deezer|youtube|amazon|tiktok|tidal|qobuz|napster|pandora|facebook|instagram|soundcloud|beatport|bandcamp|anghami|boomplay)/i;

/** In the order in which equal columns are given out. */
const clues: Record<StatementField, Clue> = {
  isrc: { words: /isrc/, holds: isIsrc, tells: isIsrc },
  upc: {
    words: /upc|^ean|ean$|barcode|barres|gtin|icpn/,
    holds: (cell) => /^\d{6,14}$/.test(bare(cell)),
    tells: (cell) => /^\d{12,14}$/.test(bare(cell)),
  },
  currency: {
    words: /currenc|^curr$|devise|monnaie/,
    worse: /customer|client|original|sale/,
    holds: isCurrency,
    tells: isCurrency,
  },
  country: {
    words: /countr|pays|territo|storefront|region|land$|gebiet/,
    worse: /ship|buyer|region/,
    tells: (cell) =>
      findCountryCode(cell) !== undefined ||
      (/^[A-Z]{3}$/.test(cell) && alpha3.includes(cell)) ||
      /^world|^zz$/i.test(cell),
  },
  periodEnd: {
    words: /^(?!.*(?:start|debut)).*(?:end|fin(?:de)?)(?:date|period|delaperiode)?$|enddate|periodend|datedefin/,
    holds: isDate,
  },
  month: {
    words: /month|mois|date|period|jour|^day|zeitraum|quarter|trimestre/,
    better: /sale|vente|activity|period|start|debut|usage/,
    worse: /report|post|paid|process|insert|account|ship|release|sortie|end|fin/,
    holds: isDate,
    tells: (cell) => isDate(cell, false),
  },
  quantity: {
    words:
      /quantit|qt[ey]|unit|stream|ecoute|play|(?<!ac|dis)count(?!r)|views|^vues|^stk|stuck|anzahl|volume|nombre|downloads|menge|lectures|ventes/,
    worse: /price|prix|type|rate|id$|discount|total|amount|revenue|currency|track/,
    holds: (cell) => /^[-+(]?[\d\s.,]+\)?$/.test(cell),
  },
  amount: {
    words:
      /net|earn|royalt|redevance|revenue|revenu|payable|amount|montant|gain|cut|part(?!i|n|y)|share|income|betrag|total|due|verse|payout|receipts|benefice/,
    better: /net|payable|your|votre|earn|payout|reported|cut/,
    worse:
      /gross|brut|price|prix|unit|tax|(?<!after)fee|rate|percent|pourcent|withh|cost|frais|commission|discount|origin|customer|before|bonus|adjust|number|plays|streams|quantit|count|qty|id$/,
    holds: (cell) => number.test(cell),
  },
  title: {
    words:
      /^(?!.*(?:artist|album|release|produ|sortie|code|number|id$|type|count|version|label)).*(?:title|titre|titel|track|song|chanson|morceau|œuvre|oeuvre|itemname)/,
    better: /title|titre|name/,
    holds: (cell) => !number.test(cell),
  },
  artist: { words: /artist|interpret|performer/, better: /track|asset|item|song/, worse: /album|release|product|id$/ },
  store: {
    words:
      /store|magasin|boutique|dsp|digitalservice|service|platform|plateforme|retailer|channel|shop|outlet|partnername|licensee/,
    better: /^(?:store|dsp)|name/,
    worse: /id$|type|front/,
    tells: (cell) => stores.test(cell),
  },
  kind: { words: /^(?:type|(?:sales?|trans(?:action)?|usage|item|content)type)$/ },
};

const fields = Object.keys(clues) as StatementField[];
const maxSample = 60;
const isTotal = /^(?:grand\s|sous-?|sub-?)?tota(?:l|ux)(?![a-z])/i;
/** Not a cell of a total, nor one without a value. */
export const isValue = (cell: string) => !/^\s*(?:n\/a)?\s*$/i.test(cell) && !isTotal.test(cell.trim());
const isMost = (cells: readonly string[], test: (cell: string) => boolean, share = 0.8) =>
  cells.length > 0 && cells.filter(test).length >= share * cells.length;

/** How surely a column is a field's; 0 when its cells or its name say otherwise. */
function likelihood(field: StatementField, name: string, cells: readonly string[]): number {
  const { words, better, worse, holds, tells } = clues[field];
  const folded = foldName(name);
  const isNamed = words.test(folded);
  // A few wrong cells do not take a column's name away: reading says on which line they are.
  if (holds && cells.length > 0 && !isMost(cells, (cell) => holds(cell, isNamed), isNamed ? 0.5 : 0.8)) return 0;
  const isTold = tells !== undefined && isMost(cells, tells);
  if (!isNamed && !isTold) return 0;
  const isWorse = worse?.test(folded) || (field === 'amount' && name.includes('%'));
  return (isNamed ? 4 : 0) + (isTold ? 4 : 0) + (better?.test(folded) ? 1 : 0) - (isWorse ? 3 : 0);
}

const numberOf = (cell: string) => previewAmount(cell, cell.lastIndexOf(',') > cell.lastIndexOf('.') ? ',' : '.') ?? 0;

/** The meaning of each column, by its name and what its cells hold; each meaning once. */
export function guessMeanings(
  names: readonly string[],
  cells: readonly (readonly string[])[] = [],
): (StatementField | '')[] {
  const rows = cells.slice(0, maxSample);
  const columns = names.map((_, column) => rows.map((row) => (row[column] ?? '').trim()).filter(isValue));
  const meanings: (StatementField | '')[] = names.map(() => '');
  const likely = names
    .flatMap((name, column) =>
      fields.map((field) => ({ field, name, column, score: likelihood(field, name, columns[column] ?? []) })),
    )
    .filter(({ score, name }) => score > 1 && name !== '')
    .toSorted((a, b) => b.score - a.score || a.name.length - b.name.length);
  for (const { field, column } of likely) {
    if (meanings[column] === '' && !meanings.includes(field)) meanings[column] = field;
  }
  // The only column of decimals is the amount whatever its name.
  const isAmount = (column: number) =>
    meanings[column] === '' &&
    isMost(columns[column] ?? [], (cell) => number.test(cell)) &&
    (columns[column] ?? []).some((cell) => /[.,]\d|\p{Sc}/u.test(cell));
  const [only, ...others] = [...names.keys()].filter(isAmount);
  if (only !== undefined && others.length === 0 && !meanings.includes('amount')) meanings[only] = 'amount';
  // A price times the quantity is beside it.
  const [amount, quantity] = [meanings.indexOf('amount'), meanings.indexOf('quantity')];
  const product = names.findIndex((name, column) => {
    if (amount < 0 || quantity < 0 || likelihood('amount', name, columns[column] ?? []) < 2) return false;
    const triples = rows.map((row) => [amount, quantity, column].map((at) => numberOf(row[at] ?? '')));
    return (
      triples.some(([price, , total]) => price !== total) &&
      triples.every(([price = 0, count = 0, total = 0]) => Math.abs(price * count - total) <= 1e-6 * Math.abs(total))
    );
  });
  return product < 0 ? meanings : meanings.with(amount, '').with(product, 'amount');
}

/** The currency that an amount column's name ends or starts with: `Earnings (USD)`, `USD Payable`, `Montant (€)`. */
export function currencyOf(name: string): string | undefined {
  const written = /^[A-Z]{3}(?=\s)|(?<=[\s(])(?:[A-Z]{3}|US\$|\$US|€|£)(?=\)?\s*$)/.exec(name)?.[0] ?? '';
  return signs[written] ?? (currencies.has(written) ? written : undefined);
}

/** The currency beside every amount; a dollar without a country is most often the American one. */
export function currencyBeside(amounts: readonly string[]): string | undefined {
  const beside = amounts.filter((cell) => /\d/.test(cell)).map((cell) => cell.replace(/[\d\s.,'’()+−-]/g, ''));
  const [written = '', other] = new Set(beside);
  if (other !== undefined) return undefined;
  return written === '$' ? 'USD' : (signs[written] ?? (currencies.has(written) ? written : undefined));
}

/** Of the values before the header, for fields without a column. */
export function guessPreamble(
  pairs: readonly { name: string; values: readonly string[] }[],
  meanings: readonly (StatementField | '')[],
): Partial<Record<PreambleField, string>> {
  const nameOf = (field: PreambleField) =>
    pairs
      .map(({ name, values }) => ({ name, score: likelihood(field, name, values) }))
      .filter(({ name, score }) => score > 1 && clues[field].words.test(foldName(name)) && !meanings.includes(field))
      .toSorted((a, b) => b.score - a.score)[0]?.name;
  const month = nameOf('month');
  const found = {
    month,
    periodEnd: month === undefined ? undefined : nameOf('periodEnd'),
    currency: nameOf('currency'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, name]) => name !== undefined));
}

export function commonWidth(rows: readonly { cells: readonly string[] }[]): number {
  const widths = [...Map.groupBy(rows, ({ cells }) => cells.length)].map(([width, { length }]) => ({ width, length }));
  return widths.toSorted((a, b) => b.length - a.length)[0]?.width ?? 0;
}

/** The index of the header; undefined when the first rows have values only. */
export function guessHeader(rows: readonly { line: number; cells: readonly string[] }[]): number | undefined {
  const most = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const isName = (cell: string) => cell.trim() !== '' && !/^[\d\s.,%€$£-]+$/.test(cell) && !isDate(cell, false);
  const named = rows.map(({ cells }) => !cells.some(isIsrc) && cells.filter(isName).length > cells.length / 2);
  const widest = rows.findIndex(({ cells }, index) => named[index] && cells.length === most);
  if (widest >= 0) return widest;
  const header = rows.findIndex(({ cells }, index) => named[index] && cells.length > 1);
  return header < 0 && rows.some(({ cells }) => cells.some(isIsrc)) ? undefined : Math.max(0, header);
}

export const previewMonth = (text: string, form: MonthForm, end?: string): string | undefined =>
  readMonth(text, [form], { end })?.slice(0, 7);

/**
 * The format of all these dates; undefined when day and month, or month and quarter, are told apart by none, and by none
 * of the file's other cells.
 */
export function guessMonthForm(texts: readonly string[], others: readonly string[] = []): MonthForm | undefined {
  const dates = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (dates.length === 0) return undefined;
  const isOf = (form: MonthForm) => (date: string) => previewMonth(date, form) !== undefined;
  const forms = monthForms.filter((form) => dates.every(isOf(form)));
  if (forms.length < 2 || !forms.some((form) => form === 'M/D/YY' || form === 'YYYYQ')) return forms.at(-1);
  const [monthFirst, dayFirst] = [isOf('M/D/YY'), isOf('D/M/YY')];
  const isAmerican = others.some((cell) => monthFirst(cell) && (!dayFirst(cell) || /\d\s?[ap]m$/i.test(cell)));
  if (!monthFirst(dates[0] ?? '') || isAmerican === others.some((cell) => dayFirst(cell) && !monthFirst(cell)))
    return undefined;
  return isAmerican ? 'M/D/YY' : 'D/M/YY';
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
