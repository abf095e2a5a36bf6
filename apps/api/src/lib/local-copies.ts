import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newToken } from './secrets.ts';
import type { Storage } from './storage.ts';

/** Room that copies may take; those that were not used for longest go first. */
const maxBytes = 20 * 1024 ** 3;
/** A copy used since then may be being read. */
const inUseMs = 30 * 60_000;

/** Local copies of stored files, for readers of local files only. Stored files never change. */
export function createLocalCopies(
  storage: Storage,
  folder: string,
  limits: { maxBytes: number; inUseMs: number } = { maxBytes, inUseMs },
) {
  const fetching = new Map<string, Promise<void>>();

  async function makeRoom(): Promise<void> {
    const names = await readdir(folder);
    const copies = await Promise.all(
      names.map(async (name) => ({
        path: join(folder, name),
        ...(await stat(join(folder, name)).catch(() => ({ size: 0, mtimeMs: 0 }))),
      })),
    );
    let bytes = copies.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size, mtimeMs } of copies.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (bytes <= limits.maxBytes || mtimeMs > Date.now() - limits.inUseMs) return;
      await rm(path, { force: true });
      bytes -= size;
    }
  }

  async function fetchCopy(key: string, path: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const partial = `${path}.${newToken()}`;
    try {
      await pipeline(await storage.open(key), createWriteStream(partial, { mode: 0o600 }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    await makeRoom();
  }

  return {
    /** Makes the copy if there is none. @throws StorageMissing, StorageUnavailable */
    async pathOf(key: string): Promise<string> {
      const path = join(folder, key.replaceAll('/', '-'));
      const now = new Date();
      const isThere = await utimes(path, now, now).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
      const copy = fetching.get(path) ?? fetchCopy(key, path).finally(() => fetching.delete(path));
      fetching.set(path, copy);
      await copy;
      return path;
    },
  };
}
