import { fileURLToPath } from 'node:url';
import type { Env } from '@regie/api/env.ts';
import { deriveAppPassword, readOrCreateSecret } from '@regie/api/lib/secrets.ts';
import { CommandError, say } from './cli.ts';
import { findRunningPostgres, hasEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

export type DatabaseAccess = {
  ownerUrl: string;
  /** Password of the application's role, which follows the secret of the installation. */
  appPassword: () => string;
};

export type DatabaseNeed = {
  /** Whether an embedded database may be created when DATA_DIR has none. */
  create: boolean;
  /** Whether a running server stands in the way; without it the command uses that server's database. */
  exclusive?: boolean;
};

/** Runs `action` on DATABASE_URL or, without it, on the embedded database: the one in use now, or one started for it. */
export async function withDatabase<Result>(
  env: Env,
  need: DatabaseNeed,
  action: (database: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  const appPassword = () => deriveAppPassword(secretOf(env));
  if (env.databaseUrl !== undefined) return await action({ ownerUrl: env.databaseUrl, appPassword });
  const running = need.exclusive === true ? undefined : await findRunningPostgres(env.dataDir);
  if (running !== undefined) return await action({ ownerUrl: running.url, appPassword });
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

/**
 * The secret the server runs with. A tool on a production database must not invent another one: the application's
 * password would change under the running server.
 */
function secretOf(env: Env): string {
  if (env.sessionSecret !== undefined) return env.sessionSecret;
  if (env.databaseUrl !== undefined) {
    throw new CommandError('SESSION_SECRET\u00A0: requis avec DATABASE_URL, le même que pour npm run serve.');
  }
  return readOrCreateSecret(env.dataDir);
}

/** The local folder of covers and audio; undefined when STORAGE_URL names another kind of store. */
export function filesDirOf(env: Env): string | undefined {
  return env.storageUrl.startsWith('file:') ? fileURLToPath(env.storageUrl) : undefined;
}
