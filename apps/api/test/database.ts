import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { databaseUrl, runAsAdmin } from './template.ts';

export type TestDatabase = {
  name: string;
  /** Login of the owner: migrations, workers, anything a test has to arrange. */
  ownerUrl: string;
  /** Login of the application (`regie_app`), with its restricted rights. */
  appUrl: string;
};

/**
 * Gives the test file a migrated, empty database of its own: created before its tests, dropped after them. The
 * addresses are known at once; connect from `beforeAll` or from a test.
 */
export function useDatabase(): TestDatabase {
  const { adminUrl, appPassword, template } = inject('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  beforeAll(() => runAsAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`));
  afterAll(() => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return {
    name,
    ownerUrl: databaseUrl(adminUrl, name),
    appUrl: databaseUrl(adminUrl, name, { user: 'regie_app', password: appPassword }),
  };
}
