import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deepCount } from '#test/deep.ts';
import { landrColumns, type ReadLine, readLine, storedFile } from './files-for-tests.ts';
import { builtInPresets } from './presets.ts';
import { openStatement } from './read-statement.ts';
import { NotSliceable, StatementRefusal } from './refusal.ts';
import type { SliceSeen } from './table-reader.ts';

interface Whole {
  lines: ReadLine[];
  rows: number;
  counted: number;
  skipped: Record<string, number>;
}

async function open(content: string | Buffer) {
  const opened = await openStatement(storedFile(content), builtInPresets);
  if (opened.is !== 'recognised') throw new Error(opened.is);
  return opened;
}

async function refusalOf<T>(read: () => Promise<T>): Promise<T | StatementRefusal> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StatementRefusal) return error;
    throw error;
  }
}

async function readWhole(content: string | Buffer): Promise<Whole> {
  const opened = await open(content);
  const lines: ReadLine[] = [];
  for await (const { copyText } of opened.lines()) lines.push(...linesOf(copyText));
  const { rows, counted, skipped } = opened.totals;
  return { lines, rows, counted, skipped: Object.fromEntries(skipped) };
}

const linesOf = (text: Buffer) => String(text).split('\n').slice(0, -1).map(readLine);

/** @returns undefined for a file to be read as a whole */
async function readSlices(content: string | Buffer, sliceBytes: number): Promise<Whole | undefined> {
  const { slices } = await open(content);
  const starts = await slices?.cut(sliceBytes);
  if (!slices || !starts) return undefined;
  const whole: Whole = { lines: [], rows: 0, counted: 0, skipped: {} };
  const parts: SliceSeen[] = [];
  let before = 0;
  for (const [index, start] of starts.entries()) {
    const isLast = index === starts.length - 1;
    const end = starts[index + 1] ?? Buffer.byteLength(content);
    const reading = slices.read({ start, end, isFirst: index === 0, isLast });
    const lines: ReadLine[] = [];
    try {
      for await (const { copyText } of reading.lines) lines.push(...linesOf(copyText));
    } catch (error) {
      if (error instanceof NotSliceable || error instanceof StatementRefusal) return undefined;
      throw error;
    }
    const { seen } = reading.end();
    const shift = before + 1 - seen.firstLine;
    whole.lines.push(...lines.map((line) => ({ ...line, firstLine: line.firstLine + shift })));
    whole.rows += seen.rows;
    whole.counted += seen.counted;
    for (const [reason, count] of seen.skipped) whole.skipped[reason] = (whole.skipped[reason] ?? 0) + count;
    parts.push({
      ...seen,
      declared: seen.declared && { ...seen.declared, line: seen.declared.line + shift },
      doubtful: seen.doubtful && { ...seen.doubtful, line: seen.doubtful.line + shift },
    });
    before += seen.fileLines;
  }
  slices.requireWhole(parts);
  return whole;
}

/** Without what depends on which rows stand close to each other. */
function added({ lines, ...totals }: Whole) {
  const rows = new Map<string, number>();
  const units = new Map<string, bigint>();
  for (const { month, store, country, item, kind, currency, amount, ...line } of lines) {
    const key = [month, store, country, item, kind, currency].join('|');
    rows.set(key, (rows.get(key) ?? 0) + line.rows);
    const [whole = '', decimals = ''] = amount.split('.');
    units.set(key, (units.get(key) ?? 0n) + BigInt(whole + decimals.padEnd(9, '0')));
  }
  return { ...totals, rows: [...rows].toSorted(), units: [...units].toSorted() };
}

const row = (number: number, title = 'Titre') =>
  `2024-0${1 + (number % 3)}-15,,FRABC24${String(number).padStart(5, '0')},Deezer,Streaming,1,0.${String(number + 1).padStart(4, '0')},100,"${title}"`;
const header = [...landrColumns, 'Title'].join(',');

it('slices of different rows have the lines of the whole, whatever their size', async () => {
  const content = [header, ...Array.from({ length: 400 }, (_, number) => row(number))].join('\r\n');
  const whole = await readWhole(content);
  expect(whole.lines).toHaveLength(400);
  for (const sliceBytes of [90, 700, 4000, 1_000_000]) expect(await readSlices(content, sliceBytes)).toEqual(whole);
});

it('a slice ends where a row does in each character set', async () => {
  const content = `\ufeff${[header, ...Array.from({ length: 60 }, (_, number) => row(number, '漢字 \u0a0aé'))].join('\n')}\n`;
  for (const bytes of [Buffer.from(content), Buffer.from(content, 'utf16le')]) {
    expect(await readSlices(bytes, 501)).toEqual(await readWhole(bytes));
  }
});

it('what only the whole file tells is never read in slices', async () => {
  const rows = Array.from({ length: 40 }, (_, number) => row(number));
  const sliced = (lines: readonly string[]) => readSlices([header, ...lines].join('\n'), 400);
  expect(await sliced(rows)).toBeDefined();
  expect(await sliced([...rows, 'Total,,,,,40,0.0820,,'])).toBeUndefined();
  expect(await sliced([...rows, 'Total Rows,40'])).toBeUndefined();
  expect(await readSlices(['Total Amount,1', header, ...rows].join('\n'), 400)).toBeUndefined();
  expect(await sliced([...rows, '2024-01-15,,,Deezer,Streaming,1,0.082,100,""'])).toBeUndefined();
  expect(await sliced([...rows.slice(0, 20), row(20, 'Un\n'.repeat(300)), ...rows.slice(21)])).toBeUndefined();
  expect(await sliced([...rows.slice(0, 30), '2024-01-15,,FRABC2400001,Deezer,Streaming,1,x,100,""'])).toBeUndefined();
});

it('slices of any file have its sums, or it is read as a whole', async () => {
  const line = fc.oneof(
    { weight: 12, arbitrary: fc.nat(60).map((number) => row(number)) },
    { weight: 3, arbitrary: fc.nat(60).map((number) => row(number, 'Un\ntitre, ""cité""')) },
    fc.constantFrom(
      '',
      ',,,,,,,,',
      header,
      'Total,,,,,1,0.1,,',
      '2024-01-15,,,Deezer,Streaming,1,0.5,100,',
      '2024-01-15,,FRABC2400001,Deezer,Streaming,1,"1,234",100,',
      '2024-01-15,,FRABC2400001,Deezer,Streaming,1,x,100,',
      `"${row(3).replaceAll('"', '""')}"`,
      row(4).replace('"Titre"', '"Quatre'),
      row(5).replace('"Titre"', 'Cinq 12"'),
    ),
  );
  let sliced = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 40, max: 900 }),
      async (lines, sliceBytes) => {
        const content = [header, row(0), ...lines].join('\n');
        const read = await refusalOf(() => readSlices(content, sliceBytes));
        if (read === undefined) return;
        const whole = await refusalOf(() => readWhole(content));
        if (read instanceof StatementRefusal || whole instanceof StatementRefusal) expect(read).toEqual(whole);
        else {
          sliced++;
          expect(added(read)).toEqual(added(whole));
        }
      },
    ),
    { numRuns: deepCount(400, 10) },
  );
  expect(sliced).toBeGreaterThan(5);
});
