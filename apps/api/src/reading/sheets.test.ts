import { sheetStride } from '@regie/contract/statements.ts';
import { describe, expect, it } from 'vitest';
import { landrColumns, readStatement, storedFile, totalsOf, workbookOfSheets } from '#test/statement-files.ts';
import { cellsOf } from './decimals.ts';
import type { SheetCell } from './presets/fixture.ts';
import { preset } from './presets/preset.ts';
import { builtInPresets } from './presets.ts';
import { readLines } from './read-lines.ts';
import { openStatement, readStatementHead } from './read-statement.ts';

const header = landrColumns;
const row = (month: string, amount: SheetCell): SheetCell[] => [
  `${month}-15`,
  '',
  'FRABC2400001',
  'Spotify',
  'Streaming',
  { n: '4' },
  amount,
  '100',
];
const sheet = (name: string, ...rows: SheetCell[][]) => ({ name, rows: [header, ...rows] });
const cover = { name: 'Présentation', rows: [['LANDR'], ['Relevé du premier trimestre', '', 'Page 1']] };
const january = sheet('Janvier', row('2024-01', { n: '1.5' }));
const february = sheet('Février', row('2024-02', { n: '2.25' }), row('2024-02', '0.25'));
const believe = {
  name: 'Believe',
  rows: [
    [
      'Reporting month',
      'Sales Month',
      'Platform',
      'Country / Region',
      'Label Name',
      'Artist Name',
      'Track title',
      'UPC',
      'ISRC',
      'Sales Type',
      'Quantity',
      'Client Payment Currency',
      'Gross Revenue',
      'Net Revenue',
    ],
    ['2026-05-01', '2026-04-01', 'Deezer', 'France', '', '', '', '', 'FRABC2400001', 'Stream', '1', 'EUR', '9', '8.5'],
  ],
};

describe('a workbook of several sheets', () => {
  it('is one statement of all sheets with the same form, after a cover sheet', async () => {
    const read = await readStatement(workbookOfSheets([cover, january, february]));
    expect(totalsOf(read.lines)).toEqual({ USD: '4' });
    expect(read.lines.map(({ month, amount }) => [month, amount])).toEqual([
      ['2024-01-01', '1.5'],
      ['2024-02-01', '2.5'],
    ]);
    expect(read.totals).toMatchObject({ rows: 3, counted: 3 });
    expect(read.sheets).toEqual(['Janvier', 'Février']);
    expect(read.leftOut).toMatchObject([{ name: 'Présentation', canRead: true }]);
  });

  it('names hidden sheets and reads them only when staff chose them', async () => {
    const file = workbookOfSheets([{ ...january, isHidden: true }, february]);
    const read = await readStatement(file);
    expect(totalsOf(read.lines)).toEqual({ USD: '2.5' });
    expect(read.leftOut).toEqual([{ name: 'Janvier', reason: 'Feuille masquée', canRead: true }]);
    expect(await readStatementHead(storedFile(file), {})).toMatchObject({
      sheets: ['Février', 'Janvier'],
      hiddenSheets: ['Janvier'],
    });
    const named = await readStatement(file, { sheets: ['Janvier'] });
    expect(totalsOf(named.lines)).toEqual({ USD: '1.5' });
    expect(named.leftOut).toEqual([{ name: 'Février', reason: 'Feuille non choisie', canRead: true }]);
  });

  it('reads the sheets staff chose and names the others', async () => {
    const read = await readStatement(workbookOfSheets([january, february]), { sheets: ['Janvier'] });
    expect(totalsOf(read.lines)).toEqual({ USD: '1.5' });
    expect(read.leftOut).toEqual([{ name: 'Février', reason: 'Feuille non choisie', canRead: true }]);
  });

  it('asks which sheets to read when one repeats another one, or all others', async () => {
    const both = sheet('Ensemble', row('2024-01', { n: '1.5' }), row('2024-02', { n: '2.5' }));
    for (const sheets of [
      [january, { ...january, name: 'Janvier (2)' }],
      [january, february, both],
    ]) {
      await expect(readStatement(workbookOfSheets(sheets))).rejects.toThrow('choisissez les feuilles à lire');
    }
    const chosen = await readStatement(workbookOfSheets([january, february, both]), { sheets: ['Janvier', 'Février'] });
    expect(totalsOf(chosen.lines)).toEqual({ USD: '4' });
  });

  it('asks when sheets have several forms', async () => {
    const file = workbookOfSheets([january, believe]);
    const opened = await openStatement(storedFile(file), builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    expect(opened.findings.presets.map(({ key }) => key)).toEqual(['landr', 'believe']);
    const chosen = await readStatement(file, { chosen: 'believe' });
    expect(totalsOf(chosen.lines)).toEqual({ EUR: '8.5' });
    expect(chosen.leftOut.map(({ name }) => name)).toEqual(['Janvier']);
  });

  it('numbers the lines of further sheets separately and shows them by these numbers', async () => {
    const file = workbookOfSheets([january, february]);
    const { lines } = await readStatement(file);
    expect(lines.map(({ firstLine }) => firstLine)).toEqual([2, sheetStride + 2]);
    const shown = await readLines(storedFile(file), { from: sheetStride + 2, count: 1 });
    expect(shown).toEqual([
      { line: sheetStride + 2, text: '2024-02-15\t\tFRABC2400001\tSpotify\tStreaming\t4\t2.25\t100' },
    ]);
  });

  it('is refused with the line and the name of its sheet', async () => {
    const broken = sheet('Mars', row('2024-03', 'rien'));
    await expect(readStatement(workbookOfSheets([january, broken]))).rejects.toMatchObject({
      message: '«\u00a0rien\u00a0» n’est pas un montant',
      line: sheetStride + 2,
    });
  });

  it('asks when sheets repeat others, by sum or by lines', { tags: ['slow'] }, async () => {
    const months = ['01', '02', '03', '04', '05', '06'];
    const one = (month: string) => row(`2024-${month}`, { n: `${Number(month)}.5` });
    const of = (name: string, ...numbers: string[]) => sheet(name, ...numbers.map(one));
    // A quarter after its months; a sheet with the rows of two others; one with those of another and more.
    const quarters = [
      ...months.slice(0, 3).map((month) => of(month, month)),
      sheet('T1', row('2024-03', { n: '7.5' })),
      ...months.slice(3).map((month) => of(month, month)),
    ];
    for (const [sheets, told] of [
      [
        quarters,
        'La feuille «\u00a0T1\u00a0» a le même total que les feuilles «\u00a001\u00a0», «\u00a002\u00a0», «\u00a003\u00a0» ensemble',
      ],
      [
        [of('A', '01', '02'), of('C', '05'), of('B', '03', '04'), of('AB', '01', '02', '03', '04')],
        'a des lignes qui sont aussi dans',
      ],
      [[of('A', '01', '02'), of('Tous', '01', '02', '03', '04')], 'a des lignes qui sont aussi dans la feuille'],
    ] as const) {
      const file = workbookOfSheets([...sheets]);
      await expect(readStatement(file)).rejects.toMatchObject({
        message: expect.stringContaining(told),
        asksSheets: true,
      });
      const { totals } = await readStatement(file, { sheets: sheets.map(({ name }) => name) });
      expect(totals.counted).toBe(sheets.flatMap(({ rows }) => rows.slice(1)).length);
    }
    const different = months.map((month) => of(month, month));
    expect(totalsOf((await readStatement(workbookOfSheets(different))).lines)).toEqual({ USD: '24' });
  });

  it('shows the head of each sheet', async () => {
    const file = storedFile(workbookOfSheets([cover, january]));
    const first = await readStatementHead(file, {});
    expect(first).toMatchObject({ sheets: ['Présentation', 'Janvier'], rows: [{ cells: header }, {}] });
    expect((await readStatementHead(file, { sheet: 'Présentation' })).rows[0]).toEqual({ line: 1, cells: ['LANDR'] });
    const head = await readStatementHead(file, { sheet: 'Janvier' });
    expect(head.rows[0]).toEqual({ line: sheetStride + 1, cells: header });
  });
});

describe('merged cells', () => {
  const cells = (isrc: string, amount: SheetCell): SheetCell[] => row('2024-01', amount).with(2, isrc);
  const merged = (last: SheetCell, ...areas: string[]) =>
    workbookOfSheets([
      {
        name: 'A',
        rows: [
          header,
          cells('FRABC2400001', { n: '0.5' }),
          cells('', { n: '0.25' }),
          cells('', { n: '0.125' }),
          cells('FRABC2400002', { n: '1' }),
          cells('FRABC2400003', last),
        ],
        merged: areas,
      },
    ]);

  it('have their value in each of their rows', async () => {
    const { lines, items } = await readStatement(merged({ n: '2' }, 'C2:C4'));
    expect(totalsOf(lines)).toEqual({ USD: '3.875' });
    expect(items.map(({ isrc }) => isrc)).toEqual(['FRABC2400001', 'FRABC2400002', 'FRABC2400003']);
  });

  it('of amounts are refused with the line', async () => {
    await expect(readStatement(merged('', 'C2:C4', 'G5:G6'))).rejects.toMatchObject({
      message: expect.stringContaining('«\u00a0Net earnings (USD)\u00a0» y est fusionnée avec une ligne précédente'),
      line: 6,
    });
  });
});

it('a cell that an array formula fills from another one is refused as a formula', async () => {
  const array = { f: 'A2:A3*2', n: '1', ref: 'G2:G3' };
  const total: SheetCell[] = ['Total', '', '', '', '', '', array];
  const file = workbookOfSheets([sheet('A', total, row('2024-01', { n: '9' }))]);
  await expect(readStatement(file)).rejects.toMatchObject({
    message: expect.stringContaining('y est calculée par une formule'),
    line: 3,
  });
});

describe('the lines before a header', () => {
  const file = (currency: string, end = '10/31/2025') =>
    [
      `Currency\t${currency}`,
      'Start Date\t10/01/2025',
      `End Date\t${end}`,
      '',
      'Période\tDevise\tClient',
      `octobre 2025\t${currency}\tRégie`,
      'Storefront Name\tApple Identifier\tQuantity\tNet Royalty\tNet Royalty Total\tISRC\tItem Title\tItem Artist\tMedia Type\tVendor Identifier',
      'AU\t1\t2\t0.1\t0.2\tFRABC2500001\tT\tA\t1\tV',
      '',
    ].join('\n');

  it('set the currency of each file', async () => {
    for (const currency of ['AUD', 'JPY']) {
      expect(totalsOf((await readStatement(file(currency))).lines)).toEqual({ [currency]: '0.2' });
    }
  });

  it('make the file ambiguous when a required value is missing', async () => {
    for (const currency of ['Australian dollars', 'Yen']) {
      const opened = await openStatement(storedFile(file(currency)), builtInPresets);
      if (opened.is !== 'ambiguous') throw new Error(opened.is);
      expect(opened.findings.presets).toMatchObject([{ needsCurrency: true }]);
    }
    const opened = await openStatement(storedFile(`Currency\tJPY\n${file('AUD')}`), builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    expect(opened.findings.presets).toMatchObject([{ key: 'apple-music', needsCurrency: true, needsMonth: false }]);
  });

  it.each([
    ['a period with its days first', ['Start Date\t01/02/2026', 'End Date\t28/02/2026'], '01/02/2026 – 28/02/2026'],
    ['an end that is no date', ['Start Date\t01/01/2026', 'End Date\t31.01.2026'], '01/01/2026 – 31.01.2026'],
    ['an end before the start', ['Start Date\t03/31/2026', 'End Date\t03/01/2026'], '03/31/2026 – 03/01/2026'],
    ['an empty end', ['Start Date\t01/01/2026', 'End Date\t'], '01/01/2026'],
    ['no end', ['Start Date\t01/01/2026'], '01/01/2026'],
    ['an impossible end', ['Start Date\t02/01/2026', 'End Date\t02/31/2026'], '02/01/2026 – 02/31/2026'],
    [
      'two periods',
      ['Start Date\t01/01/2026', 'End Date\t01/31/2026', 'Start Date\t03/01/2026', 'End Date\t03/31/2026'],
      '01/01/2026 – 03/01/2026 – 01/31/2026 – 03/31/2026',
    ],
  ])('make the file ambiguous with %s', async (_, period, month) => {
    const rows = file('AUD').split('\n').slice(6);
    const stored = storedFile(['Currency\tAUD', ...period, ...rows].join('\n'));
    const opened = await openStatement(stored, builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    expect(opened.findings.presets).toMatchObject([{ key: 'apple-music', needsMonth: true, unclear: { month } }]);
    const told = await openStatement(stored, builtInPresets, { month: '2026-02-01' });
    expect(told.is).toBe('recognised');
  });

  it.each(['XXQ', 'euro', 'EUR – USD'])('quote the invalid currency %s', async (written) => {
    const lines = written.split(' – ').map((text) => `Currency\t${text}`);
    const rest = file('').split('\n').slice(1, 3);
    const stored = storedFile([...lines, ...rest, ...file('').split('\n').slice(6)].join('\n'));
    const opened = await openStatement(stored, builtInPresets);
    if (opened.is !== 'ambiguous') throw new Error(opened.is);
    expect(opened.findings.presets).toMatchObject([
      { needsMonth: false, needsCurrency: true, unclear: { currency: written } },
    ]);
  });

  it('are shown as names and values', async () => {
    const { preamble } = await readStatementHead(storedFile(file('AUD')), {});
    expect(preamble).toEqual(
      expect.arrayContaining([
        { name: 'Currency', value: 'AUD', line: 1 },
        { name: 'Start Date', value: '10/01/2025', line: 2 },
        { name: 'Période', value: 'octobre 2025', line: 6 },
        { name: 'Devise', value: 'AUD', line: 6 },
      ]),
    );
  });

  it('may be up to two hundred', async () => {
    const [header = '', ...rows] = file('AUD').split('\n').slice(6);
    const notes = Array.from({ length: 194 }, (_, index) => `Note ${index}, sans rien`);
    const preamble = ['Start Date\t10/01/2025', 'End Date\t10/31/2025', 'Currency\tAUD'];
    const { lines } = await readStatement([...notes, ...preamble, header, ...rows].join('\n'));
    expect(lines).toMatchObject([{ month: '2025-10-01', currency: 'AUD', amount: '0.2', firstLine: 199 }]);
  });
});

it('a file with two columns of the same name is read by a preset that has both', async () => {
  const file = 'Piste,Mois,Total,Total\nFRABC2500001,2025-01,100,1.5\n';
  const own = (signature: string[]) => ({
    key: 'custom:1',
    preset: preset({
      source: 'Essai',
      name: 'Essai',
      columns: { isrc: ['Piste'], month: ['Mois'], amount: ['Total (2e)'] },
      signature,
      currency: 'EUR',
      monthForms: ['YYYY-MM'],
    }),
  });
  const opened = await openStatement(storedFile(file), [own(['Total'])]);
  if (opened.is !== 'recognised') throw new Error(opened.is);
  const lines = [];
  for await (const { copyText } of opened.lines()) lines.push(cellsOf(String(copyText))[7]);
  expect(lines).toEqual(['1.5']);
});
