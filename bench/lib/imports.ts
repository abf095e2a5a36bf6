import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { maxBatchRows } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { Client as PgClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Client, residentBytes, type World } from './world.ts';

export interface Imported {
  rows: number;
  seconds: number;
  /** Peak resident memory of the server during the import, minus that before; bytes. */
  memoryGrowthBytes: number;
}

const inFlight = 2;

/** Batches of a file of `rows` tracks, in an order different from the tables'. */
function* batches(rows: number, tracks: number): Generator<{ index: number; body: string }> {
  const step = 7919; // prime to every size used, so each track comes once
  for (let first = 0, index = 0; first < rows; first += maxBatchRows, index += 1) {
    const list = [];
    for (let row = first; row < Math.min(rows, first + maxBatchRows); row += 1) {
      // Spread over the whole catalogue, also for small files.
      const track = ((row * step) % tracks) + 1;
      list.push({
        isrc: `FRBCH${String(track).padStart(7, '0')}`,
        numOfStreams: (track * 37) % 100_000,
        incomeOfStreams: `${track % 300}.${String((track * 104_729) % 100_000_000).padStart(8, '0')}`,
        numOfDownloads: track % 7,
        incomeOfDownloads: track % 5 === 0 ? '0.7' : '0',
        numOfYoutube: track % 1000,
        incomeOfYoutube: `0.${String(track % 10_000).padStart(6, '0')}`,
      });
    }
    yield { index, body: JSON.stringify(list) };
  }
}

/** Imports a file like the browser: batches of 5 000 rows, two in flight, each with its key. */
export async function importFile(
  client: Client,
  file: { rows: number; tracks: number; month: string },
): Promise<Imported> {
  const { rows, tracks, month } = file;
  const sha256 = createHash('sha256').update(`${rows} ${month}`).digest('hex');
  const total = Math.ceil(rows / maxBatchRows);
  const before = await residentBytes(client.pid);
  let highest = before;
  const watch = setInterval(() => {
    void residentBytes(client.pid).then((bytes) => {
      highest = Math.max(highest, bytes);
    });
  }, 100);
  const source = batches(rows, tracks);
  const start = performance.now();
  const send = async () => {
    for (const { index, body } of source) {
      const query = new URLSearchParams({
        date: String(monthToMs(month)),
        import: sha256,
        batch: String(index),
        batches: String(total),
        name: `mesure-${month}.csv`,
      });
      const response = await fetch(`${client.address}/api/reporting/csv?${query}`, {
        method: 'POST',
        headers: {
          ...client.headers,
          'content-type': 'application/json',
          'idempotency-key': `${sha256}-${month}-${index}`,
        },
        body,
      });
      if (!response.ok) throw new Error(`batch ${index} answered ${response.status}: ${await response.text()}`);
      await response.json();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, send));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  return { rows, seconds, memoryGrowthBytes: highest - before };
}

// Generated columns are omitted: the tables compute them. A trigger computes balances from postings, in both cases.
const tables: Record<string, string> = {
  imports: '*',
  import_batches: '*',
  import_unsaved_rows: '*',
  reports: `id, type, month, import_id, track_id, account_id, num_streams, income_streams_usd, num_downloads,
    income_downloads_usd, num_youtube, income_youtube_usd, percentile, gross_eur, account_eur, referrals_eur, platform_eur,
    created_at, reversed_at`,
  report_referral_shares: '*',
  ledger_transactions: '*',
  ledger_postings: '*',
  audit_log: 'id, at, admin_id, action, entity, entity_id, before, after, request_id, address, agent',
  idempotency_keys: '*',
};

async function withConnections<Result>(
  world: World,
  from: string,
  to: string,
  run: (copy: { source: PgClient; target: PgClient; folder: string }) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'regie-copy-'));
  const source = new PgClient({ connectionString: world.url(from) });
  const target = new PgClient({ connectionString: world.url(to) });
  await Promise.all([source.connect(), target.connect()]);
  try {
    return await run({ source, target, folder });
  } finally {
    await Promise.all([source.end(), target.end()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function saveTuples(source: PgClient, file: string, table: string, where = ''): Promise<void> {
  const stream = source.query(copyTo(`COPY (SELECT ${tables[table]} FROM ${table} ${where}) TO STDOUT`));
  await pipeline(stream, createWriteStream(file));
}

async function copyTuples(target: PgClient, file: string, table: string): Promise<void> {
  const columns = tables[table];
  const list = columns === '*' ? '' : `(${columns})`;
  await pipeline(
    createReadStream(file, { highWaterMark: 1 << 20 }),
    target.query(copyFrom(`COPY ${table} ${list} FROM STDIN`)),
  );
}

/** The column by which a table's rows are numbered, or the table whose numbers they name. */
const numbers: Record<string, [column: string, table: string]> = {
  imports: ['id', 'imports'],
  import_batches: ['import_id', 'imports'],
  import_unsaved_rows: ['import_id', 'imports'],
  reports: ['id', 'reports'],
  report_referral_shares: ['report_id', 'reports'],
  ledger_transactions: ['id', 'ledger_transactions'],
  ledger_postings: ['transaction_id', 'ledger_transactions'],
  audit_log: ['id', 'audit_log'],
};

/** SQL by table of the rows that are written after this call. */
export async function findLater({ db }: Client): Promise<Map<string, string>> {
  const last = async (name: string) =>
    (await sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ${sql.table(name)}`.execute(db)).rows[0]?.id;
  const later = new Map<string, string>();
  for (const [table, [column, of]] of Object.entries(numbers)) later.set(table, `WHERE ${column} > ${await last(of)}`);
  const { rows } = await sql<{ at: string }>`SELECT now()::text AS at`.execute(db);
  return later.set('idempotency_keys', `WHERE created_at > '${rows[0]?.at}'`);
}

/** Seconds to COPY the rows of an import or a posting into the same tables of a database without them. */
export async function copyFloor(world: World, from: string, to: string, later: Map<string, string>): Promise<number> {
  return withConnections(world, from, to, async ({ source, target, folder }) => {
    const names = Object.keys(tables);
    for (const table of names) await saveTuples(source, join(folder, table), table, later.get(table));
    // As before the measured act.
    await target.query('CHECKPOINT');
    const start = performance.now();
    await target.query('BEGIN');
    for (const table of names) await copyTuples(target, join(folder, table), table);
    await target.query('COMMIT');
    return (performance.now() - start) / 1000;
  });
}

/** Seconds to COPY only the reports into an empty table. */
export async function copyReportsFloor(world: World, from: string, to: string): Promise<number> {
  return withConnections(world, from, to, async ({ source, target, folder }) => {
    for (const table of ['imports', 'reports']) await saveTuples(source, join(folder, table), table);
    await copyTuples(target, join(folder, 'imports'), 'imports');
    const start = performance.now();
    await copyTuples(target, join(folder, 'reports'), 'reports');
    return (performance.now() - start) / 1000;
  });
}

/** Ledger transactions of imports per account credited by their reports. */
export async function transactionsPerAccount({ db }: Client): Promise<number> {
  const { rows } = await sql<{ ratio: number }>`
    SELECT (SELECT count(*) FROM ledger_transactions WHERE import_id IS NOT NULL)::float8
           / (SELECT count(DISTINCT account_id) FROM reports) AS ratio`.execute(db);
  return rows[0]?.ratio ?? Number.NaN;
}
