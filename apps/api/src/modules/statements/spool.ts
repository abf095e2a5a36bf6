import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '#src/lib/secrets.ts';

/** Files of incomplete uploads, in a local folder. The names are generated. */

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const newSpoolName = () => `statement-${newToken()}`;

/** Hashes computed while chunks arrive. A cache: losing it only costs a re-hash. */
const hashes = new Map<string, { hash: Hash; position: number }>();
const maxHashes = 32;

/** Size of an upload's file; 0 when it is missing. */
export async function spoolBytes(dir: string, name: string): Promise<number> {
  try {
    return (await stat(join(dir, name))).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** Writes bytes at a position. The caller holds the lock on the upload's row, so there are no concurrent writes. */
export async function writeSpool(dir: string, name: string, start: number, pieces: readonly Buffer[]): Promise<void> {
  await mkdir(dir, { recursive: true });
  await using file = await open(join(dir, name), start === 0 ? 'w' : 'r+', 0o600);
  let position = start;
  for (const piece of pieces) {
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await file.write(piece, written, piece.length - written, position);
      written += bytesWritten;
      position += bytesWritten;
    }
  }
  hear(name, start, pieces);
}

function hear(name: string, start: number, pieces: readonly Buffer[]): void {
  if (start === 0) hashes.set(name, { hash: createHash('sha256'), position: 0 });
  for (const [oldest] of hashes) if (hashes.size > maxHashes) hashes.delete(oldest);
  const current = hashes.get(name);
  if (!current) return;
  if (current.position !== start) hashes.delete(name);
  else {
    for (const piece of pieces) {
      current.hash.update(piece);
      current.position += piece.length;
    }
  }
}

/** Forgets the hash, because the last bytes written may not count. */
export const discardHash = (name: string): void => void hashes.delete(name);

/** SHA-256 of a whole file, from the cache or by reading the file. */
export async function hashSpool(dir: string, name: string, sizeBytes: number): Promise<Buffer> {
  const current = hashes.get(name);
  if (current?.position === sizeBytes) return current.hash.copy().digest();
  const hash = createHash('sha256');
  for await (const block of createReadStream(join(dir, name), { end: sizeBytes - 1, highWaterMark: 1 << 20 })) {
    hash.update(block as Buffer);
  }
  return hash.digest();
}

export async function removeSpool(dir: string, name: string): Promise<void> {
  hashes.delete(name);
  await rm(join(dir, name), { force: true });
}

export const spoolPath = (dir: string, name: string): string => join(dir, name);
