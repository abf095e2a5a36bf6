import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { constants as osConstants, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { lastLines, role, serverEnvironment } from './cluster.ts';
import { EmbeddedPostgresError, type Place } from './place.ts';

/** The running server, and what a killed start leaves behind. */

export const defaultDatabase = 'regie';
const startTimeoutMs = 10 * 60_000;
const stopTimeoutMs = 90_000;

export function urlFor(password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

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

/** A shell waits on our pipe: when it closes for any reason, the postmaster gets a fast shutdown. */
const supervisor = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -INT $server; } &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status`;

export async function launch(
  place: Place,
  logFile: string,
  ownSettings: Record<string, string>,
  log: (line: string) => void,
) {
  const sharedMemory = await fs.statfs('/dev/shm').catch(() => undefined);
  const settings = {
    ...defaultSettings(sharedMemory === undefined ? 0 : sharedMemory.bavail * sharedMemory.bsize),
    ...ownSettings,
  };
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
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
    const exited = once(child, 'exit').then(
      () => undefined,
      () => undefined,
    );
    child.stdin?.on('error', () => {});
    await output.close();
    if (await waitUntilReady(place.clusterDir, child, exited, log)) return { child, port, exited };
    await stopServer(child, exited, place.clusterDir);
    const logged = (await fs.readFile(logFile)).subarray(logStart).toString('utf8');
    const portWasTaken = /could not bind|Address already in use/.test(logged);
    if (!portWasTaken || attempt === 5) {
      throw new EmbeddedPostgresError(
        `PostgreSQL n'a pas pu démarrer\u00A0:\n${lastLines(logged)}\n(journal complet\u00A0: ${logFile})`,
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
  let isLogged = false;
  while (!hasEnded && Date.now() - startedAt < startTimeoutMs) {
    const state = await readPidFile(clusterDir);
    if (state?.isReady && (await parentOf(state.pid)) === child.pid) return true;
    if (!isLogged && Date.now() - startedAt > 5_000) {
      isLogged = true;
      log('PostgreSQL relit son journal après un arrêt brutal…');
    }
    await delay(20);
  }
  return false;
}

export async function stopServer(child: ChildProcess, exited: Promise<void>, clusterDir: string): Promise<void> {
  child.stdin?.end();
  const timer = setTimeout(() => {
    void readPidFile(clusterDir).then((state) => {
      if (state !== undefined) signal(state.pid, 'SIGQUIT');
    });
  }, stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}

export async function ensureDatabase(url: (database?: string) => string): Promise<void> {
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

/** Process, port and state from lines 1, 4 and 8 of postmaster.pid. */
export async function readPidFile(clusterDir: string) {
  const text = await fs.readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/**
 * While we hold the lock, any PostgreSQL on this cluster has lost its owner. Its pid file goes too: the pid may belong
 * to another program.
 */
export async function stopOrphans(clusterDir: string, log: (line: string) => void): Promise<void> {
  let isAsked = false;
  const startedAt = Date.now();
  let hasForced = false;
  for (;;) {
    const pids = await findProcessesIn(clusterDir);
    if (pids.length === 0) break;
    if (!isAsked) {
      isAsked = true;
      log('Arrêt du PostgreSQL laissé par un arrêt brutal…');
      const noted = (await readPidFile(clusterDir))?.pid;
      if (noted !== undefined && pids.includes(noted)) signal(noted, 'SIGINT');
    }
    const waitedMs = Date.now() - startedAt;
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
  if (process.platform !== 'linux') {
    const noted = (await readPidFile(clusterDir))?.pid;
    const folder = noted && / -D (.+?) -p /.exec(askPs(noted, 'args'))?.[1];
    return noted && folder && (await fs.realpath(folder).catch(() => '')) === wanted ? [noted] : [];
  }
  const pids: number[] = [];
  for (const name of await fs.readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const folder = await fs.readlink(`/proc/${name}/cwd`).catch(() => '');
    if (folder !== wanted) continue;
    const program = await fs.readlink(`/proc/${name}/exe`).catch(() => '');
    if (basename(program).startsWith('postgres')) pids.push(Number(name));
  }
  return pids;
}

async function parentOf(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return Number(askPs(pid, 'ppid')) || undefined;
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(parent) && parent > 0 ? parent : undefined;
}

/** For systems without /proc. */
function askPs(pid: number, field: 'args' | 'ppid'): string {
  return spawnSync('ps', ['-ww', '-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, osConstants.signals[name]);
  } catch {
    // The process has ended.
  }
}

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export async function rotateLog(logFile: string): Promise<void> {
  const size = (await fs.stat(logFile).catch(() => undefined))?.size ?? 0;
  if (size > 10 * 1024 ** 2) await fs.rename(logFile, `${logFile}.1`);
}
