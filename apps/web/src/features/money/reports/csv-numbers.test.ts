import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  detectNumberFormat,
  NumberColumn,
  type NumberFormat,
  numberFormats,
  offeredFormats,
  readCount,
  readDecimal,
  unreadCount,
} from './csv-numbers.ts';

function columnOf(values: (string | { number: string })[]): NumberColumn {
  const column = new NumberColumn();
  for (const value of values) column.add(value);
  return column;
}

const marks: Record<NumberFormat, { group: string; decimal: string }> = {
  dot: { group: '', decimal: '.' },
  comma: { group: '', decimal: ',' },
  dotGroupedByComma: { group: ',', decimal: '.' },
  commaGroupedByDot: { group: '.', decimal: ',' },
  dotGroupedBySpace: { group: '\u202F', decimal: '.' },
  commaGroupedBySpace: { group: ' ', decimal: ',' },
};

function write(sign: string, whole: string, fraction: string, format: NumberFormat): string {
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, marks[format].group);
  return `${sign}${grouped}${fraction && marks[format].decimal + fraction}`;
}

describe('detecting the decimal mark of a column', () => {
  it.each<[string, string[], NumberFormat | undefined]>([
    ['only commas', ['1,5', '12', '', '1,234'], 'comma'],
    ['only dots', ['1.5', '12', '1.234'], 'dot'],
    ['no mark at all', ['1', '20', ''], 'dot'],
    ['a thousandth is no thousand', ['0,125', '0,001'], 'comma'],
    ['only 1.234', ['1.234', '12', '56.789'], undefined],
    ['only 1,234', ['1,234'], undefined],
    ['1.234 and 1,234', ['1.234', '1,234'], undefined],
    ['both marks, one rare', ['1,5', '2,5', '3.5'], 'comma'],
    ['both marks as often', ['1,5', '3.5'], undefined],
    ['both marks and an unsure value', ['1,5', '2,5', '3.5', '1.234'], undefined],
    ['thousands marks are not assumed', ['1.234,56', '7,5'], 'comma'],
    ['English thousands', ['1,234.56', '1,234,567'], 'dot'],
    ['spaces between thousands', ['1 234,56', '2'], 'comma'],
    ['words are no evidence', ['n/a', '1,5'], 'comma'],
    ['exponents', ['1,2E-05', '3'], 'comma'],
  ])('%s', (_, values, format) => {
    expect(detectNumberFormat(columnOf(values))).toBe(format);
  });

  it('reads a workbook’s number cells as numbers, whatever their format', () => {
    const column = columnOf([{ number: '1.234' }, '1,5']);
    expect(detectNumberFormat(column)).toBe('comma');
    expect(readDecimal({ number: '1.234' }, 'comma')).toBe('1.234');
    expect(readDecimal({ number: '4.0000000000000001E-2' }, 'comma')).toBe('0.040000000000000001');
  });

  it('counts the values a format cannot read and offers only formats that read some', () => {
    const column = columnOf(['1.234,56', '7,5', '8', 'x', '']);
    expect(unreadCount(column, 'comma')).toBe(2);
    expect(unreadCount(column, 'commaGroupedByDot')).toBe(1);
    expect(unreadCount(columnOf(['1.234', '1.235']), 'comma')).toBe(2);
    expect(offeredFormats(column)).toContain('commaGroupedByDot');
    expect(offeredFormats(columnOf(['1', '2']))).toEqual([]);
  });
});

describe('reading a value with its column format', () => {
  it.each<[string, NumberFormat, string | undefined]>([
    ['1,5', 'comma', '1.5'],
    ['1.5', 'comma', undefined],
    ['1,234', 'dot', undefined],
    ['1,234', 'comma', '1.234'],
    ['1,234', 'dotGroupedByComma', '1234'],
    ['1.234', 'commaGroupedByDot', '1234'],
    ['1.234,56', 'comma', undefined],
    ['1.234,56', 'commaGroupedByDot', '1234.56'],
    ['-0,0000000001', 'comma', '-0.0000000001'],
    ['\u22122,50', 'comma', '-2.50'],
    ['+7', 'dot', '7'],
    ['007', 'dot', '7'],
    [',5', 'comma', '0.5'],
    ['5.', 'dot', '5'],
    ['  12 ', 'dot', '12'],
    ['', 'dot', ''],
    ['1 234', 'dot', undefined],
    ['1\u00A0234,5', 'commaGroupedBySpace', '1234.5'],
    ['1.2e-5', 'dot', '0.000012'],
    ['1,2E+03', 'comma', '1200'],
    ['1e99', 'dot', undefined],
    ['$1.50', 'dot', undefined],
    ['1,50 €', 'comma', undefined],
    ['NaN', 'dot', undefined],
    ['12.3.4', 'dot', undefined],
    ['0x10', 'dot', undefined],
    ['9'.repeat(61), 'dot', undefined],
  ])('%s as %s is %s', (text, format, expected) => {
    expect(readDecimal(text, format)).toBe(expected);
  });

  it('preserves the exact digits of any number in any format', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.stringMatching(/^\d{0,12}$/),
        fc.constantFrom(...numberFormats),
        (sign, whole, fraction, format) => {
          const exact = `${sign}${whole}${fraction && `.${fraction}`}`;
          expect(readDecimal(write(sign, String(whole), fraction, format), format)).toBe(exact);
        },
      ),
    );
  });

  it('reads a value with a decimal mark in only one of the plain formats', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?\d{1,6}[.,]\d{1,6}$/), (text) => {
        const readings = [readDecimal(text, 'dot'), readDecimal(text, 'comma')].filter((value) => value !== undefined);
        expect(readings).toHaveLength(1);
      }),
    );
  });

  it('reads counts as whole numbers', () => {
    expect(readCount('12.00', 'dot')).toBe('12');
    expect(readCount('12.50', 'dot')).toBeUndefined();
    expect(readCount('1,234', 'comma')).toBeUndefined();
    expect(readCount('1,234', 'dotGroupedByComma')).toBe('1234');
    expect(readCount('', 'dot')).toBe('');
  });
});
