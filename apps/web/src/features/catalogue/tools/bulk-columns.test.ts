import { bulkColumns } from '@regie/contract/columns.ts';
import { expect, test } from 'vitest';
import { openFile } from '#src/lib/table-file.ts';
import { readSmallTable } from '#src/lib/tables/small-table.ts';
import { toBulkRow, type UnsavedRow, unsavedColumns } from './bulk-columns.ts';

const read = (text: string, kind: 'isrc' | 'barcode') => readSmallTable(new Blob([text]), bulkColumns[kind], 10);

test('lists exported by our pages are read by their column names', async () => {
  const tracks = await read(
    'Titre,Artistes,ISRC,Sortie,Compte,État,id du titre\r\nÉté,Ida,FRX122600001,Rome,Awa,Livrée,12\r\n',
    'isrc',
  );
  expect(tracks.rows).toEqual([{ id: '12', title: 'Été', code: 'FRX122600001' }]);
  const releases = await read('Sortie;Code-barres;id de la sortie\r\nRome;0036000291452;7\r\n', 'barcode');
  expect(releases.rows).toEqual([{ id: '7', title: 'Rome', code: '0036000291452' }]);
});

test('the file of unsaved rows has the columns of its rows and can be imported', async () => {
  const row = { id: '', title: '=Été, "le vrai"', code: '0036000291452', reason: 'Aucun enregistrement n’a ce titre' };
  const write = async (rows: UnsavedRow[]) => {
    const file = await openFile('csv', 'x', unsavedColumns('barcode', rows));
    await file.add(rows);
    return (await file.finish()).text();
  };
  const text = await write([row]);
  expect(text).toContain('title;code-barre;raison');
  expect(text).not.toContain('id;');
  expect(text).toContain("'=Été");
  const again = await read(text, 'barcode');
  expect(again.rows).toEqual([{ id: '', title: '=Été, "le vrai"', code: '0036000291452' }]);
  expect(again.notes).toEqual(['Colonnes ignorées\u00a0: raison']);
  expect(await write([{ ...row, id: '7', title: '' }])).toContain('id;code-barre;raison');
});

test('a row has the wire’s field names', () => {
  expect(toBulkRow('barcode', { id: '4', title: 'a', code: '8' })).toEqual({
    id: '4',
    title: 'a',
    'code-barre': '8',
  });
});
