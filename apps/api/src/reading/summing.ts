import { createHash } from 'node:crypto';
import {
  type IncomeKind,
  type JoinField,
  joinTexts,
  type StatementPreset,
  skipTest,
} from '@regie/contract/statements.ts';
import { type MonthForm, namesDay, readMonth } from '@regie/values/period.ts';
import { foldName } from '@regie/values/search-text.ts';
import {
  type DecimalMark,
  DecimalSums,
  inParts,
  makeNegative,
  negate,
  numberProblem,
  readCurrency,
  readDecimal,
} from './decimals.ts';
import type { MatchedColumns } from './recognise.ts';
import { allCells, type FileRow } from './records.ts';
import { atLine, StatementRefusal } from './refusal.ts';
import {
  currenciesOfSign,
  currencySign,
  formNames,
  isCurrency,
  readCountry,
  readIsrc,
  readKind,
  readUpc,
} from './values.ts';

/** An income's item, when it was not seen recently; the same item may be returned again. */
export type SeenItem = Record<'key' | 'title' | 'artist', string> & Record<'isrc' | 'upc', string | null>;

export interface SummedLines {
  /**
   * UTF-8 lines of tab-separated columns: month, store, country, item, kind, currency, quantity and amount in three
   * parts each (`inParts`), rows, and line of the file, counted from 1 including what stands before the header.
   */
  copyText: Buffer;
  lines: number;
  rows: number;
  /** Sums of the same rows by month, store, country, kind and currency; usually empty. */
  placesText: string;
  items: SeenItem[];
}

/** Cell texts that mean "no value". */
const noValue = /^\s*(?:n\/a)?\s*$/i;

const periodSign = '\u0001';

/** Sums of columns over the rows that one check covers. */
interface CheckedRows {
  /** Required columns, the declared total, and optional columns. */
  sums: DecimalSums;
  line: number;
  isSaid: boolean;
  /** The first row without any of the columns: its amounts are in another one. */
  emptyLine?: number;
  /** A row names its amount, so the expected total is unknown. */
  isMixed: boolean;
}
const checked = { sum: 0, said: 1, mayBe: 2 };

/** What a file says of its rows, where they differ from it. */
export interface AnnouncedTotal {
  declared: string;
  sum: string;
  /** Null for a number of rows. */
  currency: string | null;
  line: number;
}
const maxAnnounced = 20;
/** Places of a currency's running sums: of the rows since the last subtotal, of a block and of all. */
const allSpan = 2;
const spans = [0, 1, allSpan];
/** Of the rows of the table behind a block. */
const tableSpan = 3;
const spanCount = 4;
/** Rows of one transaction are close to each other. */
const maxChecked = 10_000;

/** Number of lines accumulated at the same time. */
const maxSlots = 1 << 13;
const tableSize = maxSlots << 1;
/** Size limit of the caches; beyond it they are cleared. */
const maxRemembered = 150_000;
const maxCombinations = 1 << 20;
const startPlaces = 1024;
const pieceLength = 2048;
/** Below the 128 kB from which `npm start` has each buffer mapped and given back. */
const maxPieces = 48;
const maxText = 200;
/** Combined with the kinds, still exact in a float. */
const maxStores = 65_536;
const maxCountries = 4096;
const maxMonths = 2048;
const maxCurrencies = 512;

/** Without the signs that separate cells and rows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const withoutControls = (text: string) => text.replace(/[\0-\x1f]/g, ' ');
/** Copies a text unless it is short: a slice keeps its whole chunk in memory. */
const copied = (text: string) => (text.length < 13 ? text : Buffer.from(text, 'utf8').toString('utf8'));
const own = (text: string) => copied(text.slice(0, maxText)).trim();

/** Caches the parsed meaning of one column's texts. */
class Meaning<T> {
  #lastText: string | undefined;
  #last: T | undefined;
  readonly #known = new Map<string, T>();
  readonly #read: (text: string) => T;

  constructor(read: (text: string) => T) {
    this.#read = read;
  }

  of(text: string): T {
    if (text === this.#lastText) return this.#last as T;
    let meaning = this.#known.get(text);
    if (meaning === undefined) {
      if (this.#known.size >= maxRemembered) this.#known.clear();
      meaning = this.#read(text);
      this.#known.set(copied(text), meaning);
    }
    this.#lastText = text;
    this.#last = meaning;
    return meaning;
  }
}

/** Numbers values in order of first occurrence. */
class Numbering {
  readonly values: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  readonly #what: string;

  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  of(value: string): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      if (this.values.length === this.#most)
        throw new StatementRefusal(
          `Plus de ${this.#most} ${this.#what}\u00a0: ce n’est sans doute pas la bonne colonne`,
        );
      number = this.values.length;
      this.values.push(value);
      this.#numbers.set(value, number);
    }
    return number;
  }
}

type ReplacingColumn = Exclude<StatementPreset['emptyAmount'], string>['sum'][number];
type Store = { number: number; name: string; kinds: Map<string, number> };

const kindNumbers: readonly IncomeKind[] = ['stream', 'download', 'video'];

/** Allowed reading time, and more for each counted row. */
const freeMs = 20_000;
const maxMsPerRow = 50;

const emptyAmountReason = 'Montant vide';

export const totalReason = 'Ligne de total';
const totalTitle = /^(?:grand |sous-|sub-?)?(?:total|somme|summe|gesamt|итого)|^montant total/i;

/** Properties of the whole file, and those detected from its first rows. */
export interface FileFacts {
  mark: DecimalMark;
  isMarkChosen?: boolean;
  /** Date formats; the preset's by default. */
  monthForms?: readonly MonthForm[];
  /** `YYYY-MM-01`. */
  month?: string | undefined;
  currency?: string | undefined;
  store?: string | undefined;
  country?: string | undefined;
  onIncome?: ((row: FileRow) => void) | undefined;
}

/**
 * Groups rows into lines by month, store, country, item, kind and currency, if they are close to each other. Exact, in
 * constant memory.
 */
export class LineSummer {
  rows = 0;
  counted = 0;
  /** Rows of the table, counted and left out. */
  given = 0;
  readonly skipped = new Map<string, number>();
  /** Lines of the first totals. */
  readonly totalLines: number[] = [];
  readonly #preset: StatementPreset;
  readonly #columns: MatchedColumns;
  readonly #skips: { column: number; leavesOut: (cell: string) => boolean; reason: string }[];
  readonly #negative: { column: number; words: Set<string> } | undefined;
  readonly #mark: DecimalMark;
  /** The thousands separator; none when staff chose the decimal mark. */
  readonly #thousands: number;
  readonly #facts: FileFacts;
  readonly #instead: (Omit<ReplacingColumn, 'column'> & { column: number; name: string })[];
  readonly #check: { column: number; with: number[]; mayBeWith: number[]; together: number; name: string } | undefined;
  #checkedRows = new Map<string, CheckedRows>();
  /** Key of the last row that named its amount. */
  #lastNamed: string | undefined;
  readonly #scratch = new DecimalSums(1);
  /** Sums by currency and span. */
  readonly #running = new DecimalSums(spanCount * maxCurrencies);
  readonly #runningRows = new Int32Array(spanCount * maxCurrencies);
  readonly announced: AnnouncedTotal[] = [];
  /** The last total of each currency that equals a sum of rows. */
  readonly #equal = new Map<number, { declared: string; line: number }>();
  /** Compares what is said before the rows. */
  readonly #atEnd: (() => void)[] = [];
  #tableLine: number | undefined;
  #named = 0;
  /** Whether the last amount is a signed sum of these. */
  #isMadeOf = false;

  readonly #months: Meaning<number>;
  readonly #countries: Meaning<number>;
  readonly #stores: Meaning<Store>;
  readonly #currencies: Meaning<number>;
  readonly #monthNumbers = new Numbering(maxMonths, 'mois différents');
  readonly #countryNumbers = new Numbering(maxCountries, 'pays différents');
  readonly #storeNumbers = new Numbering(maxStores, 'plateformes différentes');
  readonly #currencyNumbers = new Numbering(maxCurrencies, 'devises différentes');

  #isrcs = new Map<string, number>();
  #others = new Map<string, number>();
  #itemKeys: string[] = [];
  #items: SeenItem[] = [];

  #combinations = new Map<number, number>();
  #beforeItem: string[] = [];
  #afterItem: string[] = [];
  #lastCombination = -1;
  #lastNumber = -1;

  readonly #slotOf = new Int32Array(tableSize);
  readonly #slotItem = new Int32Array(maxSlots);
  readonly #slotCombination = new Int32Array(maxSlots);
  readonly #slotRows = new Int32Array(maxSlots);
  readonly #slotLine = new Float64Array(maxSlots);
  readonly #quantities = new DecimalSums(maxSlots);
  readonly #amounts = new DecimalSums(maxSlots);
  #slots = 0;
  /** Sums by combination. */
  #placeRows: number[] = [];
  #placeQuantities = new DecimalSums(startPlaces);
  #placeAmounts = new DecimalSums(startPlaces);
  /** Whether any amount had decimals, and the first amount with an ambiguous mark. */
  #hasDecimals = false;
  #doubtful: { amount: string; line: number } | undefined;
  #finished: SummedLines[] = [];
  /** When reading resumed after the last chunk, unless lines were taken since. */
  #resumedAt: number | undefined;
  #busyMs = 0;
  readonly #amountName: string;

  constructor(
    preset: StatementPreset,
    columns: MatchedColumns,
    { header, ...facts }: FileFacts & { header: readonly string[] },
  ) {
    this.#preset = preset;
    this.#columns = columns;
    this.#mark = facts.mark;
    this.#thousands = facts.isMarkChosen ? Number.NaN : (facts.mark === '.' ? ',' : '.').charCodeAt(0);
    this.#facts = facts;
    const folded = header.map(foldName);
    this.#amountName = header[columns.amount ?? -1] ?? '';
    const indexOf = (column: string) => folded.indexOf(foldName(column));
    this.#skips = preset.skip
      .map(({ column, reason, ...rule }) => ({ column: indexOf(column), leavesOut: skipTest(rule), reason }))
      .filter(({ column }) => column >= 0);
    if (preset.negative && indexOf(preset.negative.column) >= 0) {
      const { column, words } = preset.negative;
      this.#negative = { column: indexOf(column), words: new Set(words.map(foldName)) };
    }
    const { sum = [], check } = typeof preset.emptyAmount === 'object' ? preset.emptyAmount : {};
    this.#instead = sum.map(({ column: name, ...part }) => ({ ...part, name, column: indexOf(name) }));
    if (check && indexOf(check.column) >= 0) {
      const indexesOf = (names: readonly string[]) => names.map(indexOf).filter((index) => index >= 0);
      this.#check = {
        column: indexOf(check.column),
        with: indexesOf(check.with),
        mayBeWith: indexesOf(check.mayBeWith),
        together: indexOf(check.together),
        name: check.column,
      };
    }
    const forms = facts.monthForms ?? preset.monthForms;
    this.#months = new Meaning((text) => {
      const [start = '', end] = text.split(periodSign);
      if (end?.trim() === '' && namesDay(start, forms)) {
        throw new StatementRefusal('La fin de la période de cette ligne est vide');
      }
      const month = readMonth(start, forms, { end: end?.trim() ? end : undefined, calendar: preset.calendar });
      if (month === undefined) {
        if (start.trim() === '') throw new StatementRefusal('La date de cette ligne est vide');
        const written = end === undefined ? shown(start) : `${shown(start)} – ${shown(end)}`;
        throw new StatementRefusal(
          `«\u00a0${written}\u00a0» n’est pas une date connue\u00a0: le modèle attend ${formNames(preset.monthForms)}`,
        );
      }
      return this.#monthNumbers.of(month);
    });
    this.#countries = new Meaning((text) => this.#countryNumbers.of(withoutControls(own(readCountry(text)))));
    this.#stores = new Meaning((text) => {
      const name = own(text).replace(/\s+/g, ' ');
      return { number: this.#storeNumbers.of(withoutControls(name)), name, kinds: new Map() };
    });
    this.#currencies = new Meaning((text) => {
      const currency = text.trim().toUpperCase();
      if (columns.currency === undefined && preset.currencySign) {
        const { column, signs } = preset.currencySign;
        if (currency === '') {
          throw new StatementRefusal(`La colonne «\u00a0${column}\u00a0» de cette ligne ne dit pas de devise`);
        }
        const [signed, ...others] = signs[currency] ?? [];
        const told = others.length > 0 && signs[currency]?.includes(facts.currency ?? '') ? facts.currency : undefined;
        if (signed !== undefined && (others.length === 0 || told !== undefined))
          return this.#currencyNumbers.of(told ?? signed);
        throw new StatementRefusal(
          `La devise «\u00a0${shown(text)}\u00a0» de la colonne «\u00a0${column}\u00a0» n’est pas celle du relevé`,
        );
      }
      if (currency === '') throw new StatementRefusal('La devise de cette ligne est vide');
      if (!isCurrency(currency)) throw new StatementRefusal(`«\u00a0${shown(text)}\u00a0» n’est pas une devise`);
      return this.#currencyNumbers.of(own(currency));
    });
  }

  leavesOut(row: FileRow): boolean {
    for (const { column, leavesOut, reason } of this.#skips) {
      if (leavesOut(column < row.count ? row.cell(column) : '')) {
        this.skip(reason);
        return true;
      }
    }
    return false;
  }

  skip(reason: string, line?: number): void {
    this.rows++;
    this.#leaveOut(reason, line);
  }

  /** Adds a row. @throws StatementRefusal with the line */
  add(row: FileRow): void {
    try {
      this.#add(row);
    } catch (error) {
      throw atLine(error, row.line);
    }
  }

  #add(row: FileRow) {
    this.given++;
    if (this.#skips.length > 0 && this.leavesOut(row)) return;
    this.#facts.onIncome?.(row);
    this.rows++;
    const columns = this.#columns;
    const isRefund = this.#negative?.words.has(foldName(row.cell(this.#negative.column))) === true;
    const amount = columns.amount === undefined ? '' : this.#amountOf(row, columns.amount, isRefund);
    if (amount === undefined) return this.#leaveOut(emptyAmountReason);
    if (!columns.incomes && this.#repeatsRows(row, amount)) return this.#leaveOut(totalReason, row.line);
    const facts = this.#facts;
    const month =
      columns.month === undefined
        ? this.#monthNumbers.of(facts.month ?? '')
        : this.#months.of(this.#dateText(row, columns.month));
    const country = this.#countries.of(
      columns.country === undefined ? (facts.country ?? '') : row.cell(columns.country),
    );
    const store = this.#stores.of(
      columns.store === undefined
        ? (facts.store ?? this.#preset.store ?? this.#preset.source)
        : this.#text(row, 'store', columns.store),
    );
    const currency = this.#currencies.of(this.#currencyText(row));
    if (columns.incomes) {
      if (!this.#addIncomes(row, columns.incomes, [month, country, store.number, currency]))
        return this.#leaveOut(emptyAmountReason);
    } else {
      const kind = this.#kind(columns.kind === undefined ? '' : row.cell(columns.kind), store);
      const combination = this.#combination(month, country, store.number, currency, kind);
      const slot = this.#slot(this.#item(row), combination, row.line);
      const quantity = columns.quantity === undefined ? '' : row.cell(columns.quantity);
      this.#addTo(slot, quantity, amount, currency, isRefund);
      this.#run(currency);
      this.#doubt(amount, row.line);
    }
    this.counted++;
  }

  /** Adds the last amount to the running sums of its currency. */
  #run(currency: number, places = spans): void {
    for (const span of places) {
      const slot = spanCount * currency + span;
      if (this.#runningRows[slot] === 0) this.#running.set(slot);
      else this.#running.add(slot);
      this.#runningRows[slot] = (this.#runningRows[slot] ?? 0) + 1;
    }
  }

  #rowsIn = (currency: number, span: number) => this.#runningRows[spanCount * currency + span] ?? 0;
  #sumIn = (currency: number, span: number) =>
    this.#rowsIn(currency, span) === 0 ? '0' : this.#running.text(spanCount * currency + span);

  #restart(currency: number, places = [0]): void {
    for (const span of places) this.#runningRows[spanCount * currency + span] = 0;
  }

  /** An exact decimal, shortest; undefined for an invalid one. */
  #exact(text: string): string | undefined {
    if (!readDecimal(text, this.#mark)) return undefined;
    this.#scratch.set(0);
    return this.#scratch.text(0);
  }

  /** The currency of a total: as written, else that of all rows which it may add up. */
  #currencyOfTotal(written: string): number | undefined {
    const currency = written.trim().toUpperCase();
    if (isCurrency(currency)) return this.#currencyNumbers.of(currency);
    const seen = [...this.#currencyNumbers.values.keys()];
    return spans
      .map((span) => seen.filter((number) => this.#rowsIn(number, span) > 0))
      .find((numbers) => numbers.length === 1)?.[0];
  }

  /** Whether a row names what could be sold; the title of a total does not. */
  #namesItem(row: FileRow): boolean {
    const { isrc, upc, title, artist } = this.#columns;
    const says = (column: number | undefined) => column !== undefined && row.cell(column).trim() !== '';
    return says(isrc) || says(upc) || says(artist) || (says(title) && !totalTitle.test(row.cell(title ?? -1).trim()));
  }

  /**
   * Whether a row names no item, while most do, and its amount is the sum of previous rows: counting it would double
   * them. Asked before its other cells are read: a total may have no date and no currency.
   */
  #repeatsRows(row: FileRow, amount: string): boolean {
    if (this.#namesItem(row)) {
      this.#named++;
      return false;
    }
    if (2 * this.#named <= this.counted || !/[1-9]/.test(amount)) return false;
    const { month } = this.#columns;
    // A single row may be an equal one with a date, and is added up by one without.
    const fewest = month !== undefined && row.cell(month).trim() === '' ? 1 : 2;
    const currency = this.#currencyOfTotal(this.#currencyText(row));
    const text = this.#exact(amount);
    const isSum = (span: number) => currency !== undefined && this.#sumIn(currency, span) === text;
    if (currency === undefined || !spans.some((span) => this.#rowsIn(currency, span) >= fewest && isSum(span)))
      return false;
    this.#equal.set(currency, { declared: text ?? amount, line: row.line });
    this.#restart(currency);
    return true;
  }

  /** Compares a row called a total with the rows before; one before the rows with all of them. */
  announceTotal(row: FileRow): void {
    const { amount, quantity, incomes } = this.#columns;
    if (incomes || amount === undefined) return;
    const below = row.cell(amount).trim();
    const isBeside = below === '' && (quantity === undefined || row.cell(quantity).trim() === '');
    const text = isBeside ? besideName(row) : below;
    const declared = text === '' ? undefined : this.#exact(text);
    if (declared === undefined) return;
    const [beside, other] = currenciesOfSign(readCurrency());
    const written = other === undefined ? (beside ?? this.#currencyText(row)) : this.#currencyText(row);
    const { line } = row;
    const compare = () => {
      const currency = this.#currencyOfTotal(written);
      if (currency === undefined) return;
      this.#compare(declared, currency, line);
      this.#restart(currency);
    };
    if (this.counted === 0) this.#atEnd.push(compare);
    else compare();
  }

  /** The number of rows that a row says is compared with all of them. */
  announceCount(row: FileRow): void {
    const count = Number(besideName(row).replace(/[\s,]/g, '') || Number.NaN);
    const { line } = row;
    this.#atEnd.push(() => {
      if (!Number.isSafeInteger(count) || count === this.given || count === this.counted) return;
      this.#differ({ declared: String(count), sum: String(this.given), currency: null, line });
    });
  }

  announceInTable(amount: string, written: string, line: number): void {
    const currency = this.#currencyOfTotal(written);
    if (amount.trim() === '' || currency === undefined || !readDecimal(amount, this.#mark)) return;
    this.#run(currency, [tableSpan]);
    this.#tableLine = line;
  }

  endBlock(): void {
    for (const number of this.#currencyNumbers.values.keys()) {
      if (this.#tableLine !== undefined) this.#compare(this.#sumIn(number, tableSpan), number, this.#tableLine);
      this.#restart(number, [0, 1, tableSpan]);
    }
    this.#tableLine = undefined;
  }

  #compare(declared: string, currency: number, line: number): void {
    if (spans.some((span) => this.#sumIn(currency, span) === declared))
      return void this.#equal.set(currency, { declared, line });
    const nearest = spans.find((span) => this.#rowsIn(currency, span) > 0) ?? 0;
    const sum = this.#sumIn(currency, nearest);
    this.#differ({ declared, sum, currency: this.#currencyNumbers.values[currency] ?? '', line });
  }

  /** Totals that equal the sum of all rows in their currency. */
  get equalTotals() {
    return [...this.#equal].flatMap(([number, total]) => {
      const currency = this.#currencyNumbers.values[number];
      return currency !== undefined && this.#sumIn(number, allSpan) === total.declared ? [{ ...total, currency }] : [];
    });
  }

  #differ(total: AnnouncedTotal): void {
    if (this.announced.length < maxAnnounced) this.announced.push(total);
  }

  #leaveOut(reason: string, line?: number): void {
    if (reason === totalReason && line !== undefined && this.totalLines.length < maxAnnounced)
      this.totalLines.push(line);
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }

  /** Both ends of the period, when the row has them. */
  #dateText(row: FileRow, column: number): string {
    const end = this.#columns.periodEnd;
    const start = this.#text(row, 'month', column);
    return end === undefined ? start : `${start}${periodSign}${this.#text(row, 'periodEnd', end)}`;
  }

  /** The text of a field, with that of the column that completes it. */
  #text(row: FileRow, field: JoinField, column: number): string {
    const second = this.#columns.joins?.[field];
    return second === undefined ? row.cell(column) : joinTexts(field, row.cell(column), row.cell(second));
  }

  /**
   * Undefined when the row is left out. On a refund each replacing column is negated: one row of a cart has all its
   * fees and may sum to a gain. @throws StatementRefusal for an empty amount without replacement
   */
  #amountOf(row: FileRow, column: number, isRefund: boolean): string | undefined {
    const text = row.cell(column);
    this.#isMadeOf = false;
    if (text !== '' && text.trim() !== '') {
      if (!this.#check) return text;
      this.#checkedOf(row, true, isRefund);
      if (!isRefund) return text;
      if (!readDecimal(text, this.#mark)) throw this.#noAmount(text);
      makeNegative();
      this.#scratch.set(0);
      this.#addChecked(row, this.#scratch.text(0), isRefund);
      return text;
    }
    if (this.#preset.emptyAmount === 'leaveOut') return undefined;
    if (this.#instead.length === 0) {
      const { quantity } = this.#columns;
      // The heading of a group of rows.
      if (!this.#namesItem(row) && (quantity === undefined || row.cell(quantity).trim() === '')) return undefined;
      throw this.#emptyAmount();
    }
    if (this.#check && this.#instead.every(({ column: other }) => noValue.test(row.cell(other)))) {
      const rows = this.#addChecked(row, '0', isRefund);
      if (rows) rows.emptyLine ??= row.line;
      return undefined;
    }
    let isFirst = true;
    for (const { column: other, sign, mayBeEmpty, isNeededInSales, name } of this.#instead) {
      const part = other < 0 || noValue.test(row.cell(other)) ? '' : row.cell(other);
      const isMissing = isNeededInSales && !isRefund ? row.cell(other).trim() === '' : part === '' && !mayBeEmpty;
      if (isMissing) {
        throw new StatementRefusal(
          `Le montant («\u00a0${this.#amountName}\u00a0») est vide, et «\u00a0${name}\u00a0» aussi`,
        );
      }
      if (!readDecimal(part, this.#mark)) throw this.#noAmount(part);
      if (isRefund) makeNegative();
      if (sign < 0) negate();
      if (isFirst) this.#scratch.set(0);
      else this.#scratch.add(0);
      isFirst = false;
    }
    this.#isMadeOf = true;
    const sum = this.#scratch.text(0);
    if (this.#check) this.#addChecked(row, sum, isRefund);
    return this.#mark === ',' ? sum.replace('.', ',') : sum;
  }

  /** @param named whether the row names its amount: then only rows of a refund are worth remembering */
  #checkedOf(row: FileRow, named: boolean, isRefund = false): CheckedRows | undefined {
    const id = row.cell(this.#check?.together ?? -1).trim();
    const key = id === '' ? `line ${row.line}` : copied(id);
    const isMixed = named || key === this.#lastNamed;
    if (named) this.#lastNamed = key;
    const known = this.#checkedRows.get(key);
    if (known) {
      known.isMixed ||= isMixed;
      return known;
    }
    if (named && !isRefund) return undefined;
    if (this.#checkedRows.size >= maxChecked) this.#requireChecked();
    const rows = { sums: new DecimalSums(3), line: row.line, isSaid: false, isMixed };
    this.#checkedRows.set(key, rows);
    return rows;
  }

  /** Stores a row's sum for `#requireChecked`. @throws StatementRefusal for an invalid amount */
  #addChecked(row: FileRow, sum: string, isRefund: boolean): CheckedRows | undefined {
    const check = this.#check;
    const rows = check && this.#checkedOf(row, false);
    if (!rows) return undefined;
    const add = (slot: number, text: string) => {
      if (!readDecimal(text, this.#mark)) throw this.#noAmount(text);
      if (isRefund) makeNegative();
      rows.sums.add(slot);
    };
    const cell = (column: number) => (noValue.test(row.cell(column)) ? '' : row.cell(column));
    readDecimal(sum, '.');
    rows.sums.add(checked.sum);
    for (const column of check.with) add(checked.sum, cell(column));
    for (const column of check.mayBeWith) add(checked.mayBe, cell(column));
    const said = cell(check.column);
    if (said === '') return rows;
    add(checked.said, said);
    rows.isSaid = true;
    rows.line = row.line;
    return rows;
  }

  /** @throws StatementRefusal when a declared total differs from its columns, or none proves an empty row */
  #requireChecked(): void {
    for (const { sums, line, isSaid, isMixed, emptyLine } of this.#checkedRows.values()) {
      if (emptyLine !== undefined && !isSaid) throw this.#emptyAmount(emptyLine);
      if (!isSaid || (isMixed && emptyLine === undefined)) continue;
      const said = sums.text(checked.said);
      const sum = sums.text(checked.sum);
      if (said === sum) continue;
      readDecimal(sums.text(checked.mayBe), '.');
      sums.add(checked.sum);
      if (said === sums.text(checked.sum)) continue;
      throw new StatementRefusal(
        `«\u00a0${this.#check?.name}\u00a0» dit ${said}, le calcul du montant de cette vente donne ${sum}`,
        line,
      );
    }
    this.#checkedRows = new Map();
  }

  #emptyAmount(line?: number): StatementRefusal {
    return new StatementRefusal(`Le montant («\u00a0${this.#amountName}\u00a0») est vide`, line);
  }

  #noAmount(text: string): StatementRefusal {
    const problem = numberProblem(text, this.#mark);
    return new StatementRefusal(
      `«\u00a0${shown(text)}\u00a0» n’est pas un montant${problem === undefined ? '' : ` lisible\u00a0: ${problem}`}`,
    );
  }

  /** @throws StatementRefusal when the currency beside an amount is not the row's */
  #requireCurrency(amount: string, written: string, currency: number): void {
    const expected = this.#currencyNumbers.values[currency] ?? '';
    if (currenciesOfSign(written).includes(expected)) return;
    throw new StatementRefusal(`«\u00a0${shown(amount)}\u00a0» n’est pas en ${expected}, la devise du relevé`);
  }

  #currencyText(row: FileRow): string {
    const columns = this.#columns;
    if (columns.currency !== undefined) return row.cell(columns.currency);
    if (columns.currencySign !== undefined) return currencySign(row.cell(columns.currencySign));
    return this.#preset.currency ?? this.#facts.currency ?? '';
  }

  /** Adds a line for each income of the row. @returns whether there is any */
  #addIncomes(
    row: FileRow,
    incomes: NonNullable<MatchedColumns['incomes']>,
    [month, country, store, currency]: [number, number, number, number],
  ): boolean {
    let isAny = false;
    for (const { kind, quantity, amount } of incomes) {
      const quantityText = quantity < 0 ? '' : row.cell(quantity);
      const amountText = row.cell(amount);
      if (quantityText.trim() === '' && amountText.trim() === '') continue;
      // An empty income with quantity 0 is none; with a quantity the amount is required.
      if (amountText.trim() === '' && !/^0*$/.test(quantityText.trim())) {
        throw new StatementRefusal('Le montant de cette ligne est vide');
      }
      const combination = this.#combination(month, country, store, currency, kindNumbers.indexOf(kind));
      const slot = this.#slot(this.#item(row), combination, row.line);
      isAny = true;
      this.#addTo(slot, quantityText, amountText, currency, false);
      this.#doubt(amountText, row.line);
    }
    return isAny;
  }

  #addTo(slot: number, quantity: string, amount: string, currency: number, isNegative: boolean): void {
    const isNew = this.#slotRows[slot] === 0;
    this.#slotRows[slot] = (this.#slotRows[slot] ?? 0) + 1;
    if (!readDecimal(quantity, this.#mark) || readCurrency() !== '')
      throw new StatementRefusal(`«\u00a0${shown(quantity)}\u00a0» n’est pas une quantité`);
    if (isNegative) makeNegative();
    if (isNew) this.#quantities.set(slot);
    else this.#quantities.add(slot);
    if (!readDecimal(amount, this.#mark)) throw this.#noAmount(amount);
    if (readCurrency() !== '') this.#requireCurrency(amount, readCurrency(), currency);
    if (isNegative && !this.#isMadeOf) makeNegative();
    if (isNew) this.#amounts.set(slot);
    else this.#amounts.add(slot);
  }

  /** `1,234` means thousands only when the dot is known to be the decimal mark, and vice versa. */
  #doubt(amount: string, line: number): void {
    if (this.#doubtful || amount.charCodeAt(amount.length - 4) !== this.#thousands) return;
    if (/^\s*[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(amount)) this.#doubtful = { amount: shown(amount), line };
  }

  #kind(type: string, store: Store): number {
    let kind = store.kinds.get(type);
    if (kind === undefined) {
      kind = kindNumbers.indexOf(readKind(type, store.name, this.#preset));
      if (store.kinds.size < 1000) store.kinds.set(copied(type), kind);
    }
    return kind;
  }

  #combination(month: number, country: number, store: number, currency: number, kind: number): number {
    const key =
      (((store * maxCountries + country) * maxMonths + month) * maxCurrencies + currency) * kindNumbers.length + kind;
    if (key === this.#lastCombination) return this.#lastNumber;
    let number = this.#combinations.get(key);
    if (number === undefined) {
      number = this.#beforeItem.length;
      this.#combinations.set(key, number);
      this.#beforeItem.push(
        `${this.#monthNumbers.values[month]}\t${this.#storeNumbers.values[store]}\t${this.#countryNumbers.values[country]}\t`,
      );
      this.#afterItem.push(`${kindNumbers[kind]}\t${this.#currencyNumbers.values[currency]}\t`);
      this.#placeRows.push(0);
      if (number === this.#placeAmounts.slots) {
        this.#placeQuantities.grow();
        this.#placeAmounts.grow();
      }
    }
    this.#lastCombination = key;
    this.#lastNumber = number;
    return number;
  }

  #item(row: FileRow): number {
    const columns = this.#columns;
    const written = columns.isrc === undefined ? '' : row.cell(columns.isrc);
    const known = written === '' ? undefined : this.#isrcs.get(written);
    if (known !== undefined) return known;
    const cell = (field: 'title' | 'artist') => {
      const column = columns[field];
      return column === undefined ? '' : this.#text(row, field, column);
    };
    const upc = columns.upc === undefined ? '' : row.cell(columns.upc);
    const title = cell('title');
    const artist = cell('artist');
    const isrc = written === '' ? undefined : readIsrc(written);
    if (isrc !== undefined) {
      const item = this.#newItem(isrc, isrc, upc, title, artist);
      this.#isrcs.set(copied(written), item);
      return item;
    }
    const other = `${written}\u0001${upc}\u0001${title}\u0001${artist}`;
    let item = this.#others.get(other);
    if (item === undefined) {
      item = this.#newItem(keyOf(written, upc, title, artist), null, upc, title, artist);
      this.#others.set(copied(other), item);
    }
    return item;
  }

  #newItem(key: string, isrc: string | null, written: string, title: string, artist: string): number {
    this.#itemKeys.push(key);
    const upc = readUpc(copied(written)) ?? null;
    this.#items.push({ key, isrc, upc, title: cleaned(title), artist: cleaned(artist) });
    return this.#itemKeys.length - 1;
  }

  #slot(item: number, combination: number, line: number): number {
    let at = ((Math.imul(item, 0x9e3779b1) ^ Math.imul(combination, 0x85ebca6b)) >>> 0) & (tableSize - 1);
    for (;;) {
      const found = this.#slotOf[at] ?? 0;
      if (found === 0) break;
      const slot = found - 1;
      if (this.#slotItem[slot] === item && this.#slotCombination[slot] === combination) return slot;
      at = (at + 1) & (tableSize - 1);
    }
    if (this.#slots === maxSlots) {
      this.#flushSlots();
      return this.#slot(item, combination, line);
    }
    const slot = this.#slots++;
    this.#slotOf[at] = slot + 1;
    this.#slotItem[slot] = item;
    this.#slotCombination[slot] = combination;
    this.#slotRows[slot] = 0;
    this.#slotLine[slot] = line;
    return slot;
  }

  #flushSlots(): void {
    let pieces: Buffer[] = [];
    let text = '';
    let [lines, rows] = [0, 0];
    const finish = () => {
      this.#finished.push({ copyText: Buffer.concat(pieces), lines, rows, placesText: '', items: this.#items });
      this.#items = [];
      pieces = [];
      [lines, rows] = [0, 0];
    };
    for (let slot = 0; slot < this.#slots; slot++) {
      const amount = this.#amounts.text(slot);
      if (!this.#hasDecimals && amount.includes('.')) this.#hasDecimals = true;
      const combination = this.#slotCombination[slot] ?? 0;
      const slotRows = this.#slotRows[slot] ?? 0;
      lines += 1;
      rows += slotRows;
      this.#placeRows[combination] = (this.#placeRows[combination] ?? 0) + slotRows;
      this.#quantities.read(slot);
      this.#placeQuantities.add(combination);
      this.#amounts.read(slot);
      this.#placeAmounts.add(combination);
      text += `${this.#beforeItem[combination]}${this.#itemKeys[this.#slotItem[slot] ?? 0]}\t${this.#afterItem[combination]}${inParts(this.#quantities.text(slot))}\t${inParts(amount)}\t${slotRows}\t${this.#slotLine[slot]}\n`;
      if (text.length <= pieceLength) continue;
      // For longer texts, concatenation would keep the parts alive through garbage collection.
      pieces.push(Buffer.from(text));
      text = '';
      if (pieces.length === maxPieces) finish();
    }
    pieces.push(Buffer.from(text));
    finish();
    this.#slots = 0;
    this.#slotOf.fill(0);
  }

  #flushPlaces(): void {
    this.#flushSlots();
    let placesText = '';
    for (const [combination, rows] of this.#placeRows.entries()) {
      placesText += `${this.#beforeItem[combination]}${this.#afterItem[combination]}${this.#placeQuantities.text(combination)}\t${this.#placeAmounts.text(combination)}\t${rows}\n`;
    }
    const last = this.#finished.at(-1);
    if (last) last.placesText = placesText;
    this.#combinations = new Map();
    this.#beforeItem = [];
    this.#afterItem = [];
    this.#lastCombination = -1;
    this.#placeRows = [];
    this.#placeQuantities = new DecimalSums(startPlaces);
    this.#placeAmounts = new DecimalSums(startPlaces);
  }

  #forget(): void {
    if (this.#beforeItem.length > maxCombinations) this.#flushPlaces();
    else this.#flushSlots();
    if (this.#itemKeys.length > maxRemembered) {
      this.#isrcs = new Map();
      this.#others = new Map();
      this.#itemKeys = [];
    }
  }

  /** Called between chunks. @throws StatementRefusal for a file that takes long and contains almost no income */
  take(): SummedLines[] {
    this.#requireUse();
    if (this.#itemKeys.length > maxRemembered || this.#beforeItem.length > maxCombinations) this.#forget();
    const finished = this.#finished;
    this.#finished = [];
    this.#resumedAt = finished.length === 0 ? performance.now() : undefined;
    return finished;
  }

  /** Useful rows extend the limit; blank lines could go on for hours. */
  #requireUse(): void {
    if (this.#resumedAt === undefined) return;
    this.#busyMs += performance.now() - this.#resumedAt;
    if (this.#busyMs < freeMs || this.counted > this.#busyMs / maxMsPerRow) return;
    throw new StatementRefusal(
      'Ce fichier ne contient presque que des lignes sans revenu\u00a0: sa lecture est arrêtée',
    );
  }

  /** @throws StatementRefusal when a declared total differs from its columns */
  end(): SummedLines[] {
    this.#requireChecked();
    for (const compare of this.#atEnd) compare();
    this.endBlock();
    this.#flushPlaces();
    return this.take();
  }

  /** @throws StatementRefusal when no amount of the file tells its decimal mark */
  requireMark(): void {
    if (!this.#doubtful || this.#hasDecimals) return;
    const { amount, line } = this.#doubtful;
    const sign = amount.includes(',') ? 'la virgule' : 'le point';
    throw new StatementRefusal(
      `«\u00a0${amount}\u00a0» se lit de deux façons\u00a0: rien ne dit si ${sign} y sépare des milliers ou des décimales\u00a0; relisez le fichier en indiquant son séparateur décimal`,
      line,
    );
  }
}

/** The value in the cell beside a name, or behind its colon, with a currency on either side: `Total_Amount⇥18.00`. */
function besideName(row: FileRow): string {
  const cells = allCells(row).map((cell) => cell.trim());
  const start = cells.findIndex((cell) => cell !== '');
  const values = cells.slice(start + 1, start + 3).filter((cell) => cell !== '');
  if (cells.slice(start + 3).some((cell) => cell !== '')) return '';
  if (values.length === 0) return /[:：=]\s*(.+)$/.exec(cells[start] ?? '')?.[1] ?? '';
  return values.filter((value) => !/^[A-Z]{3}$/.test(value)).length === 1 ? values.join(' ') : '';
}

const shownLength = 60;
const shown = (text: string) => (text.length > shownLength ? `${text.slice(0, shownLength)}…` : text).trim();
const cleaned = (text: string) => own(text).replaceAll('\0', ' ');

/** The key of an item without an ISRC: barcode, title and artist. */
function keyOf(written: string, upc: string, title: string, artist: string): string {
  const digest = createHash('sha256')
    .update([foldName(written), readUpc(upc) ?? foldName(upc), foldName(title), foldName(artist)].join('\u0001'))
    .digest('base64url');
  return `~${digest.slice(0, 32)}`;
}
