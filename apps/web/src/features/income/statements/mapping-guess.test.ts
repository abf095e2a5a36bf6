import { describe, expect, it } from 'vitest';
import {
  commonWidth,
  currencyBeside,
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
  it.each(['Qté', 'Vues', 'Stk', 'Stück', 'Anzahl'])('takes %s as the quantity', (name) => {
    expect(guessMeanings(['ISRC', name, 'Gain'])).toEqual(['isrc', 'quantity', 'amount']);
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
  it('is offered for fields without a column, where its values are theirs', () => {
    const pairs = [
      { name: 'Currency', values: ['AUD'] },
      { name: 'Reporting period', values: ['2026-03'] },
      { name: 'Date', values: ['inconnue'] },
      { name: 'Country', values: ['AU'] },
    ];
    expect(guessPreamble(pairs, ['isrc', 'amount'])).toEqual({ currency: 'Currency', month: 'Reporting period' });
    expect(guessPreamble(pairs, ['isrc', 'currency'])).toEqual({ month: 'Reporting period' });
  });
});

describe('guessing from values', () => {
  const rows = [
    ['FR-X12-25-00001', '3760000000012', 'DEU', '03/31/2026', '12', '0.5', '6', 'Spotify', 'x'],
    ['frx122500002', '3760000000029', 'FRA', '03/31/2026', '3', '0.5', '1.5', 'Deezer', 'y'],
    ['TOTAL', '', '', '', '15', '', '7.5', '', ''],
  ];
  it('needs no name of a column', () => {
    const names = ['Code', 'Ref', 'Where', 'When', 'Plays', 'Unit rate', 'Your cut (USD)', 'Via', 'Note'];
    expect(guessMeanings(names, rows)).toEqual([
      ...['isrc', 'upc', 'country', 'month', 'quantity', '', 'amount', 'store', ''],
    ]);
  });
  it('takes the only amount, and of a price and its product the product', () => {
    const twelve = [['FR-X12-25-00001', 'Chez d9912811']];
    expect(guessMeanings(['Code', 'Boutique'], twelve)).toEqual(['isrc', 'store']);
    const few = rows.map(([isrc = '', , , , , , amount = '']) => [isrc, amount]);
    expect(guessMeanings(['A', 'B'], few)).toEqual(['isrc', 'amount']);
    const priced = rows
      .slice(0, 2)
      .map(([isrc = '', , , , count = '', price = '', sum = '']) => [isrc, count, price, sum]);
    expect(guessMeanings(['A', 'Units', 'Net', 'Net sum'], priced)).toEqual(['isrc', 'quantity', '', 'amount']);
  });
  it('does not believe a name whose cells say otherwise', () => {
    expect(guessMeanings(['ISRC', 'Date', 'Montant'], [['abc', 'hier', 'douze']])).toEqual(['', '', '']);
  });
  it('finds the currency in the name of the amount or beside each', () => {
    expect(['USD Payable', 'Royalty ($US)', 'Montant (€)', 'Montant ($)'].map(currencyOf)).toEqual([
      ...['USD', 'USD', 'EUR', undefined],
    ]);
    expect(currencyBeside(['$1.50', '-$0.25', ''])).toBe('USD');
    expect(currencyBeside(['1,50 €', '2,00 $'])).toBeUndefined();
  });
  it('lets other cells tell days from months', () => {
    expect(guessMonthForm(['01/02/2026'], ['FR', '02/28/2026'])).toBe('M/D/YY');
    expect(guessMonthForm(['01/02/2026'], ['28/02/2026'])).toBe('D/M/YY');
    expect(guessMonthForm(['1/2/26 5:45pm'], ['1/2/26 5:45pm'])).toBe('M/D/YY');
    expect(guessMonthForm(['01/02/2026'], ['28/02/2026', '02/28/2026'])).toBeUndefined();
  });
});
