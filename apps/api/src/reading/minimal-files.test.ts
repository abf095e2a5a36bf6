import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedData } from '#test/shared-data.ts';
import { readStatement, storedFile, totalsOf } from '#test/statement-files.ts';
import { builtInPresets } from './presets.ts';
import { openStatement } from './read-statement.ts';

const bytesOf = (name: string) => readFileSync(sharedData(`minimal/${name}`));

describe.skipIf(!hasSharedData('minimal'))('small files of real forms', () => {
  it.each<[string, Record<string, string>, Record<string, number>]>([
    ['5-subtotal-without-date.csv', { USD: '3.7' }, { 'Ligne de total': 2 }],
    ['5b-subtotals-no-label.csv', { USD: '3.75' }, { 'Ligne de total': 3 }],
    ['6-bandcamp-refund-row-without-amounts.csv', { EUR: '4.27' }, { 'Montant vide': 1 }],
    ['10-cells-merged-downwards.xlsx', { USD: '0.875' }, {}],
    ['11-dos-end-of-file.csv', { USD: '1.5' }, {}],
  ])('%s', async (name, totals, skipped) => {
    const read = await readStatement(bytesOf(name));
    expect(totalsOf(read.lines)).toEqual(totals);
    expect(Object.fromEntries(read.totals.skipped)).toEqual(skipped);
    // All of the merged cell's, or of a file of one item.
    if (name.endsWith('.xlsx')) expect(read.items.map(({ isrc }) => isrc)).toEqual(['FRX872100001']);
  });

  it.each([
    ['2b-itunes-total-amount-differs.txt', { declared: '18', sum: '1.8', currency: 'CHF', line: 4 }],
    ['2c-itunes-empty-share-table-has-money.txt', { declared: '2.73', sum: '1.8', currency: 'AUD', line: 6 }],
  ])('%s', async (name, announced) => {
    const read = await readStatement(bytesOf(name));
    expect(totalsOf(read.lines)).toEqual({ [announced.currency]: announced.sum });
    expect(read.totals.announced).toEqual([announced]);
  });

  it('4-apple-summary-quoted-total.csv', async () => {
    const opened = await openStatement(storedFile(bytesOf('4-apple-summary-quoted-total.csv')), builtInPresets);
    if (opened.is !== 'summary') throw new Error(opened.is);
    expect(await opened.amounts()).toMatchObject([
      { month: '2024-03-01', currency: 'EUR', earned: '20.5', owed: '20.5', bankCurrency: 'EUR', proceeds: '20.5' },
    ]);
    expect([...opened.banks]).toEqual(['BANQUE FICTIVE -****1299']);
  });
});
