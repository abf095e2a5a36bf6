import type { Readable } from 'node:stream';
import { type Insertable, sql } from 'kysely';
import { DatabaseError } from 'pg';
import type { BackupSettings } from '#src/env.ts';
import type { BackupSource } from '#src/lib/backup-archive.ts';
import { BackupFileError, isEncrypting, readBackupKeys } from '#src/lib/backup-encryption.ts';
import type { DB } from '#src/lib/db.generated.ts';
import { type Database, querySingle, type Trx } from '#src/lib/db.ts';
import { createStorage } from '#src/lib/open-storage.ts';
import { type Storage, StorageUnavailable, type StoredObject } from '#src/lib/storage.ts';
import { type BackupOptions, backUp } from './backup.service.ts';

const keyPattern = /^backups\/regie-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.regie\.age$/;
/** Keys sort by their time. */
const keyOf = (at: Date) => `backups/regie-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.regie.age`;
const dayMs = 86_400_000;
/** Left by a writer that died. */
const partialMs = 2 * dayMs;
/** Nights do not end at the same minute. */
const backupLateHours = 26;
const maxErrorLength = 1000;

/** Newest first. */
export async function listStoredBackups(storage: Storage): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of storage.list()) if (keyPattern.test(object.key)) objects.push(object);
  return objects.sort((one, other) => (one.key < other.key ? 1 : -1));
}

export const storedSource = (storage: Storage, key: string): BackupSource => ({
  name: key,
  open: () => storage.open(key),
});

async function record(db: Database, row: Insertable<DB['backups']>): Promise<void> {
  const isMissing = (error: unknown) => error instanceof DatabaseError && error.code === '42P01';
  await db
    .insertInto('backups')
    .values(row)
    .execute()
    .catch((error: unknown) => {
      // A former version's database has no such table: its backup before the update is not recorded.
      if (!isMissing(error)) throw error;
    });
}

type Made = Awaited<ReturnType<typeof backUp>>;
type RecordedOptions = Omit<BackupOptions, 'keys'> & { settings: BackupSettings };

export async function backUpAndRecord(db: Database, { settings, ...options }: RecordedOptions): Promise<Made> {
  const { name } = options.target;
  try {
    const written = await backUp({ ...options, keys: await readBackupKeys(settings) });
    await record(db, { name, sizeBytes: written.sizeBytes, isEncrypted: written.isEncrypted });
    return written;
  } catch (error) {
    const isTold = error instanceof BackupFileError || error instanceof StorageUnavailable;
    await record(db, {
      name,
      isEncrypted: isEncrypting(settings),
      error: isTold ? error.message.slice(0, maxErrorLength) : 'Raison imprévue\u00A0: voyez le journal du serveur.',
    });
    throw error;
  }
}

export const openBackups = (url: string): Storage => createStorage(url, 'BACKUP_URL');

/** @returns why keys or place cannot work */
export async function findBackupFault(settings: BackupSettings): Promise<string | undefined> {
  if (settings.url === undefined) return undefined;
  try {
    await readBackupKeys(settings);
    await openBackups(settings.url).check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function backUpToStore(
  db: Database,
  { url, ...options }: Omit<RecordedOptions, 'target'> & { url: string },
): Promise<Made & { key: string }> {
  const key = keyOf(new Date());
  const storage = openBackups(url);
  const write = async (content: Readable) => {
    await storage.check();
    await storage.put(key, content, undefined);
  };
  return { key, ...(await backUpAndRecord(db, { ...options, target: { name: key, write } })) };
}

/** Never the newest; also removes partial ones. @returns how many backups */
export async function removeOldBackups(url: string, keepDays: number): Promise<number> {
  const storage = openBackups(url);
  const now = Date.now();
  const [, ...older] = await listStoredBackups(storage);
  const old = older.filter(({ key }) => key < keyOf(new Date(now - keepDays * dayMs)));
  for (const { key } of old) await storage.remove(key);
  await storage.removePartials(new Date(now - partialMs));
  return old.length;
}

const shownRecords = 10;

/** Newest first. */
export async function listBackupRecords(db: Trx) {
  const records = await db
    .selectFrom('backups')
    .select(['name', 'endedAt', 'sizeBytes', 'isEncrypted', 'error'])
    .orderBy('id', 'desc')
    .limit(shownRecords)
    .execute();
  return records.map((record) => ({ ...record, endedAt: record.endedAt.getTime() }));
}

export interface BackupState {
  lastAt: Date | null;
  /** Null when it did not fail. */
  lastError: string | null;
  /** None for more than a day, if the database is that old. */
  isLate: boolean;
}

export const findBackupState = (db: Database) => querySingle<BackupState>(db)`
    SELECT b.last_at, (SELECT error FROM backups ORDER BY id DESC LIMIT 1) AS last_error,
           coalesce(b.last_at, (SELECT min(applied_at) FROM migrations))
             < now() - make_interval(hours => ${sql.lit(backupLateHours)}) AS is_late
      FROM (SELECT max(ended_at) AS last_at FROM backups WHERE error IS NULL) b`;
