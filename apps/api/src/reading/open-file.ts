import type { Charset } from '@regie/contract/statements.ts';
import { type StoredFile, unzip } from './archives.ts';
import { gunzip } from './decode.ts';

/** The file's container by its first bytes, whatever its name. */
type Container = 'plain' | 'gzip' | 'zip';

export async function readHead(file: StoredFile, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const end = Math.min(bytes, file.sizeBytes) - 1;
  for await (const part of await file.open({ start: 0, end })) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export function containerOf(head: Buffer): Container {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return 'zip';
  return 'plain';
}

export async function* openBytes(file: StoredFile, container: Container): AsyncGenerator<Buffer, void> {
  if (container === 'zip') yield* unzip(file);
  else {
    const stream = await file.open();
    if (container === 'gzip') yield* gunzip(stream);
    else yield* stream as AsyncIterable<Buffer>;
  }
}

export async function readInnerHead(file: StoredFile, container: Container, bytes: number): Promise<Buffer> {
  if (container === 'plain') return readHead(file, bytes);
  const parts: Buffer[] = [];
  let read = 0;
  for await (const part of openBytes(file, container)) {
    parts.push(part);
    read += part.length;
    if (read >= bytes) break;
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

/** The head as text, without a character split at its end. */
export function headText(head: Buffer, charset: Charset): string {
  return new TextDecoder(charset).decode(head, { stream: true });
}
