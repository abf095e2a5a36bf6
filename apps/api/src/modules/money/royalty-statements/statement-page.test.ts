import { royaltyExample } from '@regie/documents/royalty-statement.fixtures.ts';
import { expect, it } from 'vitest';
import { linesPerPage, renderStatement, renderTracks, renderWhy } from './statement-page.ts';

const base = `/releve/45-1-${'x'.repeat(43)}`;
const maxBytes = 30_000;
const sizes = { tracks: 5000, stores: 250, others: 300 };
const sizeOf = (html: string | undefined) => Buffer.byteLength(html ?? '');

it('is at most 30 kB without script for 5 000 tracks, and adds up', () => {
  const record = royaltyExample(sizes);
  const html = renderStatement(base, record, '29 novembre 2026');
  expect(sizeOf(html)).toBeLessThan(maxBytes);
  expect(html).not.toMatch(/<script|javascript:|style="/);
  expect(html).toMatch(/et 4\s980 autres titres/);
  expect(html).toContain('et 280 autres corrections');
  const [, ...amounts] = /<h2>Par titre<\/h2>([\s\S]*?)<\/table>/.exec(html)?.[1]?.split('<td class="n">') ?? [];
  const cents = amounts.map((text) => Number(text.slice(0, text.indexOf('€')).replaceAll(/[^\d-]/g, '')));
  expect(cents).toHaveLength(21);
  expect(cents.reduce((sum, one) => sum + one, 0)).toBe(Math.round(record.income.totalEur * 100));
});

it('lists every track once on pages of at most 30 kB', () => {
  const record = royaltyExample(sizes);
  const shown: string[] = [];
  for (let number = 1; ; number += 1) {
    const html = renderTracks(base, record, number);
    if (html === undefined) break;
    expect(sizeOf(html)).toBeLessThan(maxBytes);
    shown.push(...[...html.matchAll(/\/titre\/(\d+)"/g)].map(([, id = '']) => id));
  }
  expect(shown).toHaveLength(5000);
  expect(new Set(shown).size).toBe(5000);
});

it('keeps names of 300 characters, right-to-left names and HTML as text', () => {
  const long = 'W'.repeat(300);
  const record = royaltyExample({ tracks: 3, stores: 3, others: 1 }, long);
  record.account.name = 'فيروز <b>';
  const html = renderStatement(base, record, '29 novembre 2026');
  expect(html).toContain('<bdi>فيروز &lt;b&gt;</bdi>');
  expect(html).toContain(`Titre 1 ${long}`);
  expect(html).not.toContain('<b>');
});

it('leads from a track to its lines, at most 30 kB', () => {
  const record = royaltyExample({ tracks: 3, stores: 3, others: 0 });
  const lines = Array.from({ length: linesPerPage }, (_, index) => ({
    ...{ line: index + 1, trackId: 2, title: 'Titre 2', isrc: 'FRZ032600001', release: 'Album', store: 'Spotify' },
    ...{ country: 'FR', month: '2026-02-01', quantity: '12', gross: '1.230000', currency: 'USD', rate: '1.1000000000' },
    ...{ grossEur: '1.118182', percentile: '70.00', netEur: '0.782727', fileName: 'ventes.csv', firstLine: index + 7 },
  }));
  const html = renderWhy(base, record, 2, lines, true);
  expect(sizeOf(html)).toBeLessThan(maxBytes);
  expect(html).toContain('1,23 USD');
  expect(html).toContain('ventes.csv</bdi>, ligne 7<');
  expect(html).toContain(`?apres=${linesPerPage}"`);
  expect(renderWhy(base, record, 9, lines, false)).toBeUndefined();
});
