import { createDatabase } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import { medianTimes } from './lists.ts';
import { startServer, type World } from './world.ts';

/** Median times, ms, of the first page of a long and a short account statement. */
export async function compareStatements(
  world: World,
  database: string,
  size: { many: number; few: number; repeats: number },
): Promise<[long: number, short: number]> {
  const db = createDatabase(world.url(database), { max: 1 });
  const ids: number[] = [];
  for (const movements of [size.many, size.few]) {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO accounts (first_name, last_name, library_percentile, youtube_percentile)
      VALUES ('Relevé', ${String(movements)}, 80, 80) RETURNING id`.execute(db);
    const id = rows[0]?.id ?? 0;
    await sql`
      WITH posted AS (
        INSERT INTO ledger_transactions (kind, account_id, occurred_at, memo)
        SELECT 'adjustment', ${id}, now() - n * interval '7 minutes', 'Mouvement ' || n
          FROM generate_series(1, ${movements}::integer) n
        RETURNING id, occurred_at)
      INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
      SELECT p.id, side.account, 'EUR', side.amount, p.occurred_at
        FROM posted p, (VALUES (${`account:${id}`}, 0.5), ('adjustment', -0.5)) AS side (account, amount)`.execute(db);
    ids.push(id);
  }
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
  const client = await startServer(world, database);
  const [long = 0, short = 0] = await medianTimes(
    ids.map((id) => ({ client, path: `/accounts/statement?userId=${id}&limit=50` })),
    size.repeats,
  );
  await client.stop();
  return [long, short];
}
