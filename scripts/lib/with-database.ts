import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@regie/api/env.ts';
import { createDatabase, type Database } from '@regie/api/lib/db.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword, readOrCreateSecret } from '@regie/api/lib/secrets.ts';
import {
  findRunningPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '@regie/embedded-postgres/embedded-postgres.ts';
import { CommandError, say } from './cli.ts';

export type DatabaseAccess = {
  ownerUrl: string;
  /** Password of the application's role, derived from the installation's secret. */
  appPassword: () => string;
};

type DatabaseNeed = {
  /** Whether to create an embedded database when DATA_DIR has none. */
  create: boolean;
  /** Whether to refuse while a server is running; otherwise its database is used. */
  exclusive?: boolean;
};

/** Runs `action` on DATABASE_URL, or on the embedded database, which is started if necessary. */
export async function withDatabase<Result>(
  env: Env,
  need: DatabaseNeed,
  action: (database: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  const appPassword = () => deriveAppPassword(secretOf(env));
  if (env.databaseUrl !== undefined) return await action({ ownerUrl: env.databaseUrl, appPassword });
  const runningUrl = need.exclusive ? undefined : await findRunningPostgres(env.dataDir);
  if (runningUrl !== undefined) return await action({ ownerUrl: runningUrl, appPassword });
  if (!need.create && !hasEmbeddedPostgres(env.dataDir)) {
    throw new CommandError(
      `Aucune base dans ${env.dataDir}\u00A0: indiquez le bon dossier par DATA_DIR, ou une base par DATABASE_URL.`,
    );
  }
  const server = await startEmbeddedPostgres({ dataDir: env.dataDir, log: say });
  try {
    return await action({ ownerUrl: server.url(), appPassword });
  } finally {
    await server.stop();
  }
}

/** The same with a connection of the owner, for commands that change records. */
export const withOwner = <Result>(
  env: Env,
  action: (db: Database, database: DatabaseAccess) => Promise<Result>,
  { max = 1, ...need }: Partial<DatabaseNeed> & { max?: number } = {},
): Promise<Result> =>
  withDatabase(env, { create: false, ...need }, async (database) => {
    const db = createDatabase(database.ownerUrl, { max });
    try {
      return await action(db, database);
    } finally {
      await db.destroy();
    }
  });

/** Runs `action` on a new database, in a folder that is deleted afterwards. */
export async function withNewDatabase(action: (ownerUrl: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'regie-'));
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  try {
    await migrate({ ownerUrl: server.url(), appPassword: 'for the length of this command' });
    await action(server.url(), folder);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A new secret on a production database would change the application's password under the server. */
function secretOf(env: Env): string {
  if (env.sessionSecret !== undefined) return env.sessionSecret;
  if (env.databaseUrl !== undefined) {
    throw new CommandError('SESSION_SECRET\u00A0: requis avec DATABASE_URL, le même que pour npm run serve.');
  }
  return readOrCreateSecret(env.dataDir);
}
