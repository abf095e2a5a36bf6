import { describe, expect, it } from 'vitest';
import { type MonthForm, monthForms, plainForms, readMonth } from './period.ts';

describe('a month', () => {
  it.each<[MonthForm, string, string]>([
    ['YYYY-MM-DD', '2024-03-31', '2024-03-01'],
    ['YYYY-MM-DD', '2026/05/01', '2026-05-01'],
    ['YYYY-MM-DD', '2023-01-01T00:00:00.000Z', '2023-01-01'],
    ['YYYY-MM', '2021-04', '2021-04-01'],
    ['YYYYMMDD', '20240131', '2024-01-01'],
    ['YYYYMM', '202401', '2024-01-01'],
    ['YYYY_MM', '2023_01', '2023-01-01'],
    ['YYYYMnn', '2017M10', '2017-10-01'],
    ['M/D/YY', '10/15/2023 12:00:00 AM', '2023-10-01'],
    ['M/D/YY', '11/25/22 5:45pm', '2022-11-01'],
    ['M/D/YY', '1/6/2020', '2020-01-01'],
    ['D/M/YY', '31.03.2024', '2024-03-01'],
    ['D/M/YY', '01/05/24', '2024-05-01'],
    ['MMM-YY', 'JUN-25', '2025-06-01'],
    ['MMM-YY', 'Jan 22', '2022-01-01'],
    ['MMM-YY', 'JAN-FEB-18', '2018-01-01'],
    ['MMM-YY', 'Q3-17', '2017-07-01'],
    ['MMM-YY', 'Q4 2017', '2017-10-01'],
    ['MMMM YYYY', 'June 2025', '2025-06-01'],
    ['MMMM YYYY', 'août 2024', '2024-08-01'],
    ['MMMM YYYY', 'Dezember 2024', '2024-12-01'],
    ['YYYY-Qn', '2015-Q4', '2015-10-01'],
    ['YYYY-Qn', '2Q2025', '2025-04-01'],
    ['YYYY-Qn', 'T3 2024', '2024-07-01'],
    ['YYYY-Qn', '1er trimestre 2024', '2024-01-01'],
    ['YYYY-Qn', '2024, 4ème trimestre', '2024-10-01'],
    ['YYYY-Qn', 'Second quarter 2023', '2023-04-01'],
    ['YYYY-Qn', '3rd Quarter, 2023', '2023-07-01'],
    ['YYYY-Qn', '2. Quartal 2023', '2023-04-01'],
    ['YYYY-Qn', 'H2 2023', '2023-07-01'],
    ['YYYY-Qn', '2023-S1', '2023-01-01'],
    ['YYYY-Qn', 'deuxième semestre 2023', '2023-07-01'],
    ['YYYY-Qn', 'First half of 2023', '2023-01-01'],
    ['MM-YYYY', '05-2025', '2025-05-01'],
    ['MM-YYYY', '10/2021', '2021-10-01'],
    ['D-MMM-YY', '1-Oct-21', '2021-10-01'],
    ['D-MMM-YY', '01-Oct-2021', '2021-10-01'],
    ['D-MMM-YY', '15 févr. 2026', '2026-02-01'],
    ['D-MMM-YY', 'Oct 1, 2021', '2021-10-01'],
    ['MMM-YY', 'févr-26', '2026-02-01'],
    ['YYYY-MM', '2024 03', '2024-03-01'],
    ['YYYYQ', '20241', '2024-01-01'],
    ['YYYYQ', '20234', '2023-10-01'],
    ['YYYYQ', '2024 3', '2024-07-01'],
    ['YYYYQ', '2-2024', '2024-04-01'],
    ['MMMM YYYY', 'settembre 2024', '2024-09-01'],
    ['MMMM YYYY', 'março 2024', '2024-03-01'],
  ])('in the form %s: %s is %s', (form, text, month) => {
    expect(readMonth(` ${text} `, [form])).toBe(month);
  });

  it.each([
    '',
    '2024',
    '13/2024',
    '2024-13',
    '2024-00',
    '2024-13-01',
    '2024-01-32',
    '0024-01',
    '45292',
    '1889-01',
    'Juno 2024',
    '32-Oct-21',
    'H3 2024',
    '5e trimestre 2024',
    '1er bimestre 2024',
    '2024-Q5',
    '2025-06-31',
    '20245',
    '20240',
    '2024-01-01/03-31',
    '31.03.2024-01.01.2024',
    '31.03.2024 01.01.2024',
    '01.01.2024-',
    '1-2-3-4',
    '20250229',
    '31/04/2025',
    '30-Feb-25',
    'x',
  ])('%j is invalid in every form', (text) => {
    expect(readMonth(text, monthForms)).toBeUndefined();
  });

  // Apple's fiscal months (FORMATS): the first of a quarter has five weeks, and so has December in a year of 53 weeks.
  it.each([
    ['10/01/2017', '11/04/2017', '2017-10-01'],
    ['08/31/2014', '09/27/2014', '2014-09-01'],
    ['11/30/2025', '12/27/2025', '2025-12-01'],
    ['12/28/2025', '01/31/2026', '2026-01-01'],
    ['11/27/2022', '12/31/2022', '2022-12-01'],
    ['01/01/2023', '02/04/2023', '2023-01-01'],
    ['08/27/2023', '09/30/2023', '2023-09-01'],
    ['08/30/2021', '08/30/2021', '2021-09-01'],
    ['10/01/2023', '10/01/2023', '2023-10-01'],
  ])("on Apple's calendar, %s to %s is %s", (start, end, month) => {
    expect(readMonth(start, ['M/D/YY'], { end, calendar: 'apple' })).toBe(month);
  });

  it('of a period is that of its middle, or the first of several months', () => {
    const of = (start: string, end: string) => readMonth(start, ['YYYY-MM-DD'], { end });
    expect(of('2017-10-01', '2017-10-31')).toBe('2017-10-01');
    expect(of('2017-09-28', '2017-10-27')).toBe('2017-10-01');
    expect(of('2024-01-01', '2024-03-31')).toBe('2024-01-01');
    expect(of('2024-02-02', '2024-02-01')).toBeUndefined();
    expect(of('2024-02-02', 'x')).toBeUndefined();
  });

  it('uses the first matching form: the preset settles ambiguous dates', () => {
    expect(readMonth('02/03/2024', ['M/D/YY', 'D/M/YY'])).toBe('2024-02-01');
    expect(readMonth('02/03/2024', ['D/M/YY', 'M/D/YY'])).toBe('2024-03-01');
    expect(readMonth('25/03/2024', ['M/D/YY', 'D/M/YY'])).toBe('2024-03-01');
  });

  it.each<[MonthForm, string, string]>([
    ['D/M/YY', '01.01.2024-31.03.2024', '2024-01-01'],
    ['D/M/YY', '01/10/2024 – 31/12/2024', '2024-10-01'],
    ['D/M/YY', 'du 01/04/2024 au 30/06/2024', '2024-04-01'],
    ['D/M/YY', '01.07.2024 bis 30.09.2024', '2024-07-01'],
    ['D/M/YY', '01-01-24 - 31-03-24', '2024-01-01'],
    ['D/M/YY', '01.01.-31.03.2024', '2024-01-01'],
    ['D/M/YY', '28/02/2026 à 27/03/2026', '2026-03-01'],
    ['M/D/YY', '01/01/2024 to 03/31/2024', '2024-01-01'],
    ['M/D/YY', '02/28/26~03/27/26', '2026-03-01'],
    ['YYYY-MM-DD', '2024-01-01/2024-03-31', '2024-01-01'],
    ['YYYY-MM-DD', '2024-01-01_2024-03-31', '2024-01-01'],
    ['YYYY-MM-DD', '2024-02-28 00:00:00 - 2024-03-27 23:59:59', '2024-03-01'],
    ['YYYY-MM-DD', '2026-02-28..2026-03-27', '2026-03-01'],
    ['YYYYMMDD', '20240401-20240630', '2024-04-01'],
    ['YYYYMM', '202401-202403', '2024-01-01'],
    ['YYYY-MM', '2024-01-2024-03', '2024-01-01'],
    ['MM-YYYY', '01/2024-03/2024', '2024-01-01'],
    ['D-MMM-YY', '1 janv. 2024 au 31 mars 2024', '2024-01-01'],
    ['D-MMM-YY', 'du 1er au 31 mars 2024', '2024-03-01'],
    ['D-MMM-YY', 'March 1 - March 31, 2024', '2024-03-01'],
    ['D-MMM-YY', 'Jul 1, 2017 to Jul 31, 2017', '2017-07-01'],
    ['MMM-YY', 'Jan-24 - Mar-24', '2024-01-01'],
    ['MMMM YYYY', 'enero a marzo 2024', '2024-01-01'],
    ['MMMM YYYY', 'October–December 2023', '2023-10-01'],
    ['YYYY-Qn', 'Q1-Q2 2024', '2024-01-01'],
    ['YYYY-Qn', 'Q3 2024 - Q4 2024', '2024-07-01'],
  ])('of a range in one text, in the form %s: %s is %s', (form, text, month) => {
    expect(readMonth(text, [form])).toBe(month);
    expect(readMonth(text, [...new Set([form, ...plainForms])])).toBe(month);
  });

  it('is not read from part of a date in another form', () => {
    // Of the third of January or the first of March: a column of months has no days.
    expect(readMonth('1-3-2024', plainForms)).toBeUndefined();
    expect(readMonth('20242', plainForms)).toBeUndefined();
    expect(readMonth('2024-01-01T00:00:00.000-05:00', plainForms)).toBe('2024-01-01');
    expect(readMonth('2024-01-31 UTC', plainForms)).toBe('2024-01-01');
  });

  it('of a range on Apple’s calendar is its fiscal month', () => {
    expect(readMonth('12/28/2025 - 01/31/2026', ['M/D/YY'], { calendar: 'apple' })).toBe('2026-01-01');
  });

  it('is refused quickly in a long text', () => {
    const from = performance.now();
    expect(readMonth('1-'.repeat(200_000), monthForms)).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(2000);
  });
});
