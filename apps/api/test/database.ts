import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { useLines } from './lines.ts';
import { databaseUrl, runAsAdmin } from './template.ts';

export type TestDatabase = {
  name: string;
  /** The owner's URL: for migrations, workers and set-up. */
  ownerUrl: string;
  /** The URL of the application's restricted login (`regie_app`). */
  appUrl: string;
};

/**
 * Gives the test file its own files and its own migrated, empty database, created before its tests and dropped after them. The URLs are
 * available at once; connect from `beforeAll` or a test.
 */
export function useDatabase(): TestDatabase {
  const { adminUrl, appPassword, template } = inject('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  useLines();
  beforeAll(() => runAsAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY = FILE_COPY`));
  afterAll(() => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return {
    name,
    ownerUrl: databaseUrl(adminUrl, name),
    appUrl: databaseUrl(adminUrl, name, { user: 'regie_app', password: appPassword }),
  };
}
