import { Readable } from 'node:stream';
import type { Charset } from '@regie/contract/statements.ts';
import type { StoredFile } from './archives.ts';
import { detectCharset } from './decode.ts';
import { containerOf, headText, readHead } from './open-file.ts';

/** Where a line begins in a file. */
export interface LineOffset {
  /** Counted from 1. */
  line: number;
  byteOffset: number;
}

/** The beginning that tells a file's characters. */
export const headBytes = 128 * 1024;
/** A jump reads this much at most before the line it wants, and a line. */
const stepBytes = 1024 * 1024;

/** The character that ends a line: its byte that is not zero, how many it has, and which of them that is. */
interface LineEnd {
  byte: number;
  width: 1 | 2;
  place: 0 | 1;
}

/** What ends lines in a file: where its beginning has lone carriage returns only, those. */
export function lineEndOf(head: Buffer, charset: Charset): LineEnd {
  const text = headText(head, charset);
  return {
    byte: text.includes('\r') && !text.includes('\n') ? 0x0d : 0x0a,
    width: charset.startsWith('utf-16') ? 2 : 1,
    place: charset === 'utf-16be' ? 1 : 0,
  };
}

/** The same bytes in pieces that cut no character of so many bytes. */
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

/** Where the next line begins in whole characters; -1 where none does. */
function nextLine(piece: Buffer, from: number, { byte, width, place }: LineEnd): number {
  for (let at = piece.indexOf(byte, from); at >= 0; at = piece.indexOf(byte, at + 1)) {
    const start = at - place;
    // Of two bytes, half of another character may be the same.
    if (width === 1 || (start % 2 === 0 && piece[start + 1 - place] === 0)) return start + width;
  }
  return -1;
}

/** Leaves out so many lines, without making text of them. */
export async function* skipLines(
  bytes: AsyncIterable<Buffer>,
  end: LineEnd,
  count: number,
): AsyncGenerator<Buffer, void> {
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

/**
 * The same file, noting where lines begin while it is read from its beginning. What is packed has no such places: it can only be
 * unpacked from its beginning.
 */
export function notingLines(file: StoredFile): { file: StoredFile; offsets: readonly LineOffset[] } {
  const offsets: LineOffset[] = [];
  async function* noted(stream: Readable, end: LineEnd) {
    let line = 1;
    let position = 0;
    let due = stepBytes;
    for await (const piece of wholeCharacters(stream, end.width)) {
      for (let at = nextLine(piece, 0, end); at >= 0; at = nextLine(piece, at, end)) {
        line += 1;
        const byteOffset = position + at;
        if (byteOffset < due || byteOffset >= file.sizeBytes) continue;
        offsets.push({ line, byteOffset });
        due = byteOffset + stepBytes;
      }
      position += piece.length;
      yield piece;
    }
  }
  const open: StoredFile['open'] = async (range) => {
    if (range) return file.open(range);
    const head = await readHead(file, headBytes);
    const stream = await file.open();
    if (containerOf(head) !== 'plain') return stream;
    offsets.length = 0;
    return Readable.from(noted(stream, lineEndOf(head, detectCharset(head).charset)));
  };
  return { file: { sizeBytes: file.sizeBytes, open }, offsets };
}
