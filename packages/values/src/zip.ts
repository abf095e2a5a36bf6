import { ZipPassThrough } from 'fflate';
import { BrokenWorkbook, type WorkbookFiles } from './workbook.ts';

/** No sheet shrinks to less than this part of itself. */
const maxInflation = 300;
const harmlessBytes = 256 * 1024 * 1024;
const maxEndBytes = 65_557;
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

interface Entry {
  offset: number;
  size: number;
  method: number;
  sum: number;
}

const bytesOf = async (file: Blob, from: number, to: number) => new DataView(await file.slice(from, to).arrayBuffer());

/**
 * The files of a ZIP, in a browser. fflate's own `Unzip` checks no sum, and finds the end of a file by a signature that
 * deflated bytes may contain; the platform inflates.
 * @throws BrokenWorkbook; RangeError
 */
export async function openZip(file: Blob): Promise<WorkbookFiles> {
  const tail = await bytesOf(file, Math.max(0, file.size - maxEndBytes), file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== endSignature) end--;
  if (end < 0) throw new BrokenWorkbook('not a workbook');
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  const directory = await bytesOf(file, start, start + size);
  const decoder = new TextDecoder();
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === entrySignature; ) {
    const nameLength = directory.getUint16(at + 28, true);
    const name = decoder.decode(new Uint8Array(directory.buffer, at + 46, nameLength));
    entries.set(name.replaceAll('\\', '/').toLowerCase(), {
      method: directory.getUint16(at + 10, true),
      sum: directory.getUint32(at + 16, true),
      size: directory.getUint32(at + 20, true),
      offset: directory.getUint32(at + 42, true),
    });
    at += 46 + nameLength + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return { names: new Set(entries.keys()), read: (name) => readEntry(file, entries.get(name)) };
}

async function* readEntry(file: Blob, entry: Entry | undefined): AsyncGenerator<Uint8Array> {
  if (!entry || (entry.method !== 0 && entry.method !== 8)) throw new BrokenWorkbook('not a workbook');
  const local = await bytesOf(file, entry.offset, entry.offset + 30);
  if (local.getUint32(0, true) !== localSignature) throw new BrokenWorkbook('not a workbook');
  const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const stored = file.slice(start, start + entry.size).stream();
  const bytes = entry.method === 8 ? stored.pipeThrough(new DecompressionStream('deflate-raw')) : stored;
  const reader = bytes.getReader();
  // fflate sums what passes through.
  const summed = new ZipPassThrough('');
  summed.ondata = () => undefined;
  try {
    for (;;) {
      const { done, value = new Uint8Array() } = await reader.read();
      summed.push(value, done);
      // Corrupt data can inflate without error.
      if (done && summed.crc >>> 0 !== entry.sum) throw new BrokenWorkbook('damaged');
      if (done) return;
      if (summed.size > harmlessBytes && summed.size > maxInflation * entry.size) {
        throw new BrokenWorkbook('inflates without end');
      }
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
