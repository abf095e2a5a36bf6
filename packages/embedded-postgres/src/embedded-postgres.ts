import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertSameVersion, createCluster, passwordFile, readOrCreatePassword } from './cluster.ts';
import { findLockHolder, tryLock } from './folder-lock.mjs';
import { EmbeddedPostgresError, findPlace, isRoot, linkCluster } from './place.ts';
import {
  defaultDatabase,
  ensureDatabase,
  launch,
  readPidFile,
  rotateLog,
  stopOrphans,
  stopServer,
  urlFor,
} from './server.ts';

export type EmbeddedPostgres = {
  /** Owner's URL; of the database `regie` by default. */
  url: (database?: string) => string;
  /** Stops PostgreSQL after a checkpoint; may be called twice. */
  stop: () => Promise<void>;
  /** Resolves when PostgreSQL has ended for any reason. */
  exited: Promise<void>;
};

/**
 * Starts the project's own PostgreSQL in `dataDir`. It lives as long as this process: when this one is killed, even
 * with SIGKILL, PostgreSQL stops by itself.
 * @param options.settings override server settings; tests pass `fsync: 'off'`
 * @throws EmbeddedPostgresError when another process uses the same data or PostgreSQL cannot start
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log?: (line: string) => void;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { log = () => {}, settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  await fs.mkdir(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const place = await findPlace(dataDir);
  const lock = tryLock(lockOf(place.clusterDir));
  if ('holderPid' in lock) {
    throw new EmbeddedPostgresError(
      `Régie est déjà en marche sur ces données (dossier ${dataDir}, processus ${lock.holderPid})\u00A0: arrêtez-la avant de la relancer, ou choisissez un autre dossier avec DATA_DIR.`,
    );
  }
  try {
    await linkCluster(dataDir, place.clusterDir);
    const password = await readOrCreatePassword(dataDir, place);
    await stopOrphans(place.clusterDir, log);
    if (!existsSync(join(place.clusterDir, 'PG_VERSION'))) {
      log('Création de la base de données…');
      await createCluster(place, password, settings.fsync === 'off');
    }
    await assertSameVersion(place);
    const logFile = join(dataDir, 'postgres.log');
    await rotateLog(logFile);
    const server = await launch(place, logFile, settings, log);
    let stopping: Promise<void> | undefined;
    const url = (database = defaultDatabase) => urlFor(password, server.port, database);
    const running: EmbeddedPostgres = {
      url,
      exited: server.exited,
      stop: () => (stopping ??= stopServer(server.child, server.exited, place.clusterDir)),
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

/** The URL of the server that another process of ours runs on this folder, if any. */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  const absolute = resolve(dataDir);
  const clusterDir = await fs.realpath(join(absolute, 'postgres')).catch(() => undefined);
  if (clusterDir === undefined || findLockHolder(lockOf(clusterDir)) === undefined) return undefined;
  const state = await readPidFile(clusterDir);
  if (!state?.isReady) return undefined;
  return urlFor((await fs.readFile(passwordFile(absolute), 'utf8')).trim(), state.port, defaultDatabase);
}

export const hasEmbeddedPostgres = (dataDir: string): boolean =>
  existsSync(join(resolve(dataDir), 'postgres', 'PG_VERSION'));

const lockOf = (clusterDir: string) => `${clusterDir}.lock`;
