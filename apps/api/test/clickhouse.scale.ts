import { createReadStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseClient, type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client';
import { type PivotDimension, pivotDimensions, pivotMeasures } from '@regie/contract/analytics.ts';
import { pivotMessages } from '@regie/contract/routes/analytics.ts';
import { monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClickHouseAddress } from '#src/lib/clickhouse-address.ts';
import { literal } from '#src/lib/column-engine.ts';
import { createStorage } from '#src/lib/open-storage.ts';
import type { Storage } from '#src/lib/storage.ts';
import { type AnalyticsEngine, localEngine } from '#src/modules/income/analytics/analytics-engine.service.ts';
import { createClickHouse } from '#src/modules/income/analytics/clickhouse.service.ts';
import { getPivot } from '#src/modules/income/analytics/pivot.service.ts';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { setCurrency, testLines } from '#test/lines.ts';
import { toText } from '#test/model.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

/**
 * `npm run test:scale`: ClickHouse's engine (chdb) answers each question as DuckDB does. It reads the files of an S3 double
 * by a named collection, as a server would; only HTTP is left out, which clickhouse.service.test.ts tests.
 */
const app = useApp();
const bucket = 'regie-lines';
const address: ClickHouseAddress = {
  ...{ url: 'http://localhost', username: 'regie', password: 'regie' },
  ...{ collection: 'regie', cluster: undefined, memoryGb: 4 },
};
let folder: string;
let s3: S3rver;
let storage: Storage;
let client: ClickHouseClient;
let cluster: AnalyticsEngine;
let compared = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-scale-'));
  const options = { directory: join(folder, 's3'), address: '127.0.0.1', port: 0, silent: true };
  s3 = new S3rver({ ...options, configureBuckets: [{ name: bucket }] });
  const { port } = await s3.run();
  storage = createStorage(`s3://S3RVER:S3RVER@127.0.0.1:${port}/${bucket}?region=eu-west-3&protocol=http`);
  type Chdb = { createChdbConnection: (options: object) => ClickHouseClientConfigOptions['connection'] };
  const chdb = createRequire(join(process.env.REGIE_CHDB ?? '', 'package.json'))('chdb/connection') as Chdb;
  const connection = chdb.createChdbConnection({ path: join(folder, 'chdb') });
  client = createClient({ ...(connection && { connection }) });
  // As docs/operations.md writes it.
  await client.command({
    query: `CREATE NAMED COLLECTION regie AS url = 'http://127.0.0.1:${port}/${bucket}/' NOT OVERRIDABLE,
              access_key_id = 'S3RVER' NOT OVERRIDABLE, secret_access_key = 'S3RVER' NOT OVERRIDABLE`,
  });
  cluster = createClickHouse(address, storage, async () => client);
  await sql`INSERT INTO exchange_rates (month, currency, rate)
    VALUES ('2030-12-01', 'USD', 1.17), ('2030-12-01', 'GBP', 0.83), ('2030-12-01', 'JPY', 171.3)`.execute(app.owner);
  await sql`DELETE FROM exchange_rates WHERE currency = 'CAD'`.execute(app.owner);
  await buildWorld();
});

afterAll(async () => {
  process.stdout.write(`${compared} questions with equal answers from DuckDB and ClickHouse's engine\n`);
  await cluster?.close();
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Puts the files of all lines into the bucket, under the keys that they have. */
async function fillBucket(): Promise<void> {
  const { rows } = await sql<{ key: string }>`
    SELECT f.storage_key AS key FROM statement_line_files l JOIN files f ON f.id = l.file_id`.execute(app.owner);
  for (const { key } of rows) {
    if (await storage.find(key)) continue;
    const path = await testLines.pathOf(key);
    await storage.put(key, createReadStream(path), (await stat(path)).size);
  }
}

/** Notes each answer as the engine gives it; of cells their lines in one order, numbers without zeros at the end. */
function noting(analytics: AnalyticsEngine): AnalyticsEngine & { answers: unknown[] } {
  const answers: unknown[] = [];
  return {
    ...analytics,
    answers,
    async open(signal) {
      const session = await analytics.open(signal);
      return {
        ...session,
        async rows<Row>(question: string) {
          const rows = await session.rows<Row>(question);
          answers.push(
            new Set(
              rows.map((row) =>
                Object.values(row as object)
                  .map(String)
                  .join('\t'),
              ),
            ),
          );
          return rows;
        },
        async text(question, maxBytes) {
          const text = await session.text(question, maxBytes);
          answers.push(
            new Set(
              text
                .split('\n')
                .map((line) => line.replaceAll(/\t(-?\d+\.\d*?)0+(?=\t|$)/g, '\t$1').replaceAll(/\.(?=\t|$)/g, '')),
            ),
          );
          return text;
        },
      };
    },
  };
}

type Question = Parameters<typeof getPivot>[2];

/** Longer than for those who wait: what is compared are the answers. */
const limits = { ms: 300_000, cellBytes: 64 * 1024 * 1024 };

async function ask(analytics: AnalyticsEngine, query: Question, signal = new AbortController().signal) {
  const deps = { ...app.deps, analytics };
  return app.db.transaction().execute((trx) => getPivot(trx, deps, query, signal, limits));
}

async function compare(query: Question): Promise<number> {
  const [one, other] = [noting(localEngine(testLines)), noting(cluster)];
  const expected = await ask(one, query);
  const told = await ask(other, query);
  expect(other.answers, JSON.stringify(query)).toEqual(one.answers);
  expect(told).toEqual(expected);
  compared += 1;
  return one.answers.length;
}

const stores = [
  'Deezer',
  'iTunes',
  'YouTube (Ads)',
  "L'Écoute \\N",
  '\\',
  "'; DROP --",
  '{id:String}',
  'deezer',
  'Été\u00a0🎵',
];
const sources = ['DistroKid', "Une, deux \\ et ~ l'autre", '\\N'];
const countries = ['FR', 'BE', 'CH', ''];
const currencies = ['USD', 'EUR', 'GBP', 'CAD', 'JPY'];
const months = ['2031-01', '2031-02', '2031-05', '2032-01'];
const owned: { isrc: string; values: Record<'track' | 'release' | 'account', string> }[] = [];

/** Statements with lines of any size and up to 45 decimals. */
async function buildWorld(): Promise<void> {
  const accounts = [await buildAccount(app.db), await buildAccount(app.db)];
  for (const at of [0, 0, 1, 1, 1]) {
    const account = accounts[at] ?? 0;
    const releaseId = await buildRelease(app.db, account);
    const { id, isrc } = await buildTrack(app.db, account, { releaseId });
    owned.push({ isrc, values: { track: String(id), release: String(releaseId), account: String(account) } });
  }
  const amount = fc.oneof(
    fc.tuple(fc.bigInt({ min: -(10n ** 9n), max: 10n ** 13n }), fc.constant(8)),
    fc.tuple(fc.bigInt({ min: -(10n ** 61n), max: 10n ** 61n }), fc.constant(45)),
    fc.tuple(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.constant(2)),
  );
  const row = fc.record({
    isrc: fc.constantFrom(...owned.map(({ isrc }) => isrc), 'FRSCA3100001', "FRSCA'\\N"),
    month: fc.constantFrom(...months),
    store: fc.constantFrom(...stores),
    country: fc.constantFrom(...countries),
    quantity: fc.integer({ min: -5, max: 1_000_000 }),
    amount: amount.map(([units, decimals]) => toText(units, decimals)),
  });
  const statement = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 60 }),
    currency: fc.constantFrom(...currencies),
    source: fc.constantFrom(...sources),
    accountingMonth: fc.option(fc.constantFrom('2031-03-01', '2032-02-01'), { nil: undefined }),
  });
  for (const { rows, currency, source, accountingMonth } of fc.sample(statement, { numRuns: 25 })) {
    const id = await build(rows, accountingMonth);
    await setCurrency(app.owner, id, currency);
    await app.owner.updateTable('statements').set({ source }).where('id', '=', id).execute();
  }
  // Sums that stay another track's: their item's track changed since.
  await sql`UPDATE statement_sums SET track_id = ${Number(owned[0]?.values.track)}
             WHERE item = ${owned[4]?.isrc} AND currency = 'USD'`.execute(app.owner);
  await fillBucket();
}

const build = (rows: readonly StatementRow[], accountingMonth?: string) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, {
    ...(accountingMonth && { accountingMonth }),
  });

it('answers all dimensions and measures, with any filters, as DuckDB does', async () => {
  const known: Record<PivotDimension, readonly string[]> = {
    month: [...months, '2031-03'],
    quarter: ['2031-01', '2031-04', '2032-01'],
    year: ['2031-01', '2032-01'],
    store: [...stores, 'Nowhere'],
    country: countries,
    kind: ['stream', 'download', 'video', 'other'],
    source: sources,
    currency: currencies,
    track: [...owned.map(({ values }) => values.track), ''],
    release: [...owned.map(({ values }) => values.release), ''],
    account: [...owned.map(({ values }) => values.account), ''],
  };
  const filter = fc
    .constantFrom(...pivotDimensions)
    .chain((by) =>
      fc.tuple(fc.constant(by), fc.uniqueArray(fc.constantFrom(...known[by]), { minLength: 1, maxLength: 4 })),
    );
  const filters = fc.uniqueArray(filter, { maxLength: 2, selector: ([by]) => by });
  const period = fc.constantFrom(
    ['2031-01', '2032-02'],
    ['2031-01', '2031-03'],
    ['2032-02', '2032-02'],
    ['2033-01', '2033-02'],
  );
  let answered = 0;
  for (const rows of pivotDimensions) {
    for (const columns of [undefined, ...pivotDimensions]) {
      if (rows === columns) continue;
      for (const measure of pivotMeasures) {
        const [[[from = '', to = ''] = [], chosen = []] = []] = fc.sample(fc.tuple(period, filters), 1);
        const whole = { rows, columns, measure, unit: currencies[answered % currencies.length] };
        for (const cut of [
          { from: monthToMs('2031-01'), to: monthToMs('2032-02') },
          { from: monthToMs(from), to: monthToMs(to), ...Object.fromEntries(chosen) },
        ]) {
          answered += (await compare({ ...whole, ...cut } as Question)) === 2 ? 1 : 0;
        }
      }
    }
  }
  // The others have no line.
  expect(answered).toBeGreaterThan(compared / 2);
}, 1_800_000);

it('answers like DuckDB for a million lines and items, and for more rows than are shown', async () => {
  const id = await build([{ month: '2041-01', amount: '1.25', isrc: 'FRSCA4100001' }]);
  const { rows: files } = await sql<{ key: string }>`
    SELECT f.storage_key AS key FROM statement_line_files l JOIN files f ON f.id = l.file_id WHERE l.statement_id = ${id}`.execute(
    app.owner,
  );
  const path = await testLines.pathOf(files[0]?.key ?? '');
  await testLines.engine.run([
    `COPY (SELECT l.* REPLACE ('FRSCB' || range AS item, 'Store ' || range % 1000 AS store, 'C' || range % 70 AS country,
                               (range::DECIMAL(38,18) * 0.0123456789::DECIMAL(18,10))::DECIMAL(38,18) AS amount)
             FROM ${literal(path)} l, range(1_000_000) ORDER BY item) TO ${literal(`${path}.new`)} (FORMAT parquet, COMPRESSION zstd)`,
  ]);
  await rename(`${path}.new`, path);
  const tracks = owned.map(({ values }) => values.track);
  await sql`INSERT INTO income_items (key, title, artist, track_id)
    SELECT 'FRSCB' || n, '', '', (${tracks}::bigint[])[1 + n % 5] FROM generate_series(0, 999999) n`.execute(app.owner);
  await fillBucket();
  const period = { from: monthToMs('2041-01'), to: monthToMs('2041-01') };
  for (const cut of [
    { rows: 'store', columns: 'country', measure: 'euros' },
    { rows: 'store', columns: 'country', measure: 'amount', unit: 'USD' },
    { rows: 'track', columns: 'store', measure: 'euros' },
    { rows: 'account', columns: 'country', measure: 'quantity' },
    { rows: 'store', measure: 'euros', release: ['', owned[2]?.values.release ?? ''] },
  ]) {
    expect(await compare({ ...period, ...cut } as Question)).toBe(2);
  }
  // It removes what it puts into the bucket for a question.
  const left: string[] = [];
  for await (const { key } of storage.list()) if (key.endsWith('.tsv')) left.push(key);
  expect(left).toEqual([]);
}, 600_000);

it('adds up sums of more than 38 digits, and accepts queries of thousands of files', async () => {
  const session = await cluster.open(new AbortController().signal);
  const local = await testLines.makeFolder();
  const path = join(local.path, 'large.parquet');
  await testLines.engine.run([
    `COPY (SELECT DATE '2031-01-01' AS month, '' AS store, '' AS country, '' AS item, '' AS kind, '' AS currency,
                  repeat('9', 20)::DECIMAL(38,18) AS quantity, 0::DECIMAL(38,0) AS quantity_rest,
                  -repeat('9', 20)::DECIMAL(38,18) AS amount, repeat('9', 38)::DECIMAL(38,0) AS amount_rest) TO ${literal(path)} (FORMAT parquet)`,
  ]);
  const keys = Array.from({ length: 200 }, (_, at) => `lines/00/${String(at).padStart(32, '0')}.parquet`);
  const { size } = await stat(path);
  for (const key of keys) await storage.put(key, createReadStream(path), size);
  await local[Symbol.asyncDispose]();
  const { table, filename, names } = await session.readLines(keys);
  // Longer than the 256 kB that ClickHouse takes by default.
  const named = [...names, ...Array.from({ length: 8000 }, (_, at) => `${names[0]}-${at}`)];
  const files = session.values(
    { file: 'text', statement_id: 'whole' },
    named.map((name, at) => [name, at]),
  );
  const [told] = await session.rows(
    `SELECT toString(count()) AS files, toString(sum(f.statement_id)) AS ids, toString(sum(l.quantity)) AS quantity,
            toString(sum(l.amount)) AS amount, toString(sum(l.amount_rest)) AS rest
       FROM ${table} l JOIN ${files} f ON f.file = l.${filename}`,
  );
  expect(told).toEqual({
    files: '200',
    ids: '19900',
    quantity: String((10n ** 20n - 1n) * 200n),
    amount: String(-(10n ** 20n - 1n) * 200n),
    rest: String((10n ** 38n - 1n) * 200n),
  });
}, 600_000);

it('fails like DuckDB when a query is too large, aborted or misconfigured', async () => {
  const period = { from: monthToMs('2041-01'), to: monthToMs('2041-01') };
  const large = { ...period, rows: 'track', columns: 'store', measure: 'euros' } as Question;
  const small = createClickHouse({ ...address, memoryGb: 0.03 }, storage, async () => client);
  await expect(ask(small, large)).rejects.toMatchObject({ message: pivotMessages.tooLarge });
  const left = new AbortController();
  setTimeout(() => left.abort(), 300);
  await expect(ask(cluster, large, left.signal)).rejects.toMatchObject({ code: 'unavailable' });
  const lost = createClickHouse({ ...address, collection: 'nulle_part' }, storage, async () => client);
  await expect(ask(lost, large)).rejects.toMatchObject({ name: 'EngineFailure', limit: undefined });
  const session = await cluster.open(new AbortController().signal);
  await expect(session.text('SELECT number FROM numbers(1000)', 100)).rejects.toMatchObject({ limit: 'size' });
});
