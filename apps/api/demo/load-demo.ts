import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { createPool, type Database, fromPool, queryColumn, querySingle, type Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { publishRun } from '#src/modules/money/royalty-statements/publish-run.service.ts';
import { dayAfterMonth, instantOn, reportMonthCount, reportMonths } from './calendar.ts';
import { accountsPerBlock, inventBlock } from './catalogue.ts';
import { loadAudio } from './demo-audio.ts';
import { loadCovers } from './demo-files.ts';
import { EntryDates } from './entry-dates.ts';
import { demoHouse, demoIsrcPrefix } from './house.ts';
import { loadBatch } from './load-batch.ts';
import { loadBlock, numberInvoices, type Target } from './load-catalogue.ts';
import { loadContracts } from './load-contracts.ts';
import { loadPayouts } from './load-payouts.ts';
import { loadReports } from './load-reports.ts';
import { loadSignatures } from './load-signatures.ts';
import { loadStatements, postStatements } from './load-statements.ts';
import { at, Random, seedOf } from './random.ts';
import { type RoyaltyBlock, toRoyaltyBlock } from './royalties.ts';
import { addStaff, type DemoStaff, findStaff } from './staff.ts';

/** The database has real data; the message is for the operator. */
export class DemoRefusedError extends Error {
  override name = 'DemoRefusedError';
}

const settingKey = 'demo';

/** US dollars per euro in each report month. */
const dollarRates = [
  ...['1.0630', '1.0479', '1.0354', '1.0413', '1.0807', '1.1214', '1.1278', '1.1516'],
  ...['1.1677', '1.1631', '1.1732', '1.1635', '1.1560', '1.1708', '1.1738', '1.1822'],
  ...['1.1594', '1.1687', '1.1741', '1.1655', '1.1583', '1.1627', '1.1702', '1.1648'],
];
/** Ten-thousandths per euro; months differ by up to a hundredth. */
const otherRates = { GBP: 8590, CAD: 15_720 };

export interface DemoOptions {
  /** The owner's login: rows are loaded by COPY and backdated. */
  ownerUrl: string;
  storage: Storage;
  /** Total number of blocks of 140 accounts, 420 releases and 1 700 tracks. */
  scale: number;
  /** Number of last report months to load; all 24 by default. */
  months?: number;
  log: (line: string) => void;
}

/** The blocks of the catalogue, and how many have their statements, reports and payouts. */
interface Progress {
  blocks: number;
  posted: number;
}

/**
 * Fills a migrated database with the demo catalogue, equal in every run: accounts, releases, two years of statements,
 * reports and payouts (product §37.2). An existing demo is completed up to `scale`, after what a killed load has begun.
 * @throws DemoRefusedError when the database holds accounts that are not the demo's
 */
export async function loadDemo(options: DemoOptions): Promise<void> {
  const pool = createPool(options.ownerUrl, { max: 1 });
  let client: PoolClient | undefined;
  pool.on('acquire', (acquired) => {
    client = acquired;
  });
  const db = fromPool(pool);
  try {
    await db.connection().execute(async (connection) => {
      if (!client) throw new Error('a connection without a client');
      // Two concurrent loads would both start from zero. The lock ends with the connection.
      await sql`SELECT pg_advisory_lock(hashtext('demo'))`.execute(connection);
      await load(connection, client, options);
    });
  } finally {
    await db.destroy();
  }
}

async function load(db: Database, client: PoolClient, options: DemoOptions): Promise<void> {
  const { scale, log } = options;
  let { blocks, posted } = await findProgress(db);
  if (posted >= scale) {
    log(`Le catalogue de démonstration est déjà là (échelle ${posted}).`);
    return;
  }
  while (posted < scale) {
    if (posted === blocks) {
      await db.transaction().execute((trx) => addCatalogue({ trx, client }, blocks, options));
      blocks = scale;
    }
    await addIncome(db, client, { blocks, posted }, options);
    posted = blocks;
  }
  await publishStatements(db, client, options);
  await refreshAnalytics(db);
}

/** The statements of the last month, once. */
async function publishStatements(db: Database, client: PoolClient, { storage }: DemoOptions): Promise<void> {
  const { reportsAdminId } = await db.transaction().execute(findStaff);
  const [run] = await queryColumn<number>(db)`
    INSERT INTO royalty_runs (month, created_by) SELECT '2026-10-01', ${reportsAdminId}
     WHERE NOT EXISTS (SELECT FROM royalty_runs) RETURNING id`;
  if (run === undefined) return;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'regie-demo-'));
  await using closing = new AsyncDisposableStack();
  const lines = createLineStore({ storage, folder: folder.path });
  closing.defer(() => lines.close());
  await publishRun(client, lines, run);
  await sql`
    INSERT INTO royalty_letters (statement_id, email, queued_by, sent_at, failure, reply, expires_at)
    SELECT s.id, a.email, ${reportsAdminId}, CASE WHEN f.failure IS NULL THEN now() END, f.failure,
           CASE f.failure WHEN 'refused' THEN 550 END, now() + interval '6 months'
      FROM royalty_statements s JOIN accounts a ON a.id = s.account_id
     CROSS JOIN LATERAL (
       SELECT CASE WHEN a.email IS NULL THEN 'no_email' WHEN a.state <> 'enabled' THEN 'suspended'
                   WHEN a.id % 50 = 7 THEN 'refused' END AS failure) f
     WHERE s.run_id = ${run} AND a.erased_at IS NULL`.execute(db);
}

async function findProgress(db: Database): Promise<Progress> {
  const { progress, hasData } = await querySingle<{ progress: Progress | null; hasData: boolean }>(db)`
    SELECT (SELECT value FROM settings WHERE key = ${settingKey}) AS progress,
           EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM imports) AS has_data`;
  if (progress === null && hasData) {
    throw new DemoRefusedError(
      'La base contient des comptes qui ne viennent pas de la démonstration\u00A0: chargez celle-ci dans une base vide.',
    );
  }
  // Of an earlier version, which loaded all in one transaction, without `posted`.
  return { blocks: 0, posted: progress?.blocks ?? 0, ...progress };
}

const setProgress = (trx: Trx, progress: Progress) =>
  sql`
    INSERT INTO settings (key, value) VALUES (${settingKey}, ${JSON.stringify(progress)}::jsonb)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`.execute(trx);

async function addCatalogue(target: Target, firstBlock: number, { scale, storage, log }: DemoOptions): Promise<void> {
  const { trx } = target;
  if (firstBlock === 0) await addStaff(trx);
  await addRates(trx);
  for (let index = firstBlock; index < scale; index += 1) {
    const block = inventBlock(index);
    const { releaseIds, trackIds } = await loadBlock(target, block);
    await loadCovers(target, storage, block, releaseIds);
    await loadAudio(target, storage, block, trackIds);
    if (index % 10 === 9) log(`  catalogue\u00A0: ${index + 1} parts sur ${scale}`);
  }
  await numberInvoices(trx);
  // On the first load only: later, staff may have changed the settings.
  await sql`
    INSERT INTO settings (key, value)
    VALUES ('house', ${JSON.stringify(demoHouse)}::jsonb), ('isrcPrefixes', ${JSON.stringify([demoIsrcPrefix])}::jsonb),
           ('secondFactor', '"optional"')
    ON CONFLICT (key) DO NOTHING`.execute(trx);
  await setProgress(trx, { blocks: scale, posted: firstBlock });
  // Autovacuum cannot analyse uncommitted rows.
  await sql`ANALYZE accounts, account_terms, referrals, releases, tracks, billing_accounts`.execute(trx);
}

/** Reads the statements of the blocks that have none, then posts them with the other reports and pays, month by month. */
async function addIncome(
  db: Database,
  client: PoolClient,
  { blocks, posted }: Progress,
  { ownerUrl, storage, log, months = reportMonthCount }: DemoOptions,
): Promise<void> {
  const firstMonth = Math.max(reportMonthCount - months, 0);
  const emails: string[] = [];
  const videoOwners: number[] = [];
  const royalties: RoyaltyBlock[] = [];
  for (let index = posted; index < blocks; index += 1) {
    const block = inventBlock(index);
    for (const { email, hasVideoChannel } of block.accounts) {
      if (hasVideoChannel) videoOwners.push(emails.length);
      emails.push(email);
    }
    royalties.push(toRoyaltyBlock(block));
  }
  const part = { blocks: royalties, firstMonth, fileSuffix: posted === 0 ? '' : `-lot-${posted + 1}` };
  const staff = await db.transaction().execute(findStaff);
  const statements = await loadStatements(db, { ...part, ownerUrl, storage, adminId: staff.reportsAdminId });
  // Autovacuum has not seen the new rows yet.
  await sql`ANALYZE`.execute(db);
  await db.transaction().execute(async (trx) => {
    const accountIds = await queryColumn<number>(trx)`
      SELECT min(a.id) FROM unnest(${emails}::citext[]) WITH ORDINALITY AS e (email, place) JOIN accounts a ON a.email = e.email
       GROUP BY e.place ORDER BY e.place`;
    const firstOrdinal = posted * accountsPerBlock;
    const channels = videoOwners.map((index) => ({
      accountId: at(accountIds, index),
      ordinal: firstOrdinal + index,
    }));
    let payouts = 0;
    const dates = await EntryDates.start(trx);
    for (let month = firstMonth; month < reportMonthCount; month += 1) {
      await postStatements(trx, dates, month, { statements, staff });
      await loadReports(trx, dates, month, { ...part, channels, adminId: staff.reportsAdminId });
      // The tables have outgrown their statistics.
      if (month === firstMonth || month % 8 === 0) {
        await sql`ANALYZE imports, reports, ledger_transactions, ledger_postings, ledger_balances`.execute(trx);
      }
      payouts += await loadPayouts({ trx, client }, month, {
        ...{ accountIds, firstOrdinal, adminId: staff.accountsAdminId },
      });
      if (blocks > 1) log(`  rapports\u00A0: ${at(reportMonths, month)}`);
    }
    await adjustBalances(trx, dates, accountIds, staff);
    await loadSignatures(trx, staff.signatoryIds);
    if (posted === 0 && staff.accountsAdminId !== null) {
      const instant = instantOn(dayAfterMonth('2026-10') + 24, new Random(seedOf('batch')));
      await loadBatch(trx, {
        accountIds: accountIds.slice(0, accountsPerBlock),
        adminId: staff.accountsAdminId,
        signatoryIds: staff.signatoryIds,
        instant,
      });
      await dates.date(instant);
    }
    if (posted === 0) await loadContracts(trx, accountIds, staff.accountsAdminId);
    await setProgress(trx, { blocks, posted: blocks });
    log(`  ${accountIds.length} comptes, ${statements.length} relevés, ${payouts} versements`);
  });
}

async function addRates(trx: Trx): Promise<void> {
  const random = new Random(seedOf('rates'));
  const rates = reportMonths.flatMap((month, index) => [
    { month: `${month}-01`, currency: 'USD', rate: at(dollarRates, index) },
    ...Object.entries(otherRates).map(([currency, rate]) => ({
      ...{ month: `${month}-01`, currency },
      rate: String(Math.round(rate + random.int(-rate, rate) / 100) / 10_000),
    })),
  ]);
  await trx
    .insertInto('exchangeRates')
    .values(rates)
    .onConflict((conflict) => conflict.columns(['currency', 'month']).doNothing())
    .execute();
}

/** Manual adjustments: a goodwill credit, and a recovered advance that leaves a debt. */
async function adjustBalances(
  trx: Trx,
  dates: EntryDates,
  accountIds: readonly number[],
  staff: DemoStaff,
): Promise<void> {
  const random = new Random(seedOf('adjustments'));
  const adjustments = [
    { account: 11, amountEur: '25.00', reason: 'Geste commercial\u00A0: retard de mise en ligne' },
    { account: 26, amountEur: '-180.00', reason: 'Avance versée par chèque en septembre 2026' },
    { account: 41, amountEur: '62.40', reason: 'Écart du relevé de juillet 2026, d’après l’ancienne plateforme' },
    { account: 9, amountEur: '-35.50', reason: 'Frais de promotion refacturés' },
  ];
  for (const { account, amountEur, reason } of adjustments) {
    const adjustment = { accountId: at(accountIds, account), amountEur, adminId: staff.accountsAdminId, reason };
    await postAdjustment(trx, adjustment);
  }
  await dates.date(instantOn(dayAfterMonth('2026-10') + 9, random));
}
