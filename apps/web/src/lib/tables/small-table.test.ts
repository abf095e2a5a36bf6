import type { ColumnNames } from '@regie/contract/columns.ts';
import { describe, expect, it } from 'vitest';
import { readSmallTable } from './small-table.ts';

const names: ColumnNames<'title' | 'barcode'> = { title: ['titre', 'title'], barcode: ['barcode', 'upc'] };
const fileOf = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, 'titres.csv');
const read = (text: string | Uint8Array<ArrayBuffer>, maxRows = 10) => readSmallTable(fileOf(text), names, maxRows);

describe('a small table', () => {
  it.each([
    ['commas', 'titre,upc\n"Un, deux",0012\n'],
    ['semicolons and a mark that says UTF-8', '\ufeffTitre;UPC\r\nUn, deux;0012\r\n'],
    ['tabs, in another order, with blank lines', '\n\nUPC\t Titre \n\n0012\tUn, deux\n\n'],
  ])('is read by its column names, texts as they are: %s', async (_name, text) => {
    expect(await read(text)).toMatchObject({ rows: [{ title: 'Un, deux', barcode: '0012' }], notes: [] });
  });

  it('is read as Windows-1252 when it is not valid UTF-8', async () => {
    const bytes = new Uint8Array(
      [...'titre;upc\n'].map((char) => char.charCodeAt(0)).concat(0xc9, 0x74, 0xe9, 0x3b, 0x30),
    );
    expect((await read(bytes)).rows).toEqual([{ title: 'Été', barcode: '0' }]);
  });

  it('lists ignored columns; missing ones are empty', async () => {
    expect(await read('titre,prix\nA,1\n')).toEqual({
      rows: [{ title: 'A', barcode: '' }],
      notes: ['Colonnes ignorées\u00a0: prix'],
      fields: ['title'],
    });
  });

  it.each([
    ['no known column', 'a,b\n1,2\n', 'Données ne sont pas valide'],
    ['one column twice', 'titre,title\n1,2\n', '« titre » et « title »'],
    ['no row', 'titre,upc\n', 'Le fichier ne contient aucune ligne'],
    ['an empty file', '', 'Le fichier ne contient aucune ligne'],
    ['open quotes', 'titre,upc\n"A,1\nB,2\n', 'Données ne sont pas valide'],
    ['a quote that takes a row in', 'titre,upc\n"A,1\nB,2\nC 12",3\n', 'guillemets mal fermés vers la ligne 2'],
    ['too many rows', `titre\n${'A\n'.repeat(11)}`, '10 lignes au plus'],
  ])('is refused: %s', async (_name, text, sentence) => {
    await expect(read(text)).rejects.toThrow(sentence.replaceAll('« ', '«\u00a0').replaceAll(' »', '\u00a0»'));
  });
});
