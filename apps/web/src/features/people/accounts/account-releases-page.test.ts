import { expect, it } from 'vitest';
import { openFile } from '#src/lib/table-file.ts';
import { librariesFileName, libraryColumns, libraryRows } from './account-releases-page.tsx';

it('writes one numbered row per track', async () => {
  const track = (id: number, title: string) => ({
    id,
    title,
    isrc: id === 1 ? 'FRX122600001' : null,
    artists: 'Awa, Bo',
  });
  const rows = libraryRows([
    { id: 1, title: 'A', barcode: '3760123450010', status: 'PAID', tracks: [track(1, 'Un'), track(2, '=2+2')] },
    { id: 2, title: 'B', barcode: null, status: 'PENDING', tracks: [track(3, 'Trois')] },
  ]);
  const file = await openFile('csv', 'Sorties', libraryColumns);
  await file.add(rows);
  const text = await (await file.finish()).text();
  expect(text.replace('\ufeff', '').trim().split('\r\n')).toEqual([
    '#;Titre;Artistes;ISRC;Code-barres',
    '1;Un;Awa, Bo;FRX122600001;3760123450010',
    "2;'=2+2;Awa, Bo;;3760123450010",
    '3;Trois;Awa, Bo;;',
  ]);
});

it.each([
  [{ fname: 'Élodie', lname: 'Ben Ali' }, 'ÉLODIE Ben Ali'],
  [{ fname: 'A/B', lname: '' }, 'A B'],
])('the file is named after first and last name', (profile, name) => expect(librariesFileName(profile)).toBe(name));
