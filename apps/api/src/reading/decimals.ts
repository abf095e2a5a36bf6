import { maxDecimals } from '@regie/contract/statements.ts';
import { StatementRefusal } from './refusal.ts';

/**
 * Exact decimal sums without a BigInt per row. A value is three integers below 10^15, each exact in a float (the
 * integer part, the first fifteen decimals, the next fifteen) and a BigInt for further decimals. All parts carry the
 * sign.
 */
const limb = 1e15;
const limbDigits = 15;
const half = 1e8;
const maxWhole = Number.MAX_SAFE_INTEGER - 1;
const limbDecimals = 2 * limbDigits;
const tailDigits = maxDecimals - limbDecimals;

/** The last value read; a shared register avoids an object per cell. */
const register = { whole: 0, high: 0, low: 0, tail: 0n, currency: '' };

/** The currency sign or code beside the last number read; empty when there is none. */
export const readCurrency = (): string => register.currency;

export type DecimalMark = '.' | ',';

const zero = 48;
const powers = Array.from({ length: limbDigits + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Reads a decimal into the register: one sign before or after it; at most fifteen digits before the mark and
 * `maxDecimals` after it; thousands separated by the other mark, a space or an apostrophe; `1E-7`, `(0.50)` and a
 * currency sign or code (`$0.50`, `0.50 €`, `USD 0.50`). An empty text is 0. @returns whether the text is valid
 */
export function readDecimal(text: string, mark: DecimalMark): boolean {
  const markCode = mark === '.' ? 46 : 44;
  let at = 0;
  const { length } = text;
  let isNegative = false;
  const first = text.charCodeAt(0);
  if (first === 45 || first === 43) {
    isNegative = first === 45;
    at = 1;
  }
  let whole = 0;
  let digits = 0;
  for (; at < length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) break;
    whole = whole * 10 + digit;
    digits++;
  }
  let high = 0;
  let low = 0;
  let decimals = 0;
  let tailStart = 0;
  if (at < length && text.charCodeAt(at) === markCode) {
    at++;
    for (; at < length; at++) {
      const digit = text.charCodeAt(at) - zero;
      if (digit < 0 || digit > 9) break;
      if (decimals < limbDigits) high = high * 10 + digit;
      else if (decimals < limbDecimals) low = low * 10 + digit;
      else if (decimals === limbDecimals) tailStart = at;
      decimals++;
    }
  }
  if (at < length || digits > limbDigits || decimals > maxDecimals || digits + decimals === 0) {
    return readUncommon(text, mark);
  }
  if (decimals < limbDigits) high *= powers[limbDigits - decimals] ?? 1;
  else if (decimals > limbDigits && decimals < limbDecimals) low *= powers[limbDecimals - decimals] ?? 1;
  register.tail = 0n;
  if (tailStart > 0) {
    const tail = BigInt(text.slice(tailStart, at).padEnd(tailDigits, '0'));
    register.tail = isNegative ? -tail : tail;
  }
  register.currency = '';
  register.whole = isNegative ? -whole : whole;
  register.high = isNegative ? -high : high;
  register.low = isNegative ? -low : low;
  return true;
}

const signs = /[\u2212\u2013]/g;
const spaces = /[\s\u00a0\u202f]/g;
// Numbers below a thousand have no separators: `0,507` with a dot as mark is invalid.
const grouped = /^[+-]?[1-9]\d{0,2}(?:([.,\s\u00a0\u202f'’])\d{3})(?:\1\d{3})*(?:[.,]\d*)?$/;
const leadingZeros = /^([+-]?)0+(?=\d)/;
const exponent = /^([+-]?)(\d*)(?:[.,](\d*))?[eE]([+-]?\d{1,3})$/;
/** A number with a currency before or after it, and a sign on either side. */
const withCurrency =
  /^([+-]?)\s*(?:([A-Z]{3}|[A-Z]{0,3}\p{Sc})\s*([+-]?[\d.,].*)|([\d.,].*?)\s*([A-Z]{3}|[A-Z]{0,3}\p{Sc}))\s*(-?)$/u;

function readUncommon(text: string, mark: DecimalMark): boolean {
  const trimmed = text.trim().replace(signs, '-');
  if (trimmed === '') {
    register.whole = 0;
    register.high = 0;
    register.low = 0;
    register.tail = 0n;
    register.currency = '';
    return true;
  }
  const [, before = '', signBefore, afterSign, beforeSign, signBehind, behind = ''] = withCurrency.exec(trimmed) ?? [];
  const currency = signBefore ?? signBehind;
  if (currency !== undefined) {
    const number = `${before}${afterSign ?? beforeSign}${behind}`.trim();
    const isRead = readDecimal(number, mark) && register.currency === '';
    register.currency = currency;
    return isRead;
  }
  const other = mark === '.' ? ',' : '.';
  const [, groupMark] = grouped.exec(trimmed) ?? [];
  if (groupMark !== undefined && groupMark !== mark) {
    return readPlain(trimmed.replaceAll(groupMark, ''), mark, text);
  }
  const power = exponent.exec(trimmed);
  if (power && !trimmed.includes(other)) {
    const plain = expand(power);
    return plain !== undefined && readPlain(plain, '.', text);
  }
  // Accountants write negative amounts in brackets; some programs put the sign last.
  const negative = /^(?:\((.+)\)|([^+-]+)-)$/.exec(trimmed);
  const amount = negative?.[1] ?? negative?.[2];
  if (amount && !amount.includes('-')) return readDecimal(`-${amount.trim()}`, mark);
  return readPlain(trimmed, mark, text);
}

function readPlain(text: string, mark: DecimalMark, former: string): boolean {
  const plain = text.replace(spaces, '').replace(leadingZeros, '$1');
  return plain !== former && readDecimal(plain, mark);
}

function expand([, sign = '', whole = '', decimals = '', power = '0']: RegExpExecArray): string | undefined {
  const digits = whole + decimals;
  const point = whole.length + Number(power);
  if (/^0+$/.test(digits)) return '0';
  if (digits === '' || Math.abs(point) > maxDecimals) return undefined;
  if (point <= 0) return trimDecimals(`${sign}0.${'0'.repeat(-point)}${digits}`);
  return trimDecimals(`${sign}${digits.padEnd(point, '0').slice(0, point)}.${digits.slice(point)}`);
}

const trimDecimals = (text: string) => text.replace(/(\.\d*?)0+$/, '$1').replace(leadingZeros, '$1');

/** Why a text that looks like a number is not accepted as an amount; undefined when it is no number. */
export function numberProblem(text: string, mark: DecimalMark): string | undefined {
  const plain = text.trim().replace(signs, '-').replace(spaces, '');
  const [, whole = '', decimals = ''] = /^[+-]?(\d*)(?:[.,](\d*))?(?:[eE][+-]?\d+)?$/.exec(plain) ?? [];
  if (whole + decimals === '') return undefined;
  const [other, told] = mark === '.' ? [',', 'point'] : ['.', 'virgule'];
  if (plain.includes(other)) return `le modèle attend ${mark === '.' ? 'un' : 'une'} ${told} comme séparateur décimal`;
  const [, power = '0'] = /e(.+)$/i.exec(plain) ?? [];
  if (decimals.length > maxDecimals || Number(power) < 0) return `plus de ${maxDecimals} décimales`;
  return `plus de ${limbDigits} chiffres avant le séparateur décimal`;
}

export function makeNegative(): void {
  const { whole, high, low, tail } = register;
  if (whole > 0 || high > 0 || low > 0 || tail > 0n) negate();
}

export function negate(): void {
  register.whole = -register.whole;
  register.high = -register.high;
  register.low = -register.low;
  register.tail = -register.tail;
}

/** Decimal sums by slot, exact to `maxDecimals` decimals. */
export class DecimalSums {
  #whole: Float64Array;
  #high: Float64Array;
  #low: Float64Array;
  /** The decimals beyond the thirtieth, by slot. */
  readonly #tails = new Map<number, bigint>();

  constructor(slots: number) {
    this.#whole = new Float64Array(slots);
    this.#high = new Float64Array(slots);
    this.#low = new Float64Array(slots);
  }

  grow(): void {
    const slots = 2 * this.#whole.length;
    const grown = (values: Float64Array) => {
      const all = new Float64Array(slots);
      all.set(values);
      return all;
    };
    this.#whole = grown(this.#whole);
    this.#high = grown(this.#high);
    this.#low = grown(this.#low);
  }

  get slots(): number {
    return this.#whole.length;
  }

  read(slot: number): void {
    register.whole = this.#whole[slot] ?? 0;
    register.high = this.#high[slot] ?? 0;
    register.low = this.#low[slot] ?? 0;
    register.tail = this.#tails.get(slot) ?? 0n;
    register.currency = '';
  }

  set(slot: number): void {
    this.#whole[slot] = register.whole;
    this.#high[slot] = register.high;
    this.#low[slot] = register.low;
    if (register.tail !== 0n) this.#tails.set(slot, register.tail);
    else if (this.#tails.size > 0) this.#tails.delete(slot);
  }

  /** Adds the register's value. @throws StatementRefusal when the sum exceeds exact integers */
  add(slot: number): void {
    let whole = (this.#whole[slot] ?? 0) + register.whole;
    let high = (this.#high[slot] ?? 0) + register.high;
    if (register.tail !== 0n) this.#tails.set(slot, (this.#tails.get(slot) ?? 0n) + register.tail);
    if (register.low !== 0) {
      let low = (this.#low[slot] ?? 0) + register.low;
      if (low >= limb) {
        low -= limb;
        high += 1;
      } else if (low <= -limb) {
        low += limb;
        high -= 1;
      }
      this.#low[slot] = low;
    }
    if (high >= limb) {
      high -= limb;
      whole += 1;
    } else if (high <= -limb) {
      high += limb;
      whole -= 1;
    }
    if (whole > maxWhole || whole < -maxWhole)
      throw new StatementRefusal('La somme de ces lignes dépasse toute mesure');
    this.#high[slot] = high;
    this.#whole[slot] = whole;
  }

  /** A sum as text, without trailing zeros. */
  text(slot: number): string {
    const whole = this.#whole[slot] ?? 0;
    const high = this.#high[slot] ?? 0;
    const low = this.#low[slot] ?? 0;
    const tail = this.#tails.get(slot) ?? 0n;
    if (tail !== 0n) return this.#bigText(whole, high, low, tail);
    if (high === 0 && low === 0) return String(whole);
    const isNegative = whole < 0 || high < 0 || low < 0;
    if (!isNegative || (whole <= 0 && high <= 0 && low <= 0)) {
      const decimals = low === 0 ? limbText(Math.abs(high)) : limbText(Math.abs(high)) + limbText(Math.abs(low));
      return `${isNegative ? '-' : ''}${Math.abs(whole)}.${trimZeros(decimals)}`;
    }
    return this.#bigText(whole, high, low, tail);
  }

  #bigText(whole: number, high: number, low: number, tail: bigint): string {
    const big =
      (BigInt(whole) * 10n ** 30n + BigInt(high) * 10n ** 15n + BigInt(low)) * 10n ** BigInt(tailDigits) + tail;
    const digits = String(big < 0n ? -big : big).padStart(maxDecimals + 1, '0');
    const text = `${digits.slice(0, -maxDecimals)}.${digits.slice(-maxDecimals)}`.replace(/\.?0+$/, '');
    return big < 0n ? `-${text}` : text;
  }
}

/** Fifteen digits, in two halves because small integers convert to text several times faster. */
function limbText(value: number): string {
  const first = Math.trunc(value / half);
  return String(10_000_000 + first).slice(1) + String(half + (value - first * half)).slice(1);
}

function trimZeros(text: string): string {
  let end = text.length;
  while (end > 1 && text.charCodeAt(end - 1) === zero) end--;
  return end === text.length ? text : text.slice(0, end);
}

const firstDecimals = 18;
const laterDecimals = maxDecimals - firstDecimals;

/**
 * A decimal in three columns, each with the sign: the whole number, the first eighteen decimals (`0.25`), and what
 * follows in units of the last decimal, usually empty.
 */
export function inParts(text: string): string {
  const point = text.indexOf('.');
  if (point < 0) return `${text}\t0\t`;
  const sign = text.charCodeAt(0) === 45 ? '-' : '';
  const end = point + 1 + firstDecimals;
  const rest = text.length > end ? `${sign}${text.slice(end).padEnd(laterDecimals, '0')}` : '';
  return `${text.slice(0, point)}\t${sign}0${text.slice(point, end)}\t${rest}`;
}

function inOne(whole = '', part = '', rest = ''): string {
  if (part === '0') return whole;
  return `${whole}${part.slice(part.indexOf('.'))}${rest.replace('-', '').replace(/0+$/, '')}`;
}

/** The cells of a line of `LineSummer`, its quantity and amount as one text each. */
export function cellsOf(line: string): string[] {
  const cells = line.split('\t');
  const [whole, part, rest, otherWhole, otherPart, otherRest, ...last] = cells.slice(6);
  return [...cells.slice(0, 6), inOne(whole, part, rest), inOne(otherWhole, otherPart, otherRest), ...last];
}
