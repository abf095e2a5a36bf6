import { messages } from '@regie/contract/messages.ts';
import { describe, expect, it } from 'vitest';
import { readArtists, readRow, sameBarcode } from './row-import.rules.ts';

const row = (values: Record<string, string>) => ({
  ...{ titre: 'Aurore', artistes: '', barcode: '', isrc: '', recordingAi: '', compositionAi: '', coverAi: '' },
  ...values,
});

it('drops invisible characters', () => {
  expect(readRow(row({ titre: '\ufeffMar\u200bée\u202e', artistes: 'Awa\u200b Diallo' }))).toMatchObject({
    title: 'Marée',
    artists: [{ fullname: 'Awa Diallo' }],
  });
});

describe('artists', () => {
  it.each([
    ['Awa Diallo', ['Awa Diallo'], []],
    ['Awa Diallo, Trio  Verlaine', ['Awa Diallo', 'Trio Verlaine'], []],
    ['Tyler, The Creator; Ida Roux', ['Tyler, The Creator', 'Ida Roux'], []],
    ['Awa Diallo feat. Ida Roux', ['Awa Diallo'], ['Ida Roux']],
    ['Awa Diallo (FT Ida Roux, Zoé Lemaître)', ['Awa Diallo'], ['Ida Roux', 'Zoé Lemaître']],
    ['Awa Diallo featuring Ida Roux; Zoé', ['Awa Diallo'], ['Ida Roux', 'Zoé']],
    ['feat. Ida Roux', [], ['Ida Roux']],
    ['Simon & Garfunkel', ['Simon & Garfunkel'], []],
    ['Awa, AWA, awa feat. Awa', ['Awa'], []],
    ['Élan Féat', ['Élan Féat'], []],
    [' ;, ; ', [','], []],
    [' , ,, ', [], []],
    ['', [], []],
  ])('%s', (cell, primary, featured) => {
    const artists = readArtists(cell);
    const names = (role: string) => artists.filter((artist) => artist.role === role).map(({ fullname }) => fullname);
    expect(names('Primary Artist')).toEqual(primary);
    expect(names('Featuring')).toEqual(featured);
  });
});

describe('a row', () => {
  it.each(['frz039800213', ' FR-Z03-98-00213 ', 'ISRC FR Z03 98 00213', 'isrc: fr-z03-98-00213'])(
    'has its ISRC normalised: %s',
    (isrc) => {
      expect(readRow(row({ isrc }))).toMatchObject({ isrc: 'FRZ039800213', fault: undefined });
    },
  );

  it.each([
    ['', null],
    ['non déclaré', null],
    ['Aucune IA', 'none'],
    ['EN PARTIE', 'partly'],
    ['Partly', 'partly'],
    ['Entièrement par IA', 'all'],
    ['All', 'all'],
  ])('has the part of AI “%s”', (recordingAi, read) => {
    expect(readRow(row({ recordingAi }))).toMatchObject({ recordingAi: read, fault: undefined });
  });

  it('preserves leading zeros, and accepts barcodes with a wrong check digit', () => {
    expect(readRow(row({ barcode: '0012 3456 78905' }))).toMatchObject({
      barcode: '0012345678905',
      warning: undefined,
    });
    expect(readRow(row({ barcode: '0012345678904' }))).toMatchObject({
      barcode: '0012345678904',
      fault: undefined,
      warning: messages.importBarcodeCheck,
    });
  });

  it.each([
    ['titre', { titre: ' \u00a0 ' }, messages.titleMissing],
    ['titre', { titre: 'x'.repeat(501) }, messages.maxLength(500)],
    ['isrc', { isrc: 'FR-Z03-98-0021' }, messages.invalidIsrc],
    [
      'compositionAi',
      { compositionAi: '50 %' },
      messages.importAi(['Aucune IA', 'En partie par IA', 'Entièrement par IA']),
    ],
    ['barcode', { barcode: '3.70012E+12' }, messages.importBarcodeDigits],
    ['artistes', { artistes: 'A, Trio Verlaine' }, messages.importArtistLength],
    ['artistes', { artistes: Array.from({ length: 21 }, (_, n) => `Nom ${n}`).join(',') }, messages.maxItems(20)],
  ])('is refused for %s', (column, values, message) => {
    expect(readRow(row(values)).fault).toEqual({ column, message });
  });
});

it.each([
  ['0012345678905', '12345678905', true],
  ['0012345678905', '0012345678905', true],
  ['0012345678905', '0012345678906', false],
])('barcodes %s and %s are equal: %s', (one, other, same) => {
  expect(sameBarcode(one, other)).toBe(same);
});
