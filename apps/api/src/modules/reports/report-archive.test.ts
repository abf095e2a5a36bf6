import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { verifyLedger } from '#src/modules/ledger/ledger.verify.service.ts';
import { insertPayouts } from '#src/modules/payouts/payout-postings.service.ts';
import { judgePayments } from '#src/modules/signatures/payments.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { killBlocked, untilBlocked } from '#test/blocked.ts';
import { restoreElsewhere } from '#test/by-backup.ts';
import { useDatabase } from '#test/database.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from '#test/factories.ts';
import { buildStatement } from '#test/statements.ts';
import { archiveReports, listReportArchives, restoreReports } from './report-archive.service.ts';
import { importBatch } from './reports.service.ts';

const elsewhere = useDatabase();
const app = useApp();
let client: TestClient;
let actor: Awaited<ReturnType<typeof buildActor>>;
let account: number;
let referred: number;
let track: Awaited<ReturnType<typeof buildTrack>>;
let payout: number;
let statement: number;
let csvImport: number;

const storage = () => app.deps.lines.storage;
const archive = (year: number) => archiveReports(app.owner, storage(), year);
const restore = (year: number) => restoreReports(app.owner, storage(), year);
const verify = () => verifyLedger(app.owner, app.deps.lines);
const stored = async (owner = app.owner) => {
  const rowsOf = async (query: ReturnType<typeof sql<{ text: string }>>) =>
    (await query.execute(owner)).rows.map(({ text }) => text);
  return {
    reports: await rowsOf(sql`SELECT r::text AS text FROM reports r ORDER BY id`),
    sums: await rowsOf(sql`SELECT s::text AS text FROM statement_sums s ORDER BY 1`),
  };
};

async function load(month: string, isrcs: readonly string[], income: number, open?: Trx) {
  const send = (trx: Trx) =>
    importBatch(trx, actor, {
      monthMs: monthToMs(month),
      toMs: undefined,
      fileKey: `ventes de ${month}`,
      fileName: 'ventes.csv',
      batch: 0,
      batches: undefined,
      rows: isrcs.map((isrc) => ({ isrc, incomeOfStreams: income })),
    });
  const { importId } = await (open ? send(open) : app.db.transaction().execute(send));
  return importId;
}
const build = (rows: Parameters<typeof buildStatement>[1], options: Parameters<typeof buildStatement>[2] = {}) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, { isChecked: true, ...options });
async function post(month: string) {
  const reply = await postMonthAsShown(client, { fromDate: monthToMs(month), confirmRates: true });
  expect(reply).toMatchObject({ status: 200 });
}

/** The figures that a person or a rule reads, archived or not. */
async function figures() {
  const get = async (path: string) => {
    const reply = await client.get(path);
    expect(reply).toMatchObject({ status: 200 });
    return reply.data;
  };
  return {
    referrals: await get(`/api/referrals/${account}/list`),
    overview: await get(`/api/profile/${account}/figures`),
    statement: await get(`/api/accounts/statement?userId=${account}`),
    board: await get('/api/reporting/months'),
    imports: await get('/api/imports'),
    duplicates: await get('/api/tools/naming-redundancy?scope=tracks'),
    signing: [...(await judgePayments(app.db, [payout], false)).values()].map(({ facts, reasons }) => ({
      facts,
      reasons,
    })),
  };
}

beforeAll(async () => {
  // Of reports, a year in the partition of all years before and one in a partition of its own.
  await sql`
    DO $$
    DECLARE
      name text;
      first text;
    BEGIN
      FOREACH name IN ARRAY '{reports,statement_sums}'::text[] LOOP
        first := (SELECT relname FROM pg_class WHERE relname ~ ('^' || name || '_before_[0-9]+$') AND relkind = 'r');
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', name, first);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name, first, '2022-01-01');
        PERFORM make_partition(name, year) FROM generate_series(2022, extract(year FROM now())::integer) AS year;
      END LOOP;
    END $$`.execute(app.owner);
  client = await app.signInWith([
    'manage_profiles',
    'read_reports',
    'edit_reports',
    'read_tools',
    'manage_settings',
    'read_pending_payout',
  ]);
  actor = await buildActor(app.db);
  account = await buildAccount(app.db);
  referred = await buildAccount(app.db);
  await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '10' });
  track = await buildTrack(app.db, account, { title: 'Marée basse' });
  const twin = await buildTrack(app.db, account, { title: 'Marée basse' });
  const theirs = await buildTrack(app.db, referred);
  // Staff give an item without an ISRC its track, which decides who may approve a payout of its income.
  await build([{ title: 'Sans code', upc: '3700000000000', month: '2021-03', amount: '70.5' }]);
  const { rows: items } = await sql<{ key: string }>`SELECT key FROM income_items WHERE title = 'Sans code'`.execute(
    app.owner,
  );
  const assigned = await client.put(`/api/reporting/unmatched/${encodeURIComponent(items[0]?.key ?? '')}/track`, {
    trackId: track.id,
  });
  expect(assigned).toMatchObject({ status: 200 });
  statement = await build([
    { isrc: track.isrc, month: '2021-03', store: 'Deezer', amount: '12.340000000001' },
    { isrc: theirs.isrc, month: '2021-03', store: 'Qobuz', amount: '45.1' },
    { isrc: 'FRZZZ2100001', month: '2021-03', amount: '3' },
  ]);
  await post('2021-03');
  // Income of December that is posted in March of the next year.
  await build([{ isrc: track.isrc, month: '2021-12', store: 'Deezer', amount: '8.8' }], {
    accountingMonth: '2022-03-01',
  });
  await post('2022-03');
  csvImport = await load('2021-05', [track.isrc, twin.isrc, theirs.isrc], 33.333333);
  await load('2022-05', [track.isrc], 5);
  const deleted = await load('2022-06', [track.isrc, theirs.isrc], 1);
  const { rows } = await sql<{
    id: number;
  }>`SELECT id FROM reports WHERE import_id = ${deleted} ORDER BY id LIMIT 1`.execute(app.owner);
  expect(await client.delete(`/api/reporting/delete/${rows[0]?.id}`)).toMatchObject({ status: 200 });
  const recent = new Date().getFullYear();
  await load(`${recent}-01`, [track.isrc, theirs.isrc], 11.1);
  const billing = await sql<{ id: number }>`
    INSERT INTO billing_accounts (account_id, type, email, owner, holder_address, holder_city, holder_country, holder_postcode)
    VALUES (${account}, 'paypal', 'ana@paiement.example', 'Ana', '1, rue Haute', 'Lyon', 'France', '69001') RETURNING id`.execute(
    app.owner,
  );
  const [asked] = await app.db.transaction().execute((trx) =>
    insertPayouts(trx, [{ accountId: account, billingId: billing.rows[0]?.id ?? 0, amount: '10' }], {
      adminId: actor.adminId,
      feeEur: '0.6',
    }),
  );
  payout = asked?.id ?? 0;
  await app.runJobs();
  expect(await verify()).toEqual([]);
});

afterEach(async () => {
  for (const { year } of (await listReportArchives(app.owner)).reverse()) await restore(year);
});

it('takes years out and puts them back as they were; every figure stays, and the books stay proven', async () => {
  const before = await stored();
  const known = await figures();
  expect(known.signing).toMatchObject([{ facts: { unsignedEur: expect.stringMatching(/[1-9]/) } }]);
  await expect(archive(2022)).rejects.toThrow('Archivez d’abord 2021');
  for (const year of [2021, 2022]) {
    const { reports, sums } = await archive(year);
    expect(reports).toBeGreaterThan(3);
    expect(sums).toBeGreaterThan(0);
    expect(await verify()).toEqual([]);
    // The nightly job has fewer rights.
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
    expect(await figures()).toEqual(known);
  }
  const rest = await stored();
  expect(rest.reports).toHaveLength(2);
  // What waits stays.
  expect(rest.sums).toHaveLength(1);
  await expect(archive(2022)).rejects.toThrow('Les rapports de 2022 sont déjà archivés.');
  await expect(restore(2021)).rejects.toThrow('Remettez d’abord 2022 en place');
  await restore(2022);
  await restore(2021);
  expect(await stored()).toEqual(before);
  expect(await figures()).toEqual(known);
  expect(await verify()).toEqual([]);
  await expect(restore(2021)).rejects.toThrow('ne sont pas archivés');
});

it('is part of a backup: restored elsewhere, years go back in place from its files', async () => {
  const before = await stored();
  await archive(2021);
  await archive(2022);
  await using copy = await restoreElsewhere(app, elsewhere);
  expect(await stored(copy.owner)).toEqual(await stored());
  expect(await verifyLedger(copy.owner, copy.lines)).toEqual([]);
  await restoreReports(copy.owner, copy.lines.storage, 2022);
  await restoreReports(copy.owner, copy.lines.storage, 2021);
  expect(await stored(copy.owner)).toEqual(before);
  expect(await verifyLedger(copy.owner, copy.lines)).toEqual([]);
});

it('lists the reports that are there, and says of the others how they come back', async () => {
  const { rows } = await sql<{ id: number; importId: number; transactionId: number }>`
    SELECT r.id, r.import_id, (SELECT min(id) FROM ledger_transactions t WHERE t.import_id = r.import_id AND t.account_id = r.account_id) AS transaction_id
      FROM reports r WHERE r.month = '2021-03-01' AND r.account_id = ${account}`.execute(app.owner);
  const { id, transactionId } = rows[0] ?? { id: 0, transactionId: 0 };
  const whole = (await client.get('/api/reporting/all')).meta;
  await archive(2021);
  await archive(2022);
  const list = await client.get('/api/reporting/all');
  expect(list.meta).toMatchObject({ total: 2, archivedTo: 2022, sums: [{ currency: 'USD', amount: 22.2 }] });
  expect(whole?.archivedTo).toBeUndefined();
  expect(list.data).toHaveLength(2);
  expect((await client.get(`/api/reporting/all?userId=${account}`)).meta).toMatchObject({ total: 1 });
  const refused = { status: 409, message: expect.stringContaining('npm run archive -- rapports 2022 --restore') };
  const march = monthToMs('2021-03');
  for (const path of [
    `/api/reporting/${id}`,
    `/api/reporting/${id}/statements`,
    `/api/reporting/all?from=${march}`,
    `/api/reporting/all?to=${march}`,
    `/api/reporting/all?import=${csvImport}`,
    `/api/ledger/transactions/${transactionId}/reports?userId=${account}`,
    `/api/reporting/lines?statement=${statement}&format=csv`,
    `/api/reporting/insight/pivot?from=${march}&to=${march}&rows=track`,
  ]) {
    expect(await client.get(path), path).toMatchObject(refused);
  }
  // By store, only the lines are read.
  expect(await client.get(`/api/reporting/insight/pivot?from=${march}&to=${march}&rows=store`)).toMatchObject({
    status: 200,
  });
  expect(await client.get('/api/reporting/999999')).toMatchObject({ status: 404 });
});

it('posts, reverses and changes nothing of an archived month', async () => {
  const { rows } = await sql<{ id: number }>`SELECT min(id) AS id FROM reports WHERE month = '2021-05-01'`.execute(
    app.owner,
  );
  await archive(2021);
  const before = await stored();
  const march = monthToMs('2021-03');
  const refused = { status: 409, message: expect.stringContaining('npm run archive -- rapports 2021 --restore') };
  expect(await client.delete(`/api/reporting/delete/${rows[0]?.id}`)).toMatchObject(refused);
  expect(await client.post(`/api/imports/${csvImport}/reverse`)).toMatchObject(refused);
  expect(await client.delete(`/api/reporting/deleteByMonth?date=${march}&type=platform`)).toMatchObject(refused);
  expect(await client.delete(`/api/reporting/deleteByMonth?date=${march}&type=platform&dryRun=true`)).toMatchObject(
    refused,
  );
  expect(
    await client.post('/api/reporting/create', {
      trackId: track.id,
      userId: account,
      fromDate: march,
      ...{
        numOfStreams: 1,
        incomeOfStreams: 1,
        numOfDownloads: 0,
        incomeOfDownloads: 0,
        numOfYoutube: 0,
        incomeOfYoutube: 0,
      },
    }),
  ).toMatchObject(refused);
  await expect(load('2021-06', [track.isrc], 4)).rejects.toThrow('are archived');
  expect(await client.put('/api/exchange-rates', { month: march, currency: 'USD', rate: 1.2 })).toMatchObject(refused);
  expect(await stored()).toEqual(before);
  // A late file of such a month could be the one that was posted then.
  const late = await build([{ isrc: track.isrc, month: '2021-03', amount: '9' }], { isChecked: false });
  const { rows: statements } = await sql<{ status: string; message: string }>`
    SELECT status, findings #>> '{refusal,message}' AS message FROM statements WHERE id = ${late}`.execute(app.owner);
  expect(statements[0]?.message).toContain('des lignes de mois archivés');
  expect(await verify()).toEqual([]);
});

it('refuses recent years and years without reports', async () => {
  await expect(archive(new Date().getFullYear() - 1)).rejects.toThrow('Les rapports s’archivent jusqu’à');
  await expect(archive(2020)).rejects.toThrow('Rien à archiver de 2020');
});

it('names an archive that was lost or changed, and carried sums that are not those of its reports', async () => {
  await archive(2021);
  const { rows } = await sql<{ key: string }>`
    SELECT storage_key AS key FROM report_archives a JOIN files f ON f.id = a.reports_file_id`.execute(app.owner);
  const key = rows[0]?.key ?? '';
  const whole = await readFile(join(storage().folder ?? '', key));
  await storage().remove(key);
  expect((await verify())[0]).toContain('an archive of reports: 2021: no file in storage');
  const text = zstdDecompressSync(whole).toString();
  const forged = zstdCompressSync(text.replace(/"account_eur": ?/, '$&9'));
  await storage().put(key, forged, forged.length);
  expect((await verify())[0]).toContain('n’est plus celle qui a été écrite');
  await expect(restore(2021)).rejects.toThrow('n’est plus celle qui a été écrite');
  // Whoever also changes the stored hash is found by the postings.
  await sql`UPDATE files SET sha256 = sha256(${forged}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  expect((await verify()).join('\n')).toContain("an import's postings to an account differ from its reports' shares");
  await storage().remove(key);
  await storage().put(key, whole, whole.length);
  await sql`UPDATE files SET sha256 = sha256(${whole}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  expect(await verify()).toEqual([]);
  for (const [table, column] of [
    ['tracks_carried', 'account_eur'],
    ['referrals_carried', 'amount_eur'],
    ['items_carried', 'income_eur'],
  ] as const) {
    const change = (by: number) =>
      sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${sql.ref(column)} + ${by}::numeric`.execute(app.owner);
    await change(0.000001);
    expect(await verify()).toEqual([`an archive of reports: 2021: ${table} differs from its reports and sums`]);
    await change(-0.000001);
  }
});

it.each([2021, 2022])('killed in the middle of %i nothing is lost, and the next one works', async (year) => {
  if (year === 2022) await archive(2021);
  const before = await stored();
  const years = await listReportArchives(app.owner);
  const trx = await app.owner.startTransaction().execute();
  await sql`SELECT FROM reports WHERE extract(year FROM month) = ${year} FOR UPDATE`.execute(trx);
  const killed = expect(archive(year)).rejects.toThrow();
  await killBlocked(app.owner);
  await killed;
  await trx.rollback().execute();
  expect(await stored()).toEqual(before);
  expect(await listReportArchives(app.owner)).toEqual(years);
  expect(await verify()).toEqual([]);
  await archive(year);
  expect(await verify()).toEqual([]);
});

it('waits for a load that has looked whether the year is archived, however long', async () => {
  const trx = await app.owner.startTransaction().execute();
  await sql`SELECT pg_advisory_xact_lock_shared(hashtext('report_archives'))`.execute(trx);
  const archiving = archive(2021);
  await untilBlocked(app.owner, 1);
  // Its attempt ends after three seconds.
  await untilBlocked(app.owner, 0);
  await trx.commit().execute();
  await archiving;
  expect(await verify()).toEqual([]);
  await restore(2021);
});

it('tells an error of the storage while a file is read', async () => {
  let opened = 0;
  const open: Storage['open'] = async (...asked) => {
    const stream = await storage().open(...asked);
    opened += 1;
    // Of the first file the hash is taken before.
    if (opened !== 2) return stream;
    return Readable.from(
      (async function* () {
        for await (const bytes of stream) yield bytes.subarray(0, 10);
        throw new Error('reset');
      })(),
    );
  };
  await expect(archiveReports(app.owner, { ...storage(), open }, 2021)).rejects.toThrow('reset');
  expect(await verify()).toEqual([]);
});

it('waits for who posts a month of the year, and then refuses', async () => {
  const trx = await app.db.startTransaction().execute();
  await load('2021-07', [track.isrc], 2, trx);
  const refused = expect(archive(2021)).rejects.toThrow('changed meanwhile');
  await untilBlocked(app.owner, 1);
  await trx.commit().execute();
  await refused;
  expect(await verify()).toEqual([]);
});
