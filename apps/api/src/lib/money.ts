import { divideHalfEven } from '@regie/values/decimal.ts';
import { formatMoney } from '@regie/values/formats.ts';

/** A decimal text as a JSON number, for display only: numbers have at most 15 exact digits. Null stays null. */
export const toWireNumber = <Text extends string | null>(decimal: Text) =>
  (decimal === null ? null : Number(decimal)) as Text extends null ? null : number;

const whole = 10_000n;

/** `percentHundredths` of an amount: 2050 is 20.50%. */
export const takePercent = (cents: bigint, percentHundredths: bigint): bigint =>
  divideHalfEven(cents * percentHundredths, whole);

/** `1 234,50 €`, for letters. */
export const toFrenchEuros = (decimal: string): string => formatMoney(Number(decimal), 'EUR');

/** `1 234,50 $US`. */
export const toFrenchDollars = (decimal: string): string => formatMoney(Number(decimal), 'USD');
