import { describe, expect, it } from 'vitest';
import { drillInto, entryName, noColumns, readQuestion } from './pivot-state.ts';

describe('readQuestion', () => {
  it('reads rows, columns, measure, period and filters', () => {
    const question = readQuestion({
      rows: 'track',
      columns: 'country',
      measure: 'amount',
      unit: 'USD',
      store: 'Deezer,Une\\, deux',
      track: '~',
      from: '2026-03',
      to: '2026-01',
    });
    expect(question).toEqual({
      rows: 'track',
      columns: 'country',
      measure: 'amount',
      unit: 'USD',
      // Given in reverse order.
      from: Date.parse('2026-01-01T00:00+01:00'),
      to: Date.parse('2026-03-01T00:00+01:00'),
      filters: { store: ['Deezer', 'Une, deux'], track: [''] },
    });
  });

  it('ignores invalid parameters', () => {
    expect(readQuestion({ rows: 'nothing', columns: 'store', measure: 'gold', unit: 'dollar', store: '' })).toEqual({
      rows: 'store',
      columns: undefined,
      measure: 'euros',
      unit: 'EUR',
      from: undefined,
      to: undefined,
      filters: {},
    });
  });

  it('shows stores by month, and periods by store, by default', () => {
    expect(readQuestion({})).toMatchObject({ rows: 'store', columns: 'month' });
    expect(readQuestion({ rows: 'quarter' })).toMatchObject({ columns: 'store' });
    expect(readQuestion({ columns: noColumns })).toMatchObject({ columns: undefined });
  });
});

describe('drillInto', () => {
  const question = readQuestion({ rows: 'store', columns: 'month', country: 'FR' });

  it('filters by a row and a column, and shows the next dimension', () => {
    expect(
      drillInto(question, [
        ['store', 'Une, deux'],
        ['month', '2026-01'],
      ]),
    ).toMatchObject({ store: 'Une\\, deux', month: '2026-01', rows: 'track', columns: noColumns });
  });

  it('does not change the columns when only a row is filtered', () => {
    expect(drillInto(question, [['store', '']])).toMatchObject({ store: '~', rows: 'track', columns: 'month' });
  });

  it('skips dimensions that a filter determines', () => {
    const track = readQuestion({ rows: 'track', columns: 'account', store: 'Deezer', country: 'FR' });
    expect(drillInto(track, [['track', '12']])).toMatchObject({ rows: 'month', columns: noColumns });
  });

  it('does not change the rows when every dimension is filtered', () => {
    const last = readQuestion({
      rows: 'currency',
      store: 'a',
      country: 'FR',
      track: '1',
      month: '2026-01',
      kind: 'stream',
      source: 'b',
    });
    expect(drillInto(last, [['currency', 'EUR']])).toMatchObject({ rows: 'currency', columns: noColumns });
  });
});

it('names periods, kinds, countries, records and the others', () => {
  const name = (by: Parameters<typeof entryName>[0], value: string, named = value) =>
    entryName(by, { value, name: named, others: null });
  expect(name('month', '2019-06')).toBe('juin\u00a02019');
  expect(name('quarter', '2026-04')).toBe('2e trim.\u00a02026');
  expect(name('year', '2026-01')).toBe('2026');
  expect(name('month', 'soon')).toBe('soon');
  expect(name('kind', 'video')).toBe('Vidéos');
  expect(name('country', 'CH')).toBe('Suisse');
  expect(name('country', '')).toBe('Pays non précisé');
  expect(name('track', '12', 'Neon Garden')).toBe('Neon Garden');
  expect(name('track', '')).toBe('Sans titre');
  expect(entryName('store', { value: '', name: '', others: 1234 })).toBe('Autres (1\u00a0234)');
});
