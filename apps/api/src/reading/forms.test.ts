import { Readable } from 'node:stream';
import { statementMessages } from '@regie/contract/statements.ts';
import { describe, expect, it, vi } from 'vitest';
import { readStatement, storedFile, totalsOf } from '#test/statement-files.ts';
import type { StoredFile } from './archives.ts';
import { cellsOf } from './decimals.ts';
import { detectCharset } from './decode.ts';
import { preset } from './presets/preset.ts';
import { builtInPresets } from './presets.ts';
import { openStatement } from './read-statement.ts';

const believeNames =
  'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Sales Type;Quantity;Client Payment Currency;Gross Revenue;Net Revenue';
const believeRows = [
  [
    '2026/05/01',
    '2026/04/01',
    'Deezer',
    'France',
    'L',
    'A "B"',
    'R',
    'T, deux; trois',
    '',
    'FRABC2600001',
    'Stream',
    '1',
    'EUR',
    '9',
    '8.5',
  ],
  [
    '2026/05/01',
    '2026/04/01',
    'Deezer',
    'France',
    'L',
    'A',
    'R',
    'T',
    '',
    'FRABC2600002',
    'Stream',
    '1',
    'EUR',
    '9',
    '0.25',
  ],
];
const quoted = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
const lineOf = (cells: readonly string[], delimiter: string) =>
  cells.map((cell) => quoted(cell, delimiter)).join(delimiter);
const wrap = (line: string) => `"${line.replaceAll('"', '""')}"`;

describe('lines that another program put into quotes as a whole', () => {
  for (const delimiter of [';', ',']) {
    const header = lineOf(believeNames.split(';'), delimiter);
    const rows = believeRows.map((cells) => lineOf(cells, delimiter));
    for (const [title, lines] of [
      ['all lines', [wrap(header), ...rows.map(wrap)]],
      ['data rows only', [header, ...rows.map(wrap)]],
      [
        'only rows that have a quote of their own',
        [header, ...rows.map((row) => (row.includes('"') ? wrap(row) : row))],
      ],
      ['all lines, with delimiters behind', [header, ...rows].map((line) => `${wrap(line)}${delimiter.repeat(3)}`)],
      ['all lines, with commas behind', [header, ...rows].map((line) => `${wrap(line)},,`)],
    ] as const) {
      it(`are unwrapped: ${title}, with « ${delimiter} »`, async () => {
        const read = await readStatement(`${lines.join('\r\n')}\r\n`);
        expect(read.preset).toBe('believe');
        expect(totalsOf(read.lines)).toEqual({ EUR: '8.75' });
        expect(read.totals).toMatchObject({ rows: 2, counted: 2 });
        expect(read.items.map(({ title: name }) => name)).toEqual(['T, deux; trois', 'T']);
      });
    }
  }
});

const distrokid =
  'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
const distrokidFile = (delimiter: string, rows: readonly { month?: string; amount: string; title?: string }[]) => {
  const names = distrokid.split('\t');
  const cells = rows.map(({ month = '2026-02', amount, title = '' }) =>
    names.map(
      (name) =>
        ({
          'Sale Month': month,
          Store: 'Deezer',
          Title: title,
          ISRC: 'FRABC2500001',
          Quantity: '1',
          'Earnings (USD)': amount,
        })[name] ?? '',
    ),
  );
  return [names, ...cells].map((row) => lineOf(row, delimiter)).join('\r\n');
};

describe('a file saved again by a French Excel', () => {
  it('is read when nothing in it is ambiguous', async () => {
    const file = distrokidFile(';', [
      { month: 'févr-26', amount: '0,125' },
      { month: 'févr-26', amount: '1234,5' },
    ]);
    const read = await readStatement(file);
    expect(read.lines).toMatchObject([{ month: '2026-02-01', amount: '1234.625', currency: 'USD' }]);
  });

  it('distinguishes days from months by days above twelve', async () => {
    const days = distrokidFile(';', [
      { month: '05/02/2026', amount: '0,5' },
      { month: '28/02/2026', amount: '0,5' },
    ]);
    expect((await readStatement(days)).lines).toMatchObject([{ month: '2026-02-01', amount: '1' }]);
  });

  it.each([
    [
      'nothing tells the day from the month',
      distrokidFile(';', [{ month: '05/02/2026', amount: '0,5' }]),
      /«\s05\/02\/2026\s» n’est pas une date connue\u00a0: le modèle attend AAAA-MM/,
    ],
    [
      'it has both marks',
      distrokidFile(';', [{ amount: '0.5' }, { amount: '0,5' }]),
      /«\s0,5\s» n’est pas un montant lisible\u00a0: le modèle attend un point comme séparateur décimal$/,
    ],
    [
      'three digits behind a comma could be thousands',
      distrokidFile(';', [{ amount: '1,125' }]),
      /«\s1,125\s» se lit de deux façons/,
    ],
  ])('is refused with what the preset expects where %s', async (_, file, sentence) => {
    await expect(readStatement(file)).rejects.toThrow(sentence);
  });
});

describe('currency signs beside amounts', () => {
  it.each([
    ['$0.5', '0.5'],
    ['-$0.50', '-0.5'],
    ['0.50-', '-0.5'],
    ['USD 0.50', '0.5'],
    ['0.50 USD', '0.5'],
    ['(0.50)', '-0.5'],
  ])('%s are read as %s', async (amount, expected) => {
    const { lines } = await readStatement(distrokidFile('\t', [{ amount }]));
    expect(lines).toMatchObject([{ amount: expected }]);
  });

  it('set the currency of a file that names no other', async () => {
    const file = (amounts: string[]) =>
      [
        'disbursement,icpn,isrc,total_plays,downloads_count,total_revenue',
        ...amounts.map((amount) => `Jan 22,,FRABC2200001,8,0,${amount}`),
      ].join('\n');
    expect(totalsOf((await readStatement(file(['0.50 €', '0.25 €']))).lines)).toEqual({ EUR: '0.75' });
    // Several countries use a dollar sign; a sign on some rows decides nothing for the others.
    for (const amounts of [['$0.5'], ['0.5 €', '0.5'], ['0.5 €', '£0.5']]) {
      await expect(readStatement(file(amounts))).rejects.toThrow('ambiguous');
    }
  });
});

/** Encodes a text in a charset that the platform can only decode. */
function encode(text: string, charset: string): Buffer {
  const decoder = new TextDecoder(charset);
  const codes = new Map<string, number[]>();
  for (let high = 0x80; high < 0x100; high++) {
    codes.set(decoder.decode(Uint8Array.of(high)), [high]);
    for (let low = 0x40; charset !== 'macintosh' && low < 0x100; low++)
      codes.set(decoder.decode(Uint8Array.of(high, low)), [high, low]);
  }
  return Buffer.from(
    [...text].flatMap((letter) => (letter.charCodeAt(0) < 128 ? [letter.charCodeAt(0)] : (codes.get(letter) ?? [63]))),
  );
}

it.each([
  ['shift_jis', '夜に駆ける、アイドル、紅蓮華、群青', 'ヨアソビ'],
  ['euc-jp', '夜に駆ける、アイドル、紅蓮華、群青', 'ヨアソビ'],
  ['gb18030', '月亮代表我的心，甜蜜蜜，夜来香', '邓丽君'],
  ['big5', '月亮代表我的心，甜蜜蜜，夜來香', '鄧麗君'],
  ['euc-kr', '사랑의 노래, 봄날, 겨울 바다', '가수'],
  ['macintosh', 'Été à Évian, garçon, hélas, naïve', 'Zoë Fräulein'],
])('titles in %s are decoded correctly', async (charset, title) => {
  const file = distrokidFile(
    '\t',
    Array.from({ length: 20 }, () => ({ amount: '0.5', title })),
  );
  const read = await readStatement(encode(file, charset));
  expect(read.items[0]?.title).toBe(title);
});

describe('the charset of a single title', () => {
  const detected = (charset: string, title: string) =>
    detectCharset(encode(distrokidFile('\t', [{ amount: '0.5', title }]), charset));
  it.each([
    ['windows-1252', 'Beyoncé'],
    ['windows-1252', 'Créée'],
    ['windows-1252', 'ÉTÉ ÀÉÉ'],
    ['windows-1252', 'L’été – “Œuvre” © ½'],
    ['windows-1252', 'ÄÖÜ'],
    ['windows-1252', 'Ö'],
    ['windows-1252', 'À demain'],
    ['windows-1252', '¡«Él»!'],
    ['windows-1252', '÷'],
    ['macintosh', 'Beyoncé'],
    ['macintosh', 'Garçon'],
    ['macintosh', 'L’été – “Œuvre”'],
    ['windows-1251', 'Катюша'],
  ])('is detected as %s for « %s »', (charset, title) => {
    expect(detected(charset, title)).toEqual({ charset, others: [] });
  });
  it.each([
    ['shift_jis', 'アイドル'],
    ['shift_jis', '紅蓮華'],
    ['euc-jp', '夜に駆ける'],
    ['gb18030', '甜蜜蜜'],
    ['big5', '月亮代表我的心'],
    ['euc-kr', '사랑의 노래'],
    ['windows-1251', 'КИНО'],
    ['windows-1251', 'Я'],
    ['windows-1251', 'Мы'],
    ['shift_jis', 'ｱｲ'],
    ['windows-1250', 'Žluťoučký kůň'],
  ])('is ambiguous, with %s among the choices, for « %s »', (charset, title) => {
    const { charset: first, others } = detected(charset, title);
    expect(others.length).toBeGreaterThan(0);
    expect([first, ...others]).toContain(charset);
  });
});

it('an ambiguous title beyond the first half megabyte is refused with its line', async () => {
  const rows = Array.from({ length: 8000 }, () => ({ amount: '0.5', title: 'Plain '.repeat(20) }));
  const file = encode(distrokidFile('\t', [...rows, { amount: '0.5', title: '紅蓮華' }]), 'shift_jis');
  await expect(readStatement(file)).rejects.toMatchObject({ message: statementMessages.charsetRequired, line: 8002 });
  await expect(readStatement(file, { charset: 'shift_jis' })).resolves.toHaveProperty('totals.counted', 8001);
});

it.each([
  ['.', '3.579'],
  [',', '3579'],
] as const)(
  'staff can choose « %s » as the decimal mark of a file that does not reveal it',
  async (decimalMark, sum) => {
    const amounts = ['1.234', '2.345'];
    const lines = amounts.map(
      (amount) => `2026/05/01;2026/04/01;Deezer;France;L;A;T;;FRABC2600001;Stream;1;EUR;9;${amount}`,
    );
    const head =
      'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Track title;UPC;ISRC;Sales Type;Quantity;Client Payment Currency;Gross Revenue;Net Revenue';
    const content = [head, ...lines, ''].join('\n');
    await expect(readStatement(content)).rejects.toMatchObject({
      message: expect.stringContaining('séparateur décimal'),
      line: 2,
    });
    expect(totalsOf((await readStatement(content, { decimalMark })).lines)).toEqual({ EUR: sum });
  },
);

it('staff can choose the charset of a file', async () => {
  const file = distrokidFile('\t', [{ amount: '0.5', title: 'Été' }]);
  const read = await readStatement(Buffer.from(file, 'latin1'), { charset: 'macintosh' });
  expect(read.items[0]?.title).not.toBe('Été');
});

it('a file of blank lines is refused within its time limit', { tags: ['slow'] }, async () => {
  const header = `${distrokid}\n`;
  const blank = Buffer.alloc(1 << 20, '\n');
  let now = 0;
  // The mocked clock passes a second per look: the real limit is minutes long.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1000;
    return now;
  });
  try {
    let opened = 0;
    const file: StoredFile = {
      sizeBytes: 6 * 1024 ** 3,
      open: async ({ start, end } = { start: 0, end: 6 * 1024 ** 3 - 1 }) =>
        Readable.from(
          (function* () {
            if (start === 0) yield Buffer.from(header);
            for (let at = start; at < end; at += blank.length) {
              opened++;
              yield blank;
            }
          })(),
        ),
    };
    const statement = await openStatement(file, builtInPresets);
    if (statement.is !== 'recognised') throw new Error(statement.is);
    const reading = (async () => {
      for await (const _ of statement.lines());
    })();
    await expect(reading).rejects.toThrow('presque que des lignes sans revenu');
    expect(opened).toBeLessThan(1000);
  } finally {
    clock.mockRestore();
  }
});

it('a total row with a month and no item is left out', async () => {
  const total = distrokidFile('\t', [{ amount: '0.5' }, { amount: '0.5' }]).concat(
    '\r\n',
    distrokid
      .split('\t')
      .map((name) => ({ 'Sale Month': '2026-02', Title: 'Total', 'Earnings (USD)': '1.0' })[name] ?? '')
      .join('\t'),
  );
  const read = await readStatement(total);
  expect(totalsOf(read.lines)).toEqual({ USD: '1' });
  expect(Object.fromEntries(read.totals.skipped)).toEqual({ 'Ligne de total': 1 });
});

it.each([
  ['its last amount', distrokidFile('\t', [{ amount: '0.5' }, { amount: '12.345' }]), 3],
  [
    'its last amount, with line ends of old on a Mac',
    distrokidFile('\t', [{ amount: '12' }]).replaceAll('\r\n', '\r'),
    2,
  ],
  ['its last amount and a line’s end', `${distrokidFile('\t', [{ amount: '0.5' }])}\r\n`, undefined],
  ['half a line’s end', `${distrokidFile('\t', [{ amount: '0.5' }])}\r`, undefined],
  ['an amount between quotes', distrokidFile(',', [{ amount: '0.5' }]).replace(/0\.5$/, '"0.5"'), undefined],
  ['an empty cell behind its last amount', `${distrokidFile('\t', [{ amount: '0.5' }])}\t`, undefined],
  ['a line of total', `${distrokidFile('\t', [{ amount: '0.5' }])}\r\nTotal\t0.5`, undefined],
  [
    'a column that is no number',
    'isrc,Net earnings (USD),Quantity of sales or streams,Payment Date,Store,Store service,UPC,Share %\nFRABC2400001,0.5,1,2024-03-15,Qobuz,Stream,,100',
    undefined,
  ],
])('a file that ends with %s', async (_, content, line) => {
  expect((await readStatement(content)).totals.mayBeCutAt).toBe(line);
});

it('a file that ends within its last amount is refused', async () => {
  const cut = distrokidFile('\t', [{ amount: '0.5' }, { amount: '2.' }]);
  await expect(readStatement(cut)).rejects.toMatchObject({ message: 'La dernière ligne semble coupée', line: 3 });
});

describe('a last row that sums the others', () => {
  const header = 'Country\tISRC\tUPC\tTitle\tArtist\tQuantity\tPayable';
  const own = {
    key: 'custom:1',
    preset: preset({
      source: 'Essai',
      name: 'Essai',
      columns: {
        country: ['Country'],
        isrc: ['ISRC'],
        upc: ['UPC'],
        title: ['Title'],
        artist: ['Artist'],
        quantity: ['Quantity'],
        amount: ['Payable'],
      },
      signature: ['Payable'],
      monthForms: [],
    }),
  };
  const rows = ['5', '2.5', '0.5'].map((amount, index) => `FR\tFRABC260000${index}\t\tT\tA\t1\t${amount}`);
  const read = async (...more: string[]) => {
    const opened = await openStatement(storedFile([header, ...rows, ...more, ''].join('\n')), [own], {
      chosen: 'custom:1',
      month: '2025-01-01',
      currency: 'EUR',
    });
    if (opened.is !== 'recognised') throw new Error(opened.is);
    const amounts = [];
    for await (const { copyText } of opened.lines())
      for (const line of String(copyText).split('\n').slice(0, -1)) amounts.push(Number(cellsOf(line).at(-3)));
    return {
      sum: amounts.reduce((sum, amount) => sum + amount, 0),
      skipped: Object.fromEntries(opened.totals.skipped),
    };
  };

  it.each([
    '\t\t\t\t\t\t8',
    '\t\t\t\t\t3\t8',
    'FR\t\t\t\t\t\t8.00',
    '\t\t\tTotal payable\t\t\t8',
    'Montant total\t\t\t\t\t\t8',
    'Gesamt\t\t\t\t\t\t8',
    'Subtotal FR\t\t\t\t\t\t8',
  ])('is left out and named: %j', async (row) => {
    expect(await read(row)).toEqual({ sum: 8, skipped: { 'Ligne de total': 1 } });
  });

  it('is left out after subtotals', async () => {
    const more = ['\t\t\t\t\t\t8', ...rows, '\t\t\t\t\t\t8', '\t\t\t\t\t\t16'];
    expect(await read(...more)).toEqual({ sum: 16, skipped: { 'Ligne de total': 3 } });
  });

  it('counts when it names an item or another amount', async () => {
    expect(await read('FR\tFRABC2600009\t\tT\tA\t1\t8')).toEqual({ sum: 16, skipped: {} });
    expect(await read('FR\t\t\t\t\t1\t7.99')).toEqual({ sum: 15.99, skipped: {} });
  });

  it('is left out when it is called a total, whatever its amount', async () => {
    expect(await read('Total\t\t\t\t\t\t8')).toEqual({ sum: 8, skipped: { 'Ligne de total': 1 } });
    expect(await read('Total\t\t\t\t\t\t8.01')).toEqual({ sum: 8, skipped: { 'Ligne de total': 1 } });
  });
});
