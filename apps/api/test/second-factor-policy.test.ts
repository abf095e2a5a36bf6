import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, expect, inject, it } from 'vitest';
import { migrate } from '#src/lib/migrate.ts';
import { databaseUrl, runAsAdmin } from './template.ts';

const { adminUrl, appPassword } = inject('postgres');
const name = `test_${randomUUID().replaceAll('-', '')}`;
const ownerUrl = databaseUrl(adminUrl, name);
afterEach(() => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));

/** Migrates an empty database in two steps. @returns the stored setting of second factors */
async function upgrade(between: string): Promise<unknown> {
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`);
  await migrate({ ownerUrl, appPassword, upTo: '064_declared_amounts' });
  await runAsAdmin(ownerUrl, between);
  await migrate({ ownerUrl, appPassword });
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ value: unknown }>(`SELECT value FROM settings WHERE key = 'secondFactor'`);
  await client.end();
  return rows[0]?.value;
}

it('an installation that has admins when it is upgraded keeps second factors optional', async () => {
  const admin = `INSERT INTO admins (first_name, last_name, email, password_hash) VALUES ('A', 'B', 'a@b.fr', 'x')`;
  expect(await upgrade(admin)).toBe('optional');
});

it('a new one stores nothing: the default holds', async () => {
  expect(await upgrade('SELECT 1')).toBeUndefined();
});
