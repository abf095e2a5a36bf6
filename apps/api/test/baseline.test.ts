// @module-tag slow
import { randomUUID } from 'node:crypto';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { DataVersionError, isMigrated, migrate } from '#src/lib/migrate.ts';
import { describeDatabase } from './describe-database.ts';
import { databaseUrl, runAsAdmin } from './template.ts';

const { adminUrl, appPassword } = inject('postgres');
const databaseFolder = join(import.meta.dirname, '..', 'database');
let names: string[] = [];

beforeEach(() => {
  names = [];
});
afterEach(async () => {
  // Without FORCE it waits for connections that are closing; cut off, they would report an error.
  for (const name of names) await runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name}`);
});

/** An empty database: its owner's URL, and the application's. */
async function createEmpty(): Promise<{ ownerUrl: string; appUrl: string }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  names.push(name);
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`);
  const login = { user: 'regie_app', password: appPassword };
  return { ownerUrl: databaseUrl(adminUrl, name), appUrl: databaseUrl(adminUrl, name, login) };
}

async function withClient<T>(ownerUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const describe = (ownerUrl: string) => withClient(ownerUrl, describeDatabase);
const rowsOf = async (ownerUrl: string, text: string) =>
  withClient(ownerUrl, async (client) => (await client.query<Record<string, unknown>>({ text })).rows);

/** An empty database of version 0.2. */
async function createVersion02() {
  const database = await createEmpty();
  await migrate({ ownerUrl: database.ownerUrl, appPassword, upTo: '298_job_queue' });
  return database;
}

async function expectAsNew(ownerUrl: string): Promise<void> {
  const fresh = await createEmpty();
  await migrate({ ownerUrl: fresh.ownerUrl, appPassword });
  expect(Object.fromEntries(await describe(ownerUrl))).toEqual(Object.fromEntries(await describe(fresh.ownerUrl)));
}

it('migrates a database of version 0.2 from two processes at once to the schema of a new one', async () => {
  const { ownerUrl, appUrl } = await createVersion02();
  expect(await isMigrated(appUrl)).toBe(false);
  await Promise.all([1, 2].map(() => migrate({ ownerUrl, appPassword })));
  expect(await isMigrated(appUrl)).toBe(true);
  await expectAsNew(ownerUrl);
});

it('migrates a database with some of the migrations between version 0.2 and this one', async () => {
  const { ownerUrl } = await createVersion02();
  const read = (name: string) => readFile(join(databaseFolder, name), 'utf8');
  const functions = (await readdir(join(databaseFolder, 'functions'))).map((name) => read(`functions/${name}`));
  await withClient(ownerUrl, async (client) => {
    await client.query(`SET check_function_bodies = off; ${(await Promise.all(functions)).join('')}`);
    await client.query(`DROP TABLE payout_moves; ${await read('schema/16-signatures.sql')}`);
    await client.query(await read('from-0.2-signatures.sql'));
    await client.query('CREATE INDEX audit_log_search_idx ON audit_log USING gin (search gin_trgm_ops)');
    await client.query(`INSERT INTO kysely_migration SELECT '400_signatures', now()::text`);
  });
  await migrate({ ownerUrl, appPassword });
  await expectAsNew(ownerUrl);
});

it('migrates the rows of every partition, continues their numbers, and ends pending proposals', async () => {
  const { ownerUrl } = await createVersion02();
  await rowsOf(ownerUrl, version02Rows);
  const figures = `
    SELECT (SELECT string_agg(l.id || ' ' || l.action || ' ' || l.at, ',' ORDER BY l.id) FROM audit_log l WHERE l.action LIKE 'track.%') AS journal,
           (SELECT string_agg(p.transaction_id || p.account || p.amount || p.occurred_at, ',' ORDER BY p.transaction_id, p.account)
              FROM ledger_postings p) AS postings,
           (SELECT string_agg(r.id || ' ' || r.month, ',' ORDER BY r.id) FROM reports r) AS reports,
           (SELECT string_agg(s.item || s.month || s.amount, ',' ORDER BY s.item) FROM statement_sums s) AS sums`;
  const before = await rowsOf(ownerUrl, figures);
  expect(String(before[0]?.postings).split(',')).toHaveLength(8);
  await migrate({ ownerUrl, appPassword });
  expect(await rowsOf(ownerUrl, figures)).toEqual(before);
  expect(await rowsOf(ownerUrl, 'SELECT * FROM find_broken_link()')).toEqual([]);
  const ended = `SELECT id, action, entity_id, before FROM audit_log WHERE action NOT LIKE 'track.%' ORDER BY id`;
  expect(await rowsOf(ownerUrl, ended)).toEqual([
    { id: 5, action: 'settings.withdraw', entity_id: null, before: { payoutApprovalEur: '…' } },
    { id: 6, action: 'account.withdraw_adjustment', entity_id: '1', before: { amount: 12.5, reason: 'Geste' } },
    { id: 7, action: 'admin.cancel_factor_lift', entity_id: '2', before: null },
  ]);
  const signed = `
    SELECT (SELECT state FROM payout_batches) AS state, (SELECT count(*)::integer FROM signature_assertions) AS proofs,
           (SELECT count(*)::integer FROM signatories) + (SELECT count(*)::integer FROM signatures) AS signatures`;
  expect(await rowsOf(ownerUrl, signed)).toEqual([{ state: 'draft', proofs: 1, signatures: 0 }]);
  const next = `INSERT INTO reports (type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur)
    VALUES ('youtube', '2026-01-01', 1, 1, 80, 0, 0, 0, 0) RETURNING id`;
  expect(await rowsOf(ownerUrl, next)).toEqual([{ id: 5 }]);
});

/** Four rows of each partitioned table: before, in and after the years that have a partition of their own. */
const version02Rows = `
  INSERT INTO admins (first_name, last_name, email) VALUES ('Zoé', 'Été', 'zoe@exemple.fr'), ('Max', 'Lou', 'max@exemple.fr');
  INSERT INTO accounts (last_name, library_percentile, youtube_percentile) VALUES ('Ancien', 80, 80);
  CREATE TEMPORARY TABLE times AS
    SELECT n, date_trunc('year', now()) + years * interval '1 year' + interval '40 days' AS at
      FROM unnest(ARRAY[-3, 0, 1, 30]) WITH ORDINALITY AS t (years, n);
  INSERT INTO audit_log (at, action, entity, entity_id, after, address)
    SELECT at, 'track.edit', 'track', n, '{"title": "Élan"}', '192.0.2.1' FROM times ORDER BY n;
  INSERT INTO ledger_transactions (kind, occurred_at, account_id) SELECT 'adjustment', at, 1 FROM times ORDER BY n;
  INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
    SELECT n, account, 'EUR', sign * n, at FROM times, (VALUES ('account:1', 1), ('adjustment', -1)) AS v (account, sign);
  INSERT INTO imports (kind, type, month, to_date, rate, terms_version)
    SELECT 'csv', 'youtube', date_trunc('month', at)::date, (date_trunc('month', at) + interval '1 month')::date, 1, 1 FROM times ORDER BY n;
  INSERT INTO reports (type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur, platform_eur)
    SELECT 'youtube', month, id, 1, 80, 0, 0, 0, 0 FROM imports ORDER BY id;
  INSERT INTO statements (file_name, size_bytes, sha256) VALUES ('a.csv', 1, sha256('a'));
  INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows)
    SELECT 1, month, 'FRZ012600' || id, 'stream', 'EUR', 1, id, 1 FROM imports;
  SELECT redact_journal(ARRAY[2]::bigint[], ARRAY['title'], true);
  SELECT seal_chain(100);
  INSERT INTO setting_proposals (key, value, proposed_by) VALUES ('payoutApprovalEur', '1', 1);
  INSERT INTO balance_adjustments (account_id, amount_eur, reason, proposed_by) VALUES (1, 12.5, 'Geste', 1);
  INSERT INTO factor_lifts (admin_id, asked_by, due_at) VALUES (2, 1, now());
  INSERT INTO payout_batches (state, message_id, created_by, approved_by) VALUES ('approved', 'LOT1', 1, 2);
  INSERT INTO payout_batch_signatures (batch_id, admin_id, digest, nonce, origin, relying_party, credential_id, public_key,
                                       client_data, authenticator_data, signature)
    VALUES (1, 2, sha256('a'), 'n', 'o', 'r', 'c', 'k', 'd', 'a', 's')`;

const changes = [
  'ALTER TABLE accounts ADD COLUMN again text',
  'ALTER TABLE accounts DROP COLUMN memo; ALTER TABLE accounts ADD COLUMN memo text CHECK (length(memo) <= 5000)',
  'ALTER TABLE accounts ALTER COLUMN memo SET DEFAULT 0',
  'ALTER TABLE accounts ALTER COLUMN memo SET NOT NULL',
  'ALTER TABLE accounts ALTER COLUMN memo SET STORAGE EXTERNAL',
  'ALTER TABLE accounts ALTER COLUMN memo SET STATISTICS 500',
  'ALTER TABLE accounts ALTER COLUMN id SET GENERATED BY DEFAULT',
  'ALTER TABLE accounts ALTER COLUMN timezone TYPE varchar',
  'ALTER TABLE accounts RENAME CONSTRAINT accounts_role_check TO role_check',
  'ALTER TABLE tickets VALIDATE CONSTRAINT tickets_url_web',
  'ALTER TABLE accounts SET (fillfactor = 90)',
  'ALTER TABLE rate_limits SET UNLOGGED',
  'ALTER TABLE accounts ENABLE ROW LEVEL SECURITY',
  'ALTER TABLE accounts DISABLE TRIGGER accounts_number_terms',
  'ALTER TABLE accounts OWNER TO regie_app',
  'ALTER TABLE chain_links ALTER COLUMN hash SET COMPRESSION pglz',
  'CREATE POLICY own ON accounts USING (true)',
  'CREATE STATISTICS names ON first_name, last_name FROM accounts',
  'CREATE RULE quiet AS ON DELETE TO accounts DO INSTEAD NOTHING',
  'ALTER INDEX accounts_name_idx SET (fillfactor = 90)',
  'ALTER INDEX statement_sums_import_idx SET (autosummarize = off)',
  'DROP INDEX accounts_name_idx; CREATE INDEX accounts_name_idx ON accounts (last_name DESC, id)',
  'DROP TRIGGER releases_updated ON releases',
  'GRANT DELETE ON orders TO regie_app',
  'GRANT UPDATE (kind) ON imports TO regie_app',
  'GRANT SELECT ON accounts TO PUBLIC',
  'REVOKE SELECT ON migrations FROM regie_app',
  'GRANT UPDATE ON SEQUENCE accounts_id_seq TO regie_app',
  'GRANT CREATE ON SCHEMA public TO regie_app',
  'ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE DELETE ON TABLES FROM regie_app',
  'GRANT EXECUTE ON FUNCTION seal_chain TO regie_app',
  'ALTER FUNCTION seal_chain SECURITY INVOKER',
  'ALTER FUNCTION seal_chain SET search_path = public',
  'ALTER FUNCTION seal_chain OWNER TO regie_app',
  'ALTER FUNCTION share_eur STABLE',
  "COMMENT ON FUNCTION lock_terms IS 'x'",
  "COMMENT ON COLUMN accounts.memo IS 'x'",
  "COMMENT ON INDEX accounts_name_idx IS 'x'",
  "COMMENT ON TRIGGER accounts_number_terms ON accounts IS 'x'",
  'ALTER SEQUENCE terms_versions CACHE 10',
  "SELECT nextval('terms_versions')",
  'ALTER SEQUENCE terms_versions OWNED BY accounts.terms_version',
  'ALTER VIEW live_duplicates SET (security_barrier = true)',
  'DROP VIEW live_duplicates; CREATE VIEW live_duplicates AS SELECT * FROM statement_duplicates',
  'CREATE DOMAIN word AS text',
  "CREATE TYPE mood AS ENUM ('good')",
  'DROP EXTENSION pg_trgm CASCADE',
  "UPDATE exchange_rates SET rate = 2 WHERE month = '2020-01-01'",
  "INSERT INTO settings (key, value) VALUES ('secondFactor', '1')",
];

it('detects every kind of difference between two databases', async () => {
  const { ownerUrl } = await createEmpty();
  await migrate({ ownerUrl, appPassword });
  const unnoticed = await withClient(ownerUrl, async (client) => {
    const before = JSON.stringify([...(await describeDatabase(client))]);
    const missed: string[] = [];
    for (const change of changes) {
      await client.query(`BEGIN; ${change}`);
      if (JSON.stringify([...(await describeDatabase(client))]) === before) missed.push(change);
      await client.query('ROLLBACK');
    }
    return missed;
  });
  expect(unnoticed).toEqual([]);
});

it('refuses a database of version 0.2 without a migration, or with lines or archived years, unchanged', async () => {
  const { ownerUrl } = await createVersion02();
  const tooOld = 'avec la version 0.2 (commit 67a11f3c)';
  const archived = "restaurez-les d'abord avec la version 0.2";
  for (const [change, undo, refusal] of [
    [
      `UPDATE kysely_migration SET name = '298_x' WHERE name = '298_job_queue'`,
      `UPDATE kysely_migration SET name = '298_job_queue' WHERE name = '298_x'`,
      tooOld,
    ],
    ['CREATE TABLE statement_lines ()', 'DROP TABLE statement_lines', tooOld],
    ['INSERT INTO journal_archives VALUES (2021, 1, 1)', 'DELETE FROM journal_archives', archived],
    ['INSERT INTO ledger_archives VALUES (2021, 1, 1)', 'DELETE FROM ledger_archives', archived],
    ['INSERT INTO report_archives VALUES (2021, 1, 2, 1, 1, 1)', 'DELETE FROM report_archives', archived],
  ] as const) {
    await rowsOf(ownerUrl, `SET session_replication_role = replica; ${change}`);
    const error = await migrate({ ownerUrl, appPassword }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DataVersionError);
    expect(String(error)).toContain(refusal);
    expect(await rowsOf(ownerUrl, `SELECT to_regclass('migrations') AS name`)).toEqual([{ name: null }]);
    await rowsOf(ownerUrl, undo);
  }
  await migrate({ ownerUrl, appPassword });
});

it('applies later migrations, and functions whose file has changed, once; the former version then refuses', async () => {
  const later = await mkdtemp(join(tmpdir(), 'regie-database-'));
  try {
    await cp(databaseFolder, later, { recursive: true });
    const folder = pathToFileURL(`${later}/`);
    const { ownerUrl } = await createEmpty();
    await migrate({ ownerUrl, appPassword });
    await writeFile(
      join(later, 'migrations', '999_later.sql'),
      'CREATE TABLE later (id bigint); CREATE TABLE last ();',
    );
    await appendFile(
      join(later, 'functions', 'jobs.sql'),
      'CREATE OR REPLACE FUNCTION later() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$;',
    );
    const applied = ['functions/jobs.sql', '999_later'];
    expect(await migrate({ ownerUrl, appPassword, folder })).toEqual({ applied });
    expect(await rowsOf(ownerUrl, 'SELECT later()')).toEqual([{ later: 1 }]);
    expect(await migrate({ ownerUrl, appPassword, folder })).toEqual({ applied: [] });
    await expect(migrate({ ownerUrl, appPassword })).rejects.toThrow('version plus récente');
  } finally {
    await rm(later, { recursive: true, force: true });
  }
});
