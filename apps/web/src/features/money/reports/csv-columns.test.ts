import { findReportField } from '@regie/contract/columns.ts';
import { describe, expect, it } from 'vitest';
import { readHeader } from './csv-columns.ts';

describe('recognising columns', () => {
  it.each([
    ['isrc', 'isrc'],
    [' Code ISRC ', 'isrc'],
    ['STREAMS', 'numOfStreams'],
    ['numOfStreams', 'numOfStreams'],
    ['Écoutes', 'numOfStreams'],
    ['Nombre d’écoutes', 'numOfStreams'],
    ['income_of_streams', 'incomeOfStreams'],
    ['Income Of Streams', 'incomeOfStreams'],
    ['Revenus streams', 'incomeOfStreams'],
    ['Revenus des écoutes (USD)', 'incomeOfStreams'],
    ['Téléchargements', 'numOfDownloads'],
    ['REVENUS TÉLÉCHARGEMENTS', 'incomeOfDownloads'],
    ['incomeofdownloads', 'incomeOfDownloads'],
    ['Vues', 'numOfYoutube'],
    ['youtube', 'numOfYoutube'],
    ['Revenus vidéo', 'incomeOfYoutube'],
    ['incomeOfYoutube', 'incomeOfYoutube'],
  ])('%s is %s', (name, field) => {
    expect(findReportField(name)).toBe(field);
  });

  it.each(['Titre', 'raison', '', 'Revenus streams (EUR)', 'upc', 'constructor'])('%s is not read', (name) => {
    expect(findReportField(name)).toBeUndefined();
  });

  it('lists ignored columns', () => {
    expect(readHeader(['Titre', 'ISRC', 'Streams', ' Pays '])).toEqual({
      fields: [undefined, 'isrc', 'numOfStreams', undefined],
      ignored: ['Titre', 'Pays'],
    });
  });

  it.each([
    [['streams', 'incomeofstreams'], /ISRC/],
    [['isrc', 'Code ISRC', 'streams'], /«\u00A0isrc\u00A0» et «\u00A0Code ISRC\u00A0»/],
    [['isrc', 'streams', 'écoutes'], /«\u00A0streams\u00A0» et «\u00A0écoutes\u00A0»/],
    [['isrc', 'titre'], /reconnue/],
  ])('refuses %j', (header, sentence) => {
    expect(() => readHeader(header)).toThrow(sentence);
  });
});
