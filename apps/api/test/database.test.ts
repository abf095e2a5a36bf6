import { Client } from 'pg';
import { expect, it } from 'vitest';
import { useDatabase } from './database.ts';

const database = useDatabase();

async function firstRow(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows[0];
  } finally {
    await client.end();
  }
}

it('gives this file a database of its own, under both logins', async () => {
  const who = 'SELECT current_database() AS database, current_user AS login';
  expect(await firstRow(database.appUrl, who)).toEqual({ database: database.name, login: 'regie_app' });
  expect(await firstRow(database.ownerUrl, who)).toMatchObject({ database: database.name });
});

it('refuses the application what only the owner may do', async () => {
  await expect(firstRow(database.appUrl, 'CREATE TABLE public.intruder ()')).rejects.toThrow(/permission denied/);
});
