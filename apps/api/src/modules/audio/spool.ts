import { fstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '#src/lib/secrets.ts';
import type { ReadAt } from '#src/lib/wav.ts';
import type { AudioAnalysis } from './analysis.ts';

/** The files of incomplete uploads, in a local folder. The names are generated. */

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A file open for writing, with its analysis so far. */
interface OpenSpool {
  file: FileHandle;
  name: string;
  /** The upload's key, when this process started it. */
  key: string | undefined;
  /** Number of chunks being written; the file stays open meanwhile. */
  users: number;
  idle: NodeJS.Timeout;
  analysis: AudioAnalysis | undefined;
  /** Chunks written but not analysed. */
  unanalysed: Buffer[];
}

function analyse(spool: OpenSpool): void {
  for (const piece of spool.unanalysed.splice(0)) spool.analysis?.push(piece);
}

/**
 * A cache: a closed file is opened again, and a lost analysis is repeated when the file is complete, as after a
 * restart. Few sessions upload at the same time.
 */
const openSpools = new Map<string, OpenSpool>();
const maxOpenSpools = 32;
const idleMs = 60_000;

export const newSpoolName = () => `audio-${newToken()}`;

const turns = new Map<string, Promise<unknown>>();

/** Runs the calls with one name one after the other, in this process. */
export async function inTurn<T>(name: string, run: () => Promise<T>): Promise<T> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(run, run);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}

async function forget(path: string): Promise<void> {
  const spool = openSpools.get(path);
  openSpools.delete(path);
  clearTimeout(spool?.idle);
  await spool?.file.close();
}

function addOpenSpool(dir: string, name: string, file: FileHandle, key?: string): OpenSpool {
  const path = join(dir, name);
  for (const [other, { users }] of openSpools) {
    if (openSpools.size < maxOpenSpools) break;
    if (users === 0) void forget(other).catch(() => undefined);
  }
  const idle = setTimeout(() => {
    if (spool.users > 0) idle.refresh();
    else void forget(path).catch(() => undefined);
  }, idleMs).unref();
  const spool: OpenSpool = { file, name, key, users: 0, idle, analysis: undefined, unanalysed: [] };
  openSpools.set(path, spool);
  return spool;
}

/** Size of an upload's file; 0 when it is missing. */
export async function spoolBytes(dir: string, name: string): Promise<number> {
  try {
    return (await stat(join(dir, name))).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function writeAll(file: FileHandle, pieces: readonly Buffer[], start: number): Promise<void> {
  let position = start;
  for (let left = [...pieces]; left.length > 0; ) {
    let { bytesWritten } = await file.writev(left, position);
    position += bytesWritten;
    while (left[0] && bytesWritten >= left[0].length) bytesWritten -= left.shift()?.length ?? 0;
    left = left[0] ? [left[0].subarray(bytesWritten), ...left.slice(1)] : left;
  }
}

/** Creates the file of an upload; `analysis` receives the bytes written to it. */
export async function startSpool(
  dir: string,
  name: string,
  key: string,
  pieces: readonly Buffer[],
  analysis: AudioAnalysis | undefined,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const spool = addOpenSpool(dir, name, await open(join(dir, name), 'wx', 0o600), key);
  await writeAll(spool.file, pieces, 0);
  for (const piece of pieces) analysis?.push(piece);
  spool.analysis = analysis;
}

/** Writes bytes at a position; false when the file is shorter or missing. */
export async function writeSpool(
  dir: string,
  name: string,
  start: number,
  pieces: readonly Buffer[],
): Promise<boolean> {
  const path = join(dir, name);
  let spool = openSpools.get(path);
  try {
    spool ??= addOpenSpool(dir, name, await open(path, 'r+'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  spool.users += 1;
  try {
    // On an open file this does not block on the disk, and costs less than a thread switch.
    const { size, nlink } = fstatSync(spool.file.fd);
    if (size < start || nlink === 0) return false;
    analyse(spool);
    await writeAll(spool.file, pieces, start);
    if (spool.analysis?.position === start) {
      spool.unanalysed.push(...pieces);
      // Analyse after responding, while the next chunk is on its way.
      setImmediate(analyse, spool);
    } else {
      spool.analysis = undefined;
    }
    return true;
  } catch (error) {
    spool.analysis = undefined;
    throw error;
  } finally {
    spool.users -= 1;
    spool.idle.refresh();
  }
}

/**
 * The file of an upload that this process started and analysed up to `position`, so no other process has written to it.
 */
export function findOwnSpool(dir: string, key: string, position: number): string | undefined {
  for (const [path, spool] of openSpools) {
    if (spool.key !== key || path !== join(dir, spool.name)) continue;
    analyse(spool);
    if (spool.analysis?.position === position) return spool.name;
  }
  return undefined;
}

/** Discards the analysis, because the last bytes written may not count. */
export function discardAnalysis(dir: string, name: string): void {
  const spool = openSpools.get(join(dir, name));
  if (spool) spool.analysis = undefined;
}

/** Takes the analysis of a file up to `position`, once; undefined unless complete. */
export function resumeAnalysis(dir: string, name: string, position: number): AudioAnalysis | undefined {
  const spool = openSpools.get(join(dir, name));
  if (spool) analyse(spool);
  const analysis = spool?.analysis;
  if (spool) spool.analysis = undefined;
  return analysis?.position === position ? analysis : undefined;
}

/** Renames a file; ignores a missing one. */
export async function renameSpool(dir: string, name: string, newName: string): Promise<void> {
  await forget(join(dir, name));
  try {
    await rename(join(dir, name), join(dir, newName));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export async function removeSpool(dir: string, name: string): Promise<void> {
  const path = join(dir, name);
  await forget(path);
  await rm(path, { force: true });
}

const blockBytes = 512 * 1024;

/** A complete upload: its file up to `received`, then the last chunk, which is never written to the file. */
export interface WholeUpload extends AsyncDisposable {
  /** The bytes before the last chunk; undefined when there are none. */
  head: { path: string; sizeBytes: number } | undefined;
  lastChunk: Buffer;
  readAt: ReadAt;
  /** All bytes in order; each block is valid until the next one. */
  blocks: () => AsyncGenerator<Buffer, void>;
}

/** @param name undefined when the last chunk is the only one */
export async function openWhole(
  dir: string,
  name: string | undefined,
  received: number,
  lastChunk: Buffer,
): Promise<WholeUpload> {
  const path = name === undefined ? undefined : join(dir, name);
  const file = path === undefined ? undefined : await open(path, 'r');
  async function readSpool(position: number, bytes: Buffer): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(bytes.length, received - position));
    let read = 0;
    while (file && read < wanted) {
      const { bytesRead } = await file.read(bytes, read, wanted - read, position + read);
      if (bytesRead === 0) throw new Error('upload file is shorter than its record');
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  }
  return {
    head: path === undefined ? undefined : { path, sizeBytes: received },
    lastChunk,
    async readAt(position, length) {
      const fromSpool = await readSpool(position, Buffer.alloc(length));
      const next = Math.max(0, position + fromSpool.length - received);
      return Buffer.concat([fromSpool, lastChunk.subarray(next, next + length - fromSpool.length)]);
    },
    async *blocks() {
      const block = Buffer.allocUnsafeSlow(blockBytes);
      for (let position = 0; position < received; position += blockBytes) yield readSpool(position, block);
      yield lastChunk;
    },
    [Symbol.asyncDispose]: async () => {
      await file?.close();
    },
  };
}
