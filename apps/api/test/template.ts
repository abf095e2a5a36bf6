import { migrate } from '@regie/api/lib/migrate.ts';
import { Client } from 'pg';

/** Where the tests' PostgreSQL is; provided to every test file of the project `api`. */
export type TestPostgres = {
  /** Owner's address of the maintenance database. */
  adminUrl: string;
  /** Password of the role the application logs in as. */
  appPassword: string;
  template: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres;
  }
}

/** The same server, another database or another login. */
export function databaseUrl(url: string, database: string, login?: { user: string; password: string }): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (login) {
    changed.username = login.user;
    changed.password = login.password;
  }
  return changed.href;
}

/** Creates and migrates the database that every test file's own one is cloned from. */
export async function createTemplate({ adminUrl, appPassword, template }: TestPostgres): Promise<void> {
  await runAsAdmin(adminUrl, `CREATE DATABASE ${template}`);
  await migrate({ ownerUrl: databaseUrl(adminUrl, template), appPassword });
  // Most tests sign in with a password alone; those of second factors say what they ask for.
  await runAsAdmin(
    databaseUrl(adminUrl, template),
    `INSERT INTO settings (key, value) VALUES ('secondFactor', '"optional"')`,
  );
  // Refusing connections keeps a forgotten one from blocking the clones.
  await runAsAdmin(adminUrl, `ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
}

/** Runs one statement on a connection of its own (CREATE and DROP DATABASE allow no transaction). */
export async function runAsAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
