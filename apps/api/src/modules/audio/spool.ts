import { fstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '#src/lib/secrets.ts';
import type { ReadAt } from '#src/lib/wav.ts';
import type { Hearing } from './hearing.ts';

/** The files of uploads that are not whole yet, in a folder of this machine. Names are ours. */

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A file that this process writes to, with what it has heard of it so far. */
interface OpenSpool {
  file: FileHandle;
  name: string;
  /** Which upload it is of, where this process began it. */
  key: string | undefined;
  /** Chunks being written: it stays open meanwhile. */
  users: number;
  idle: NodeJS.Timeout;
  hearing: Hearing | undefined;
  /** Written, and not heard yet. */
  unheard: Buffer[];
}

function hear(spool: OpenSpool): void {
  for (const piece of spool.unheard.splice(0)) spool.hearing?.push(piece);
}

/**
 * Nothing here is needed: what is not open is opened again, and what was not heard is heard when the file is whole, as
 * after a restart. Sessions that send at the same time are few.
 */
const openSpools = new Map<string, OpenSpool>();
const maxOpenSpools = 32;
const idleMs = 60_000;

export const newSpoolName = () => `audio-${newToken()}`;

const turns = new Map<string, Promise<unknown>>();
const waiting = new Map<string, Set<() => void>>();

/** Runs what is asked under one name one after the other, in this process. */
export async function inTurn<T>(name: string, run: () => Promise<T>): Promise<T> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(run, run);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
    for (const go of waiting.get(name) ?? []) go();
  }
}

/** Waits for the end of the next turn under a name; false when none ended in that time. */
export function nextTurn(name: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const ended = () => settle(true);
    const timer = setTimeout(() => settle(false), timeoutMs);
    const others = waiting.get(name) ?? new Set();
    waiting.set(name, others.add(ended));
    function settle(hasEnded: boolean) {
      clearTimeout(timer);
      others.delete(ended);
      if (others.size === 0) waiting.delete(name);
      resolve(hasEnded);
    }
  });
}

async function forget(path: string): Promise<void> {
  const spool = openSpools.get(path);
  openSpools.delete(path);
  clearTimeout(spool?.idle);
  await spool?.file.close();
}

function keep(dir: string, name: string, file: FileHandle, key?: string): OpenSpool {
  const path = join(dir, name);
  for (const [other, { users }] of openSpools) {
    if (openSpools.size < maxOpenSpools) break;
    if (users === 0) void forget(other).catch(() => undefined);
  }
  const idle = setTimeout(() => {
    if (spool.users > 0) idle.refresh();
    else void forget(path).catch(() => undefined);
  }, idleMs).unref();
  const spool: OpenSpool = { file, name, key, users: 0, idle, hearing: undefined, unheard: [] };
  openSpools.set(path, spool);
  return spool;
}

/** What an upload's file holds; 0 where it is gone. */
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

/** Begins the file of an upload; `hearing` will be told what is written to it. */
export async function startSpool(
  dir: string,
  name: string,
  key: string,
  pieces: readonly Buffer[],
  hearing: Hearing | undefined,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const spool = keep(dir, name, await open(join(dir, name), 'wx', 0o600), key);
  await writeAll(spool.file, pieces, 0);
  for (const piece of pieces) hearing?.push(piece);
  spool.hearing = hearing;
}

/** Writes bytes where they belong; false when the file does not reach that far, or is gone. */
export async function writeSpool(
  dir: string,
  name: string,
  start: number,
  pieces: readonly Buffer[],
): Promise<boolean> {
  const path = join(dir, name);
  let spool = openSpools.get(path);
  try {
    spool ??= keep(dir, name, await open(path, 'r+'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  spool.users += 1;
  try {
    // Of an open file it waits for no disk: less than handing it to another thread and back.
    const { size, nlink } = fstatSync(spool.file.fd);
    if (size < start || nlink === 0) return false;
    hear(spool);
    await writeAll(spool.file, pieces, start);
    if (spool.hearing?.position === start) {
      spool.unheard.push(...pieces);
      // Once this chunk is answered: the next one is on its way meanwhile.
      setImmediate(hear, spool);
    } else {
      spool.hearing = undefined;
    }
    return true;
  } catch (error) {
    spool.hearing = undefined;
    throw error;
  } finally {
    spool.users -= 1;
    spool.idle.refresh();
  }
}

/**
 * The file of an upload that this process began and has heard every byte of up to `position`: no other process has
 * written to it.
 */
export function findOwnSpool(dir: string, key: string, position: number): string | undefined {
  for (const [path, spool] of openSpools) {
    if (spool.key !== key || path !== join(dir, spool.name)) continue;
    hear(spool);
    if (spool.hearing?.position === position) return spool.name;
  }
  return undefined;
}

/** The bytes last written may not count after all: what was heard of them is forgotten. */
export function unhear(dir: string, name: string): void {
  const spool = openSpools.get(join(dir, name));
  if (spool) spool.hearing = undefined;
}

/** What this process heard of a file up to `position`, once; undefined unless it heard all of it. */
export function takeHearing(dir: string, name: string, position: number): Hearing | undefined {
  const spool = openSpools.get(join(dir, name));
  if (spool) hear(spool);
  const hearing = spool?.hearing;
  if (spool) spool.hearing = undefined;
  return hearing?.position === position ? hearing : undefined;
}

/** Gives a file another name; nothing where it is gone. */
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

/** A whole upload: what its file holds up to `received`, then its last chunk, which is never written there. */
export interface WholeUpload extends AsyncDisposable {
  /** What was received before; undefined where the last chunk is the only one. */
  head: { path: string; sizeBytes: number } | undefined;
  lastChunk: Buffer;
  readAt: ReadAt;
  /** From first byte to last; a block is only good until the next one. */
  blocks: () => AsyncGenerator<Buffer, void>;
}

/** @param name undefined where the last chunk is the only one */
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
      if (bytesRead === 0) throw new Error('an upload is shorter than its record says');
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
