import { maxDecimals } from '@regie/contract/statements.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCount } from '#test/deep.ts';
import { scaled, sumOf } from '#test/statement-files.ts';
import { type DecimalMark, DecimalSums, makeNegative, numberProblem, readCurrency, readDecimal } from './decimals.ts';

function read(text: string, mark: DecimalMark): string | undefined {
  if (!readDecimal(text, mark)) return undefined;
  const sums = new DecimalSums(1);
  sums.set(0);
  return sums.text(0);
}

describe('a decimal', () => {
  it.each<[string, DecimalMark, string]>([
    ['12', '.', '12'],
    ['-0.50', '.', '-0.5'],
    ['+1,25', ',', '1.25'],
    ['.5', '.', '0.5'],
    ['5.', '.', '5'],
    ['', '.', '0'],
    ['  ', ',', '0'],
    ['0E-18', '.', '0'],
    ['1E-7', '.', '0.0000001'],
    ['-2.5e3', '.', '-2500'],
    ['1,5E-3', ',', '0.0015'],
    ['1,234.56', '.', '1234.56'],
    ['1.234,56', ',', '1234.56'],
    ['1.234.567', ',', '1234567'],
    ['1 234,56', ',', '1234.56'],
    ['1\u00a0234,56', ',', '1234.56'],
    ['1\u202f234', '.', '1234'],
    ['1’234.5', '.', '1234.5'],
    ['(12.30)', '.', '-12.3'],
    ['\u22123', '.', '-3'],
    [' 00000000000000000.00019', '.', '0.00019'],
    ['0.000000000000000000000000000001', '.', '0.000000000000000000000000000001'],
    ['4.2753869123456789012345678901234567E-7', '.', '0.00000042753869123456789012345678901234567'],
    [`0.${'1'.repeat(maxDecimals)}`, '.', `0.${'1'.repeat(maxDecimals)}`],
    ['0.50-', '.', '-0.5'],
    ['1 234,50-', ',', '-1234.5'],
    ['$0.5', '.', '0.5'],
    ['-$0.50', '.', '-0.5'],
    ['$-0.50', '.', '-0.5'],
    ['($0.50)', '.', '-0.5'],
    ['0.50 €', '.', '0.5'],
    ['1\u00a0234,50\u00a0€', ',', '1234.5'],
    ['USD 0.50', '.', '0.5'],
    ['0.50USD', '.', '0.5'],
    ['US$1,234.50-', '.', '-1234.5'],
    ['$1E-7', '.', '0.0000001'],
    ['999999999999999.999999999999999999999999999999', '.', '999999999999999.999999999999999999999999999999'],
  ])('%j with %j is %s', (text, mark, expected) => {
    expect(read(text, mark)).toBe(expected);
  });

  it.each<[string, DecimalMark]>([
    ['abc', '.'],
    ['-', '.'],
    ['1.2.3', '.'],
    ['1,5', '.'],
    ['0,507', '.'],
    ['1.5', ','],
    ['1,234.5', ','],
    ['12,34,567', '.'],
    ['1e', '.'],
    ['1e999', '.'],
    ['1.5,5', '.'],
    ['--1', '.'],
    ['-1-', '.'],
    ['--1', '.'],
    ['-$-1', '.'],
    ['$1€', '.'],
    ['$', '.'],
    ['USD', '.'],
    ['5 units', '.'],
    ['(-1)', '.'],
    ['#REF!', '.'],
    ['NaN', '.'],
    ['Infinity', '.'],
    ['0x10', '.'],
    ['1234567890123456', '.'],
    [`0.${'0'.repeat(maxDecimals)}1`, '.'],
    ['1e-91', '.'],
  ])('refuses %j with %j', (text, mark) => {
    expect(read(text, mark)).toBeUndefined();
  });

  it('becomes negative on a refund, whatever its sign', () => {
    for (const text of ['-1.5', '1.5', '0.00000000000000000001', '0', `0.${'0'.repeat(40)}1`]) {
      readDecimal(text, '.');
      makeNegative();
      const sums = new DecimalSums(1);
      sums.set(0);
      expect(scaled(sums.text(0))).toBe(-scaled(text.replace('-', '')));
    }
  });
});

it.each([
  ['$0.5', '$'],
  ['0.50 €', '€'],
  ['-USD 0.50', 'USD'],
  ['CA$1', 'CA$'],
  ['0.50', ''],
  ['', ''],
])('%j has the currency %j', (text, currency) => {
  readDecimal(text, '.');
  expect(readCurrency()).toBe(currency);
});

it.each<[string, DecimalMark, string | undefined]>([
  ['0,125', '.', 'le modèle attend un point comme séparateur décimal'],
  ['0.125', ',', 'le modèle attend une virgule comme séparateur décimal'],
  [`0.${'1'.repeat(maxDecimals + 1)}`, '.', 'plus de 48 décimales'],
  ['1E-400', '.', 'plus de 48 décimales'],
  ['1E+400', '.', 'plus de 15 chiffres avant le séparateur décimal'],
  ['1234567890123456', '.', 'plus de 15 chiffres avant le séparateur décimal'],
  ['abc', '.', undefined],
])('%j with %j is refused with a reason', (text, mark, problem) => {
  expect(numberProblem(text, mark)).toBe(problem);
});

const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''));

const written = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    whole: fc.oneof(digits(1, 3), digits(1, 13)),
    decimals: fc.oneof(digits(0, 4), digits(0, 30), digits(25, maxDecimals)),
    form: fc.constantFrom('plain', 'grouped', 'exponent', 'bracketed'),
    power: fc.integer({ min: -3, max: 3 }),
  })
  .map(({ sign, whole, decimals, form, power }) => ({
    sign,
    whole: whole.replace(/^0+(?=\d)/, ''),
    decimals: form === 'exponent' ? decimals.slice(0, maxDecimals - 3) : decimals,
    form,
    power,
  }));

it('sums equal integer sums for any mix', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<DecimalMark>('.', ','),
      fc.array(written, { minLength: 1, maxLength: 60 }),
      (mark, values) => {
        const sums = new DecimalSums(1);
        const plain: string[] = [];
        for (const [index, { sign, whole, decimals, form, power }] of values.entries()) {
          const tail = decimals === '' ? '' : `${mark}${decimals}`;
          const negative = form === 'bracketed' ? '-' : sign.replace('+', '');
          const text =
            form === 'grouped'
              ? `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, mark === '.' ? ',' : '.')}${tail}`
              : form === 'exponent'
                ? `${sign}${whole}${tail}E${power}`
                : form === 'bracketed'
                  ? `(${whole}${tail})`
                  : `${sign}${whole}${tail}`;
          expect(readDecimal(text, mark), text).toBe(true);
          if (index === 0) sums.set(0);
          else sums.add(0);
          plain.push(`${negative}${whole}.${decimals}${form === 'exponent' ? `e${power}` : ''}`);
        }
        expect(sums.text(0)).toBe(sumOf(plain));
      },
    ),
    { numRuns: deepCount(5000) },
  );
});

it('refuses a sum that would no longer be exact', () => {
  const sums = new DecimalSums(1);
  readDecimal('999999999999999', '.');
  sums.set(0);
  const add = () => {
    for (let count = 0; count < 10; count++) sums.add(0);
  };
  expect(add).toThrow('dépasse toute mesure');
});
