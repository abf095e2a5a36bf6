import { createHash } from 'node:crypto';
import { type Cell, cellText } from '@regie/values/cell.ts';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { isAcceptedFile } from '#src/lib/tables/reading.ts';
import { analyseTable, tableBatches } from './csv-table.ts';

const fileOf = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, 'rapport.csv');

async function rowsOf(file: Blob, size = 5000): Promise<string[][]> {
  const { shape } = await analyseTable(file);
  const rows: Cell[][] = [];
  for await (const batch of tableBatches(file, shape, size)) rows.push(...batch.rows);
  return rows.map((row) => row.map(cellText));
}

describe('file types', () => {
  it.each([
    ['a.csv', 'text/csv', true],
    ['a.txt', 'text/comma-separated-values', true],
    ['a.csv', 'application/vnd.ms-excel', true],
    ['a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', true],
    ['a.CSV', '', true],
    ['a.xlsx', '', true],
    ['a.pdf', 'application/pdf', false],
    ['a.csv', 'application/pdf', false],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', false],
    ['a', '', false],
  ])('%s of type "%s": %s', (name, type, accepted) => {
    expect(isAcceptedFile({ name, type })).toBe(accepted);
  });
});

describe('delimited text', () => {
  it.each([
    ['commas', 'isrc,streams,incomeofstreams\nFR1,10,1.5\n', ','],
    ['semicolons and decimal commas', 'isrc;streams;incomeofstreams\nFR1;10;1,5\nFR2;1;2,5\n', ';'],
    ['tabs', 'isrc\tstreams\tincomeofstreams\nFR1\t10\t1,5\n', '\t'],
    ['a semicolon inside a title', 'isrc,streams,titre\nFR1,10,"a;b;c;d"\n', ','],
  ])('finds the delimiter: %s', async (_, text, delimiter) => {
    const { shape } = await analyseTable(fileOf(text));
    expect(shape).toMatchObject({ kind: 'text', delimiter });
  });

  it('identifies the file by the SHA-256 of its bytes', async () => {
    const text = `isrc,streams\n${'FRX202400001,5\n'.repeat(50_000)}`;
    const analysis = await analyseTable(fileOf(text));
    expect(analysis.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    expect(analysis.rowCount).toBe(50_000);
    expect(analysis.preview).toHaveLength(20);
  });

  it('reads UTF-8 with and without its byte order mark, UTF-16 and Windows-1252', async () => {
    const text = 'Écoutes;ISRC\r\n12;FR1\r\n';
    const latin = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const utf16 = new Uint8Array(2 + text.length * 2);
    utf16.set([0xff, 0xfe]);
    for (const [index, char] of [...text].entries()) utf16[2 + index * 2] = char.charCodeAt(0);
    for (const file of [fileOf(text), fileOf(`\uFEFF${text}`), fileOf(latin), fileOf(utf16)]) {
      const analysis = await analyseTable(file);
      expect(analysis.columns.fields).toEqual(['numOfStreams', 'isrc']);
      expect(await rowsOf(file)).toEqual([['12', 'FR1']]);
    }
  });

  it('falls back to Windows-1252 when the first invalid byte comes late', async () => {
    const start = `isrc;streams;titre\n${'FR1;5;abc\n'.repeat(30_000)}`;
    const file = fileOf(
      start,
      Uint8Array.from('FR2;6;Été\n', (char) => char.charCodeAt(0)),
    );
    expect((await rowsOf(file)).at(-1)).toEqual(['FR2', '6', 'Été']);
  });

  it('skips empty lines and reads mixed line ends, quotes, and a last line without end', async () => {
    const file = fileOf('\n\nisrc,streams,titre\r\nFR1,1,"a ""b""\r\nc"\r\n\r\n,,\n  \nFR2,2,d\rFR3,3,e');
    expect(await rowsOf(file)).toEqual([
      ['FR1', '1', 'a "b"\nc'],
      ['FR2', '2', 'd'],
      ['FR3', '3', 'e'],
    ]);
  });

  it('reads descriptions of several lines, with delimiters in them', async () => {
    const file = fileOf('isrc,streams,note\nFR1,1,"a, b\n, c\n\nd"\nFR2,2,"e\nf"\n');
    expect(await rowsOf(file)).toEqual([
      ['FR1', '1', 'a, b\n, c\n\nd'],
      ['FR2', '2', 'e\nf'],
    ]);
  });

  it('cuts into batches of the exact size, whatever the chunks', async () => {
    const file = fileOf(`isrc,streams\n${Array.from({ length: 12_345 }, (_, i) => `FR${i},${i}\n`).join('')}`);
    const { shape } = await analyseTable(file);
    const sizes: number[] = [];
    const seen: string[] = [];
    for await (const batch of tableBatches(file, shape, 5000)) {
      expect(batch.index).toBe(sizes.length);
      sizes.push(batch.rows.length);
      seen.push(...batch.rows.map((row) => cellText(row[1])));
    }
    expect(sizes).toEqual([5000, 5000, 2345]);
    expect(seen).toEqual(Array.from({ length: 12_345 }, (_, i) => String(i)));
  });

  it('counts uneven rows, and omits them from the statistics', async () => {
    const { unevenRowCount, statistics, rowCount } = await analyseTable(
      fileOf('isrc,incomeofstreams\nFR1,1,5\nFR2\nFR3,2.5,\nFR4,3.5\n'),
    );
    expect({ unevenRowCount, rowCount, dots: statistics[0]?.counts.dot }).toEqual({
      unevenRowCount: 2,
      rowCount: 4,
      dots: 2,
    });
  });

  it.each([
    ['nothing', '', /aucune ligne/],
    ['a header alone', 'isrc,streams\n', /aucune ligne/],
    ['a quote that never closes', 'isrc,streams\n"FR1,2\nFR2,3\n', /Données ne sont pas valide.*ligne 2/],
    ['text after a closing quote', 'isrc,streams\nFR1,2\n"FR2"x,3\nFR4,1\n', /Données ne sont pas valide.*ligne 3/],
    [
      'a quote that closes in a later row, with its line',
      'isrc,titre,streams\nFR1,"a\nb",1\nFR2,"Deux,2\nFR3,Trois,3\nFR4,Quatre 12",4\nFR5,Cinq,5\n',
      /guillemets mal fermés vers la ligne 4 du/,
    ],
    [
      'one that closes in another column',
      'isrc;titre;streams\nFR2;"Deux;2\nFR3";Trois;3\n',
      /guillemets mal fermés vers la ligne 2 du/,
    ],
    ['no ISRC column', 'code,streams\nFR1,2\n', /ISRC/],
    ['an old Excel file', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1), /97-2003/],
    ['a broken workbook', Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0), /Données ne sont pas valide/],
  ])('refuses %s', async (_, content, sentence) => {
    await expect(analyseTable(fileOf(content))).rejects.toThrow(sentence);
  });
});

const zipOf = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

const workbook = (sheet: string, strings: string[] = []) =>
  zipOf({
    'xl/workbook.xml':
      '<?xml version="1.0"?><workbook xmlns:r="x"><sheets><sheet name="Notes" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Juin" sheetId="2" r:id="rId7"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  });

/** Sheets of these rows: text, numbers and formulas (`=A1` with 9 for its stored result). */
const sheetsOf = (sheets: Record<string, { rows: (string | number)[][]; hidden?: number[]; merged?: string[] }>) => {
  const names = Object.keys(sheets);
  const cellXml = (cell: string | number) =>
    typeof cell === 'number'
      ? `<c><v>${cell}</v></c>`
      : cell.startsWith('=')
        ? `<c><f>${cell.slice(1)}</f><v>9</v></c>`
        : `<c t="inlineStr"><is><t>${cell}</t></is></c>`;
  return zipOf({
    'xl/workbook.xml': `<workbook xmlns:r="x"><sheets>${names.map((name, at) => `<sheet name="${name}" r:id="r${at}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_, at) => `<Relationship Id="r${at}" Target="worksheets/${at}.xml"/>`).join('')}</Relationships>`,
    ...Object.fromEntries(
      Object.values(sheets).map(({ rows, hidden = [], merged = [] }, at) => [
        `xl/worksheets/${at}.xml`,
        `<worksheet><sheetData>${rows.map((row, index) => `<row${hidden.includes(index + 1) ? ' hidden="1"' : ''}>${row.map(cellXml).join('')}</row>`).join('')}</sheetData><mergeCells>${merged.map((area) => `<mergeCell ref="${area}"/>`).join('')}</mergeCells></worksheet>`,
      ]),
    ),
  });
};
const columns = ['isrc', 'streams', 'incomeofstreams'];

describe('workbooks', () => {
  it('reads the first visible sheet: text stays text, numbers have all their digits, gaps stay empty', async () => {
    const file = fileOf(
      workbook(
        `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>Titre &amp; version</t></is></c><c r="D1" t="s"><v>2</v></c></row>
         <row r="2"/>
         <row r="3"><c r="A3" t="s"><v>3</v></c><c r="C3" t="str"><f>A1&lt;2</f><v>x</v></c><c r="D3"><v>0.30000000000000004</v></c></row>
         <row r="4"><c r="A4"><v>123456789012</v></c><c r="B4"><v>1234</v></c></row>`,
        [
          '<t>ISRC</t>',
          '<r><t>Éco</t></r><r><t>utes</t></r><rPh><t>zzz</t></rPh>',
          '<t>incomeOfStreams</t>',
          '<t xml:space="preserve"> fr-x20-24-00001 </t>',
        ],
      ),
    );
    const analysis = await analyseTable(file);
    expect(analysis.shape).toMatchObject({ kind: 'workbook' });
    expect(analysis.columns).toEqual({
      fields: ['isrc', 'numOfStreams', undefined, 'incomeOfStreams'],
      ignored: ['Titre & version'],
    });
    expect(analysis.unevenRowCount).toBe(0);
    expect(await rowsOf(file)).toEqual([
      [' fr-x20-24-00001 ', '', 'x', '0.30000000000000004'],
      ['123456789012', '1234', '', ''],
    ]);
  });

  it('asks which of several sheets with known columns to read; each is an import of its own', async () => {
    const file = fileOf(
      sheetsOf({
        Notice: { rows: [['Rapport de juin']] },
        Juin: { rows: [columns, ['FR1', 1, 0.5]] },
        Juillet: { rows: [columns, ['FR2', 2, 1.5]] },
      }),
    );
    await expect(analyseTable(file)).rejects.toMatchObject({ sheets: ['Juin', 'Juillet'] });
    const [june, july] = await Promise.all(['Juin', 'Juillet'].map((name) => analyseTable(file, undefined, name)));
    expect([june?.preview, july?.preview]).toEqual([[['FR1', '1', '0.5']], [['FR2', '2', '1.5']]]);
    expect(july?.shape.notes).toEqual([
      'Feuille lue\u00a0: «\u00a0Juillet\u00a0». Non lues\u00a0: «\u00a0Notice\u00a0», «\u00a0Juin\u00a0»',
    ]);
    expect(july?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(july?.sha256).not.toBe(june?.sha256);
  });

  it('reads the only sheet with known columns, and the bytes alone identify the first one', async () => {
    const data = { rows: [columns, ['FR1', 1, 0.5]] };
    const behind = await analyseTable(fileOf(sheetsOf({ Notice: { rows: [['Rapport']] }, Juin: data })));
    expect(behind.preview).toEqual([['FR1', '1', '0.5']]);
    expect(behind.shape.notes).toEqual(['Feuille lue\u00a0: «\u00a0Juin\u00a0». Non lues\u00a0: «\u00a0Notice\u00a0»']);
    const bytes = sheetsOf({ Juin: data, Notes: { rows: [] } });
    expect((await analyseTable(fileOf(bytes))).sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('refuses a formula in a column that is read with its cell, but not in a row of totals', async () => {
    const stale = [columns, ['FR1', 10, 1.5], ['FR1', 10, '=C2*2']];
    await expect(analyseTable(fileOf(sheetsOf({ A: { rows: stale } })))).rejects.toThrow(
      'La cellule C3 est calculée par une formule',
    );
    const total = [
      [...columns, 'note'],
      ['FR1', 10, 1.5, '=A2'],
      ['', '=SUM(B2:B2)', '=SUM(C2:C2)'],
    ];
    expect((await analyseTable(fileOf(sheetsOf({ A: { rows: total } })))).rowCount).toBe(2);
  });

  it('reads hidden rows, repeats merged names and reports both; merged amounts are refused', async () => {
    const rows = [columns, ['FR1', 1, 0.5], ['', 2, 0.25], ['FR3', 3, 1], ['FR4', '', '']];
    const { shape, preview } = await analyseTable(
      fileOf(sheetsOf({ A: { rows, hidden: [3, 4], merged: ['A2:A3', 'A1:C1'] } })),
    );
    expect(preview.map(([isrc]) => isrc)).toEqual(['FR1', 'FR1', 'FR3', 'FR4']);
    expect(shape.notes).toEqual([
      '2 lignes masquées du classeur sont lues comme les autres',
      'La valeur de cellules fusionnées est reprise à 1 ligne',
    ]);
    await expect(analyseTable(fileOf(sheetsOf({ A: { rows, merged: ['C4:C5'] } })))).rejects.toThrow(
      'La cellule C5 est fusionnée avec une ligne précédente',
    );
  });

  it('streams a sheet larger than one chunk', { tags: ['slow'] }, async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, i) => `<row><c t="inlineStr"><is><t>FR${i}</t></is></c><c><v>${i}</v></c></row>`,
    ).join('');
    const file = fileOf(
      workbook(
        `<row><c t="inlineStr"><is><t>isrc</t></is></c><c t="inlineStr"><is><t>streams</t></is></c></row>${rows}`,
      ),
    );
    const read = await rowsOf(file);
    expect(read).toHaveLength(20_000);
    expect(read[19_999]).toEqual(['FR19999', '19999']);
  });
});
