import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditAction } from '@regie/contract/audit.ts';
import { coverWidths } from '@regie/contract/covers.ts';
import { system, writeAudit } from '#src/lib/audit.ts';
import { ownerKey, thumbnailKey } from '#src/lib/cover-keys.ts';
import type { JobDeps } from '#src/lib/jobs.ts';
import type { Storage } from '#src/lib/storage.ts';
import * as queries from './files.queries.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const binDays = 30;
/** Younger ones may belong to an upload. */
const orphanHours = 48;
const leftoverDays = 7;
const batch = 1000;
const examples = 20;

export interface DeleteOrphanFilesOptions {
  storage: Storage;
  uploadsDir: string;
  /** Milliseconds. */
  now?: () => number;
}

export interface DeletedFiles {
  /** After 30 days in the bin. */
  expired: number;
  /** Objects without a record. */
  orphans: number;
  /** Without an object; only reported. */
  missing: number;
  /** Of uploads and partial writes. */
  leftovers: number;
}

/** Nightly (product §34.10). Each part continues when another fails; the next night handles the rest. */
export async function deleteOrphanFiles(
  options: DeleteOrphanFilesOptions,
  { db, log }: JobDeps,
): Promise<DeletedFiles> {
  const now = (options.now ?? Date.now)();
  const tidied: DeletedFiles = { expired: 0, orphans: 0, missing: 0, leftovers: 0 };
  const failures: unknown[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      failures.push(error);
      log.error({ what, error: error instanceof Error ? error.name : 'unknown' }, 'tidying files failed');
    });
  };
  await attempt('bin', async () => {
    tidied.expired = await emptyBin(options, { db, log }, now);
  });
  await attempt('orphans', async () => {
    Object.assign(tidied, await compare(options, { db, log }, now));
  });
  await attempt('leftovers', async () => {
    tidied.leftovers = await deleteLeftovers(options.uploadsDir, now);
  });
  await attempt('partials', async () => {
    tidied.leftovers += await options.storage.removePartials(new Date(now - leftoverDays * dayMs));
  });
  log.info(tidied, 'tidied files');
  if (failures.length > 0) throw new AggregateError(failures, 'tidying files failed in part');
  return tidied;
}

export const deleteOrphanFilesJob =
  (options: DeleteOrphanFilesOptions) => async (_payload: Record<string, never>, deps: JobDeps) => {
    await deleteOrphanFiles(options, deps);
  };

async function emptyBin({ storage }: DeleteOrphanFilesOptions, { db }: JobDeps, now: number): Promise<number> {
  const before = new Date(now - binDays * dayMs);
  let removed = 0;
  let afterId = 0;
  for (;;) {
    const files = await queries.listExpired(db, { before, afterId, limit: batch });
    if (files.length === 0) break;
    for (const { id, storageKey } of files) {
      // The row first: an object without a row is found later, a row without an object would break.
      const isGone = await db.transaction().execute((trx) => queries.deleteFile(trx, id, before));
      if (!isGone) continue;
      removed += 1;
      await storage.remove(storageKey);
      if (storageKey.startsWith('cover/')) {
        await Promise.all(coverWidths.map((width) => storage.remove(thumbnailKey(storageKey, width))));
      }
    }
    afterId = files.at(-1)?.id ?? afterId;
  }
  if (removed > 0) await journal(db, 'file.expire', { files: removed });
  return removed;
}

async function compare(
  { storage }: DeleteOrphanFilesOptions,
  { db, log }: JobDeps,
  now: number,
): Promise<Pick<DeletedFiles, 'orphans' | 'missing'>> {
  const oldBefore = now - orphanHours * hourMs;
  const { orphans, missing } = await db.transaction().execute(async (trx) => {
    await queries.createSeen(trx);
    let held: { key: string; owner: string; isOld: boolean }[] = [];
    const flush = async () => {
      await queries.addSeen(trx, held);
      held = [];
    };
    for await (const { key, modifiedAt } of storage.list()) {
      held.push({ key, owner: ownerKey(key), isOld: modifiedAt.getTime() < oldBefore });
      if (held.length === batch) await flush();
    }
    await flush();
    // A file stored meanwhile may be missing from the list: recent rows are skipped.
    return {
      orphans: await queries.listOrphans(trx),
      missing: await queries.findMissing(trx, new Date(oldBefore), examples),
    };
  });
  for (const key of orphans) await storage.remove(key);
  if (orphans.length > 0) await journal(db, 'file.remove_orphans', { files: orphans.length });
  if (missing.count > 0) log.error({ count: missing.count, keys: missing.keys }, 'files are missing from storage');
  return { orphans: orphans.length, missing: missing.count };
}

/** Of killed processes. @returns how many */
export const deleteLeftovers = (uploadsDir: string, now = Date.now()): Promise<number> =>
  removeOld(uploadsDir, now - leftoverDays * dayMs);

/** Untouched since `before`, at any depth, and empty folders. */
async function removeOld(folder: string, before: number): Promise<number> {
  let removed = 0;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      removed += await removeOld(path, before);
      const isEmpty = (await readdir(path).catch(() => ['?'])).length === 0;
      if (isEmpty && (await modifiedMs(path)) < before) await rm(path, { recursive: true, force: true });
    } else if ((await modifiedMs(path)) < before) {
      await rm(path, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** Missing files count as new. */
const modifiedMs = async (path: string) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );

const journal = (db: JobDeps['db'], action: AuditAction, after: Record<string, unknown>) =>
  db.transaction().execute((trx) => writeAudit(trx, system, { action, entityId: null, after }));
