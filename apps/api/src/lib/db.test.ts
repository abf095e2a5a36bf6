import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useDatabase } from '#test/database.ts';
import { createDatabase } from './db.ts';

const database = useDatabase();

it('rejects a transaction whose connection is lost, and reconnects', async () => {
  const db = createDatabase(database.appUrl, { max: 1 });
  const owner = createDatabase(database.ownerUrl, { max: 1 });
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx);
    const pid = rows[0]?.pid ?? 0;
    await sql`SELECT pg_terminate_backend(${pid})`.execute(owner);
    const isThere = async () =>
      (await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`.execute(owner)).rows.length;
    await expect.poll(isThere).toBe(0);
    await sql`SELECT 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await Promise.all([db.destroy(), owner.destroy()]);
});

it('sets TCP keepalives, so that PostgreSQL ends the sessions of lost machines', async () => {
  const db = createDatabase(database.appUrl, { max: 1 });
  const { rows } = await sql`
    SELECT current_setting('tcp_keepalives_idle') AS idle, current_setting('tcp_keepalives_interval') AS interval,
           current_setting('tcp_keepalives_count') AS count`.execute(db);
  expect(rows).toEqual([{ idle: '10', interval: '5', count: '3' }]);
  await db.destroy();
});
