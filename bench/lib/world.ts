import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createDatabase, type Database } from '@regie/api/lib/db.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword } from '@regie/api/lib/secrets.ts';
import { createAdminWithAllCapabilities } from '@regie/api/modules/people/staff/staff.service.ts';
import { startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { freePort } from '@regie/embedded-postgres/server.ts';
import { sql } from 'kysely';

export const secret = 'a secret for the length of a measurement';
const email = 'mesure@exemple.fr';
const password = 'une mesure à la fois';

/** One PostgreSQL for the whole run, with durable settings. */
export interface World {
  /** Owner's URL of a database. */
  url: (database: string) => string;
  /** Clones a database without connections. */
  clone: (from: string, to: string) => Promise<void>;
  close: () => Promise<void>;
}

export async function createWorld(): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'regie-bench-'));
  await chmod(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const admin = createDatabase(postgres.url('postgres'), { max: 1 });
  return {
    url: (database) => postgres.url(database),
    clone: async (from, to) => {
      await sql`CREATE DATABASE ${sql.id(to)} TEMPLATE ${sql.id(from)} STRATEGY file_copy`.execute(admin);
    },
    close: async () => {
      await admin.destroy();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Migrates the template database and adds the admin who signs in. */
export async function migrateWorld(world: World): Promise<void> {
  const ownerUrl = world.url('regie');
  await migrate({ ownerUrl, appPassword: deriveAppPassword(secret) });
  const db = createDatabase(ownerUrl, { max: 1 });
  await createAdminWithAllCapabilities(db, { email, password, fname: 'Banc', lname: 'Mesure' });
  // Require no second factor: only speed is measured.
  await sql`INSERT INTO settings (key, value) VALUES ('secondFactor', '"optional"')`.execute(db);
  await db.destroy();
}

/** Creates a catalogue of releases with ten tracks each. */
export async function createCatalogue(
  world: World,
  database: string,
  size: { accounts: number; tracks: number },
): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  const tracksPerRelease = 10;
  // Search words and duplicates do not affect reports.
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`
    INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile)
    SELECT 'Prénom ' || n, 'Nom ' || n, 'compte' || n || '@exemple.fr', 70 + n % 4 * 5, 80 FROM generate_series(1, ${size.accounts}) n`.execute(
    db,
  );
  // One account in twenty has a referrer.
  await sql`
    INSERT INTO referrals (referrer_id, referred_id, percentile)
    SELECT n - 1, n, 5 FROM generate_series(20, ${size.accounts}, 20) n`.execute(db);
  await sql`
    INSERT INTO releases (account_id, title, status, barcode)
    SELECT 1 + n % ${size.accounts}, 'Sortie ' || n, 'delivered', lpad(n::text, 12, '0')
      FROM generate_series(1, ${Math.ceil(size.tracks / tracksPerRelease)}) n`.execute(db);
  await sql`
    INSERT INTO tracks (release_id, account_id, position, title, isrc)
    SELECT r.id, r.account_id, p, 'Titre ' || r.id || '-' || p, 'FRBCH' || lpad(((r.id - 1) * ${tracksPerRelease} + p)::text, 7, '0')
      FROM releases r, generate_series(1, ${tracksPerRelease}) p`.execute(db);
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}

/** Node's environment under `npm start` and `npm run serve`. */
export const nodeOptions = {
  execArgv: ['--max-semi-space-size=16'],
  env: {
    ...process.env,
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '8388608',
    NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'),
  },
};

/** A signed-in client of a server process for one database. */
export interface Client {
  address: string;
  headers: Record<string, string>;
  pid: number;
  db: Database;
  stop: () => Promise<void>;
}

/** @param filesDir folder of stored files; a new one by default */
export async function startServer(world: World, database: string, filesDir = ''): Promise<Client> {
  const ownerUrl = world.url(database);
  const child = fork(new URL('server.ts', import.meta.url), [ownerUrl, secret, filesDir], {
    ...nodeOptions,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return signIn(child, ownerUrl);
}

/** The same with a worker, as `npm run serve` starts it. */
export async function startWholeServer(world: World, database: string, dataDir: string): Promise<Client> {
  const port = await freePort();
  const child = fork(new URL('whole-server.ts', import.meta.url), {
    execArgv: nodeOptions.execArgv,
    env: {
      ...nodeOptions.env,
      DATABASE_URL: world.url(database),
      SESSION_SECRET: secret,
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      // All measurements share one session.
      REQUESTS_PER_MINUTE: '100000000',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return signIn(child, world.url(database));
}

async function signIn(child: ChildProcess, ownerUrl: string): Promise<Client> {
  const [{ address }] = (await once(child, 'message')) as [{ address: string }];
  const anonymous = await fetch(`${address}/api/auth/check`);
  const { csrf } = (await anonymous.json()) as { csrf: string };
  const answer = await fetch(`${address}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf, cookie: cookiesOf(anonymous) },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`sign-in answered ${answer.status}`);
  const cookie = cookiesOf(answer);
  const check = (await (await fetch(`${address}/api/auth/check`, { headers: { cookie } })).json()) as { csrf: string };
  const db = createDatabase(ownerUrl, { max: 2 });
  return {
    address,
    headers: { cookie, 'x-csrf-token': check.csrf },
    pid: child.pid ?? 0,
    db,
    stop: async () => {
      await db.destroy();
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

/** Peak resident memory of a process, bytes. */
export async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** Resident memory of a process, bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
