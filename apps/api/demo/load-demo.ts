import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import { createPool, fromPool, type Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { dayAfterMonth, instantOn, reportMonthCount, reportMonths } from './calendar.ts';
import { accountsPerBlock, inventBlock } from './catalogue.ts';
import { loadAudio } from './demo-audio.ts';
import { loadCovers } from './demo-files.ts';
import { EntryDates } from './entry-dates.ts';
import { demoHouse, demoIsrcPrefix } from './house.ts';
import { loadBlock, numberInvoices, type Target } from './load-catalogue.ts';
import { loadContracts } from './load-contracts.ts';
import { loadPayouts } from './load-payouts.ts';
import { loadReports } from './load-reports.ts';
import { loadSignatures } from './load-signatures.ts';
import { loadStatements } from './load-statements.ts';
import { at, Random, seedOf } from './random.ts';
import { type RoyaltyBlock, toRoyaltyBlock } from './royalties.ts';
import { addStaff, type DemoStaff, findStaff } from './staff.ts';

/** The database has real data; the message is for the operator. */
export class DemoRefusedError extends Error {
  override name = 'DemoRefusedError';
}

const settingKey = 'demo';

/** US dollars per euro, for the first month with a demo rate. */
const firstRateMonth = '2025-11';
const rates = [
  ...['1.1560', '1.1708', '1.1738', '1.1822', '1.1594', '1.1687'],
  ...['1.1741', '1.1655', '1.1583', '1.1627', '1.1702', '1.1648'],
];

export interface DemoOptions {
  /** The owner's login: rows are loaded by COPY and backdated. */
  ownerUrl: string;
  /** Storage for covers and audio; without it the demo has none. */
  storage?: Storage;
  /** Total number of blocks of 140 accounts, 420 releases and 1 700 tracks. */
  scale: number;
  /** Number of last report months to load; all 24 by default. */
  months?: number;
  log: (line: string) => void;
}

/**
 * Fills a migrated database with the demo catalogue, equal in every run: accounts, releases, two years of reports and
 * payouts (product §37.2). An existing demo is completed up to `scale`. Runs in one transaction.
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
    await db.transaction().execute(async (trx) => {
      // Lock: two concurrent loads would both start from zero.
      await sql`LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
      const loaded = await findLoadedBlocks(trx);
      if (loaded >= options.scale) {
        options.log(`Le catalogue de démonstration est déjà là (échelle ${loaded}).`);
        return;
      }
      if (!client) throw new Error('a transaction without a connection');
      await fill({ trx, client }, loaded, options);
    });
  } finally {
    await db.destroy();
  }
  // Each statement is loaded in its own transaction, like those of staff.
  if (options.storage) {
    await loadStatements({
      ownerUrl: options.ownerUrl,
      storage: options.storage,
      months: Math.min(options.months ?? reportMonthCount, reportMonthCount),
    });
  }
}

/** Number of blocks in the database. */
async function findLoadedBlocks(trx: Trx): Promise<number> {
  const { rows } = await sql<{ blocks: number | null; hasData: boolean }>`
    SELECT (SELECT (value ->> 'blocks')::integer FROM settings WHERE key = ${settingKey}) AS blocks,
           EXISTS (SELECT FROM accounts) OR EXISTS (SELECT FROM imports) AS has_data`.execute(trx);
  const { blocks, hasData } = at(rows, 0);
  if (blocks === null && hasData) {
    throw new DemoRefusedError(
      'La base contient des comptes qui ne viennent pas de la démonstration\u00A0: chargez celle-ci dans une base vide.',
    );
  }
  return blocks ?? 0;
}

async function fill(target: Target, firstBlock: number, options: DemoOptions): Promise<void> {
  const { trx } = target;
  const { scale, log } = options;
  const staff = firstBlock === 0 ? await addStaff(trx) : await findStaff(trx);
  await addRates(trx);
  const loaded: number[] = [];
  /** Accounts with video-channel reports. */
  const channels: { accountId: number; ordinal: number }[] = [];
  const royalties: RoyaltyBlock[] = [];
  let trackCount = 0;
  for (let index = firstBlock; index < scale; index += 1) {
    const block = inventBlock(index);
    const { accountIds, releaseIds, trackIds } = await loadBlock(target, block);
    if (options.storage) {
      await loadCovers(target, options.storage, block, releaseIds);
      await loadAudio(target, options.storage, block, trackIds);
    }
    loaded.push(...accountIds);
    channels.push(
      ...accountIds.flatMap((accountId, owner) =>
        at(block.accounts, owner).hasVideoChannel ? [{ accountId, ordinal: index * accountsPerBlock + owner }] : [],
      ),
    );
    royalties.push(toRoyaltyBlock(block));
    trackCount += trackIds.flat().length;
    if (index % 10 === 9) log(`  catalogue\u00A0: ${index + 1} parts sur ${scale}`);
  }
  await numberInvoices(trx);
  // Autovacuum cannot analyse uncommitted rows.
  await sql`ANALYZE accounts, account_terms, referrals, releases, tracks, billing_accounts`.execute(trx);

  let payouts = 0;
  const dates = await EntryDates.start(trx);
  const firstMonth = reportMonthCount - Math.min(options.months ?? reportMonthCount, reportMonthCount);
  for (let month = firstMonth; month < reportMonthCount; month += 1) {
    await loadReports(trx, dates, month, {
      blocks: royalties,
      channels,
      adminId: staff.reportsAdminId,
      fileSuffix: firstBlock === 0 ? '' : `-lot-${firstBlock + 1}`,
    });
    // The tables have outgrown their statistics.
    if (month === firstMonth || month % 8 === 0) {
      await sql`ANALYZE imports, reports, ledger_transactions, ledger_postings, ledger_balances`.execute(trx);
    }
    payouts += await loadPayouts(target, month, {
      accountIds: loaded,
      firstOrdinal: firstBlock * accountsPerBlock,
      adminId: staff.accountsAdminId,
    });
    if (scale > 1) log(`  rapports\u00A0: ${at(reportMonths, month)}`);
  }
  await adjustBalances(trx, dates, loaded, staff);
  await loadSignatures(trx, staff.signatoryIds);
  if (firstBlock === 0) await loadContracts(trx, loaded, staff.accountsAdminId);
  // On the first load only: later, staff may have changed the settings.
  await sql`
    INSERT INTO settings (key, value)
    VALUES ('house', ${JSON.stringify(demoHouse)}::jsonb), ('isrcPrefixes', ${JSON.stringify([demoIsrcPrefix])}::jsonb),
           ('secondFactor', '"optional"')
    ON CONFLICT (key) DO NOTHING`.execute(trx);
  await sql`
    INSERT INTO settings (key, value) VALUES (${settingKey}, ${JSON.stringify({ blocks: scale })}::jsonb)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`.execute(trx);
  const months = reportMonthCount - firstMonth;
  log(`  ${loaded.length} comptes, ${trackCount} titres, ${months} mois de rapports, ${payouts} versements`);
}

async function addRates(trx: Trx): Promise<void> {
  const start = reportMonths.indexOf(firstRateMonth);
  await trx
    .insertInto('exchangeRates')
    .values(rates.map((rate, index) => ({ month: `${at(reportMonths, start + index)}-01`, currency: 'USD', rate })))
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
