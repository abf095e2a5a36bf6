import { describe, expect, it } from 'vitest';
import { parseReportRows, reasons } from './report-rows.rules.ts';

const one = (record: Record<string, unknown>) => parseReportRows([record], 1);

describe('parseReportRows', () => {
  it.each([
    ['1.5', '1.5'],
    ['1,5', '1.5'],
    [1.5, '1.5'],
    [1e-7, '1e-7'],
    ['0E-18', '0E-18'],
    ['5e-11', '5e-11'],
    ['-12.3400000001', '-12.3400000001'],
    ['.5', '.5'],
    ['-,25', '-.25'],
    ['5.', '5.'],
    ['1,2E-07', '1.2E-07'],
    ['', '0'],
    ['  ', '0'],
    [undefined, '0'],
    [null, '0'],
  ])('reads the income %j', (given, expected) => {
    expect(one({ isrc: 'FRX122600001', incomeOfStreams: given, numOfYoutube: 1 }).incomeStreams).toEqual([expected]);
  });

  it.each([
    ['1 234,5'],
    ['1.234,56'],
    ['1,234.56'],
    ['abc'],
    ['1e9'],
    ['1e3'],
    ['1.5E+00'],
    [Number.NaN],
    [true],
    [{}],
    ['1e99'],
    ['--1'],
    ['0x10'],
    ['.'],
    ['1,2,3'],
  ])('refuses the income %j', (given) => {
    const parsed = one({ isrc: 'FRX122600001', incomeOfStreams: given });
    expect(parsed.isrc).toEqual([]);
    expect(parsed.unsaved).toEqual([{ row: 1, isrc: 'FRX122600001', reason: reasons.badNumber('incomeOfStreams') }]);
  });

  it.each([
    [12, '12'],
    ['12', '12'],
    [12.0, '12'],
    ['-3', '-3'],
    ['', '0'],
    [' ', '0'],
  ])('reads the count %j', (given, expected) => {
    expect(one({ isrc: 'FRX122600001', numOfStreams: given, incomeOfStreams: 1 }).streams).toEqual([expected]);
  });

  it.each([['12.5'], ['douze'], ['1 000'], ['1.000'], ['12.0'], ['1,000'], ['1e3'], [12.5], [1e20]])(
    'refuses the count %j',
    (given) => {
      expect(one({ isrc: 'FRX122600001', numOfStreams: given }).unsaved[0]?.reason).toBe(
        reasons.badNumber('numOfStreams'),
      );
    },
  );

  it('refuses texts with a decimal mark in a column that has both marks', () => {
    const isrc = 'FRX122600001';
    const incomes = ['1,5', '1.500', '7', 2.5, '1.234,56', ' -,5 '];
    const rows = incomes.map((incomeOfStreams) => ({ isrc, incomeOfStreams, incomeOfDownloads: '0,5' }));
    const parsed = parseReportRows(rows, 1);
    expect(parsed.incomeStreams).toEqual(['7', '2.5']);
    expect(parsed.incomeDownloads).toEqual(['0.5', '0.5']);
    const reason = reasons.bothMarks('incomeOfStreams');
    expect(parsed.unsaved.map((one) => [one.row, one.reason])).toEqual([
      [1, reason],
      [2, reason],
      [5, reasons.badNumber('incomeOfStreams')],
      [6, reason],
    ]);
    // Cells that the browser could not read are no decimals.
    const quoted = parseReportRows(
      [
        { isrc, incomeOfStreams: '«\u00a01,5\u00a0»' },
        { isrc, incomeOfStreams: '1.5' },
      ],
      1,
    );
    expect(quoted.incomeStreams).toEqual(['1.5']);
  });

  it('returns the valid rows, and numbers the invalid rows over the whole file', () => {
    const parsed = parseReportRows(
      [
        { isrc: 'FRX122600001', numOfStreams: 1 },
        { isrc: '' },
        null,
        { isrc: 'PASUNISRC' },
        { isrc: 'FRX122600002', numOfYoutube: 3 },
      ],
      5001,
    );
    expect(parsed.row).toEqual([5001, 5005]);
    expect(parsed.youtube).toEqual(['0', '3']);
    expect(parsed.unsaved).toEqual([
      { row: 5002, isrc: '', reason: reasons.noIsrc },
      { row: 5003, isrc: '', reason: reasons.unreadable },
      { row: 5004, isrc: 'PASUNISRC', reason: reasons.badIsrc },
    ]);
  });

  it.each([
    { numOfStreams: null },
    { numOfStreams: 0, incomeOfStreams: '0,00', numOfYoutube: '' },
    { incomeOfYoutube: 4e-11 },
    { numOfDownloads: '-0' },
  ])('refuses the zero figures %j', (figures) => {
    expect(one({ isrc: 'FRX122600001', ...figures })).toMatchObject({
      isrc: [],
      unsaved: [{ row: 1, isrc: 'FRX122600001', reason: reasons.zero }],
    });
  });

  it.each([
    [{ ISRC: 'FRX122600001', incomeofstreams: '1.5' }, { incomeStreams: ['1.5'] }],
    [
      { 'Code ISRC': 'FRX122600001', Écoutes: 12, 'revenus des écoutes': 1.5 },
      { streams: ['12'], incomeStreams: ['1.5'] },
    ],
    [
      { isrc: 'FRX122600001', 'Nb téléchargements': 3, 'Income of YouTube': 2 },
      { downloads: ['3'], incomeYoutube: ['2'] },
    ],
  ])('reads the keys %o as column names', (row, expected) => {
    expect(one(row)).toMatchObject({ isrc: ['FRX122600001'], ...expected, unsaved: [] });
  });

  it.each([
    [{}, reasons.noFigure],
    [{ revenue: 12 }, reasons.noFigure],
    [{ streams: 1, écoutes: 2 }, reasons.doubledColumn],
    [{ streams: 1, __parsed_extra: ['234'] }, reasons.tooManyCells],
  ])('refuses the keys %o', (figures, reason) => {
    expect(one({ isrc: 'FRX122600001', ...figures })).toMatchObject({ isrc: [], unsaved: [{ reason }] });
  });

  it('drops the NUL character, which PostgreSQL cannot store', () => {
    expect(one({ isrc: 'FR\u0000X' }).unsaved[0]?.isrc).toBe('FRX');
  });
});
