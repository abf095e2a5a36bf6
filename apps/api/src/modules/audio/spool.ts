import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadAt } from '#src/lib/wav.ts';

/** The files of uploads that are not whole yet, in a folder of this machine. Names are ours. */

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** What an upload's file holds; 0 where it is gone. */
export async function spoolBytes(dir: string, name: string): Promise<number> {
  try {
    return (await stat(join(dir, name))).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

export async function startSpool(dir: string, name: string, bytes: Buffer): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, name), bytes, { flag: 'wx', mode: 0o600 });
}

/** Writes bytes where they belong; false when the file does not reach that far, or is gone. */
export async function writeSpool(dir: string, name: string, start: number, bytes: Buffer): Promise<boolean> {
  try {
    await using file = await open(join(dir, name), 'r+');
    if ((await file.stat()).size < start) return false;
    for (let written = 0; written < bytes.length; ) {
      written += (await file.write(bytes, written, bytes.length - written, start + written)).bytesWritten;
    }
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export async function removeSpool(dir: string, name: string): Promise<void> {
  await rm(join(dir, name), { force: true });
}

const blockBytes = 512 * 1024;

/** A whole upload: what its file holds up to `received`, then its last chunk, which is never written there. */
export interface WholeUpload extends AsyncDisposable {
  readAt: ReadAt;
  /** From first byte to last, in blocks that start on even bytes; each block is the caller's. */
  blocks: () => AsyncGenerator<Buffer, void>;
}

/** @param name undefined where the last chunk is the only one */
export async function openWhole(
  dir: string,
  name: string | undefined,
  received: number,
  lastChunk: Buffer,
): Promise<WholeUpload> {
  const file = name === undefined ? undefined : await open(join(dir, name), 'r');
  async function readSpool(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, received - position));
    if (!file || wanted === 0) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafeSlow(wanted);
    let read = 0;
    while (read < wanted) {
      const { bytesRead } = await file.read(bytes, read, wanted - read, position + read);
      if (bytesRead === 0) throw new Error('an upload is shorter than its record says');
      read += bytesRead;
    }
    return bytes;
  }
  return {
    async readAt(position, length) {
      const fromSpool = await readSpool(position, length);
      const next = Math.max(0, position + fromSpool.length - received);
      return Buffer.concat([fromSpool, lastChunk.subarray(next, next + length - fromSpool.length)]);
    },
    async *blocks() {
      for (let position = 0; position < received; position += blockBytes) yield readSpool(position, blockBytes);
      yield lastChunk;
    },
    [Symbol.asyncDispose]: async () => {
      await file?.close();
    },
  };
}
