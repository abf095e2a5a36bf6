import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { thumbnailKey } from '#src/lib/cover-keys.ts';
import { createFolderStorage, newStorageKey, type Storage } from '#src/lib/storage.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildActor, buildRelease, buildTrack } from '#test/factories.ts';
import { deleteOrphanFiles } from './files.jobs.ts';

const app = useApp();
const dayMs = 86_400_000;
const now = Date.parse('2026-11-20T03:25:00Z');
const ago = (days: number) => new Date(now - days * dayMs);
let dir: string;
let storage: Storage;
let accountId: number;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'regie-tidy-'));
  accountId = await buildAccount(app.db);
});
afterAll(() => rm(dir, { recursive: true }));
beforeEach(async () => {
  await app.owner.updateTable('releases').set({ coverFileId: null }).execute();
  await app.owner.updateTable('tracks').set({ audioFileId: null }).execute();
  await app.owner.deleteFrom('files').execute();
  await rm(dir, { recursive: true });
  await mkdir(join(dir, 'uploads'), { recursive: true });
  storage = createFolderStorage(join(dir, 'files'));
  lines = [];
});

const log = pino({ level: 'info', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
const tidy = () =>
  deleteOrphanFiles({ storage, uploadsDir: join(dir, 'uploads'), now: () => now }, { db: app.owner, log });
const nothing = { expired: 0, orphans: 0, missing: 0, leftovers: 0 };

/** Stores an object of this age. */
async function putObject(key: string, days: number): Promise<void> {
  await storage.put(key, Buffer.from('x'), 1);
  await utimes(join(dir, 'files', key), ago(days), ago(days));
}

/** A file with its object, in the bin for this many days. */
async function buildFile(options: { kind?: 'cover' | 'audio'; binnedDays?: number; isMissing?: boolean } = {}) {
  const { kind = 'cover', binnedDays, isMissing = false } = options;
  const storageKey = newStorageKey(kind, kind === 'cover' ? 'png' : 'wav');
  if (!isMissing) await putObject(storageKey, 90);
  if (!isMissing && kind === 'cover') await putObject(thumbnailKey(storageKey, 365), 90);
  const { id } = await app.db
    .insertInto('files')
    .values({
      storageKey,
      kind,
      originalName: 'a.png',
      contentType: 'image/png',
      sizeBytes: 1,
      sha256: Buffer.alloc(32),
      createdAt: ago(90),
      binnedAt: binnedDays === undefined ? null : ago(binnedDays),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, storageKey };
}
async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of storage.list()) found.push(key);
  return found.sort();
}
const rows = async () => (await app.db.selectFrom('files').select('id').orderBy('id').execute()).map((row) => row.id);

it('keeps files in use, and those in the bin for less than 30 days', async () => {
  const used = await buildFile();
  const young = await buildFile({ binnedDays: 29.9 });
  const release = await buildRelease(app.db, accountId);
  await app.db.updateTable('releases').set({ coverFileId: used.id }).where('id', '=', release).execute();
  const before = await keys();
  expect(await tidy()).toEqual(nothing);
  expect(await keys()).toEqual(before);
  expect(await rows()).toEqual([used.id, young.id]);
});

it('deletes files in the bin for more than 30 days with their pictures, and journals it', async () => {
  const cover = await buildFile({ binnedDays: 30.1 });
  const audio = await buildFile({ kind: 'audio', binnedDays: 31 });
  const release = await buildRelease(app.db, accountId);
  await app.db
    .updateTable('releases')
    .set({ coverFileId: cover.id, deletedAt: ago(31) })
    .where('id', '=', release)
    .execute();
  const track = await buildTrack(app.db, accountId, { releaseId: release });
  await app.db
    .updateTable('tracks')
    .set({ audioFileId: audio.id, deletedAt: ago(31) })
    .where('id', '=', track.id)
    .execute();
  expect(await tidy()).toEqual({ ...nothing, expired: 2 });
  expect(await keys()).toEqual([]);
  expect(await rows()).toEqual([]);
  expect((await app.journal('file.expire')).at(-1)).toMatchObject({ adminId: null, after: { files: 2 } });
  expect(await tidy()).toEqual(nothing);
});

it('keeps the parts of an upload, and deletes parts without an upload', async () => {
  const { adminId } = await buildActor(app.db);
  const upload = { adminId, kind: 'statement', fileName: 'a.csv', sizeBytes: 9, received: 1, spoolName: 'statement-1' };
  const { id: uploadId } = await app.db.insertInto('uploads').values(upload).returning('id').executeTakeFirstOrThrow();
  const [part, orphan] = [newStorageKey('upload', 'part'), newStorageKey('upload', 'part')];
  for (const key of [part, orphan]) await putObject(key, 5);
  await app.db.insertInto('uploadParts').values({ uploadId, starts: 0, storageKey: part }).execute();
  expect(await tidy()).toEqual({ ...nothing, orphans: 1 });
  expect(await keys()).toEqual([part]);
  await app.db.deleteFrom('uploads').where('id', '=', uploadId).execute();
  expect(await tidy()).toEqual({ ...nothing, orphans: 1 });
  expect(await keys()).toEqual([]);
});

it('keeps a binned file that a live release or track still uses', async () => {
  const cover = await buildFile({ binnedDays: 40 });
  const audio = await buildFile({ kind: 'audio', binnedDays: 40 });
  const release = await buildRelease(app.db, accountId);
  await app.db.updateTable('releases').set({ coverFileId: cover.id }).where('id', '=', release).execute();
  const track = await buildTrack(app.db, accountId, { releaseId: release });
  await app.db.updateTable('tracks').set({ audioFileId: audio.id }).where('id', '=', track.id).execute();
  expect(await tidy()).toEqual(nothing);
  expect(await rows()).toEqual([cover.id, audio.id]);
});

it('deletes unknown objects after 48 hours', async () => {
  const file = await buildFile();
  const old = newStorageKey('cover', 'png');
  const young = newStorageKey('audio', 'wav');
  await putObject(old, 2.1);
  await putObject(thumbnailKey(old, 96), 2.1);
  await putObject(young, 1.9);
  expect(await tidy()).toEqual({ ...nothing, orphans: 2 });
  expect(await keys()).toEqual([file.storageKey, thumbnailKey(file.storageKey, 365), young].sort());
  expect((await app.journal('file.remove_orphans')).at(-1)?.after).toEqual({ files: 2 });
});

it('reports files whose object is missing, and keeps their rows', async () => {
  const gone = await buildFile({ isMissing: true });
  const here = await buildFile();
  expect(await tidy()).toEqual({ ...nothing, missing: 1 });
  expect(await rows()).toEqual([gone.id, here.id]);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'files are missing from storage', count: 1, keys: [gone.storageKey] }),
  );
});

it('deletes uploads and partial writes abandoned for more than a week', async () => {
  const uploads = join(dir, 'uploads');
  const partials = join(dir, 'files', '.partial');
  await mkdir(join(uploads, '7'), { recursive: true });
  await mkdir(join(uploads, '8'));
  await mkdir(partials, { recursive: true });
  for (const [path, days] of [
    [join(uploads, 'old'), 7.1],
    [join(uploads, 'young'), 6.9],
    [join(uploads, '7', 'old'), 8],
    [join(uploads, '8', 'young'), 1],
    [join(partials, 'old'), 9],
    [join(partials, 'young'), 1],
  ] as const) {
    await writeFile(path, 'half');
    await utimes(path, ago(days), ago(days));
  }
  expect(await tidy()).toEqual({ ...nothing, leftovers: 3 });
  expect((await readdir(uploads)).sort()).toEqual(['7', '8', 'young']);
  expect(await readdir(join(uploads, '8'))).toEqual(['young']);
  expect(await readdir(partials)).toEqual(['young']);
});

it('continues when one step fails, and fails at the end', async () => {
  const expired = await buildFile({ binnedDays: 40 });
  const broken: Storage = {
    ...storage,
    list: () => {
      throw new Error('storage is down');
    },
  };
  const old = join(dir, 'uploads', 'old');
  await writeFile(old, 'half');
  await utimes(old, ago(8), ago(8));
  await expect(
    deleteOrphanFiles({ storage: broken, uploadsDir: join(dir, 'uploads'), now: () => now }, { db: app.owner, log }),
  ).rejects.toThrow('tidying files failed in part');
  expect(await rows()).not.toContain(expired.id);
  expect(await readdir(join(dir, 'uploads'))).toEqual([]);
});
