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

it('creates a database for this file with both logins', async () => {
  const who = 'SELECT current_database() AS database, current_user AS login';
  expect(await firstRow(database.appUrl, who)).toEqual({ database: database.name, login: 'regie_app' });
  expect(await firstRow(database.ownerUrl, who)).toMatchObject({ database: database.name });
});

it('refuses the application role the rights of the owner', async () => {
  await expect(firstRow(database.appUrl, 'CREATE TABLE public.intruder ()')).rejects.toThrow(/permission denied/);
});

it("owner's functions never use temporary tables of the application", async () => {
  const functions = `SELECT oid::regprocedure::text AS name FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prosecdef
      AND NOT coalesce('search_path=public, pg_temp' = ANY(proconfig), false) LIMIT 1`;
  expect(await firstRow(database.ownerUrl, functions)).toBeUndefined();
});
