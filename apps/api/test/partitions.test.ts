import { randomUUID } from 'node:crypto';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { DB } from '#src/lib/db.generated.ts';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { migrate } from '#src/lib/migrate.ts';
import { makePartitions, partitionedTables } from '#src/lib/partitions.ts';
import { listJournal } from '#src/modules/journal/journal.service.ts';
// biome-ignore lint/style/noRestrictedImports: the plan of the list's own query is looked at
import { listReports } from '#src/modules/reports/reports.queries.ts';
import { untilBlocked } from './blocked.ts';
import { useDatabase } from './database.ts';
import { buildAccount, buildReferral, buildTrack } from './factories.ts';
import { databaseUrl, runAsAdmin } from './template.ts';

const database = useDatabase();
let owner: Database;
let app: Database;
let account: number;
let track: number;
let referral: number;

beforeAll(async () => {
  owner = createDatabase(database.ownerUrl, { max: 4 });
  app = createDatabase(database.appUrl, { max: 4 });
  account = await buildAccount(owner);
  track = (await buildTrack(owner, account)).id;
  const referredId = await buildAccount(owner);
  referral = await buildReferral(owner, { referrerId: account, referredId, percentile: '5' });
});
afterAll(async () => {
  await Promise.all([owner.destroy(), app.destroy()]);
});

async function buildImport(month: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO imports (kind, type, month, to_date, rate, terms_version)
    VALUES ('csv', 'platform', ${month}::date, ${month}::date + 40, 1, 0) RETURNING id`.execute(owner);
  return rows[0]?.id ?? 0;
}

const addReport = (db: Database | Trx, importId: number, month: string, reversed = false) =>
  sql<{ id: number }>`
    INSERT INTO reports (type, month, import_id, track_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur, reversed_at)
    VALUES ('platform', ${month}::date, ${importId}, ${track}, ${account}, 80, 0, 0, 0, 0, ${reversed ? sql`now()` : null}) RETURNING id`.execute(
    db,
  );

/** A transaction of the application that waits to be ended. */
async function hold(db: Database) {
  return db.startTransaction().execute();
}

const partitionOf = async (table: string, where: ReturnType<typeof sql>) => {
  const { rows } = await sql<{ name: string }>`
    SELECT tableoid::regclass::text AS name FROM ${sql.table(table)} WHERE ${where}`.execute(owner);
  return rows.map(({ name }) => name);
};

it('the application works on the whole tables, and may do nothing with a partition alone', async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE c.relkind = 'r' AND has_any_column_privilege('regie_app', c.oid, 'SELECT, INSERT, UPDATE')
        OR c.relkind = 'r' AND has_table_privilege('regie_app', c.oid, 'DELETE, TRUNCATE')`.execute(owner);
  expect(rows).toEqual([]);
  const year = new Date().getUTCFullYear();
  for (const table of Object.keys(partitionedTables)) {
    for (const name of [`${table}_${year}`, `${table}_${year + 2}`, `${table}_rest`]) {
      expect((await sql<{ oid: string | null }>`SELECT to_regclass(${name})::text AS oid`.execute(owner)).rows).toEqual(
        [{ oid: name }],
      );
    }
  }
});

describe('a row without a partition', () => {
  it('of a January gets its year, wherever the server of the database is', async () => {
    const importId = await buildImport('2051-01-01');
    await addReport(app, importId, '2051-01-01');
    const url = new URL(database.ownerUrl);
    url.searchParams.set('options', '-c TimeZone=Europe/Moscow');
    const eastern = createDatabase(url.href, { max: 1 });
    expect(await makePartitions(eastern)).toEqual(['reports_2051']);
    await eastern.destroy();
    expect(await partitionOf('reports', sql`import_id = ${importId}`)).toEqual(['reports_2051']);
  });

  it('is taken in and found, and the job gives its year one', async () => {
    const importId = await buildImport('2041-03-01');
    await addReport(app, importId, '2041-03-01');
    await sql`INSERT INTO audit_log (at, action, entity, entity_id) VALUES ('2039-12-31 23:30Z', 'release.edit', 'release', '9')`.execute(
      owner,
    );
    expect(await partitionOf('reports', sql`import_id = ${importId}`)).toEqual(['reports_rest']);
    expect((await makePartitions(owner)).sort()).toEqual(['audit_log_2040', 'reports_2041']);
    expect(await partitionOf('reports', sql`import_id = ${importId}`)).toEqual(['reports_2041']);
    // Half past midnight in Paris.
    expect(await partitionOf('audit_log', sql`entity_id = '9'`)).toEqual(['audit_log_2040']);
    await expect(addReport(app, importId, '2041-03-01')).rejects.toThrow(/reports_2041_import_id_track_id_idx/);
    expect(await makePartitions(owner)).toEqual([]);
  });

  it('that is on its way while its partition is made is in it afterwards', async () => {
    const importId = await buildImport('2042-03-01');
    const late = await buildImport('2042-04-01');
    await addReport(app, importId, '2042-03-01');
    const trx = await hold(app);
    await addReport(trx, late, '2042-04-01');
    const making = makePartitions(owner);
    await untilBlocked(owner, 1);
    const other = addReport(app, await buildImport('2042-05-01'), '2042-05-01');
    await untilBlocked(owner, 2);
    await trx.commit().execute();
    expect(await making).toEqual(['reports_2042']);
    await other;
    expect(await partitionOf('reports', sql`month BETWEEN '2042-01-01' AND '2042-12-31'`)).toEqual(
      Array(3).fill('reports_2042'),
    );
  });
});

describe('what is unique is so across partitions', () => {
  it('an import has one live report of a track, also of two at the same time and of another month', async () => {
    const importId = await buildImport('2026-03-01');
    const trx = await hold(app);
    await addReport(trx, importId, '2026-03-01');
    const second = addReport(app, importId, '2026-03-01');
    const refused = expect(second).rejects.toMatchObject({ code: '23505' });
    await untilBlocked(owner, 1);
    await trx.commit().execute();
    await refused;
    // Another partition would have another index: the import's month keeps it out.
    await expect(addReport(app, importId, '2027-03-01')).rejects.toMatchObject({
      code: '23503',
      constraint: 'reports_import_month_fkey',
    });
    await addReport(app, importId, '2026-03-01', true);
    await expect(sql`UPDATE imports SET month = '2027-03-01' WHERE id = ${importId}`.execute(app)).rejects.toThrow(
      'permission denied',
    );
    await expect(
      sql`UPDATE imports SET month = '2027-03-01', to_date = '2027-04-01' WHERE id = ${importId}`.execute(owner),
    ).rejects.toThrow('reports_import_month_fkey');
  });

  it('ids come from the sequence only', async () => {
    const importId = await buildImport('2026-04-01');
    const { rows } = await addReport(app, importId, '2026-04-01');
    for (const [table, columns, values] of [
      [
        'reports',
        'id, type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur',
        `${rows[0]?.id}, 'youtube', '2020-01-01', 1, 1, 1, 0, 0, 0, 0`,
      ],
      ['audit_log', 'id, action, entity', "1, 'a.b', 'c'"],
      ['audit_log', 'at, action, entity', "'2020-01-01', 'a.b', 'c'"],
    ] as const) {
      await expect(
        sql.raw(`INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE VALUES (${values})`).execute(app),
      ).rejects.toThrow('permission denied');
    }
    await expect(sql`SELECT setval('reports_id_seq', 1)`.execute(app)).rejects.toThrow('permission denied');
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const month = `20${20 + (index % 10)}-06-01`;
        const added = await addReport(app, await buildImport(month), month);
        return added.rows[0]?.id;
      }),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it("a posting has its transaction's time, so an account has one in it", async () => {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO ledger_transactions (kind, account_id, memo) VALUES ('adjustment', ${account}, 'x') RETURNING id`.execute(
      app,
    );
    const id = rows[0]?.id;
    const late = (time: ReturnType<typeof sql>) =>
      sql`INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
          VALUES (${id}, 'platform', 'EUR', 1, ${time}), (${id}, 'adjustment', 'EUR', -1, ${time})`;
    const own = sql`(SELECT occurred_at FROM ledger_transactions WHERE id = ${id})`;
    await expect(late(sql`now() + interval '1 year'`).execute(app)).rejects.toMatchObject({
      code: '23514',
      constraint: 'ledger_postings_time',
    });
    const trx = await hold(app);
    await late(own).execute(trx);
    const second = expect(late(own).execute(app)).rejects.toMatchObject({ code: '23505' });
    await untilBlocked(owner, 1);
    await trx.commit().execute();
    await second;
  });

  it('a referral’s share has a report', async () => {
    await expect(
      sql`INSERT INTO report_referral_shares (report_id, referral_id, referrer_id, percentile, amount_eur)
          VALUES (999999, ${referral}, ${account}, 5, 1)`.execute(app),
    ).rejects.toMatchObject({ code: '23503', constraint: 'report_referral_shares_report' });
  });
});

describe('lists over all partitions', () => {
  const seen: { sql: string; parameters: readonly unknown[] }[] = [];
  let watched: Database;

  beforeAll(async () => {
    const pool = new Pool({ connectionString: database.ownerUrl, max: 1 });
    watched = new Kysely<DB>({
      dialect: new PostgresDialect({ pool }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
      log({ query }) {
        seen.push({ sql: query.sql, parameters: query.parameters });
      },
    });
    await sql`
      WITH i AS (
        INSERT INTO imports (kind, type, month, to_date, rate, terms_version, reports)
        SELECT 'csv', 'youtube', m, m + interval '1 month', 1, 0, 400 FROM generate_series('2020-01-01'::date, '2028-12-01', '1 month') m RETURNING id, month)
      INSERT INTO reports (type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur)
      SELECT 'youtube', i.month, i.id, ${account}, 80, 0, 0, 0, 0 FROM i, generate_series(1, 400)`.execute(owner);
    await sql`
      INSERT INTO audit_log (at, action, entity, entity_id)
      SELECT at, 'release.edit', 'release', '1' FROM generate_series('2020-01-01'::timestamptz, '2028-12-01', '1 day') at`.execute(
      owner,
    );
    await sql`ANALYZE reports, audit_log, imports`.execute(owner);
  });
  afterAll(() => watched.destroy());

  /** The plan of the last query of a list, as one text. */
  const planOf = async (table: string) => {
    const query = seen.findLast(({ sql: text }) => text.includes('ORDER BY') && text.includes(table));
    const { rows } = await watched.executeQuery<Record<string, string>>({
      ...sql`SELECT`.compile(watched),
      sql: `EXPLAIN (COSTS OFF) ${query?.sql}`,
      parameters: query?.parameters ?? [],
    });
    return rows.flatMap((row) => Object.values(row)).join('\n');
  };

  const lists = {
    async reports(cursor: string | undefined) {
      const query = { limit: 50, sort: 'month', order: 'desc', cursor } as const;
      return (await watched.transaction().execute((trx) => listReports(trx, query))).meta.nextCursor;
    },
    async audit_log(cursor: string | undefined) {
      return (await listJournal(watched, { limit: 50, sort: 'at', order: 'desc', cursor })).meta.nextCursor;
    },
  };

  it.each(Object.entries(lists))(
    '%s: a page is read from the indexes in their order, the first one and one far behind',
    async (table, list) => {
      let cursor = await list(undefined);
      const first = await planOf(table);
      for (let page = 0; page < 40; page += 1) cursor = await list(cursor ?? undefined);
      const deep = await planOf(table);
      const { rows } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM pg_inherits WHERE inhparent = ${table}::regclass`.execute(owner);
      const partitions = rows[0]?.n ?? 0;
      for (const plan of [first, deep]) {
        const pages = plan.slice(plan.indexOf('Merge Append'));
        expect(pages.match(new RegExp(`Index Scan Backward using ${table}_`, 'g'))).toHaveLength(partitions);
        expect(pages).not.toMatch(new RegExp(`(Seq|Bitmap Heap) Scan on ${table}`));
      }
      expect(deep).toContain('Index Cond: (ROW(');
    },
  );
});

describe('a database of before', () => {
  const { adminUrl, appPassword } = inject('postgres');
  let name: string;
  let ownerUrl: string;
  let superuser: Client;
  /** A process of the former version, which has its connection and its prepared statements. */
  let former: Client;

  beforeEach(async () => {
    name = `test_${randomUUID().replaceAll('-', '')}`;
    await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`);
    ownerUrl = databaseUrl(adminUrl, name);
    await migrate({ ownerUrl, appPassword, upTo: '250_line_files' });
    superuser = new Client({ connectionString: ownerUrl });
    former = new Client({
      connectionString: databaseUrl(adminUrl, name, { user: 'regie_app', password: appPassword }),
    });
    await Promise.all([superuser.connect(), former.connect()]);
    await superuser.query(`
      INSERT INTO accounts (last_name, library_percentile, youtube_percentile) VALUES ('Un', 80, 80), ('Deux', 80, 80);
      INSERT INTO referrals (referrer_id, referred_id, percentile) VALUES (1, 2, 5);
      INSERT INTO imports (kind, type, month, to_date, rate, terms_version)
      SELECT 'csv', 'youtube', m, m + interval '1 month', 1, 0 FROM generate_series('2024-01-01'::date, '2026-12-01', '1 month') m;
      INSERT INTO statements (file_name, size_bytes, sha256, status, preset, source, loaded_at)
      VALUES ('a.csv', 1, sha256('a'), 'loaded', 'x', 'X', now());
      INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows)
      VALUES (1, '2025-03-01', 'FRABC2500001', 'stream', 'EUR', 1, 2, 1)`);
  });
  afterEach(async () => {
    await Promise.all([superuser.end(), former.end()]);
    await runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

  /** What version 0.2 sends, shortened: posting, growing and reversing a report, a posting, the journal, a claim. */
  const statements = {
    report: `WITH added AS (
        INSERT INTO reports (type, month, import_id, track_id, account_id, num_streams, income_streams_usd, num_downloads,
                             income_downloads_usd, num_youtube, income_youtube_usd, percentile, gross_eur, account_eur, referrals_eur, platform_eur)
        VALUES ('youtube', '2025-03-01', 15, NULL, 2, 0, 0, 0, 0, 1, 1, 80, 1, 0.8, 0, 0.2) RETURNING id),
      shared AS (
        INSERT INTO report_referral_shares AS s (report_id, referral_id, referrer_id, percentile, amount_eur)
        SELECT id, 1, 1, 5, 0.04 FROM added ON CONFLICT (report_id, referral_id) DO UPDATE SET amount_eur = excluded.amount_eur)
      SELECT id FROM added`,
    grow: `UPDATE reports r SET num_youtube = num_youtube + 1 FROM (SELECT max(id) AS id FROM reports) d WHERE r.id = d.id RETURNING r.id`,
    share: `INSERT INTO report_referral_shares AS s (report_id, referral_id, referrer_id, percentile, amount_eur)
      SELECT max(id), 1, 1, 5, 0.05 FROM reports ON CONFLICT (report_id, referral_id) DO UPDATE SET amount_eur = excluded.amount_eur`,
    reverse: `UPDATE reports SET reversed_at = now() WHERE id = (SELECT min(id) FROM reports WHERE reversed_at IS NULL) RETURNING id`,
    post: `WITH entry AS (
        INSERT INTO ledger_transactions (kind, account_id, memo) VALUES ('adjustment', 2, 'x') RETURNING id),
      posted AS (
        INSERT INTO ledger_postings (transaction_id, account, currency, amount)
        SELECT id, v.account, 'EUR', v.amount FROM entry, (VALUES ('account:2', 1), ('adjustment', -1)) v (account, amount))
      SELECT id FROM entry`,
    journal: `INSERT INTO audit_log (admin_id, action, entity, entity_id, before, after, request_id, address, agent)
      VALUES (NULL, 'account.edit', 'account', '1', NULL, '{"fname": "A"}', NULL, NULL, NULL)`,
    claim: `UPDATE statement_sums s SET import_id = NULL FROM statements st WHERE st.id = s.statement_id RETURNING s.amount::text AS id`,
    list: `SELECT r.* FROM reports r WHERE r.reversed_at IS NULL ORDER BY r.month DESC, r.id DESC LIMIT 5`,
  };
  const runFormer = async () => {
    const ids: Record<string, unknown> = {};
    for (const [label, text] of Object.entries(statements)) {
      const { rows } = await former.query({ name: label, text });
      if (label !== 'list') ids[label] = rows[0]?.id;
    }
    return ids;
  };
  const filenodes = async (suffix: string) => {
    const { rows } = await superuser.query(
      `SELECT t.name, pg_relation_filenode(c.oid) AS node FROM unnest($1::text[]) t (name) JOIN pg_class c ON c.relname ~ (t.name || $2) ORDER BY 1`,
      [Object.keys(partitionedTables).map((table) => `^${table}`), `${suffix}$`],
    );
    return rows;
  };

  it('becomes the first partition as it is, while a process of the former version goes on', async () => {
    expect(await runFormer()).toMatchObject({ report: 1, grow: 1, reverse: 1, post: 1, claim: '2' });
    const before = await filenodes('');
    expect(before).toHaveLength(4);
    await Promise.all([migrate({ ownerUrl, appPassword }), migrate({ ownerUrl, appPassword })]);
    expect(await filenodes('_before_\\d+')).toEqual(before);
    expect(await runFormer()).toMatchObject({ report: 2, grow: 2, reverse: 2, post: 2, claim: '2' });
    const { rows } = await superuser.query(
      `SELECT (SELECT amount FROM ledger_balances WHERE account = 'account:2') AS balance, (SELECT count(*) FROM audit_log) AS entries,
              (SELECT string_agg(conname, ' ') FROM pg_constraint WHERE conname LIKE '%\\_before\\_____') AS left_over`,
    );
    expect(rows).toEqual([{ balance: '2.000000', entries: 2, left_over: null }]);
  });

  it('goes on where the preparation was killed', async () => {
    await superuser.query(`
      ALTER TABLE reports ADD CONSTRAINT reports_before_2031 CHECK (month < '2031-01-01') NOT VALID;
      CREATE UNIQUE INDEX imports_id_month_key ON imports (id, month);
      ALTER TABLE reports ADD CONSTRAINT reports_import_month_fkey FOREIGN KEY (import_id, month) REFERENCES imports (id, month) NOT VALID`);
    await migrate({ ownerUrl, appPassword });
    expect((await superuser.query(`SELECT to_regclass('reports_before_2031')::text AS name`)).rows).toEqual([
      { name: 'reports_before_2031' },
    ]);
    await runFormer();
  });

  it('gives way to who holds a table for long, and comes back', async () => {
    await former.query('BEGIN');
    await former.query(statements.journal);
    const migrating = migrate({ ownerUrl, appPassword });
    const untilWaiting = async () =>
      (await superuser.query(`SELECT count(*)::integer AS n FROM pg_locks WHERE NOT granted`)).rows[0]?.n;
    await expect.poll(untilWaiting, { timeout: 10_000 }).toBe(1);
    await expect.poll(untilWaiting, { timeout: 20_000 }).toBe(0);
    await former.query(statements.report);
    await former.query('COMMIT');
    await migrating;
    await runFormer();
  }, 60_000);
});
