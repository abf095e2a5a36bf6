import { closeSync, constants, createReadStream, createWriteStream, existsSync, openSync, readSync } from 'node:fs';
import { copyFile, link, mkdir, open, opendir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from './file-answer.ts';
import { newToken } from './secrets.ts';

export interface StoredObject {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

export interface LocalHead {
  path: string;
  sizeBytes: number;
  /** Nobody writes to these bytes any more: a storage on this machine may keep the file itself. */
  isSettled: boolean;
}

/**
 * Where files live. A key is written once and its bytes never change: a new version is a new key, so nothing that
 * is being read can be torn. Nothing here is reachable from outside but through a call that checks its caller.
 */
export interface Storage {
  /** Whether every server reaches the files, also one on another machine. */
  isShared: boolean;
  /** The folder of this machine where each file lies under its key; undefined where a service keeps them. */
  folder: string | undefined;
  /** Stores the bytes whole or not at all; `sizeBytes` is what `source` will give, if that is known. */
  put(key: string, source: Buffer | Readable, sizeBytes: number | undefined): Promise<void>;
  /** The same of the first bytes of a file of this machine, then `tail`. What lies behind those bytes may change. */
  putFile(key: string, head: LocalHead, tail: Buffer): Promise<void>;
  /** @throws StorageMissing */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** @throws StorageUnavailable, as every other call where the files are a service's */
  find(key: string): Promise<StoredObject | undefined>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** What was stored whole. */
  list(): AsyncIterable<StoredObject>;
  /** Removes what writers that died before `before` left half done, and says how many there were. */
  removePartials(before: Date): Promise<number>;
  /** @throws StorageUnavailable when nothing could be stored here now */
  check(): Promise<void>;
}

/** The record names a file that the storage does not hold. */
export class StorageMissing extends Error {
  constructor(key: string) {
    super(`no file in storage under ${key}`);
    this.name = 'StorageMissing';
  }
}

/** The place for files cannot be used; the sentence is for the person who runs the server. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Keys are made by us, never of a sender's file name. */
export function newStorageKey(
  kind: 'cover' | 'audio' | 'document' | 'statement' | 'lines' | 'upload',
  extension: string,
): string {
  // Lower case: some file systems and buckets do not tell cases apart.
  const token = newToken()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 32);
  return `${kind}/${token.slice(0, 2)}/${token}.${extension}`;
}

/** @throws unless the key is one of ours, which no path of the machine can be */
export function checkKey(key: string): string {
  if (!keyPattern.test(key) || key.includes('..')) throw new Error('not a storage key');
  return key;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';
/** Being written; a crash leaves it for the nightly job. */
const partialFolder = '.partial';
/** Half the usual switches to the thread that reads; buffers of 128 kB would be mapped and given back one by one. */
const readBytes = 120 * 1024;

/**
 * The same storage, for a thread that does nothing else while it reads: it waits for the disk, which takes less time than
 * to have each piece read by another thread.
 */
export function readInPlace(storage: Storage): Storage {
  const { folder } = storage;
  if (folder === undefined) return storage;
  return {
    ...storage,
    async open(key, { start, end } = { start: 0, end: Number.POSITIVE_INFINITY }) {
      const file = openStored(folder, key);
      let at = start;
      const readPiece = () => {
        const piece = Buffer.allocUnsafeSlow(Math.min(readBytes, end + 1 - at));
        const length = readSync(file, piece, 0, piece.length, at);
        at += length;
        return length === 0 ? null : piece.subarray(0, length);
      };
      return new Readable({
        highWaterMark: readBytes,
        read() {
          // What else the thread waits for has its turn between two pieces.
          setImmediate(() => {
            if (this.destroyed) return;
            try {
              this.push(readPiece());
            } catch (error) {
              this.destroy(error as Error);
            }
          });
        },
        destroy(error, done) {
          closeSync(file);
          done(error);
        },
      });
    },
  };
}

/** @throws StorageMissing */
function openStored(folder: string, key: string): number {
  try {
    return openSync(join(folder, checkKey(key)), 'r');
  } catch (error) {
    throw isMissing(error) ? new StorageMissing(key) : error;
  }
}

/** A second name of the same file; false where two folders are not of one disk, or the disk has no such names. */
async function linkFile(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name);
    return true;
  } catch (error) {
    if (isMissing(error)) throw error;
    return false;
  }
}

/** Files in a folder of this machine. */
export function createFolderStorage(root: string, variable = 'STORAGE_URL'): Storage {
  const pathOf = (key: string) => join(root, ...checkKey(key).split('/'));
  const partials = join(root, partialFolder);

  /** On the disk before it has its name: a power cut leaves nothing or all. */
  async function store(
    key: string,
    sizeBytes: number | undefined,
    write: (partial: string) => Promise<void>,
  ): Promise<void> {
    const path = pathOf(key);
    const partial = join(partials, newToken());
    await mkdir(partials, { recursive: true });
    await mkdir(dirname(path), { recursive: true });
    try {
      await write(partial);
      const { size } = await stat(partial);
      if (sizeBytes !== undefined && size !== sizeBytes) throw new Error(`stored ${size} bytes of ${sizeBytes}`);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  return {
    isShared: false,
    folder: root,
    put: (key, source, sizeBytes) =>
      store(key, sizeBytes, async (partial) => {
        const input = source instanceof Buffer ? Readable.from([source]) : source;
        await pipeline(input, createWriteStream(partial, { flush: true, mode: 0o600 }));
      }),
    putFile: (key, head, tail) =>
      store(key, head.sizeBytes + tail.length, async (partial) => {
        if (!head.isSettled || !(await linkFile(head.path, partial))) {
          // By the system, without a copy where the disk knows how to share.
          await copyFile(head.path, partial, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        }
        await using file = await open(partial, 'r+', 0o600);
        const { size } = await file.stat();
        if (size < head.sizeBytes) throw new Error(`a file of ${size} bytes where ${head.sizeBytes} were counted`);
        await file.truncate(head.sizeBytes);
        for (let written = 0; written < tail.length; ) {
          const { bytesWritten } = await file.write(tail, written, tail.length - written, head.sizeBytes + written);
          written += bytesWritten;
        }
        await file.sync();
      }),
    async open(key, range) {
      const stream = createReadStream(pathOf(key), { ...range, highWaterMark: readBytes });
      await new Promise<void>((resolve, reject) => {
        stream.once('open', () => resolve());
        stream.once('error', (error) => reject(isMissing(error) ? new StorageMissing(key) : error));
      });
      return stream;
    },
    async find(key) {
      try {
        const { size, mtime } = await stat(pathOf(key));
        return { key, sizeBytes: size, modifiedAt: mtime };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async *list() {
      await mkdir(root, { recursive: true });
      for await (const entry of await opendir(root, { recursive: true })) {
        if (!entry.isFile() || entry.parentPath.startsWith(partials)) continue;
        const path = join(entry.parentPath, entry.name);
        const key = relative(root, path).split(sep).join('/');
        // Somebody else's file in our folder is none of ours to judge, nor one that has just gone.
        if (!keyPattern.test(key)) continue;
        const stored = await this.find(key);
        if (stored) yield stored;
      }
    },
    async removePartials(before) {
      let removed = 0;
      for (const name of await readdir(partials).catch(() => [])) {
        const path = join(partials, name);
        const { mtime } = await stat(path).catch(() => ({ mtime: before }));
        if (mtime >= before) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
    async check() {
      const probe = join(partials, newToken());
      try {
        await mkdir(partials, { recursive: true });
        await writeFile(probe, 'Régie', { mode: 0o600 });
        await rm(probe);
      } catch (error) {
        // Below a read-only mount, which a unit keeps from its start, a recursive mkdir says that nothing is there.
        const isReadOnly = codeOf(error) === 'EROFS' || (codeOf(error) === 'ENOENT' && existsSync(root));
        const advice = isReadOnly
          ? 'Il est en lecture seule pour ce service\u00a0: s’il vient d’être créé, redémarrez le service.'
          : 'Donnez-en le droit au compte qui lance Régie, ou choisissez un autre dossier.';
        throw new StorageUnavailable(
          `${variable}\u00a0: on ne peut pas écrire dans le dossier ${root} (${codeOf(error)}). ${advice}`,
        );
      }
    },
  };
}
