// @module-tag slow
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { pino } from 'pino';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { BackupKeys } from '#src/lib/backup-encryption.ts';
import { createDatabase, type Database } from '#src/lib/db.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { contentOf, fillBooks, runSql } from '#test/backup-books.ts';
import { useDatabase } from '#test/database.ts';
import { testLines } from '#test/lines.ts';
import { backUp, fileSource, fileTarget, restore, verifyBackup } from './backup.service.ts';
import { backUpJob, reportLateBackupJob } from './backups.jobs.ts';
import {
  backUpAndRecord,
  backUpToStore,
  findBackupFault,
  findBackupState,
  listStoredBackups,
  openBackups,
  removeOldBackups,
  storedSource,
} from './stored-backups.service.ts';

const source = useDatabase();
const targets = { 'a folder': useDatabase(), 'a bucket': useDatabase() };
let folder: string;
let db: Database;
const passphrase = 'correct cheval pile agrafe';
const noKeys: BackupKeys = { passphrase: undefined, recipients: [], identities: [] };
const settings = { url: undefined, passphraseFile: undefined, recipients: [], identityFile: undefined, keepDays: 30 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-backups-'));
  db = createDatabase(source.ownerUrl, { max: 1 });
  await fillBooks(source.ownerUrl, join(folder, 'files'));
});
afterAll(async () => {
  await db.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** The settings with a passphrase file of its own. */
async function withPassphrase(text = passphrase) {
  const passphraseFile = join(folder, `passphrase-${crypto.randomUUID()}`);
  await writeFile(passphraseFile, `${text}\n`);
  return { ...settings, passphraseFile };
}

test.each(['a folder', 'a bucket'] as const)(
  'drill: an encrypted backup in %s is restored elsewhere',
  async (place) => {
    const directory = await mkdtemp(join(folder, 'store-'));
    const s3 = new S3rver({
      ...{ address: '127.0.0.1', port: 0, silent: true, directory: await mkdtemp(join(folder, 's3-')) },
      configureBuckets: [{ name: 'regie-backups' }],
    });
    const { port } = await s3.run();
    try {
      const url =
        place === 'a folder'
          ? pathToFileURL(directory).href
          : `s3://S3RVER:S3RVER@127.0.0.1:${port}/regie-backups?region=eu-west-3&protocol=http`;
      const storage = openBackups(url);
      const made = await backUpToStore(db, {
        ownerUrl: source.ownerUrl,
        filesDir: join(folder, 'files'),
        settings: await withPassphrase(),
        url,
      });
      expect(made).toMatchObject({ isEncrypted: true, files: 2 });
      const [stored, ...others] = await listStoredBackups(storage);
      expect([stored?.key, stored?.sizeBytes, others]).toEqual([made.key, made.sizeBytes, []]);

      const filesDir = join(directory, 'files');
      const target = targets[place].ownerUrl;
      await runSql(target, `drop schema graphile_worker cascade; drop schema public cascade; create schema public`);
      await restore({
        ...{ ownerUrl: target, appPassword: inject('postgres').appPassword, filesDir, force: false },
        source: storedSource(storage, made.key),
        keys: { ...noKeys, passphrase },
      });
      expect(await contentOf(target)).toEqual(await contentOf(source.ownerUrl));
      expect((await readFile(join(filesDir, 'covers', 'à.bin'))).equals(Buffer.alloc(700_000, 7))).toBe(true);
      expect((await readdir(filesDir)).sort()).toEqual(['covers', 'empty']);
      const restored = createDatabase(target, { max: 1 });
      expect(await verifyLedger(restored, testLines)).toEqual([]);
      await restored.destroy();
    } finally {
      await s3.close();
    }
  },
);

test('an encrypted backup opens with its passphrase or private key only, and not when a byte is altered', async () => {
  const file = join(folder, 'encrypted');
  const identity = await generateIdentity();
  const byKey = join(folder, 'encrypted-to-a-key');
  const from = { ownerUrl: source.ownerUrl, filesDir: join(folder, 'files') };
  await backUp({ ...from, target: fileTarget(file), keys: { ...noKeys, passphrase } });
  await backUp({
    ...from,
    target: fileTarget(byKey),
    keys: { ...noKeys, recipients: [await identityToRecipient(identity)] },
  });
  const verify = (name: string, keys: Partial<BackupKeys>) => verifyBackup(fileSource(name), { ...noKeys, ...keys });
  expect(await verify(file, { passphrase })).toMatchObject({ isEncrypted: true, files: 2 });
  expect(await verify(byKey, { identities: [identity] })).toMatchObject({ isEncrypted: true, files: 2 });
  // The content is a plain backup in the format of age.
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const plain = join(folder, 'decrypted');
  await writeFile(plain, await decrypter.decrypt(await readFile(byKey)));
  expect(await verify(plain, {})).toMatchObject({ isEncrypted: false, files: 2 });

  await expect(verify(file, {})).rejects.toThrow('est chiffrée\u00A0: indiquez BACKUP_PASSPHRASE_FILE');
  await expect(verify(file, { passphrase: 'une autre phrase secrète' })).rejects.toThrow("n'ouvre pas la sauvegarde");
  await expect(verify(byKey, { passphrase })).rejects.toThrow("n'ouvre pas la sauvegarde");
  await expect(verify(byKey, { identities: [await generateIdentity()] })).rejects.toThrow("n'ouvre pas la sauvegarde");

  const whole = await readFile(byKey);
  const places = [30, 100, 200, 300, Math.floor(whole.length / 2), whole.length - 1];
  for (const at of places) {
    const altered = Buffer.from(whole);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    await writeFile(file, altered);
    await expect(verify(file, { identities: [identity] })).rejects.toThrow(
      /incomplète ou abîmée|n'ouvre pas la sauvegarde/,
    );
  }
  for (const size of [whole.length - 1, Math.floor(whole.length / 2), 65_536 + 200, 210, 30]) {
    await writeFile(file, whole.subarray(0, size));
    await expect(verify(file, { identities: [identity] })).rejects.toThrow(/incomplète ou abîmée/);
  }
});

test('only the backups of the retention period, and the newest, remain', async () => {
  const url = pathToFileURL(join(folder, 'kept')).href;
  const storage = openBackups(url);
  const put = async (daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 19).replaceAll(':', '-');
    const key = `backups/regie-${at}Z.regie.age`;
    await storage.put(key, Buffer.from('x'), 1);
    return key;
  };
  const [old, older] = [await put(40), await put(400)];
  await storage.put('backups/other.txt', Buffer.from('x'), 1);
  await removeOldBackups(url, 30);
  expect((await listStoredBackups(storage)).map(({ key }) => key)).toEqual([old]);
  const [recent, newest] = [await put(29), await put(0)];
  expect(await removeOldBackups(url, 30)).toBe(1);
  expect((await listStoredBackups(storage)).map(({ key }) => key)).toEqual([newest, recent]);
  expect(await storage.find(older)).toBeUndefined();
  expect(await storage.find('backups/other.txt')).toBeDefined();
});

test('a failed backup is recorded with its reason, and a missing backup counts as late after a day', async () => {
  const state = () => findBackupState(db);
  await runSql(source.ownerUrl, 'truncate backups');
  expect(await state()).toEqual({ lastAt: null, lastError: null, isLate: false });
  await runSql(source.ownerUrl, `update migrations set applied_at = now() - interval '2 days'`);
  expect(await state()).toMatchObject({ isLate: true });
  const attempt = async (passphraseFile: string) =>
    backUpAndRecord(db, {
      ...{ ownerUrl: source.ownerUrl, filesDir: undefined, settings: { ...settings, passphraseFile } },
      target: fileTarget(join(folder, `recorded-${crypto.randomUUID()}`)),
    });
  await expect(attempt('/nowhere/passphrase')).rejects.toThrow('ne peut pas être lu');
  expect(await state()).toMatchObject({ isLate: true, lastError: expect.stringContaining('/nowhere/passphrase') });
  await expect(attempt((await withPassphrase('courte')).passphraseFile)).rejects.toThrow('au moins 20 caractères');
  await attempt((await withPassphrase()).passphraseFile);
  expect(await state()).toMatchObject({ isLate: false, lastError: null, lastAt: expect.any(Date) });
  await runSql(source.ownerUrl, `update backups set ended_at = ended_at - interval '27 hours'`);
  expect(await state()).toMatchObject({ isLate: true, lastError: null });
});

test('the nightly job stores a backup where configured; the hourly job logs an error when the last is old', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const url = pathToFileURL(join(folder, 'nightly')).href;
  const at = { ownerUrl: source.ownerUrl, filesDir: join(folder, 'files') };
  await backUpJob(at)({}, { db, log });
  expect(lines).toEqual([]);
  await backUpJob({ ...at, backup: { ...(await withPassphrase()), url } })({}, { db, log });
  const [stored] = await listStoredBackups(openBackups(url));
  expect(lines.join()).toContain(stored?.key);
  expect(await runSql(source.ownerUrl, 'select name from backups order by id desc limit 1')).toEqual([
    { name: stored?.key },
  ]);
  lines.length = 0;
  await reportLateBackupJob({}, { db, log });
  expect(lines).toEqual([]);
  await runSql(source.ownerUrl, `update backups set ended_at = ended_at - interval '27 hours'`);
  await reportLateBackupJob({}, { db, log });
  expect(lines.join()).toContain('no backup for more than a day');
});

test('a backup to an unwritable place fails with the reason, and the start reports the place', async () => {
  await writeFile(join(folder, 'no-folder'), '');
  const url = pathToFileURL(join(folder, 'no-folder/backups')).href;
  const options = { ownerUrl: source.ownerUrl, filesDir: join(folder, 'files'), settings: await withPassphrase(), url };
  await expect(backUpToStore(db, options)).rejects.toThrow('BACKUP_URL\u00a0: on ne peut pas écrire dans le dossier');
  expect((await findBackupState(db)).lastError).toContain('(ENOTDIR)');
  const target = { name: 'a', write: () => Promise.reject(new Error('gone before a byte was read')) };
  await expect(backUpAndRecord(db, { ...options, target })).rejects.toThrow('gone before a byte was read');
  expect(await findBackupFault({ ...options.settings, url })).toContain('on ne peut pas écrire');
  expect(await findBackupFault({ ...options.settings, url, passphraseFile: '/nowhere/p' })).toContain('/nowhere/p');
  const fine = pathToFileURL(join(folder, 'fine')).href;
  expect(await findBackupFault({ ...options.settings, url: fine })).toBeUndefined();
});

test('a successful backup removes the jobs of attempts that were given up', async () => {
  const log = pino({ level: 'silent' });
  const add = () => runSql(source.ownerUrl, `select graphile_worker.add_job('back_up', max_attempts => 1)`);
  await add();
  await runSql(source.ownerUrl, 'update graphile_worker._private_jobs set attempts = max_attempts');
  await add();
  const url = pathToFileURL(join(folder, 'again')).href;
  await backUpJob({ ownerUrl: source.ownerUrl, filesDir: undefined, backup: { ...(await withPassphrase()), url } })(
    {},
    { db, log },
  );
  expect(await runSql(source.ownerUrl, `select attempts from graphile_worker.jobs`)).toEqual([{ attempts: 0 }]);
});
