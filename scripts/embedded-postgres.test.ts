// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type EmbeddedPostgres,
  findRunningPostgres,
  startEmbeddedPostgres,
} from '@regie/embedded-postgres/embedded-postgres.ts';
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';

const settings = { fsync: 'off', shared_buffers: '16MB' };
const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) {
    const cluster = await realpath(join(folder, 'postgres'));
    // After its owner is killed, PostgreSQL still writes for a moment.
    const all = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 };
    if (cluster.startsWith('/var/lib/regie-')) await rm(dirname(cluster), all);
    await rm(folder, all);
  }
});

async function newFolder(mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'regie-pg-'));
  await chmod(folder, mode);
  folders.push(folder);
  return folder;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, settings });
  servers.push(server);
  return server;
}

/** Starts a server in another Node process that can be killed. */
async function startInAnotherProcess(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const program = `
    import { startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
    const server = await startEmbeddedPostgres({ dataDir: process.argv[1], settings: ${JSON.stringify(settings)} });
    process.stdout.write(server.url() + '\\n');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, dataDir], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: String(url) };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function allProcesses(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function processesIn(dataDir: string): Promise<number> {
  const cluster = await realpath(join(dataDir, 'postgres'));
  const folders = await Promise.all((await allProcesses()).map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.filter((folder) => folder === cluster).length;
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}

async function postmaster(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** The watcher of the owner's pipe, which stops PostgreSQL when that pipe closes, then the shell that started both. */
async function supervisorOf(server: number): Promise<number[]> {
  const [shell, pids] = await Promise.all([parentOf(server), allProcesses()]);
  const parents = await Promise.all(pids.map(parentOf));
  return [...pids.filter((pid, index) => parents[index] === shell && pid !== server), shell];
}

test('a first start creates a French UTF-8 database for local use only, and stopping leaves no process', async () => {
  const dataDir = await newFolder();
  const server = await start(dataDir);
  const rows = await query(
    server.url(),
    `select current_user as role, datlocprovider as provider, datlocale as locale, pg_encoding_to_char(encoding) as encoding,
       current_setting('listen_addresses') as address, current_setting('jit') as jit,
       current_setting('synchronous_commit') as durable, current_setting('password_encryption') as password
     from pg_database where datname = current_database()`,
  );
  expect(rows).toEqual([
    {
      role: 'regie',
      provider: 'i',
      locale: 'fr-FR',
      encoding: 'UTF8',
      address: '127.0.0.1',
      jit: 'off',
      durable: 'on',
      password: 'scram-sha-256',
    },
  ]);
  await expect(query(server.url().replace(/:[0-9a-f]{48}@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
  expect(await processesIn(dataDir)).toBeGreaterThan(0);
  expect(await findRunningPostgres(dataDir)).toBe(server.url());

  await server.stop();
  expect(await processesIn(dataDir)).toBe(0);
  expect(await findRunningPostgres(dataDir)).toBeUndefined();
});

test('a second start on the same data is refused in French, from this and another process', async () => {
  const dataDir = await newFolder();
  const { child, url } = await startInAnotherProcess(dataDir);
  await expect(start(dataDir)).rejects.toThrow(
    `Régie est déjà en marche sur ces données (dossier ${dataDir}, processus ${child.pid})`,
  );
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('PostgreSQL stops after SIGKILL of its owner, and the next start has the data', async () => {
  const dataDir = await newFolder();
  const { child, url } = await startInAnotherProcess(dataDir);
  await query(url, 'create table kept as select 42 as figure');
  await kill(child);
  const server = await start(dataDir);
  expect(await query(server.url(), 'select figure from kept')).toEqual([{ figure: 42 }]);
});

test('a PostgreSQL without owner and supervisor is stopped and replaced', async () => {
  const dataDir = await newFolder();
  const { child, url } = await startInAnotherProcess(dataDir);
  await query(url, 'create table kept as select 42 as figure');
  const orphan = await postmaster(dataDir);
  const supervisor = await supervisorOf(orphan);
  expect(supervisor).toHaveLength(2);
  for (const pid of supervisor) process.kill(pid, 'SIGKILL');
  await kill(child);
  expect(await processesIn(dataDir)).toBeGreaterThan(0);
  const server = await start(dataDir);
  expect(await postmaster(dataDir)).not.toBe(orphan);
  expect(await query(server.url(), 'select figure from kept')).toEqual([{ figure: 42 }]);
});

test("a postmaster.pid with another program's process id does not block the start", async () => {
  const dataDir = await newFolder();
  const first = await start(dataDir);
  const note = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  await first.stop();
  const owner = await stat(join(dataDir, 'postgres'));
  const stranger = spawn('sleep', ['60'], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 ? { uid: owner.uid, gid: owner.gid } : {}),
  });
  children.push(stranger);
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), note.replace(/^\d+/, String(stranger.pid)));
  const second = await start(dataDir);
  expect(await query(second.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the owner is notified when PostgreSQL dies', async () => {
  const dataDir = await newFolder();
  const server = await start(dataDir);
  process.kill(await postmaster(dataDir), 'SIGKILL');
  await server.exited;
  const again = await start(dataDir);
  expect(await query(again.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.runIf(process.getuid?.() === 0)(
  'root stores the cluster elsewhere when others cannot enter the data folder',
  async () => {
    const dataDir = await newFolder(0o700);
    const first = await start(dataDir);
    await query(first.url(), 'create table kept as select 42 as figure');
    await first.stop();
    expect(await realpath(join(dataDir, 'postgres'))).toMatch(/^\/var\/lib\/regie-[0-9a-f]{12}\/postgres$/);
    const second = await start(dataDir);
    expect(await query(second.url(), 'select figure from kept')).toEqual([{ figure: 42 }]);
  },
);

test('omits rows and passwords of failed statements from the log', async () => {
  const folder = await newFolder();
  const server = await start(folder);
  await query(server.url(), 'create table people (email text primary key)');
  await query(server.url(), `insert into people values ('awa@exemple.fr')`);
  await expect(query(server.url(), `insert into people values ('awa@exemple.fr')`)).rejects.toThrow('people_pkey');
  await expect(query(server.url(), `alter role nobody_here password 'huit faders'`)).rejects.toThrow('nobody_here');
  const log = await readFile(join(folder, 'postgres.log'), 'utf8');
  expect(log).toContain('people_pkey');
  expect(log).not.toContain('awa@exemple.fr');
  expect(log).not.toContain('huit faders');
});
