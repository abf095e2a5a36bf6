// @module-tag slow
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deepCount } from '#test/deep.ts';
import { storedFile, workbookOf, zipOf } from '#test/statement-files.ts';
import type { StoredFile } from './archives.ts';
import type { SheetCell } from './presets/fixture.ts';
import { builtInPresets } from './presets.ts';
import { openStatement, readStatementHead } from './read-statement.ts';
import { StatementRefusal } from './refusal.ts';

const header = 'Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %';
const text = `${header}\n${Array.from({ length: 30 }, (_, i) => `2024-03-15,"3700000000017",FRABC24000${10 + i},"Déezer ""é""",S,${i},0.${i}1,1`).join('\r\n')}\n`;
const cells: SheetCell[] = [
  '2024-03-15',
  { n: '3700000000017' },
  'FRABC2400001',
  'Déezer',
  'S',
  { n: '3' },
  { n: '0.1' },
  '1',
];
const dsr = [
  'HEAD\tdsrf/30\tUGCProfile\t1.1\tM\t2016-01-21T15:09:26Z\t1\t1\t2015-10-01\t2015-12-31\tP\tYouTube',
  'SY02\t1\t\t\tAd\tStream\tIS\tS\t1\t\tUSD\t9',
  'AS01\t1\tR1\tX1\tFRABC1500001\tTitre\t\tA\t\tPT1M\tSoundRecording',
  'SU03\t1\tU1\t1\tX1\t7\t0.5\t20151001\t20151231',
  'FOOT\t5\t5\t1\t1\t1',
  '',
].join('\n');

const whole: [string, Buffer][] = [
  ['a text', Buffer.from(text)],
  ['a text of UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['a gzip', gzipSync(text)],
  ['a ZIP', zipOf([{ name: 'a.csv', content: text }])],
  ['a workbook', workbookOf([header.split(','), cells, cells])],
  ['a flat file', Buffer.from(dsr)],
];

const damage = fc.record({
  cut: fc.option(fc.nat(), { nil: undefined }),
  bytes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
  doubled: fc.option(fc.tuple(fc.nat(), fc.nat({ max: 200 })), { nil: undefined }),
});

async function read(file: Buffer): Promise<string[] | undefined> {
  const opened = await openStatement(storedFile(file), builtInPresets);
  if (opened.is !== 'recognised') return undefined;
  const lines: string[] = [];
  for await (const summed of opened.lines()) lines.push(...String(summed.copyText).split('\n').slice(0, -1));
  expect(lines.length).toBeLessThanOrEqual(opened.totals.counted);
  return lines;
}

it.each(whole)('%s with random damage is read, ambiguous or refused, without other errors', async (name, bytes) => {
  const hasSum = ['a gzip', 'a ZIP', 'a workbook'].includes(name);
  const undamaged = await read(bytes);
  expect(undamaged).toBeDefined();
  await fc.assert(
    fc.asyncProperty(damage, async ({ cut, bytes: changed, doubled }) => {
      let file: Buffer = Buffer.from(bytes);
      for (const [at, byte] of changed) file[at % file.length] = byte;
      if (doubled) {
        const at = doubled[0] % file.length;
        file = Buffer.concat([file.subarray(0, at), file.subarray(at, at + doubled[1]), file.subarray(at)]);
      }
      if (cut !== undefined) file = file.subarray(0, cut % file.length);
      try {
        const lines = await read(file);
        // Compressed files have a checksum: the content is equal or refused.
        if (hasSum && lines) expect(lines).toEqual(undamaged);
      } catch (error) {
        if (!(error instanceof StatementRefusal)) throw error;
      }
    }),
    { numRuns: deepCount(4000) },
  );
});

it('closes an archive after only its beginning is read', async () => {
  const rows = Array.from({ length: 60_000 }, () => `Déezer,${randomBytes(20).toString('hex')},0.1\n`);
  const bytes = zipOf([{ name: 'a.csv', content: `Store,Title,Net earnings\n${rows.join('')}` }]);
  const cuts = Array.from({ length: Math.floor(bytes.length / 65_536) }, (_, index) => (index + 1) * 65_536);
  const file = storedFile(bytes, cuts);
  const opened: Readable[] = [];
  const open: StoredFile['open'] = async (range) => {
    const stream = await file.open(range);
    opened.push(stream);
    return stream;
  };
  await readStatementHead({ ...file, open }, {});
  expect(opened.length).toBeGreaterThan(1);
  await expect.poll(() => opened.filter(({ destroyed }) => !destroyed)).toEqual([]);
});
