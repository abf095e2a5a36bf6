import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '#src/lib/secrets.ts';

/** The files of uploads that are not whole yet, in a folder of this machine. Names are ours. */

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const newSpoolName = () => `statement-${newToken()}`;

/** What this process has hashed of an upload while its chunks came; nothing here is needed. */
const heard = new Map<string, { hash: Hash; position: number }>();
const maxHeard = 32;

/** What an upload's file holds; 0 where it is gone. */
export async function spoolBytes(dir: string, name: string): Promise<number> {
  try {
    return (await stat(join(dir, name))).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** Writes bytes where they belong. Whoever calls holds the upload's row: nobody else writes to it meanwhile. */
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
  if (start === 0) heard.set(name, { hash: createHash('sha256'), position: 0 });
  for (const [oldest] of heard) if (heard.size > maxHeard) heard.delete(oldest);
  const listening = heard.get(name);
  if (!listening) return;
  if (listening.position !== start) heard.delete(name);
  else {
    for (const piece of pieces) {
      listening.hash.update(piece);
      listening.position += piece.length;
    }
  }
}

/** The bytes last written may not count: what was heard is forgotten. */
export const unhear = (name: string): void => void heard.delete(name);

/** SHA-256 of a whole file: heard while it came, or read once more. */
export async function hashSpool(dir: string, name: string, sizeBytes: number): Promise<Buffer> {
  const listening = heard.get(name);
  if (listening?.position === sizeBytes) return listening.hash.copy().digest();
  const hash = createHash('sha256');
  for await (const block of createReadStream(join(dir, name), { end: sizeBytes - 1, highWaterMark: 1 << 20 })) {
    hash.update(block as Buffer);
  }
  return hash.digest();
}

export async function removeSpool(dir: string, name: string): Promise<void> {
  heard.delete(name);
  await rm(join(dir, name), { force: true });
}

export const spoolPath = (dir: string, name: string): string => join(dir, name);
