import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { literal } from '@regie/api/lib/column-engine.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { createFolderStorage, newStorageKey } from '@regie/api/lib/storage.ts';
import { createLineStore } from '@regie/api/modules/income/lines/lines.service.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { medianTimes } from './lists.ts';
import { rowsPerTrack } from './store-files.ts';
import { startServer, type World } from './world.ts';

/** The month that is asked for; the others come before it. */
const asked = '2025-01';
const period = `from=${monthToMs(asked)}&to=${monthToMs(asked)}`;
const questions = [
  `rows=store&columns=country&measure=euros&${period}`,
  `rows=track&columns=store&measure=euros&${period}`,
  `rows=account&measure=euros&${period}`,
  `rows=country&columns=month&measure=quantity&${period}&store=Store%203`,
];

const monthBefore = (months: number) => {
  const at = new Date(Date.UTC(2025, -months, 1));
  return at.toISOString().slice(0, 10);
};

/** Lines of one statement and month as a file in the storage, fifty for each track. */
async function writeMonth(filesDir: string, month: string, lines: number): Promise<{ key: string; bytes: number }> {
  const storage = createFolderStorage(filesDir);
  const store = createLineStore({ storage, folder: join(filesDir, '..', 'lines') });
  await using folder = await store.makeFolder();
  const path = join(folder.path, 'lines.parquet');
  const part = (seed: number, below: number) => `(hash(i * 4 + ${seed}) % ${below})`;
  await store.engine.run([
    `COPY (SELECT DATE ${literal(month)} AS month, 'Store ' || ${part(0, 12)} AS store, 'C' || ${part(1, 60)} AS country,
                  'FRBCH' || lpad((i // ${rowsPerTrack} + 1)::VARCHAR, 7, '0') AS item, 'stream' AS kind, 'USD' AS currency,
                  ${part(2, 300)}::DECIMAL(38,18) AS quantity, 0::DECIMAL(38,0) AS quantity_rest,
                  (${part(3, 9_999_999)}::DECIMAL(38,18) / 1000000000)::DECIMAL(38,18) AS amount, 0::DECIMAL(38,0) AS amount_rest,
                  1::INTEGER AS rows, i + 2 AS first_line
             FROM range(${lines}) AS lines (i) ORDER BY item, store, country, kind, currency, first_line)
       TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
  ]);
  const { size: sizeBytes } = await stat(path);
  const key = newStorageKey('lines', 'parquet');
  await storage.putFile(key, { path, sizeBytes, isSettled: true }, Buffer.alloc(0));
  await store.close();
  return { key, bytes: sizeBytes };
}

/** Statements of so many months, each with its sums. */
async function createMonths(world: World, database: string, filesDir: string, size: { months: number; lines: number }) {
  const db = createDatabase(world.url(database), { max: 1 });
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`
    INSERT INTO income_items (key, isrc, title, artist, track_id, unmatched)
    SELECT isrc, isrc, title, '', id, NULL FROM tracks`.execute(db);
  let bytes = 0;
  for (let before = size.months - 1; before >= 0; before -= 1) {
    const month = monthBefore(before);
    const file = await writeMonth(filesDir, month, size.lines);
    bytes += file.bytes;
    await sql`
      WITH f AS (INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256)
                 VALUES (${file.key}, 'lines', 'lines', 'application/vnd.apache.parquet', ${file.bytes}, sha256(${file.key}::bytea)) RETURNING id),
           s AS (INSERT INTO statements (file_name, size_bytes, sha256, status, source, preset, loaded_at, rows, counted_rows, lines)
                 VALUES (${month}, 1, sha256(${file.key}::bytea), 'loaded', 'DistroKid', 'distrokid', now(), ${size.lines}, ${size.lines}, ${size.lines}) RETURNING id),
           m AS (INSERT INTO statement_months (statement_id, month, currency, amount, unmatched_amount, posted_amount, sums, unmatched_sums, posted_sums)
                 SELECT id, ${month}::date, 'USD', 1, 0, 0, 1, 0, 0 FROM s),
           u AS (INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows, track_id)
                 SELECT s.id, ${month}::date, i.key, 'stream', 'USD', 1, 1, 1, i.track_id FROM s, income_items i)
      INSERT INTO statement_line_files (statement_id, month, file_id, lines) SELECT s.id, ${month}::date, f.id, ${size.lines} FROM s, f`.execute(
      db,
    );
  }
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
  return bytes;
}

export interface PivotMeasured {
  question: string;
  fewMs: number;
  manyMs: number;
}

/** Questions of one month, where it is the only one and where it is the last of many. */
export async function compareMonths(
  world: World,
  catalogue: string,
  root: string,
  size: { months: number; lines: number; repeats: number },
): Promise<{ bytes: number; measured: PivotMeasured[] }> {
  const sides = [
    { database: 'pivot-few', months: 1 },
    { database: 'pivot-many', months: size.months },
  ];
  let bytes = 0;
  const clients = [];
  for (const { database, months } of sides) {
    await world.clone(catalogue, database);
    const filesDir = join(root, database, 'files');
    bytes = await createMonths(world, database, filesDir, { ...size, months });
    clients.push(await startServer(world, database, filesDir));
  }
  const measured: PivotMeasured[] = [];
  for (const question of questions) {
    const [fewMs = 0, manyMs = 0] = await medianTimes(
      clients.map((client) => ({ client, path: `/reporting/analytics/pivot?${question}` })),
      size.repeats,
    );
    measured.push({ question: question.replace(`&${period}`, ''), fewMs, manyMs });
  }
  for (const client of clients) await client.stop();
  return { bytes, measured };
}
