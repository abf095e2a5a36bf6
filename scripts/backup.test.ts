// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BackupKeys } from '@regie/api/lib/backup-encryption.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import {
  backUp,
  fileSource,
  fileTarget,
  restore,
  verifyBackup,
} from '@regie/api/modules/platform/backups/backup.service.ts';
import { contentOf, fillBooks, runSql } from '@regie/api/test/backup-books.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const appPassword = 'for-this-test-only';
const noKeys: BackupKeys = { passphrase: undefined, recipients: [], identities: [] };
let folder: string;
let server: EmbeddedPostgres;
let databases = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-backup-'));
  await chmod(folder, 0o755);
  server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    settings: { fsync: 'off', shared_buffers: '32MB' },
  });
  const source = server.url();
  await migrate({ ownerUrl: source, appPassword });
  await runSql(
    source,
    `insert into admins (first_name, last_name, email, password_hash) values ('Zoé', 'Été', 'zoe@exemple.fr', 'x')`,
  );
  await fillBooks(source, join(folder, 'files'));
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let target: string;

beforeEach(async () => {
  databases += 1;
  await runSql(server.url('postgres'), `create database target_${databases}`);
  target = server.url(`target_${databases}`);
});

function options(file: string, filesDir = join(folder, `files-${databases}`)) {
  return { ownerUrl: target, appPassword, filesDir, source: fileSource(file), keys: noKeys, force: false };
}

async function backUpHere(name: string): Promise<string> {
  const file = join(folder, name);
  await backUp({ ownerUrl: server.url(), filesDir: join(folder, 'files'), target: fileTarget(file), keys: noKeys });
  return file;
}

test('a restored database has the same rows, files and sequences', async () => {
  const file = await backUpHere('whole');
  const filesDir = join(folder, 'restored');
  await restore(options(file, filesDir));
  expect(await contentOf(target)).toEqual(await contentOf(server.url()));
  expect((await readFile(join(filesDir, 'covers', 'à.bin'))).equals(Buffer.alloc(700_000, 7))).toBe(true);
  expect((await readdir(filesDir)).sort()).toEqual(['covers', 'empty']);
  const next = `insert into accounts (last_name, library_percentile, youtube_percentile) values ('Suivant', 80, 80) returning id`;
  expect(await runSql(target, next)).toEqual([{ id: 3001 }]);
});

test('a restore removes all sessions, reset links, recovery codes and invitations', async () => {
  const source = server.url(`target_${databases}`);
  await migrate({ ownerUrl: source, appPassword });
  await runSql(
    source,
    `insert into admins (first_name, last_name, email, password_hash) values ('Zoé', 'Été', 'zoe@exemple.fr', 'x');
     insert into sessions (token_hash, admin_id) values (decode(repeat('01', 32), 'hex'), 1);
     insert into recovery_codes (admin_id, code_hash) values (1, decode(repeat('05', 32), 'hex'));
     insert into password_resets (token_hash, admin_id, expires_at) values (decode(repeat('02', 32), 'hex'), 1, now() + interval '1 hour');
     insert into invitations (token_hash, email, capabilities, invited_by, expires_at, used_at) values
       (decode(repeat('03', 32), 'hex'), 'max@exemple.fr', '{}', 1, now() + interval '7 days', NULL),
       (decode(repeat('04', 32), 'hex'), 'lou@exemple.fr', '{}', 1, now() + interval '7 days', now())`,
  );
  const file = join(folder, 'with-sessions');
  await backUp({ ownerUrl: source, filesDir: undefined, target: fileTarget(file), keys: noKeys });
  await runSql(server.url('postgres'), 'create database target_signed_out');
  target = server.url('target_signed_out');
  await restore(options(file));
  expect(await runSql(target, 'select * from sessions')).toEqual([]);
  expect(await runSql(target, 'select * from password_resets')).toEqual([]);
  expect(await runSql(target, 'select * from recovery_codes')).toEqual([]);
  expect(await runSql(target, 'select email, withdrawn_at is null as stands from invitations order by email')).toEqual([
    { email: 'lou@exemple.fr', stands: true },
    { email: 'max@exemple.fr', stands: false },
  ]);
});

test('a truncated or modified file is refused before anything is written', async () => {
  const file = await backUpHere('damaged');
  const whole = await readFile(file);
  for (const size of [whole.length - 1, whole.length - 41, Math.floor(whole.length / 2), 60, 20]) {
    await writeFile(file, whole);
    await truncate(file, size);
    await expect(restore(options(file))).rejects.toThrow(/incomplète ou abîmée|n'est pas une sauvegarde/);
  }
  const altered = Buffer.from(whole);
  altered.writeUInt8(altered.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1);
  await writeFile(file, altered);
  await expect(restore(options(file))).rejects.toThrow('incomplète ou abîmée');
  expect(await runSql(target, `select count(*)::int as tables from pg_tables where schemaname = 'public'`)).toEqual([
    { tables: 0 },
  ]);
});

test('a database with data is replaced only with force, and its files are kept aside', async () => {
  const file = await backUpHere('forced');
  await migrate({ ownerUrl: target, appPassword });
  await runSql(
    target,
    `insert into accounts (last_name, library_percentile, youtube_percentile) values ('Présent', 80, 80)`,
  );
  const filesDir = join(folder, 'in-use');
  await mkdir(filesDir);
  await writeFile(join(filesDir, 'present'), 'x');
  await expect(restore(options(file, filesDir))).rejects.toThrow("La base n'est pas vide");
  expect(await runSql(target, 'select last_name from accounts')).toEqual([{ last_name: 'Présent' }]);

  const { keptFilesDir } = await restore({ ...options(file, filesDir), force: true });
  expect(await contentOf(target)).toEqual(await contentOf(server.url()));
  expect(await readdir(keptFilesDir ?? '')).toEqual(['present']);
});

test('a restore names connected programs instead of waiting for them', async () => {
  const file = await backUpHere('connected');
  const client = new Client({ connectionString: target });
  await client.connect();
  try {
    await expect(restore(options(file))).rejects.toThrow('arrêtez-le avant de restaurer');
  } finally {
    await client.end();
  }
});

/** Backs up an empty database of version 0.2 after some changes. */
async function backUpVersion02(name: string, changes: string): Promise<string> {
  const old = server.url(`target_${databases}`);
  await migrate({ ownerUrl: old, appPassword, upTo: '298_job_queue' });
  await runSql(old, changes);
  const file = join(folder, name);
  await backUp({ ownerUrl: old, filesDir: undefined, target: fileTarget(file), keys: noKeys });
  await runSql(server.url('postgres'), `create database target_of_${name}`);
  target = server.url(`target_of_${name}`);
  return file;
}

test('a backup of version 0.2 is restored and migrated, also over a database of this version', async () => {
  const file = await backUpVersion02(
    'old',
    `insert into admins (first_name, last_name, email) values ('Zoé', 'Été', 'zoe@exemple.fr');
     insert into accounts (last_name, library_percentile, youtube_percentile) values ('Ancien', 80, 80);
     insert into audit_log (at, action, entity) values ('2020-01-01', 'track.edit', 'track'), ('2060-01-01', 'track.edit', 'track');
     insert into balance_adjustments (account_id, amount_eur, reason, proposed_by) values (1, 12.5, 'Geste', 1)`,
  );
  await verifyBackup(fileSource(file), noKeys);
  const journal = 'select id, action from audit_log order by id';
  const rows = [
    { id: 1, action: 'track.edit' },
    { id: 2, action: 'track.edit' },
    { id: 3, action: 'account.withdraw_adjustment' },
  ];
  for (const force of [false, true]) {
    await restore({ ...options(file), force });
    expect(await runSql(target, journal)).toEqual(rows);
    expect(await runSql(target, 'select last_name from accounts')).toEqual([{ last_name: 'Ancien' }]);
    const level = 'select name, hash from migrations order by name';
    expect(await runSql(target, level)).toEqual(await runSql(server.url(), level));
  }
});

test.each([
  ['earlier', `delete from kysely_migration where name = '298_job_queue'`, 'avec la version 0.2 (commit 67a11f3c)'],
  [
    'archived',
    `set session_replication_role = replica; insert into report_archives values (2021, 1, 2, 3, 4, 5, now())`,
    "restaurez-les d'abord avec la version 0.2",
  ],
])('a backup of version 0.2 with %s data is refused before anything is written', async (name, changes, refusal) => {
  const file = await backUpVersion02(name, changes);
  await expect(verifyBackup(fileSource(file), noKeys)).rejects.toThrow(refusal);
  await expect(restore({ ...options(file), force: true })).rejects.toThrow(refusal);
  expect(await runSql(target, `select tablename from pg_tables where schemaname = 'public'`)).toEqual([]);
});

const passphrase = 'correct cheval pile agrafe';

async function writePassphrase(): Promise<string> {
  const file = join(folder, 'passphrase');
  await writeFile(file, `${passphrase}\n`);
  return file;
}

function command(script: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, DATABASE_URL: server.url(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return { child, exit: once(child, 'close').then(([code]) => ({ code: code as number | null, text })) };
}

test('the commands write, list, verify and restore encrypted backups', async () => {
  const env = {
    BACKUP_URL: pathToFileURL(join(folder, 'nightly')).href,
    BACKUP_PASSPHRASE_FILE: await writePassphrase(),
  };
  await expect(command('backup.ts', [], env).exit).resolves.toMatchObject({
    code: 0,
    text: expect.stringContaining('Sauvegarde écrite\u00A0: backups/regie-'),
  });
  const { text } = await command('backup.ts', ['--list'], env).exit;
  const [, key = ''] = /^(backups\/regie-\S+) \(/.exec(text) ?? [];
  await expect(command('backup.ts', ['--verify', key], env).exit).resolves.toMatchObject({
    code: 0,
    text: expect.stringMatching(/lisible en entier.* chiffrée\)/),
  });
  const path = join(folder, 'nightly', key);
  expect((await stat(path)).mode & 0o077).toBe(0);
  await truncate(path, (await stat(path)).size - 100);
  await expect(command('backup.ts', ['--verify'], env).exit).resolves.toMatchObject({
    code: 1,
    text: expect.stringContaining('incomplète ou abîmée'),
  });
  await rm(path);
  const restoreEnv = {
    ...env,
    DATABASE_URL: target,
    DATA_DIR: join(folder, 'elsewhere'),
    SESSION_SECRET: 'x'.repeat(32),
  };
  await expect(command('restore.ts', ['--latest'], restoreEnv).exit).resolves.toMatchObject({
    code: 1,
    text: expect.stringContaining('aucune sauvegarde'),
  });
  await command('backup.ts', [], env).exit;
  await expect(command('restore.ts', ['--latest'], restoreEnv).exit).resolves.toMatchObject({
    code: 0,
    text: expect.stringContaining('Le grand livre est exact.'),
  });
});

test('a backup that is killed leaves nothing under its name, and its partial file is refused', async () => {
  const file = join(folder, 'killed');
  const filesDir = join(folder, 'many', 'files');
  await mkdir(filesDir, { recursive: true });
  for (let n = 0; n < 40; n += 1) await writeFile(join(filesDir, `${n}.bin`), randomBytes(4_000_000));
  const env = {
    STORAGE_URL: pathToFileURL(filesDir).href,
    BACKUP_PASSPHRASE_FILE: await writePassphrase(),
  };
  const { child, exit } = command('backup.ts', [file], env);
  await expect
    .poll(
      () =>
        stat(`${file}.partial`).then(
          ({ size }) => size,
          () => 0,
        ),
      { timeout: 60_000, interval: 20 },
    )
    .toBeGreaterThan(5_000_000);
  child.kill('SIGKILL');
  await exit;
  expect(existsSync(file)).toBe(false);
  await expect(verifyBackup(fileSource(`${file}.partial`), { ...noKeys, passphrase })).rejects.toThrow(
    'incomplète ou abîmée',
  );
  expect((await command('backup.ts', [file], env).exit).code).toBe(0);
  expect(await verifyBackup(fileSource(file), { ...noKeys, passphrase })).toMatchObject({ files: 40 });
  expect(existsSync(`${file}.partial`)).toBe(false);
});
