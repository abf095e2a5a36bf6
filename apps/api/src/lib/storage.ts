import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { ByteRange } from './file-answer.ts';
import { newToken } from './secrets.ts';

export interface StoredObject {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

/**
 * Where files live. A key is written once and its bytes never change: a new version is a new key, so nothing that
 * is being read can be torn. Nothing here is reachable from outside but through a call that checks its caller.
 */
export interface Storage {
  /** Stores the bytes whole or not at all; `sizeBytes` is what `source` will give. */
  put(key: string, source: Buffer | Readable, sizeBytes: number): Promise<void>;
  /** @throws StorageMissing */
  open(key: string, range?: ByteRange): Promise<Readable>;
  find(key: string): Promise<StoredObject | undefined>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  list(): AsyncIterable<StoredObject>;
}

/** The record names a file that the storage does not hold. */
export class StorageMissing extends Error {
  constructor(key: string) {
    super(`no file in storage under ${key}`);
    this.name = 'StorageMissing';
  }
}

const keyPattern = /^[a-z0-9][a-z0-9_-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Keys are made by us, never of a sender's file name. */
export function newStorageKey(kind: 'cover' | 'audio' | 'document', extension: string): string {
  // Lower case: some file systems and buckets do not tell cases apart.
  const token = newToken()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 32);
  return `${kind}/${token.slice(0, 2)}/${token}.${extension}`;
}

function checkKey(key: string): string {
  if (!keyPattern.test(key) || key.includes('..')) throw new Error('not a storage key');
  return key;
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
/** Being written; a crash leaves it for the nightly job. */
const partialFolder = '.partial';

/** Files in a folder of this machine. */
export function createFolderStorage(root: string): Storage {
  const pathOf = (key: string) => join(root, ...checkKey(key).split('/'));

  return {
    async put(key, source, sizeBytes) {
      const path = pathOf(key);
      const partial = join(root, partialFolder, newToken());
      await mkdir(dirname(partial), { recursive: true });
      await mkdir(dirname(path), { recursive: true });
      try {
        const input = source instanceof Buffer ? Readable.from([source]) : source;
        // On the disk before it has its name: a power cut leaves nothing or all.
        await pipeline(input, createWriteStream(partial, { flush: true, mode: 0o600 }));
        const { size } = await stat(partial);
        if (size !== sizeBytes) throw new Error(`stored ${size} bytes of ${sizeBytes}`);
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async open(key, range) {
      const stream = createReadStream(pathOf(key), range);
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
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const { size, mtime } = await stat(path);
        yield { key: relative(root, path).split(sep).join('/'), sizeBytes: size, modifiedAt: mtime };
      }
    },
  };
}

/** The storage that STORAGE_URL names. */
export function createStorage(storageUrl: string): Storage {
  return createFolderStorage(fileURLToPath(storageUrl));
}
