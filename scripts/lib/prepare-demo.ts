import type { Env } from '@regie/api/env.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { deriveAppPassword, readOrCreateSecret } from '@regie/api/lib/secrets.ts';
import { startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { CommandError, say } from './cli.ts';
import { chooseDemoAdmin, type DemoAdmin, fillDemoOnce, saveDemoAdmin, settleDemoAdmin } from './demo.ts';
import type { Lifecycle } from './lifecycle.ts';

export type PreparedDemo = {
  databaseUrl: string;
  sessionSecret: string;
  /** Undefined when the database is not the demo's. */
  admin: DemoAdmin | undefined;
};

/** Starts the embedded PostgreSQL for the command's lifetime, migrates it and fills it the first time. */
export async function prepareDemo(lifecycle: Lifecycle, env: Env): Promise<PreparedDemo> {
  const starting = startEmbeddedPostgres({ dataDir: env.dataDir, log: say });
  lifecycle.onStop(async () => {
    const server = await starting.catch(() => undefined);
    await server?.stop();
  });
  const postgres = await starting;
  void postgres.exited.then(() => {
    if (lifecycle.isStopping()) return;
    process.stderr.write(
      "PostgreSQL s'est arrêté de façon inattendue (voir postgres.log dans DATA_DIR)\u00A0: Régie s'arrête aussi.\n",
    );
    void lifecycle.stop(1);
  });
  const sessionSecret = env.sessionSecret ?? readOrCreateSecret(env.dataDir);
  const appPassword = deriveAppPassword(sessionSecret);
  const wantedPassword = process.env.DEMO_PASSWORD || undefined;
  const admin = await chooseDemoAdmin(env.dataDir, wantedPassword);
  const databaseUrl = postgres.url();
  if (await fillDemoOnce({ server: postgres, appPassword, storageUrl: env.storageUrl, admin, log: say })) {
    await saveDemoAdmin(env.dataDir, admin);
    return { databaseUrl, sessionSecret, admin };
  }
  await migrate({ ownerUrl: databaseUrl, appPassword });
  const settled = await settleDemoAdmin(databaseUrl, {
    dataDir: env.dataDir,
    admin,
    isPasswordWanted: wantedPassword !== undefined,
  });
  if (settled === admin) await saveDemoAdmin(env.dataDir, admin);
  return { databaseUrl, sessionSecret, admin: settled };
}

/** Prints the last lines of a start (product §37.1). */
export function printWelcome(origin: string, admin: DemoAdmin | undefined): void {
  say(`Régie: ${origin}`);
  if (admin === undefined) return;
  say(`E-mail: ${admin.email}`);
  say(`Mot de passe: ${admin.password}`);
}

/** Demo commands only use their own database. @throws CommandError that names the production command */
export function assertNoDatabaseUrl(env: Env, command: string): void {
  if (env.databaseUrl === undefined) return;
  throw new CommandError(
    `DATABASE_URL est défini\u00A0: ${command} ne sert que la démonstration, avec sa propre base. Lancez npm run serve.`,
  );
}
