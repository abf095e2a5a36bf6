import { join } from 'node:path';
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { createDatabase, type Database, queryRows } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { sql } from 'kysely';
import { medianTimes } from './lists.ts';
import { type Client, startServer, type World } from './world.ts';

const step = 10_000_000;
const copyOf = (column: string) => `${column} + k * ${step}`;
const accountOf = `CASE WHEN account ~ '[0-9]+$'
  THEN regexp_replace(account, '[0-9]+$', '') || (substring(account FROM '[0-9]+$')::bigint + k * ${step}) ELSE account END`;

/** What the copies have instead of the column; other columns are copied. */
const tables: Record<string, Record<string, string>> = {
  accounts: { id: copyOf('id'), email: 'NULL' },
  releases: { id: copyOf('id'), account_id: copyOf('account_id'), barcode: 'NULL', cover_file_id: 'NULL' },
  tracks: {
    ...{ id: copyOf('id'), release_id: copyOf('release_id'), account_id: copyOf('account_id') },
    ...{ isrc: 'NULL', audio_file_id: 'NULL', youtube_video_id: 'NULL' },
  },
  statement_sums: { item: `item || '~' || k`, track_id: copyOf('track_id') },
  reports: { id: copyOf('id'), track_id: copyOf('track_id'), account_id: copyOf('account_id') },
  ledger_transactions: { id: copyOf('id'), account_id: copyOf('account_id'), reverses: copyOf('reverses') },
  ledger_postings: { transaction_id: copyOf('transaction_id'), account: accountOf },
};
const sums = ['statement_months', 'statement_postings', 'statement_rollups'];

/** Accounts, catalogue, reports and ledger `times` over, in the same statements. */
async function multiply(db: Database, times: number): Promise<void> {
  await sql`SET session_replication_role = replica`.execute(db);
  const columnsOf = (table: string) => queryRows<{ name: string; isNumeric: boolean }>(db)`
    SELECT column_name AS name, data_type = 'numeric' OR column_name LIKE '%sums' AS is_numeric
      FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ${table} AND is_generated = 'NEVER'`;
  for (const [table, changed] of Object.entries(tables)) {
    const names = (await columnsOf(table)).map(({ name }) => name);
    const values = names.map((name) => changed[name] ?? name);
    await sql`INSERT INTO ${sql.table(table)} (${sql.raw(names.join(', '))}) OVERRIDING SYSTEM VALUE
              SELECT ${sql.raw(values.join(', '))} FROM ${sql.table(table)}, generate_series(1, ${times - 1}) k`.execute(
      db,
    );
  }
  for (const table of sums) {
    const names = (await columnsOf(table)).filter(({ isNumeric }) => isNumeric).map(({ name }) => name);
    await sql`UPDATE ${sql.table(table)} SET ${sql.raw(names.map((name) => `${name} = ${name} * ${times}`).join(', '))}`.execute(
      db,
    );
  }
  await sql`VACUUM ANALYZE`.execute(db);
}

/** The subject of each kind that earned most, over the last two months that are posted. */
async function listQuestions({ db }: Client): Promise<{ subject: string; path: string }[]> {
  const [last] = await queryRows<{ a: number; b: number }>(db)`
    SELECT (extract(epoch FROM month - interval '1 month') * 1000)::float8 AS a, (extract(epoch FROM month) * 1000)::float8 AS b
      FROM imports WHERE kind = 'automatic' ORDER BY month DESC LIMIT 1`;
  const largest = await queryRows<{ subject: string; value: string }>(db)`
    SELECT DISTINCT ON (subject) subject, value
      FROM reports r
      JOIN tracks t ON t.id = r.track_id
     CROSS JOIN LATERAL (VALUES ('account', r.account_id), ('release', t.release_id), ('track', t.id)) AS v (subject, id)
     CROSS JOIN LATERAL (SELECT v.id::text AS value) w
     GROUP BY subject, value ORDER BY subject, sum(r.gross_eur) DESC`;
  const between = `a=${last?.a}&b=${last?.b}&months=1`;
  return [...largest, { subject: 'store', value: 'Spotify' }].map(({ subject, value }) => ({
    subject,
    path:
      subject === 'account'
        ? `/profile/${value}/compare?${between}`
        : `/reporting/compare?subject=${subject}&value=${value}&${between}`,
  }));
}

/** Times of "Pourquoi moins ?", ms, on the demo and on the demo `times` over. */
export async function compareExplanations(world: World, root: string, times: number, repeats: number) {
  await world.clone('regie', 'demo');
  await loadDemo({
    ownerUrl: world.url('demo'),
    storage: createStorage(`file:${join(root, 'files')}`),
    scale: 1,
    log: () => undefined,
  });
  await world.clone('demo', 'demo-many');
  const db = createDatabase(world.url('demo-many'), { max: 1 });
  await multiply(db, times);
  await db.destroy();
  const [few, many] = [await startServer(world, 'demo'), await startServer(world, 'demo-many')];
  const measured = [];
  for (const { subject, path } of await listQuestions(few)) {
    const [fewMs = Number.NaN, manyMs = Number.NaN] = await medianTimes(
      [few, many].map((client) => ({ client, path })),
      repeats,
    );
    measured.push({ subject, fewMs, manyMs });
  }
  await Promise.all([few.stop(), many.stop()]);
  return measured;
}
