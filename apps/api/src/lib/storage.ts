import { closeSync, constants, createReadStream, createWriteStream, existsSync, openSync, readSync } from 'node:fs';
import { copyFile, link, mkdir, open, opendir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from './file-answer.ts';
import { newToken } from './secrets.ts';

export type StoredObject = { key: string; sizeBytes: number; modifiedAt: Date };

export interface LocalHead {
  path: string;
  sizeBytes: number;
  /** These bytes no longer change: a storage on this machine may keep the file itself. */
  isSettled: boolean;
}

/** A key is written once and its bytes never change. Only calls that check their caller reach a file. */
export interface Storage {
  /** Whether servers on other machines reach the files. */
  isShared: boolean;
  /** Where each file lies under its key; undefined where a service keeps them. */
  folder: string | undefined;
  /** All or nothing; `sizeBytes` is the size of `source`, if known. */
  put(key: string, source: Buffer | Readable, sizeBytes: number | undefined): Promise<void>;
  /** The first bytes of a local file, then `tail`; what follows those bytes may change. */
  putFile(key: string, head: LocalHead, tail: Buffer): Promise<void>;
  /** @throws StorageMissing */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** @throws StorageUnavailable, as every call where a service keeps the files */
  find(key: string): Promise<StoredObject | undefined>;
  /** A missing key is no error. */
  remove(key: string): Promise<void>;
  /** Complete files only. */
  list(): AsyncIterable<StoredObject>;
  /** Removes incomplete files that were begun before `before`. @returns their number */
  removePartials(before: Date): Promise<number>;
  /** @throws StorageUnavailable when nothing can be stored */
  check(): Promise<void>;
}

/** A record names a file that is not stored. */
export class StorageMissing extends Error {
  constructor(key: string) {
    super(`no file in storage under ${key}`);
    this.name = 'StorageMissing';
  }
}

/** The message is for the operator. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Never made of a sender's file name. */
export function newStorageKey(
  kind: 'cover' | 'audio' | 'document' | 'statement' | 'lines' | 'upload',
  extension: string,
): string {
  // Lower case: some file systems and buckets ignore case.
  const token = newToken()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 32);
  return `${kind}/${token.slice(0, 2)}/${token}.${extension}`;
}

/** @throws unless the key is one of ours, which no path can be */
export function checkKey(key: string): string {
  if (!keyPattern.test(key) || key.includes('..')) throw new Error('not a storage key');
  return key;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';
/** Incomplete files; after a crash the nightly job removes them. */
const partialFolder = '.partial';
/** Half the usual switches to the reading thread; 128 kB buffers would be mapped and unmapped one by one. */
const readBytes = 120 * 1024;

/** For a thread that only reads: waiting for the disk takes less time than another thread's reads. */
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
          // Other work of the thread runs between two pieces.
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

/** Files of a folder, if it exists, that nobody wrote since `before`. @returns how many */
export async function removeOldFiles(folder: string, before: Date, suffix = ''): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtime } = await stat(path).catch(() => ({ mtime: before }));
    if (mtime >= before || !name.endsWith(suffix)) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** A hard link; false across disks, or where there are none. */
async function linkFile(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name);
    return true;
  } catch (error) {
    if (isMissing(error)) throw error;
    return false;
  }
}

export function createFolderStorage(root: string, variable = 'STORAGE_URL'): Storage {
  const pathOf = (key: string) => join(root, ...checkKey(key).split('/'));
  const partials = join(root, partialFolder);

  /** Written to disk before it is renamed: a power cut leaves nothing or all. */
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
          // Reflink where the filesystem supports it.
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
        // Foreign files are ignored.
        if (!keyPattern.test(key)) continue;
        const stored = await this.find(key);
        if (stored) yield stored;
      }
    },
    removePartials: (before) => removeOldFiles(partials, before),
    async check() {
      const probe = join(partials, newToken());
      try {
        await mkdir(partials, { recursive: true });
        await writeFile(probe, 'Régie', { mode: 0o600 });
        await rm(probe);
      } catch (error) {
        // Below a read-only mount, a recursive mkdir fails with ENOENT.
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
