import { migrate } from '@regie/api/lib/migrate.ts';
import { Client } from 'pg';
import type { RowTypes } from './row-types.ts';

/** Connection of the tests' PostgreSQL, provided to every test file of the project `api`. */
export type TestPostgres = {
  /** Owner's URL of the maintenance database. */
  adminUrl: string;
  /** Password of the application's role. */
  appPassword: string;
  template: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres;
    /** Empty when a part of the tests runs: reading them takes some seconds. */
    rowTypes: RowTypes;
  }
}

/** The URL with another database or login. */
export function databaseUrl(url: string, database: string, login?: { user: string; password: string }): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (login) {
    changed.username = login.user;
    changed.password = login.password;
  }
  return changed.href;
}

/** Creates and migrates the template that each test file's database is cloned from. */
export async function createTemplate({ adminUrl, appPassword, template }: TestPostgres): Promise<void> {
  await runAsAdmin(adminUrl, `CREATE DATABASE ${template}`);
  await migrate({ ownerUrl: databaseUrl(adminUrl, template), appPassword });
  // Most tests sign in with a password only; tests of second factors set this.
  await runAsAdmin(
    databaseUrl(adminUrl, template),
    `INSERT INTO settings (key, value) VALUES ('secondFactor', '"optional"')`,
  );
  // An open connection to the template would block cloning.
  await runAsAdmin(adminUrl, `ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
}

/** Runs one statement on its own connection (CREATE and DROP DATABASE cannot run in a transaction). */
export async function runAsAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
