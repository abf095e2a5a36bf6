import { describe, expect, it } from 'vitest';
import {
  commonWidth,
  currencyOf,
  guessHeader,
  guessMeanings,
  guessMonthForm,
  guessPreamble,
  previewAmount,
  previewMonth,
} from './mapping-guess.ts';

describe('guessing the meaning of columns', () => {
  it('uses their names, each meaning once', () => {
    expect(guessMeanings(['Code ISRC', 'Mois', 'Gain', 'Montant', 'Boutique', 'Autre'])).toEqual([
      'isrc',
      'month',
      'amount',
      '',
      'store',
      '',
    ]);
  });
  it('ignores a currency at the end of a name', () => {
    expect(guessMeanings(['Œuvre', 'Part nette EUR', 'Earnings (USD)', 'ISRC'])).toEqual([
      'title',
      'amount',
      '',
      'isrc',
    ]);
  });
  it('finds the currency at the end of a name', () => {
    expect(currencyOf('Part nette EUR')).toBe('EUR');
    expect(currencyOf('Montant')).toBeUndefined();
  });
  it('uses the most frequent row width', () => {
    const rows = [['a'], ['b', 'c', 'd'], ['e', 'f', 'g'], ['h', 'i']].map((cells) => ({ cells }));
    expect(commonWidth(rows)).toBe(3);
    expect(commonWidth([])).toBe(0);
  });
  it('finds the header behind a preamble', () => {
    const rows = [
      { line: 1, cells: ['Relevé de mai'] },
      { line: 2, cells: ['1', '2', '3'] },
      { line: 4, cells: ['ISRC', 'Mois', 'Gain'] },
      { line: 5, cells: ['FRX122500001', '2025-05', '1,2'] },
    ];
    expect(guessHeader(rows)).toBe(2);
    expect(guessHeader([])).toBe(0);
  });
});

describe('dates', () => {
  it.each([
    ['2025-01-31', 'YYYY-MM-DD'],
    ['202501', 'YYYYMM'],
    ['20250131', 'YYYYMMDD'],
    ['1/31/25', 'M/D/YY'],
    ['31/01/2025', 'D/M/YY'],
    ['Jan-25', 'MMM-YY'],
    ['janvier 2025', 'MMMM YYYY'],
    ['2025-Q1', 'YYYY-Qn'],
    ['Q1 2025', 'YYYY-Qn'],
    ['20251', 'YYYYQ'],
    ['01.01.2025-31.03.2025', 'D/M/YY'],
    ['2025-01 - 2025-03', 'YYYY-MM'],
  ] as const)('%s is of the form %s', (text, form) => expect(guessMonthForm([text, '', text])).toBe(form));
  it('are left to the user when ambiguous', () => {
    expect(guessMonthForm(['01/02/2025', '03/04/2025'])).toBeUndefined();
    expect(guessMonthForm(['01/02/2025', '13/04/2025'])).toBe('D/M/YY');
    expect(guessMonthForm(['2025 1', '2025 4'])).toBeUndefined();
    expect(guessMonthForm(['2025 1', '2025 12'])).toBe('YYYY-MM');
    expect(guessMonthForm([])).toBeUndefined();
  });
  it('are previewed with their month', () => {
    expect(previewMonth('31/01/25', 'D/M/YY')).toBe('2025-01');
    expect(previewMonth('1/31/2025', 'M/D/YY')).toBe('2025-01');
    expect(previewMonth('2025-13', 'YYYY-MM')).toBeUndefined();
    expect(previewMonth('janvier 2025', 'MMMM YYYY')).toBe('2025-01');
    expect(previewMonth('31 janvier', 'MMMM YYYY')).toBeUndefined();
  });
});

it('previews amounts with their decimal mark', () => {
  expect(previewAmount('1.234,56', ',')).toBe(1234.56);
  expect(previewAmount('1,234.56', '.')).toBe(1234.56);
  expect(previewAmount('0E-18', '.')).toBe(0);
  expect(previewAmount('douze', ',')).toBeUndefined();
  expect(previewAmount('1,5', 'either')).toBeUndefined();
});

describe('a period', () => {
  it('counts in the month of its middle, or in its first month when it spans several', () => {
    expect(previewMonth('2026-02-28', 'YYYY-MM-DD', '2026-03-27')).toBe('2026-03');
    expect(previewMonth('28/02/26', 'D/M/YY', '27/03/26')).toBe('2026-03');
    expect(previewMonth('2026-01-01', 'YYYY-MM-DD', '2026-03-31')).toBe('2026-01');
    expect(previewMonth('2026-01', 'YYYY-MM', '2026-02')).toBe('2026-01');
    expect(previewMonth('2026-03-27', 'YYYY-MM-DD')).toBe('2026-03');
    expect(previewMonth('28/02/26 - 27/03/26', 'D/M/YY')).toBe('2026-03');
    expect(previewMonth('2026-03-27', 'YYYY-MM-DD', '2026-02-28')).toBeUndefined();
    expect(previewMonth('2026-03-27', 'YYYY-MM-DD', 'mars')).toBeUndefined();
  });
});

describe('the preamble', () => {
  it('is offered for fields without a column', () => {
    const names = ['Currency', 'Reporting period', 'Country'];
    expect(guessPreamble(names, ['isrc', 'amount'])).toEqual({ currency: 'Currency', month: 'Reporting period' });
    expect(guessPreamble(names, ['isrc', 'currency'])).toEqual({ month: 'Reporting period' });
  });
});
