import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { storedFile } from '#test/statement-files.ts';
import { withLineOffsets } from './line-offsets.ts';
import { readLines } from './read-lines.ts';

/** Characters that contain a line-feed byte in UTF-16, and lines of many lengths. */
const texts = Array.from({ length: 60_000 }, (_, index) => `${index}\tĊ਀ ${'é'.repeat(index % 40)}`);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const forms: Record<string, Buffer> = {
  'UTF-8': Buffer.from(`${texts.join('\r\n')}\r\n`),
  'UTF-8 without a last line feed': Buffer.from(texts.join('\n')),
  'an old Mac’s': Buffer.from(texts.join('\r')),
  'UTF-16LE': Buffer.from(`\ufeff${texts.join('\n')}\n`, 'utf16le'),
  'UTF-16BE': utf16be(`\ufeff${texts.join('\r\n')}\r\n`),
};

it.each(Object.entries(forms))('a line of a %s file is found from a nearby offset', async (_, bytes) => {
  // Chunks of odd lengths split characters.
  const cuts = Array.from({ length: Math.floor(bytes.length / 65_537) }, (_, index) => (index + 1) * 65_537);
  const { file, offsets } = withLineOffsets(storedFile(bytes, cuts));
  for await (const _ of await file.open());
  expect(offsets).toHaveLength(Math.floor(bytes.length / 1024 / 1024));
  for (const near of offsets) {
    let least = Number.POSITIVE_INFINITY;
    const told = {
      sizeBytes: bytes.length,
      open: (range = { start: 0, end: bytes.length - 1 }) => {
        if (range.end === bytes.length - 1) least = Math.min(least, range.start);
        return storedFile(bytes, cuts).open(range);
      },
    };
    const from = near.line + 1000;
    const expected = texts.slice(from - 1, from + 1).map((text, index) => ({ line: from + index, text }));
    expect(await readLines(told, { from, count: 2 }, near)).toEqual(expected);
    expect(least).toBe(near.byteOffset);
    expect(await readLines(told, { from: near.line, count: 1 }, near)).toEqual([
      { line: near.line, text: texts[near.line - 1] },
    ]);
    expect(await readLines(told, { from, count: 2 })).toEqual(expected);
  }
  const last = offsets.at(-1);
  expect(await readLines(storedFile(bytes), { from: texts.length + 1, count: 1 }, last)).toEqual([]);
});

it('a compressed file has no offsets and is read from its start', async () => {
  const bytes = gzipSync(forms['UTF-8'] ?? '');
  const { file, offsets } = withLineOffsets(storedFile(bytes));
  for await (const _ of await file.open());
  expect(offsets).toEqual([]);
  expect(await readLines(file, { from: 50_000, count: 1 })).toEqual([{ line: 50_000, text: texts[49_999] }]);
});

it('a binary file has no lines at any offset', async () => {
  const bytes = Buffer.from(`\u0001\u0002${'a\n'.repeat(9000)}`);
  await expect(readLines(storedFile(bytes), { from: 8000, count: 1 })).rejects.toThrow('Ce fichier n’est pas un texte');
});
