import { Readable } from 'node:stream';
import type { Charset } from '@regie/contract/statements.ts';
import type { StoredFile } from './archives.ts';
import { detectCharset } from './decode.ts';
import { containerOf, headText, readHead } from './open-file.ts';

export interface LineOffset {
  /** From 1. */
  line: number;
  byteOffset: number;
}

export const headBytes = 128 * 1024;
/** Distance between stored offsets: the most a jump reads before its line. */
const stepBytes = 1024 * 1024;

/** The line-end character: its nonzero byte, its width, and the position of that byte. */
type LineEnd = { byte: number; width: 1 | 2; place: 0 | 1 };

/** The line end of a file: a lone carriage return when its beginning has only those. */
export function lineEndOf(head: Buffer, charset: Charset): LineEnd {
  const text = headText(head, charset);
  return {
    byte: text.includes('\r') && !text.includes('\n') ? 0x0d : 0x0a,
    width: charset.startsWith('utf-16') ? 2 : 1,
    place: charset === 'utf-16be' ? 1 : 0,
  };
}

/** Re-chunks bytes so that characters of this width are not split. */
async function* wholeCharacters(bytes: AsyncIterable<Buffer>, width: number): AsyncGenerator<Buffer, void> {
  let cut: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    const all = cut.length === 0 ? piece : Buffer.concat([cut, piece]);
    const length = all.length - (all.length % width);
    cut = all.subarray(length);
    if (length > 0) yield all.subarray(0, length);
  }
  if (cut.length > 0) yield cut;
}

/** Offset of the next line in whole characters; -1 when there is none. */
function nextLine(piece: Buffer, from: number, { byte, width, place }: LineEnd): number {
  for (let at = piece.indexOf(byte, from); at >= 0; at = piece.indexOf(byte, at + 1)) {
    const start = at - place;
    // With two bytes, the other half of another character may be equal.
    if (width === 1 || (start % 2 === 0 && piece[start + 1 - place] === 0)) return start + width;
  }
  return -1;
}

/** Skips lines without decoding them. */
export async function* skipLines(bytes: AsyncIterable<Buffer>, end: LineEnd, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const piece of wholeCharacters(bytes, end.width)) {
    let start = 0;
    while (left > 0 && start >= 0) {
      start = nextLine(piece, start, end);
      if (start >= 0) left -= 1;
    }
    if (start >= 0 && start < piece.length) yield piece.subarray(start);
  }
}

/** Records line offsets while the file is read from the start. Compressed files have none: no jump is possible. */
export function withLineOffsets(file: StoredFile): { file: StoredFile; offsets: readonly LineOffset[] } {
  const offsets: LineOffset[] = [];
  const open: StoredFile['open'] = async (range) => {
    if (range) return file.open(range);
    const head = await readHead(file, headBytes);
    const stream = await file.open();
    if (containerOf(head) !== 'plain') return stream;
    offsets.length = 0;
    const end = lineEndOf(head, detectCharset(head).charset);
    return Readable.from(notedLines(stream, file.sizeBytes, end, (offset) => offsets.push(offset)));
  };
  return { file: { sizeBytes: file.sizeBytes, open }, offsets };
}

async function* notedLines(
  bytes: AsyncIterable<Buffer>,
  sizeBytes: number,
  end: LineEnd,
  onOffset: (offset: LineOffset) => void,
): AsyncGenerator<Buffer, void> {
  let line = 1;
  let position = 0;
  let due = position + stepBytes;
  for await (const piece of wholeCharacters(bytes, end.width)) {
    for (let at = nextLine(piece, 0, end); at >= 0; at = nextLine(piece, at, end)) {
      line += 1;
      const byteOffset = position + at;
      if (byteOffset < due || byteOffset >= sizeBytes) continue;
      onOffset({ line, byteOffset });
      due = byteOffset + stepBytes;
    }
    position += piece.length;
    yield piece;
  }
}
