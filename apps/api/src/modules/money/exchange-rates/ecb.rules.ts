import { exchangeRateMessages as refusals } from '@regie/contract/exchange-rates.ts';
import type { EcbSkipReason } from '@regie/contract/routes/accounting.ts';
import type { Month } from '@regie/values/month.ts';
import { invalid } from '#src/lib/errors.ts';
import { scanRows } from '#src/reading/scan-rows.ts';

export interface EcbRate {
  month: Month;
  currency: string;
  /** Units of the currency per euro as in the file, with a decimal point. */
  rate: string;
}

export interface EcbFile {
  /** Monthly averages against the euro since January 2020, each once. */
  rates: EcbRate[];
  /** Number of earlier rates, which no report can have (product §29.1). */
  tooEarly: number;
  leftOut: Map<EcbSkipReason, Set<string>>;
}

type Row = Parameters<Parameters<typeof scanRows>[2]>[0];
type Take = (row: Row) => void;

/** `EXR.M.USD.EUR.SP00.A`; older files prefix the number of the data set. */
const seriesKey = /(?:^|[^A-Z0-9_.])(?:\d+\.)?(EXR(?:\.[A-Z0-9_]+){5})(?![A-Z0-9_.])/;
const dimensions = ['FREQ', 'CURRENCY', 'CURRENCY_DENOM', 'EXR_TYPE', 'EXR_SUFFIX'] as const;
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const firstMonth = '2020-01';
const noValue = new Set(['', '-', '.', 'nan']);
/** Maximum rows before the first series, and of descriptions before its first month. */
const maxPreamble = 30;
const maxDescriptions = 6;
const shownCharacters = 40;

const refuse = (text: string) => invalid({ text });
const shown = (text: string) => text.slice(0, shownCharacters);

/** The scanner reuses its cells: those beyond the row's count are stale. */
const cellOf = (row: Row, index: number) => (index < row.count ? row.cell(index).trim() : '');

/** `2026-05`, `2026-05-31` or `2026May`. */
function findMonth(text: string): Month | undefined {
  const [, year = '', number, name] = /^(\d{4})-?(?:(\d{2})(?:-\d{2})?|([A-Za-z]{3}))$/.exec(text) ?? [];
  const index = number === undefined ? monthNames.indexOf(name?.toLowerCase() ?? '') + 1 : Number(number);
  return index >= 1 && index <= 12 ? (`${year}-${String(index).padStart(2, '0')}` as Month) : undefined;
}

function judgeSeries(key: string): { currency: string } | { reason: EcbSkipReason } {
  const [flow, frequency, currency = '', denominator, type, variation] = key.split('.');
  if (flow !== 'EXR' || type !== 'SP00' || !/^[A-Z]{3}$/.test(currency) || currency === 'EUR')
    return { reason: 'kind' };
  if (denominator !== 'EUR') return { reason: 'denominator' };
  if (frequency !== 'M') return { reason: 'frequency' };
  return variation === 'A' ? { currency } : { reason: 'variation' };
}

function findDelimiter(text: string): ',' | ';' | '\t' | undefined {
  const lines = text.slice(0, 200_000).split('\n', maxPreamble);
  const named = lines.find((line) => seriesKey.test(line) || line.includes('OBS_VALUE')) ?? lines[0] ?? '';
  const counts = ([',', ';', '\t'] as const).map((mark) => ({ mark, count: named.split(mark).length }));
  const best = counts.reduce((most, one) => (one.count > most.count ? one : most));
  return best.count > 1 ? best.mark : undefined;
}

/**
 * Parses the ECB's CSV formats: a row per series and month (`KEY`, `TIME_PERIOD`, `OBS_VALUE`), several tables may
 * follow each other; or a column per series below a row of their keys.
 * @throws validation_failed on `text`
 */
export function readEcbRates(given: string): EcbFile {
  const text = given.replace(/^\uFEFF/, '');
  if (text.startsWith('PK\u0003\u0004') || text.includes('\0')) throw refuse(refusals.ecbPacked);
  const delimiter = findDelimiter(text);
  if (delimiter === undefined) throw refuse(refusals.ecbUnknown);
  const leftOut: EcbFile['leftOut'] = new Map();
  const rates = new Map<string, EcbRate>();
  const judged = new Map<string, string | undefined>();
  let take: Take | undefined;
  let tooEarly = 0;

  /** The currency of a wanted series; others are noted. */
  const currencyOf = (key: string): string | undefined => {
    if (judged.has(key)) return judged.get(key);
    const verdict = judgeSeries(key);
    if ('reason' in verdict) leftOut.set(verdict.reason, (leftOut.get(verdict.reason) ?? new Set()).add(shown(key)));
    const currency = 'currency' in verdict ? verdict.currency : undefined;
    judged.set(key, currency);
    return currency;
  };
  const add = (row: Row, currency: string, month: Month, value: string) => {
    if (noValue.has(value.toLowerCase())) return;
    if (month < firstMonth) {
      tooEarly++;
      return;
    }
    // With semicolons or tabs, the file comes from a spreadsheet with decimal commas.
    const rate = delimiter === ',' ? value : value.replace(',', '.');
    const isRate = /^\d{1,10}(\.\d{1,30})?$/.test(rate) && Number(rate) >= 0.0001 && Number(rate) <= 1_000_000;
    if (!isRate) throw refuse(refusals.ecbRate(row.line, shown(value)));
    const key = `${currency} ${month}`;
    const former = rates.get(key);
    // Equal numbers may differ in trailing zeros.
    if (former && trimZeros(former.rate) !== trimZeros(rate))
      throw refuse(refusals.ecbTwice(row.line, currency, month));
    rates.set(key, { month, currency, rate });
  };

  const byRows = (header: readonly string[]): Take | undefined => {
    const at = (name: string) => header.indexOf(name);
    const [key, period, value, unit] = [at('KEY'), at('TIME_PERIOD'), at('OBS_VALUE'), at('UNIT_MULT')];
    const parts = dimensions.map(at);
    if (period < 0 || value < 0 || (key < 0 && parts.includes(-1))) return undefined;
    return (row) => {
      const cell = (index: number) => cellOf(row, index);
      if (row.count < header.length) throw refuse(refusals.ecbShort(row.line));
      const series = key < 0 ? `EXR.${parts.map(cell).join('.')}` : cell(key).replace(/^\d+\./, '');
      const currency = currencyOf(series);
      if (currency === undefined) return;
      const month = findMonth(cell(period));
      if (month === undefined) throw refuse(refusals.ecbMonth(row.line, shown(cell(period))));
      if (unit >= 0 && !['', '0'].includes(cell(unit))) throw refuse(refusals.ecbUnit(row.line, shown(cell(unit))));
      add(row, currency, month, cell(value));
    };
  };

  /** One column per series; rows without series or month are descriptions. */
  const byColumns = (header: readonly string[]): Take | undefined => {
    const keys = header.map((name) => seriesKey.exec(name)?.[1]);
    if (!['', 'DATE'].includes(header[0] ?? '') || keys.every((key) => key === undefined)) return undefined;
    const named = header.indexOf('TIME PERIOD');
    const columns = header.flatMap((name, index) => {
      if (index === 0 || index === named || name === '') return [];
      const currency = currencyOf(keys[index] ?? name);
      return currency === undefined ? [] : [{ index, currency }];
    });
    let descriptions = 0;
    return (row) => {
      const cell = cellOf(row, Math.max(0, named));
      const month = findMonth(cell);
      if (month === undefined) {
        if (columns.length === 0 || descriptions++ < maxDescriptions) return;
        throw refuse(refusals.ecbMonth(row.line, shown(cell)));
      }
      descriptions = maxDescriptions;
      if (row.count < header.length) throw refuse(refusals.ecbShort(row.line));
      for (const { index, currency } of columns) add(row, currency, month, cellOf(row, index));
    };
  };

  let isDaily = false;
  const refusal = scanRows(text, delimiter, (row) => {
    if (take === undefined && row.line > maxPreamble) throw refuse(isDaily ? refusals.ecbDaily : refusals.ecbUnknown);
    if (row.count === 1 && cellOf(row, 0) === '') return;
    // The many data rows skip the header checks.
    if (take === undefined || !/^(\d{4}|EXR\.)/.test(row.cell(0))) {
      const header = Array.from({ length: row.count }, (_, index) => cellOf(row, index).toUpperCase());
      const next = byRows(header) ?? byColumns(header);
      if (next) {
        take = next;
        return;
      }
      // `eurofxref-hist.csv`: Date,USD,JPY,…
      isDaily ||= header[0] === 'DATE' && /^[A-Z]{3}$/.test(header[1] ?? '');
    }
    take?.(row);
  });
  if (refusal) throw refuse(refusals.ecbLine(refusal.line, refusal.message));
  if (rates.size + tooEarly === 0) throw refuse(whyNone(take !== undefined, isDaily, leftOut));
  return { rates: [...rates.values()], tooEarly, leftOut };
}

const trimZeros = (rate: string) => (rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate);

function whyNone(isKnown: boolean, isDaily: boolean, leftOut: EcbFile['leftOut']): string {
  if (isDaily) return refusals.ecbDaily;
  if (!isKnown) return refusals.ecbUnknown;
  if (leftOut.has('variation')) return refusals.ecbEndOfPeriod;
  const isEachDay = [...(leftOut.get('frequency') ?? [])].some((key) => key.startsWith('EXR.D.'));
  return isEachDay ? refusals.ecbDaily : refusals.ecbNone;
}
