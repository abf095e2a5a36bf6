import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCount } from '#test/deep.ts';
import {
  landrColumns,
  type ReadLine,
  readStatement,
  storedFile,
  sumOf,
  totalsOf,
  workbookOf,
  zipOf,
} from '#test/statement-files.ts';
import { cellsOf } from './decimals.ts';
import type { SheetCell } from './presets/fixture.ts';
import { builtInPresets } from './presets.ts';
import { openStatement } from './read-statement.ts';

const header =
  'Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %,Title,Artist';
/**
 * Everything a chunk boundary could split: quotes, cells with line ends, letters of two to four bytes, both kinds of
 * line ends.
 */
const tricky = [
  '\ufeffRelevé;\r',
  header,
  '2024-03-15,,FRABC2400001,"Dee""zer, é",Streaming,1,0.1,100,"Un\ntitre 🎵",""',
  '2024-03-15,,FRABC2400001,"Dee""zer, é",Streaming,2,0.2,100,"Un\r\ntitre","""A"""\r',
  '',
  '2024-04-15,3700000000017,,Qobuz,Download,"1,000",-0.3,"",漢字,Ça',
  'Total,,,,,1003,0,,,',
].join('\n');

async function cutEverywhere(bytes: Buffer): Promise<void> {
  const whole = await readStatement(bytes);
  for (let cut = 1; cut < bytes.length; cut++) {
    const read = await readStatement(bytes, { cuts: [cut] });
    expect(read, `cut at ${cut}`).toEqual(whole);
  }
  const everyByte = Array.from({ length: bytes.length }, (_, index) => index);
  expect(await readStatement(bytes, { cuts: everyByte })).toEqual(whole);
}

describe('chunk boundaries', { tags: ['slow'] }, () => {
  it('do not affect UTF-8', async () => {
    const bytes = Buffer.from(tricky);
    const { lines, items, totals } = await readStatement(bytes);
    expect(lines).toEqual<ReadLine[]>([
      {
        month: '2024-03-01',
        store: 'Dee"zer, é',
        country: '',
        item: 'FRABC2400001',
        kind: 'stream',
        currency: 'USD',
        quantity: '3',
        amount: '0.3',
        rows: 2,
        firstLine: 3,
      },
      {
        month: '2024-04-01',
        store: 'Qobuz',
        country: '',
        item: expect.stringMatching(/^~/),
        kind: 'download',
        currency: 'USD',
        quantity: '1000',
        amount: '-0.3',
        rows: 1,
        firstLine: 8,
      },
    ]);
    expect(items).toMatchObject([
      { key: 'FRABC2400001', isrc: 'FRABC2400001', upc: null },
      { isrc: null, upc: '3700000000017', title: '漢字', artist: 'Ça' },
    ]);
    expect(Object.fromEntries(totals.skipped)).toEqual({ 'Ligne vide': 1, 'Ligne de total': 1 });
    await cutEverywhere(bytes);
  });

  it.each([
    ['UTF-16', Buffer.from(tricky, 'utf16le')],
    ['UTF-16, the other way round', Buffer.from(tricky, 'utf16le').swap16()],
    ['a Western code page', Buffer.from(tricky.replace('\ufeff', '').replace(/[🎵漢字]/gu, 'é'), 'latin1')],
    ['a gzip', gzipSync(tricky)],
    [
      'a ZIP',
      zipOf([
        { name: '__MACOSX/a.csv', content: 'x' },
        { name: 'mars/relevé.CSV', content: tricky },
      ]),
    ],
  ])('do not affect %s', async (_, bytes) => {
    await cutEverywhere(bytes);
  });

  it('do not affect a DDEX flat file', async () => {
    const rows = [
      '\ufeffHEAD\tdsrf/30\tUGCProfile\t1.1\tM\t2016-01-21T15:09:26Z\t1\t1\t2015-10-01\t2015-12-31\tP\tYouTube',
      'SY02\t1\t\t\tAd\tStream\tIS\tS\t1\t\tUSD\t9',
      'AS01\t1\tR1\tX1\tFRABC1500001\tTitre \\| é\t\tA\t\tPT1M\tSoundRecording',
      'SU03\t1\tU1\t1\tX1\t7\t0.5\t20151001\t20151231',
      'FOOT\t5',
    ];
    await cutEverywhere(Buffer.from(rows.join('\r\n')));
  });
});

describe('line ends', () => {
  const row = '2024-03-15,,FRABC2400001,Spotify,Streaming,1,0.1,100,T,A';

  it('may be lone carriage returns (classic Mac OS)', async () => {
    const { lines, totals } = await readStatement([header, row, row, ''].join('\r'), { cuts: [150] });
    expect(lines).toMatchObject([{ item: 'FRABC2400001', amount: '0.2', rows: 2, firstLine: 2 }]);
    expect(totals).toMatchObject({ rows: 2, counted: 2 });
  });
});

it('reads thousands separators once any amount has decimals', async () => {
  const rows = ['"1,234"', '0.5'].map((amount) => `2024-03-15,,FRABC2400001,Spotify,Streaming,1,${amount},100,T,A`);
  expect(totalsOf((await readStatement([header, ...rows].join('\n'))).lines)).toEqual({ USD: '1234.5' });
});

it('asks nothing when staff chose the decimal mark', async () => {
  const [landr] = builtInPresets.filter(({ key }) => key === 'landr');
  if (!landr) throw new Error('no such preset');
  const file = storedFile(`${header}\n2024-03-15,,FRABC2400001,Spotify,Streaming,1,"1,234",100,T,A\n`);
  const open = async (key: string) => {
    const opened = await openStatement(file, [{ ...landr, key }]);
    if (opened.is !== 'recognised') throw new Error(opened.is);
    const amounts: (string | undefined)[] = [];
    for await (const { copyText } of opened.lines()) amounts.push(cellsOf(String(copyText))[7]);
    return amounts;
  };
  await expect(open('landr')).rejects.toThrow('«\u00a01,234\u00a0» se lit de deux façons');
  expect(await open('custom:1')).toEqual(['1234']);
});

describe('characters', () => {
  const plain = `${header}\n${'2024-03-15,,FRABC2400001,Spotify,Streaming,1,0.1,100,T,A\n'.repeat(4000)}`;
  const last = '2024-03-15,,FRABC2400002,Café de Flore,Streaming,1,0.5,100,Été,Ça';

  it.each([0, 1, 2])('switch to another code page far into an ASCII file, split at %i', async (shift) => {
    const bytes = Buffer.from(`${plain}${last}\n`, 'latin1');
    const at = bytes.indexOf(0xe9) + shift;
    const { lines, totals } = await readStatement(bytes, { cuts: [200_000, at] });
    expect(totals.counted).toBe(4001);
    expect(lines.at(-1)).toMatchObject({ store: 'Café de Flore', amount: '0.5', firstLine: 4002 });
  });

  it('are decoded to the end when the file ends in another code page', async () => {
    const { items } = await readStatement(Buffer.from(`${plain}${last.slice(0, -2)}Zoé`, 'latin1'));
    expect(items.at(-1)).toMatchObject({ title: 'Été', artist: 'Zoé' });
  });

  it('are UTF-8 when valid, far into an ASCII file', async () => {
    const bytes = Buffer.from(`${plain}${last}\n`);
    const { lines } = await readStatement(bytes, { cuts: [bytes.indexOf(0xc3) + 1] });
    expect(lines.at(-1)?.store).toBe('Café de Flore');
  });
});

describe('a workbook', () => {
  const names = landrColumns;
  const row = (date: SheetCell, amount: SheetCell, upc: SheetCell = ''): SheetCell[] => [
    date,
    upc,
    'FRABC2400001',
    'Deezer & cie',
    'Streaming',
    { n: '1.5E+1' },
    amount,
  ];

  it('is read after the lines before its header, numbers as typed, dates by day', async () => {
    const bytes = workbookOf([
      ['Relevé'],
      [],
      names,
      row({ n: '45366' }, { n: '7.9900000000000002' }),
      row({ n: '45366.75' }, { n: '0.30000000000000004' }),
      row('2024-03-15', '0.01', { n: '12345678905' }),
      [],
    ]);
    const { lines, items, totals } = await readStatement(bytes);
    expect(lines).toMatchObject([
      {
        month: '2024-03-01',
        store: 'Deezer & cie',
        quantity: '45',
        amount: '8.30000000000000004',
        rows: 3,
        firstLine: 4,
      },
    ]);
    expect(items[0]).toMatchObject({ upc: null });
    expect(totals.counted).toBe(3);
  });

  it('restores the leading zeros of a barcode stored as a number', async () => {
    const cells: SheetCell[] = row('2024-03-15', { n: '1' }, { n: '12345678905' });
    cells[2] = '';
    expect((await readStatement(workbookOf([names, cells]))).items).toMatchObject([{ upc: '012345678905' }]);
  });

  it('counts days from 1904 when it declares the 1904 date system', async () => {
    const bytes = workbookOf([names, row({ n: '43904' }, { n: '1' })], '<workbookPr date1904="1"/>');
    expect((await readStatement(bytes)).lines[0]?.month).toBe('2024-03-01');
  });

  it('may have numeric cells beside texts with a decimal comma', async () => {
    const kontor = [
      'Labelname',
      'ISRC',
      'EAN/UPC',
      'Artist',
      'Tracktitle',
      'GRid',
      'Outletname',
      'Format',
      'Territory',
      'Sales Period',
      'Units',
      'Royalty Amount Customer',
      'DMB Store Name',
    ];
    const cells = (amount: SheetCell): SheetCell[] => [
      '',
      'DEA622400001',
      '',
      '',
      '',
      '',
      'Deezer',
      'Stream',
      'DE',
      '2024-03',
      { n: '1' },
      amount,
    ];
    const { lines } = await readStatement(workbookOf([kontor, cells({ n: '1234.5' }), cells('1.234,25')]), {
      currency: 'EUR',
    });
    expect(totalsOf(lines)).toEqual({ EUR: '2468.75' });
  });
});

describe('rows that are not income', () => {
  const row = (change: Record<string, string>) =>
    header
      .split(',')
      .map(
        (name) => ({ 'Payment Date': '2024-03-15', Store: 'Deezer', 'Net earnings (USD)': '1', ...change })[name] ?? '',
      )
      .join(',');
  const nameless = { 'Payment Date': '', Store: '' };

  it('are identified by their content', async () => {
    const { lines, totals } = await readStatement(
      [
        'Relevé de mars',
        'Compte: 12,',
        header,
        row({ Title: 'Total', Artist: 'Les Sommes' }),
        header,
        row({ ...nameless, 'Payment Date': 'TOTAL', 'Net earnings (USD)': '2' }),
        row({ ...nameless, Store: 'Grand total', 'Net earnings (USD)': '3' }),
        'Total: 3',
        ',,,,,,,,,',
        '',
      ].join('\n'),
    );
    expect(lines).toMatchObject([{ amount: '1', rows: 1, firstLine: 4 }]);
    expect(totals).toMatchObject({ rows: 6, counted: 1 });
    expect(Object.fromEntries(totals.skipped)).toEqual({
      'Ligne de total': 3,
      'Ligne vide': 1,
      'En-tête répété': 1,
    });
    expect(totals.announced).toEqual(
      ['2', '3', '3'].map((declared, index) => ({ declared, sum: '1', currency: 'USD', line: index + 6 })),
    );
  });
});

it('a delimiter after the last column is ignored', async () => {
  const { lines } = await readStatement(
    `${header},,\n2024-03-15,,FRABC2400001,Deezer,S,1,1,1,T,A,,\n2024-03-15,,FRABC2400001,Deezer,S,1,1,1,T,A\n`,
  );
  expect(lines).toMatchObject([{ quantity: '2', rows: 2 }]);
});

describe('grouped rows', () => {
  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
    .map(([value, decimals]) => {
      const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
      const at = digits.length - decimals;
      return `${value < 0n ? '-' : ''}${digits.slice(0, at).slice(-12)}.${digits.slice(at)}`;
    });
  const entry = fc.record({
    isrc: fc.integer({ min: 1, max: 4 }).map((n) => `FRABC240000${n}`),
    store: fc.constantFrom('Deezer', 'Spotify', 'Qobuz\\Bé'),
    month: fc.constantFrom('2024-03', '2024-04'),
    quantity: fc.integer({ min: -1000, max: 1_000_000 }),
    amount,
  });

  it('add up to lines with equal sums for every combination of values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 80 }), async (entries) => {
        const rows = entries.map(
          ({ isrc, store, month, quantity, amount: text }) =>
            `${month}-15,,${isrc},${store},S,${quantity},${text},1,T,A`,
        );
        const { lines, totals } = await readStatement([header, ...rows, ''].join('\n'));
        expect(totals).toMatchObject({ rows: entries.length, counted: entries.length });
        const key = (parts: string[]) => parts.join('\t');
        const keys = new Set(entries.map(({ isrc, store, month }) => key([isrc, store, `${month}-01`])));
        expect(new Set(lines.map(({ item, store, month }) => key([item, store, month])))).toEqual(keys);
        for (const wanted of keys) {
          const summed = lines.filter(({ item, store, month }) => key([item, store, month]) === wanted);
          const source = entries.filter(({ isrc, store, month }) => key([isrc, store, `${month}-01`]) === wanted);
          expect(sumOf(summed.map((line) => line.amount))).toBe(sumOf(source.map((one) => one.amount)));
          expect(sumOf(summed.map((line) => line.quantity))).toBe(sumOf(source.map((one) => String(one.quantity))));
          expect(summed.reduce((sum, line) => sum + line.rows, 0)).toBe(source.length);
        }
      }),
      { numRuns: deepCount(500) },
    );
  });

  it('are flushed in groups: more lines and items than fit at once lose nothing', { tags: ['slow'] }, async () => {
    const count = 200_000;
    const rows = Array.from(
      { length: count },
      (_, index) => `2024-03-15,,FRABC${String(index % 180_000).padStart(7, '0')},Deezer,S,1,0.000001,1,T${index},A`,
    );
    const { lines, totals, items } = await readStatement([header, ...rows, ''].join('\n'), {
      cuts: [4_000_000, 9_000_000, 11_000_000],
    });
    expect(totals.counted).toBe(count);
    expect(totalsOf(lines)).toEqual({ USD: '0.2' });
    expect(new Set(items.map((item) => item.key)).size).toBe(180_000);
    const named = new Set(items.map((item) => item.key));
    expect(lines.every((line) => named.has(line.item))).toBe(true);
  });
});

it('text from a row cannot escape its column', async () => {
  const { lines } = await readStatement(`${header}\n"2024-03-15",,FRABC2400001,"a\tb\\N\nc",Streaming,1,1,1,T,A\n`);
  expect(lines[0]).toMatchObject({ store: 'a b\\N c', item: 'FRABC2400001' });
});
