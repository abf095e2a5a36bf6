import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useDatabase } from '#test/database.ts';
import { createDatabase } from './db.ts';

const database = useDatabase();

it('survives the end of its connections, idle or at work, and connects again', async () => {
  const db = createDatabase(database.appUrl, { max: 2 });
  const owner = createDatabase(database.ownerUrl, { max: 1 });
  await sql`SELECT 1`.execute(db);
  const atWork = sql`SELECT pg_sleep(20)`.execute(db).catch((error: unknown) => error);
  const isAtWork = () =>
    sql`SELECT 1 FROM pg_stat_activity WHERE usename = 'regie_app' AND datname = current_database() AND query LIKE '%pg_sleep%'`.execute(
      owner,
    );
  await expect.poll(async () => (await isAtWork()).rows.length).toBe(1);
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'regie_app' AND datname = current_database()`.execute(
    owner,
  );
  expect(await atWork).toMatchObject({ code: '57P01' });
  expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await Promise.all([db.destroy(), owner.destroy()]);
});
