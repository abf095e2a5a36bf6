import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { insertPayouts, postPaid, reversePayouts } from '#src/modules/payouts/payout-postings.service.ts';
import { importBatch, reverseImport } from '#src/modules/reports/reports.service.ts';
import { judgePayments } from '#src/modules/signatures/payments.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { killBlocked } from '#test/blocked.ts';
import { restoreElsewhere } from '#test/by-backup.ts';
import { useDatabase } from '#test/database.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from '#test/factories.ts';
import { sealChain } from './chain.service.ts';
import { postAdjustment } from './ledger.service.ts';
import { verifyLedger } from './ledger.verify.service.ts';
import { archiveLedger, listLedgerArchives, restoreLedger } from './ledger-archive.service.ts';

const elsewhere = useDatabase();
const app = useApp();
let client: TestClient;
let actor: Awaited<ReturnType<typeof buildActor>>;
let account: number;
let referred: number;
let oldImport: number;
let oldPayout: number;
let newPayout: number;

const storage = () => app.deps.lines.storage;
const archive = (year: number) => archiveLedger(app.owner, storage(), year);
const restore = (year: number) => restoreLedger(app.owner, storage(), year);
const verify = () => verifyLedger(app.owner, app.deps.lines);
const rowsOf = async (query: ReturnType<typeof sql<{ text: string }>>, owner = app.owner) =>
  (await query.execute(owner)).rows.map(({ text }) => text);
const postings = (owner = app.owner) =>
  rowsOf(sql`SELECT p::text AS text FROM ledger_postings p ORDER BY transaction_id, account, currency`, owner);
const inTransaction = <T>(run: Parameters<ReturnType<typeof app.db.transaction>['execute']>[0]) =>
  app.db.transaction().execute(run) as Promise<T>;

async function load(month: string, isrcs: readonly string[], income: number, batch = 0) {
  const { importId } = await app.db.transaction().execute((trx) =>
    importBatch(trx, actor, {
      monthMs: monthToMs(month),
      toMs: undefined,
      fileKey: `ventes de ${month}`,
      fileName: 'ventes.csv',
      batch,
      batches: undefined,
      rows: isrcs.map((isrc) => ({ isrc, incomeOfStreams: income })),
    }),
  );
  return importId;
}

/** Gives all transactions that have no time of the past yet one in a year. */
const backdate = (at: string) =>
  sql`SELECT backdate_transactions(array_agg(id), array_agg(${at}::timestamptz + id * interval '1 second')) FROM ledger_transactions
       WHERE occurred_at > now() - interval '1 day'`.execute(app.owner);

/** The figures that a person or a rule reads, archived or not. */
async function figures() {
  const get = async (path: string) => (await client.get(path)).data;
  return {
    balances: await rowsOf(sql`SELECT b::text AS text FROM ledger_balances b ORDER BY account, currency`),
    months: await rowsOf(sql`SELECT m::text AS text FROM ledger_months m ORDER BY month`),
    incomes: await rowsOf(sql`SELECT m::text AS text FROM income_months m ORDER BY type, month`),
    history: await get(`/api/profile/${account}/statement-months`),
    referredHistory: await get(`/api/profile/${referred}/statement-months`),
    overview: await get(`/api/profile/${account}/figures`),
    payable: await get(`/api/profile/${account}/payable`),
    signing: [...(await judgePayments(app.db, [newPayout], false)).values()].map(({ facts, reasons }) => ({
      facts,
      reasons,
    })),
  };
}
interface Line {
  id: number;
  kind: string;
  amountEur: number;
  balanceEur: number;
  occurredAt: number;
}
const statement = async (query = '', userId = account) => {
  const reply = await client.get(`/api/accounts/statement?userId=${userId}${query}`);
  expect(reply.status).toBe(200);
  const { openingEur, closingEur, lines } = reply.data as { openingEur: number; closingEur: number; lines: Line[] };
  return { openingEur, closingEur, lines, meta: reply.meta as { total: number; nextCursor: string | null } };
};

beforeAll(async () => {
  // A year in the partition of all years before, one in a partition of its own.
  await sql`
    DO $$
    DECLARE
      first text := (SELECT relname FROM pg_class WHERE relname ~ '^ledger_postings_before_[0-9]+$');
    BEGIN
      EXECUTE format('ALTER TABLE ledger_postings DETACH PARTITION %I', first);
      EXECUTE format('ALTER TABLE ledger_postings ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', first, year_start(2022));
      PERFORM make_partition('ledger_postings', year) FROM generate_series(2022, extract(year FROM now())::integer) AS year;
    END $$`.execute(app.owner);
  client = await app.signInWith([
    'manage_profiles',
    'read_reports',
    'edit_reports',
    'read_paid_payout',
    'read_pending_payout',
  ]);
  actor = await buildActor(app.db);
  account = await buildAccount(app.db);
  referred = await buildAccount(app.db);
  await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '10' });
  const own = await buildTrack(app.db, account);
  const theirs = await buildTrack(app.db, referred);
  const { rows } = await sql<{ id: number }>`
    INSERT INTO billing_accounts (account_id, type, email, owner, holder_address, holder_city, holder_country, holder_postcode)
    VALUES (${account}, 'paypal', 'ana@paiement.example', 'Ana', '1, rue Haute', 'Lyon', 'France', '69001') RETURNING id`.execute(
    app.owner,
  );
  const billingId = rows[0]?.id ?? 0;
  const request = async (amount: string) => {
    const [payout] = await app.db
      .transaction()
      .execute((trx) =>
        insertPayouts(trx, [{ accountId: account, billingId, amount }], { adminId: actor.adminId, feeEur: '0.6' }),
      );
    return payout?.id ?? 0;
  };
  const pay = async (id: number) => {
    await app.db.transaction().execute((trx) => postPaid(trx, [id], actor.adminId));
    await sql`UPDATE payouts SET state = 'paid', paid_at = now() WHERE id = ${id}`.execute(app.owner);
  };
  const later = actor;
  actor = await buildActor(app.db);
  oldImport = await load('2021-01', [own.isrc, theirs.isrc], 113.333333);
  await load('2021-02', [own.isrc], 7.777777);
  await inTransaction((trx) => reverseImport(trx, actor, oldImport));
  oldImport = await load('2021-03', [own.isrc, theirs.isrc], 55.1);
  await backdate('2021-06-01 12:00:00.123456Z');
  actor = later;
  oldPayout = await request('20');
  await pay(oldPayout);
  await load('2022-01', [own.isrc, theirs.isrc], 21.212121);
  await backdate('2022-06-01 12:00:00.123456Z');
  await load('2023-01', [own.isrc], 11.1);
  await inTransaction((trx) =>
    postAdjustment(trx, { accountId: account, amountEur: '-1.5', adminId: actor.adminId, reason: 'Frais' }),
  );
  await backdate('2023-06-01 12:00:00.123456Z');
  newPayout = await request('10');
  await sealChain(app.owner);
  expect(await verify()).toEqual([]);
});

afterEach(async () => {
  for (const { year } of (await listLedgerArchives(app.owner)).reverse()) await restore(year);
});

it('takes years out and puts them back as they were; every figure stays, and the books stay proven', async () => {
  const before = await postings();
  const known = await figures();
  expect(known.signing).toMatchObject([{ facts: { unsignedEur: expect.stringMatching(/[1-9]/) } }]);
  const whole = await statement('&order=asc');
  await expect(archive(2022)).rejects.toThrow('Archivez d’abord 2021');
  for (const year of [2021, 2022]) {
    const { postings: left } = await archive(year);
    expect(left).toBeGreaterThan(5);
    expect(await verify()).toEqual([]);
    // The nightly job has fewer rights.
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
    expect(await figures()).toEqual(known);
    const rest = await statement('&order=asc');
    const kept = whole.lines.filter(({ occurredAt }) => new Date(occurredAt).getUTCFullYear() > year);
    const balanceEur = whole.lines
      .filter(({ occurredAt }) => new Date(occurredAt).getUTCFullYear() <= year)
      .at(-1)?.balanceEur;
    expect(rest.lines).toEqual([
      expect.objectContaining({
        id: 0,
        kind: 'carried',
        amountEur: balanceEur,
        balanceEur,
        occurredAt: Date.UTC(year, 11, 31, 23) - 1,
      }),
      ...kept,
    ]);
    expect(rest).toMatchObject({ openingEur: 0, closingEur: whole.closingEur, meta: { total: kept.length + 1 } });
    expect((await statement('&order=desc')).lines).toEqual(rest.lines.toReversed());
    // Page by page, either way.
    for (const order of ['asc', 'desc']) {
      const paged: Line[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await statement(`&order=${order}&limit=1${cursor ? `&cursor=${cursor}` : ''}`);
        paged.push(...page.lines);
        cursor = page.meta.nextCursor;
      }
      expect(paged).toEqual(order === 'asc' ? rest.lines : rest.lines.toReversed());
    }
    const found = await statement('&q=regularisation');
    expect(found.lines).toEqual(whole.lines.filter(({ kind }) => kind === 'adjustment'));
    const since = await statement(`&from=${Date.UTC(year + 1, 1, 1)}&order=asc`);
    expect(since).toMatchObject({ openingEur: balanceEur, lines: kept });
  }
  expect((await postings()).length).toBeLessThan(before.length / 2);
  expect(await listLedgerArchives(app.owner)).toHaveLength(2);
  await expect(archive(2022)).rejects.toThrow('Le grand livre de 2022 est déjà archivé.');
  await expect(restore(2021)).rejects.toThrow('Remettez d’abord 2022 en place');
  await restore(2022);
  await restore(2021);
  expect(await postings()).toEqual(before);
  expect(await figures()).toEqual(known);
  expect(await verify()).toEqual([]);
  await expect(restore(2021)).rejects.toThrow('n’est pas archivé');
});

it('is part of a backup: restored elsewhere, years go back in place from its files', async () => {
  const before = await postings();
  await archive(2021);
  await archive(2022);
  await using copy = await restoreElsewhere(app, elsewhere);
  expect(await postings(copy.owner)).toEqual(await postings());
  expect(await verifyLedger(copy.owner, copy.lines)).toEqual([]);
  await restoreLedger(copy.owner, copy.lines.storage, 2022);
  await restoreLedger(copy.owner, copy.lines.storage, 2021);
  expect(await postings(copy.owner)).toEqual(before);
  expect(await verifyLedger(copy.owner, copy.lines)).toEqual([]);
});

it('says of a movement that is archived how it comes back, and reverses none', async () => {
  const { lines } = await statement('&order=asc');
  await archive(2021);
  await archive(2022);
  const sentence = 'npm run archive -- grand-livre 2022 --restore';
  const refused = { status: 409, message: expect.stringContaining(sentence) };
  const [first] = lines;
  expect(await client.get(`/api/ledger/transactions/${first?.id}`)).toMatchObject(refused);
  expect(await client.get(`/api/ledger/transactions/${first?.id}/reports?userId=${account}`)).toMatchObject(refused);
  expect(await client.get(`/api/accounts/statement?userId=${account}&from=${Date.UTC(2021, 5, 1)}`)).toMatchObject(
    refused,
  );
  expect(await client.get(`/api/accounts/statement?userId=${account}&to=${Date.UTC(2022, 5, 1)}`)).toMatchObject(
    refused,
  );
  const remaining = await postings();
  await expect(inTransaction((trx) => reverseImport(trx, actor, oldImport))).rejects.toThrow(sentence);
  for (const what of ['payment', 'all'] as const) {
    await expect(
      inTransaction((trx) => reversePayouts(trx, [oldPayout], { what, adminId: null, done: ' annulé' })),
    ).rejects.toThrow(sentence);
  }
  await expect(
    sql`WITH t AS (INSERT INTO ledger_transactions (kind, account_id, occurred_at) VALUES ('adjustment', ${account}, '2021-06-01Z') RETURNING id)
        INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
        SELECT id, v.account, 'EUR', v.amount, '2021-06-01Z' FROM t, (VALUES ('adjustment', 1), ('platform', -1)) AS v (account, amount)`.execute(
      app.owner,
    ),
  ).rejects.toThrow('are archived');
  expect(await postings()).toEqual(remaining);
  // A report names its transaction, without an amount that nobody can read.
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM reports WHERE import_id = ${oldImport} AND account_id = ${account}`.execute(app.owner);
  const report = await client.get(`/api/reporting/${rows[0]?.id}`);
  expect(report.data).toMatchObject({ transactions: [{ amountEur: null }] });
});

it('refuses recent years, years without postings, and one whose payouts wait', async () => {
  const now = new Date().getFullYear();
  await expect(archive(now - 1)).rejects.toThrow(`Le grand livre s’archive jusqu’à ${now - 2}`);
  await expect(archive(2020)).rejects.toThrow('Rien à archiver de 2020');
  await sql`UPDATE payouts SET state = 'pending', paid_at = NULL WHERE id = ${oldPayout}`.execute(app.owner);
  await archive(2021);
  await expect(archive(2022)).rejects.toThrow('attendent encore (1)');
  await sql`UPDATE payouts SET state = 'paid', paid_at = now() WHERE id = ${oldPayout}`.execute(app.owner);
});

it('names an archive that was lost or changed, and sums that are not those of its postings', async () => {
  await archive(2021);
  const { rows } = await sql<{ key: string }>`
    SELECT storage_key AS key FROM ledger_archives a JOIN files f ON f.id = a.file_id`.execute(app.owner);
  const key = rows[0]?.key ?? '';
  const whole = await readFile(join(storage().folder ?? '', key));
  await storage().remove(key);
  expect((await verify())[0]).toContain('an archive of the ledger: 2021: no file in storage');
  const text = zstdDecompressSync(whole).toString();
  const [, amount = ''] = /"amount":(-?[\d.]+)/.exec(text.replaceAll(' ', '')) ?? [];
  const forged = zstdCompressSync(
    text.replace(amount, `${amount.startsWith('-') ? '-' : ''}9${amount.replace('-', '')}`),
  );
  await storage().put(key, forged, forged.length);
  expect((await verify())[0]).toContain('n’est plus celle qui a été écrite');
  await expect(restore(2021)).rejects.toThrow('n’est plus celle qui a été écrite');
  // Whoever also changes the stored hash is found by the chain and by the sums.
  await sql`UPDATE files SET sha256 = sha256(${forged}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  const faults = (await verify()).join('\n');
  expect(faults).toContain('are not the sealed ones');
  expect(faults).toContain('stored balance differs from the sum of its postings');
  await storage().remove(key);
  await storage().put(key, whole, whole.length);
  await sql`UPDATE files SET sha256 = sha256(${whole}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  expect(await verify()).toEqual([]);
  await sql`UPDATE ledger_carried SET amount = amount + 0.000001 WHERE account = ${`account:${account}`}`.execute(
    app.owner,
  );
  expect(await verify()).toEqual([
    `an archive of the ledger: 2021: what was carried forward of account:${account} in EUR differs from its postings`,
  ]);
  await sql`UPDATE ledger_carried SET amount = amount - 0.000001 WHERE account = ${`account:${account}`}`.execute(
    app.owner,
  );
});

it.each([2021, 2022])('killed in the middle of %i nothing is lost, and the next one works', async (year) => {
  if (year === 2022) await archive(2021);
  const before = await postings();
  const years = await listLedgerArchives(app.owner);
  const trx = await app.owner.startTransaction().execute();
  await sql`SELECT FROM ledger_postings WHERE occurred_at >= year_start(${year}::integer) FOR UPDATE`.execute(trx);
  const killed = expect(archive(year)).rejects.toThrow();
  await killBlocked(app.owner);
  await killed;
  await trx.rollback().execute();
  expect(await postings()).toEqual(before);
  expect(await listLedgerArchives(app.owner)).toEqual(years);
  expect(await verify()).toEqual([]);
  await archive(year);
  expect(await verify()).toEqual([]);
});
