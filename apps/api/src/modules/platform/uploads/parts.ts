import { Readable } from 'node:stream';
import { type Storage, StorageMissing } from '#src/lib/storage.ts';
import type { Listener, WholeUpload } from './spool.ts';

/** An object with some bytes of an upload. */
export interface Part {
  starts: number;
  storageKey: string;
}

/** Parts up to `received`, then the last chunk. @throws StorageMissing */
export function openParts<L extends Listener>(
  storage: Storage,
  parts: readonly Part[],
  received: number,
  lastChunk: Buffer,
  heard: L | undefined,
): WholeUpload<L> {
  if (received > 0 && parts[0]?.starts !== 0) throw new StorageMissing('upload');
  const pieces = parts.map(({ starts, storageKey }, index) => ({
    starts,
    ends: parts[index + 1]?.starts ?? received,
    storageKey,
  }));
  async function* read(from: number, to: number): AsyncGenerator<Buffer> {
    for (const { starts, ends, storageKey } of pieces) {
      const [first, last] = [Math.max(from, starts), Math.min(to, ends)];
      if (first >= last) continue;
      yield* await storage.open(storageKey, { start: first - starts, end: last - starts - 1 });
    }
    const inLast = lastChunk.subarray(Math.max(0, from - received), Math.max(0, to - received));
    if (inLast.length > 0) yield inLast;
  }
  const size = received + lastChunk.length;
  return {
    heard,
    async readAt(position, length) {
      const chunks: Buffer[] = [];
      for await (const bytes of read(position, position + length)) chunks.push(bytes);
      return Buffer.concat(chunks);
    },
    async play(listener) {
      for await (const bytes of read(listener.position, size)) listener.push(bytes);
      return listener;
    },
    store: (target, key) => target.put(key, Readable.from(read(0, size), { objectMode: false }), size),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
