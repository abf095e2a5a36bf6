import { closeSync, openSync, statSync, writev } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Storage } from '#src/lib/storage.ts';
import type { ReadAt } from '#src/lib/wav.ts';

/**
 * Files of incomplete uploads in `DATA_DIR/uploads`. Servers on several machines would share it: chunks reach any of
 * them.
 */

const writeAt = promisify(writev);

/** 0 when it is missing. Of a file in use this costs less than a thread switch. */
export const spoolBytes = (dir: string, name: string): number =>
  statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;

/** The caller holds the lock on the upload's row. */
export async function writeSpool(dir: string, name: string, start: number, pieces: readonly Buffer[]): Promise<void> {
  if (start === 0) await mkdir(dir, { recursive: true });
  const file = openSync(join(dir, name), start === 0 ? 'w' : 'r+', 0o600);
  using _ = { [Symbol.dispose]: () => closeSync(file) };
  let position = start;
  for (let left = [...pieces]; left.length > 0; ) {
    let { bytesWritten } = await writeAt(file, left, position);
    position += bytesWritten;
    while (left[0] && bytesWritten >= left[0].length) bytesWritten -= left.shift()?.length ?? 0;
    left = left[0] ? [left[0].subarray(bytesWritten), ...left.slice(1)] : left;
  }
}

export const removeSpool = (dir: string, name: string): Promise<void> => rm(join(dir, name), { force: true });

/** In order. */
export interface Listener {
  position: number;
  push: (bytes: Buffer) => void;
}

/** By spool name. A cache: a listener that missed a chunk is dropped, and the file read again. */
export class Listeners<L extends Listener> {
  readonly #all = new Map<string, { listener: L; unheard: Buffer[] }>();
  readonly #max = 32;

  /** @param first receives the first chunk */
  hear(name: string, start: number, pieces: readonly Buffer[], first?: L): void {
    if (first) this.#all.set(name, { listener: first, unheard: [] });
    for (const [oldest] of this.#all) if (this.#all.size > this.#max) this.#all.delete(oldest);
    const entry = this.#all.get(name);
    if (!entry) return;
    if (catchUp(entry) !== start) this.discard(name);
    else {
      entry.unheard.push(...pieces);
      // After the response, while the next chunk is on its way.
      setImmediate(catchUp, entry);
    }
  }

  /** It has received every byte before `position`. */
  take(name: string, position: number): L | undefined {
    const entry = this.#all.get(name);
    this.discard(name);
    return entry && catchUp(entry) === position ? entry.listener : undefined;
  }

  discard(name: string): void {
    this.#all.delete(name);
  }
}

function catchUp({ listener, unheard }: { listener: Listener; unheard: Buffer[] }): number {
  for (const piece of unheard.splice(0)) listener.push(piece);
  return listener.position;
}

const blockBytes = 512 * 1024;

/** The file up to `received`, then the last chunk, which is never written to it. */
export interface WholeUpload<L extends Listener> extends AsyncDisposable {
  /** Without the last chunk. */
  heard: L | undefined;
  readAt: ReadAt;
  /** What the listener has not received. */
  play: (listener: L) => Promise<L>;
  store: (storage: Storage, key: string) => Promise<void>;
}

export async function openWhole<L extends Listener>(
  path: string,
  received: number,
  lastChunk: Buffer,
  heard: L | undefined,
): Promise<WholeUpload<L>> {
  const file = received === 0 ? undefined : await open(path, 'r');
  async function readSpool(position: number, bytes: Buffer): Promise<Buffer> {
    const length = Math.max(0, Math.min(bytes.length, received - position));
    let read = 0;
    while (file && read < length) {
      const { bytesRead } = await file.read(bytes, read, length - read, position + read);
      if (bytesRead === 0) throw new Error('upload file is shorter than its record');
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  }
  return {
    heard,
    async readAt(position, length) {
      const fromSpool = await readSpool(position, Buffer.alloc(length));
      const next = Math.max(0, position + fromSpool.length - received);
      return Buffer.concat([fromSpool, lastChunk.subarray(next, next + length - fromSpool.length)]);
    },
    async play(listener) {
      const block = Buffer.allocUnsafeSlow(blockBytes);
      while (listener.position < received) listener.push(await readSpool(listener.position, block));
      listener.push(lastChunk);
      return listener;
    },
    store: (storage, key) =>
      file
        ? // Only this process wrote a file that it has heard, so the file itself may be kept.
          storage.putFile(key, { path, sizeBytes: received, isSettled: heard !== undefined }, lastChunk)
        : storage.put(key, lastChunk, lastChunk.length),
    [Symbol.asyncDispose]: async () => {
      await file?.close();
    },
  };
}
