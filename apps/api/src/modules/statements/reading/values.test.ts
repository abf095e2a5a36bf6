import type { IncomeKind, MonthForm } from '@regie/contract/statements.ts';
import { monthForms } from '@regie/contract/statements.ts';
import { foldName } from '@regie/values/search-text.ts';
import { describe, expect, it } from 'vitest';
import { currencySign, readCountry, readIsrc, readKind, readMonth, readUpc } from './values.ts';

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

  it('of a period contains its middle; of several months it is the first', () => {
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
});

it.each([
  ['FR', 'FR'],
  ['FRA', 'FR'],
  ['France', 'FR'],
  ['Allemagne', 'DE'],
  ['Deutschland', 'DE'],
  ['Germany', 'DE'],
  ['Россия', 'RU'],
  ['España', 'ES'],
  ['UK', 'GB'],
  ['USA', 'US'],
  ['Korea, Republic of', 'KR'],
  ['Côte d’Ivoire', 'CI'],
  ['', ''],
  ['Worldwide', ''],
  ['NA', 'NA'],
  ['N/A', ''],
  ['n.a.', ''],
  ['ZZ', ''],
  ['OU', ''],
  ['WW', ''],
])('the country of %j is %j', (text, country) => {
  expect(readCountry(text)).toBe(country);
});

it.each<[string, string, IncomeKind]>([
  ['', 'Spotify', 'stream'],
  ['', 'iTunes', 'download'],
  ['', 'Beatport', 'download'],
  ['', 'YouTube (Ads)', 'video'],
  ['', 'YouTube Music', 'stream'],
  ['', 'YouTube Premium', 'stream'],
  ['Track Download', 'Spotify', 'download'],
  ['Single Track Stream', 'iTunes', 'stream'],
  ['Video stream', 'Deezer', 'video'],
  ['v', 'Deezer', 'video'],
  ['vinyl', 'Deezer', 'stream'],
])('the income %j of %s is a %s', (type, store, kind) => {
  const kinds = { stream: ['stream'], download: ['download', 'track'], video: ['video', 'v'] };
  expect(readKind(type, store, { kinds })).toBe(kind);
});

it('uses the preset’s kind unless the file names one', () => {
  expect(readKind('', 'YouTube', { kind: 'download', kinds: {} })).toBe('download');
  expect(readKind('Stream', 'YouTube', { kind: 'download', kinds: { stream: ['stream'] } })).toBe('stream');
});

it.each([
  ['frabc2400001', 'FRABC2400001'],
  ['FR-ABC-24-00001', 'FRABC2400001'],
  ['ISRC FR ABC 24 00001', 'FRABC2400001'],
  ['FRABC240000', undefined],
  ['N/A', undefined],
])('the ISRC of %j is %j', (text, isrc) => {
  expect(readIsrc(text)).toBe(isrc);
});

it.each([
  ['3700000000017', '3700000000017'],
  ['"0123456789012" ', '0123456789012'],
  ['123456789012.0', '123456789012'],
  ['1.23457E+12', undefined],
  ['Empty:', undefined],
  ['N/A', undefined],
])('the barcode of %j is %j', (text, upc) => {
  expect(readUpc(text)).toBe(upc);
});

it.each([
  ['£0.0032 × 100% of sale × 0.985 £/£ = £', '£'],
  ['€1,20 × 85% × 0.9 £/€ = £ 1,02', '£'],
  ['1 = -US$0.5', 'US$'],
  ['1 × 2 = 0,0031\u00a0€', '€'],
  ['', ''],
  ['$5', '$'],
])('the formula %j ends in %j', (formula, sign) => {
  expect(currencySign(formula)).toBe(sign);
});

it('names are compared without case, accents, spaces and symbols', () => {
  expect(foldName(' Partner\u00a0Revenue : Auction ')).toBe(foldName('partner revenue: auction'));
  expect(foldName('Écoutes')).toBe('ecoutes');
  expect(foldName('Месяц отчета')).toBe(foldName('МЕСЯЦ ОТЧЁТА'));
});
