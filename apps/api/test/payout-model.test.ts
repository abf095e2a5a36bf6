import { monthToMs } from '@regie/contract/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { postAdjustment } from '#src/modules/ledger/ledger.service.ts';
import { verifyLedger } from '#src/modules/ledger/ledger.verify.service.ts';
import { deletePayout, editPayout, markDownloaded, requestPayout } from '#src/modules/payouts/payouts.service.ts';
import { importBatch, reverseImport } from '#src/modules/reports/reports.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from './factories.ts';
import { buildBilling } from './payouts.ts';

/**
 * Imports, adjustments, referrals and payouts in any order, against a model in whole millionths of a euro that knows
 * nothing of SQL (decisions §3). After each command: every transaction sums to zero, stored balances are the sums of
 * their postings, what left the house left once, and nobody spent what was reserved.
 */
const database = useDatabase();
let db: Database;
let owner: Database;
let caller: Caller;

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  owner = createDatabase(database.ownerUrl, { max: 1 });
  caller = { ...(await buildActor(db)), session: undefined, can: () => true };
  // Approval has tests of its own; here no sum is too large.
  await owner
    .insertInto('settings')
    .values({ key: 'payoutApprovalEur', value: JSON.stringify(10_000_000) })
    .execute();
});
afterAll(() => Promise.all([db.destroy(), owner.destroy()]));

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);

const accountCount = 3;
const rate = 11_300_000_000n;
const feeCents = 60n;
const microsPerCent = 10_000n;

function divide(numerator: bigint, denominator: bigint): bigint {
  const sign = numerator < 0n ? -1n : 1n;
  const magnitude = numerator < 0n ? -numerator : numerator;
  return sign * ((magnitude * 2n + denominator) / (denominator * 2n));
}
const text = (value: bigint, decimals: number) => {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

interface ModelPayout {
  id: number;
  account: number;
  cents: bigint;
  state: 'PENDING' | 'PAID' | 'CANCEL' | 'deleted';
  isDownloaded: boolean;
}
interface Model {
  accounts: number[];
  billings: number[];
  tracks: { isrc: string }[];
  referrals: { id: number; referrer: number; referred: number; percent: bigint }[];
  imports: { id: number; credits: Map<number, bigint> }[];
  /** Millionths of a euro by place in `accounts`. */
  balances: bigint[];
  paid: bigint;
  platform: bigint;
  payouts: ModelPayout[];
}

const take = (model: Model, index: number, micros: bigint) => {
  model.balances[index] = (model.balances[index] ?? 0n) + micros;
};
const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items[index % Math.max(1, items.length)];

/** True when it is refused as the caller's to read; anything else is a fault. */
async function isRefused(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return false;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'conflict' || error.code === 'validation_failed')) return true;
    if (error instanceof AppError && error.code === 'not_found') return true;
    throw error;
  }
}

type Command = (model: Model) => Promise<void>;
const index = fc.nat({ max: 1000 });
let files = 0;

const importRows: fc.Arbitrary<Command> = fc
  .array(fc.record({ track: index, cents: fc.bigInt({ min: -20_000n, max: 60_000n }) }), { minLength: 1, maxLength: 4 })
  .map((rows) => async (model) => {
    files += 1;
    const key = `versements-${files}`;
    const answer = await inTransaction((trx) =>
      importBatch(trx, caller, {
        monthMs: monthToMs('2025-06'),
        toMs: undefined,
        fileKey: key,
        fileName: key,
        batch: 0,
        batches: 1,
        rows: rows.map((row) => ({ isrc: pick(model.tracks, row.track)?.isrc, incomeOfStreams: text(row.cents, 2) })),
      }),
    );
    const usd = new Map<number, bigint>();
    for (const { track, cents } of rows) {
      const account = track % accountCount;
      usd.set(account, (usd.get(account) ?? 0n) + cents * 100_000_000n);
    }
    const credits = new Map<number, bigint>();
    const add = (account: number, micros: bigint) => {
      credits.set(account, (credits.get(account) ?? 0n) + micros);
      take(model, account, micros);
    };
    for (const [account, gross] of usd) {
      const net = divide(gross * 8000n * 1_000_000n, 10_000n * rate);
      const grossEur = divide(gross * 1_000_000n, rate);
      let rest = grossEur - net;
      add(account, net);
      for (const referral of model.referrals.filter((one) => one.referred === account)) {
        const share = divide(net * referral.percent, 10_000n);
        add(referral.referrer, share);
        rest -= share;
      }
      model.platform += rest;
      credits.set(-1, (credits.get(-1) ?? 0n) + rest);
    }
    model.imports.push({ id: answer.importId, credits });
  });

const reverse: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const target = pick(model.imports, which);
  if (!target) return;
  await inTransaction((trx) => reverseImport(trx, caller, target.id));
  for (const [account, micros] of target.credits) {
    if (account === -1) model.platform -= micros;
    else take(model, account, -micros);
  }
  model.imports = model.imports.filter((one) => one !== target);
});

const adjust: fc.Arbitrary<Command> = fc
  .record({
    account: index,
    micros: fc.bigInt({ min: -100_000_000n, max: 300_000_000n }).filter((value) => value !== 0n),
  })
  .map(({ account, micros }) => async (model) => {
    const which = account % accountCount;
    await inTransaction((trx) =>
      postAdjustment(trx, {
        accountId: model.accounts[which] ?? 0,
        amountEur: text(micros, 6),
        adminId: caller.adminId,
        reason: 'essai',
      }),
    );
    take(model, which, micros);
  });

const addReferral: fc.Arbitrary<Command> = fc
  .tuple(index, index, fc.bigInt({ min: 0n, max: 2000n }))
  .map(([from, to, percent]) => async (model) => {
    const [referrer, referred] = [from % accountCount, to % accountCount];
    if (referrer === referred) return;
    if (model.referrals.some((one) => one.referrer === referrer && one.referred === referred)) return;
    const id = await buildReferral(db, {
      referrerId: model.accounts[referrer] ?? 0,
      referredId: model.accounts[referred] ?? 0,
      percentile: text(percent, 2),
    });
    model.referrals.push({ id, referrer, referred, percent });
  });

const removeReferral: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const removed = pick(model.referrals, which);
  if (!removed) return;
  await sql`UPDATE referrals SET deleted_at = now(), deleted_version = lock_terms() WHERE id = ${removed.id}`.execute(
    db,
  );
  model.referrals = model.referrals.filter((one) => one !== removed);
});

/** Of the balance from nothing to a third over it, in percent, or a sum of its own. */
const request: fc.Arbitrary<Command> = fc
  .record({
    account: index,
    percent: fc.bigInt({ min: 0n, max: 130n }),
    cents: fc.bigInt({ min: 1n, max: 5000n }),
    isShare: fc.boolean(),
  })
  .map(({ account, percent, cents, isShare }) => async (model) => {
    const which = account % accountCount;
    const balance = model.balances[which] ?? 0n;
    const asked = isShare && balance > 0n ? (balance * percent) / (100n * microsPerCent) : cents;
    const mayPass = asked >= 10n && asked * microsPerCent <= balance;
    let id = 0;
    const refused = await isRefused(async () => {
      // The least amount is the form's to refuse.
      if (asked < 10n) throw new AppError('validation_failed');
      id = await inTransaction((trx) =>
        requestPayout(trx, caller, {
          userId: model.accounts[which] ?? 0,
          account: model.billings[which] ?? 0,
          amount: Number(text(asked, 2)),
        }),
      );
    });
    expect(refused).toBe(!mayPass);
    if (refused) return;
    model.payouts.push({ id, account: which, cents: asked, state: 'PENDING', isDownloaded: false });
    take(model, which, -asked * microsPerCent);
  });

const moveTo = (status: 'PENDING' | 'PAID' | 'CANCEL'): fc.Arbitrary<Command> =>
  index.map((which) => async (model) => {
    const payout = pick(model.payouts, which);
    if (!payout) return;
    const { state, cents } = payout;
    const mayPass =
      (state === 'PENDING' && status === 'PAID' && cents - feeCents >= 1n) ||
      (state === 'PENDING' && status === 'CANCEL') ||
      (state === 'PAID' && status === 'PENDING' && !payout.isDownloaded) ||
      (state === 'PAID' && status === 'CANCEL');
    const refused = await isRefused(() =>
      inTransaction((trx) => editPayout(trx, caller, payout.id, { status, reason: 'retour' })),
    );
    expect([state, status, refused]).toEqual([state, status, !mayPass]);
    if (refused) return;
    const sign = status === 'PAID' ? 1n : state === 'PAID' ? -1n : 0n;
    model.paid += sign * (cents - feeCents) * microsPerCent;
    model.platform += sign * feeCents * microsPerCent;
    if (status === 'CANCEL') take(model, payout.account, cents * microsPerCent);
    payout.state = status;
  });

const remove: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const payout = pick(model.payouts, which);
  if (!payout) return;
  const { state, cents } = payout;
  const mayPass = state === 'PENDING' || (state === 'PAID' && !payout.isDownloaded);
  const refused = await isRefused(() => inTransaction((trx) => deletePayout(trx, caller, payout.id)));
  expect([state, refused]).toEqual([state, !mayPass]);
  if (refused) return;
  if (state === 'PAID') {
    model.paid -= (cents - feeCents) * microsPerCent;
    model.platform -= feeCents * microsPerCent;
  }
  take(model, payout.account, cents * microsPerCent);
  payout.state = 'deleted';
});

const download: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const payout = pick(model.payouts, which);
  if (!payout) return;
  const refused = await isRefused(() => inTransaction((trx) => markDownloaded(trx, caller, payout.id)));
  expect(refused).toBe(payout.state !== 'PAID');
  if (!refused) payout.isDownloaded = true;
});

const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: importRows },
    { weight: 1, arbitrary: reverse },
    { weight: 2, arbitrary: adjust },
    { weight: 1, arbitrary: addReferral },
    { weight: 1, arbitrary: removeReferral },
    { weight: 6, arbitrary: request },
    { weight: 5, arbitrary: moveTo('PAID') },
    { weight: 2, arbitrary: moveTo('PENDING') },
    { weight: 3, arbitrary: moveTo('CANCEL') },
    { weight: 1, arbitrary: remove },
    { weight: 1, arbitrary: download },
  ),
  { minLength: 100, maxLength: 100, size: 'max' },
);

const micros = (amount: string) => BigInt(amount.replace('.', ''));

/** What the books say of this run's accounts and payouts, stored and summed anew. */
async function readBooks(model: Model): Promise<Map<string, bigint>> {
  const names = [
    ...model.accounts.map((id) => `account:${id}`),
    ...model.payouts.map((payout) => `payout:${payout.id}`),
    ...['paid', 'platform'],
  ];
  const { rows } = await sql<{ account: string; stored: string; summed: string | null; total: string }>`
    SELECT b.account, b.amount AS stored,
           CASE WHEN b.account LIKE '%:%' THEN (SELECT sum(p.amount) FROM ledger_postings p WHERE p.account = b.account) END AS summed,
           (SELECT sum(amount) FROM ledger_balances) AS total
      FROM ledger_balances b WHERE b.account = ANY(${names}::text[])`.execute(db);
  for (const row of rows) {
    expect([row.account, row.summed ?? row.stored]).toEqual([row.account, row.stored]);
    expect(micros(row.total)).toBe(0n);
  }
  return new Map(rows.map((row) => [row.account, micros(row.stored)]));
}

const seconds = 1000;

it(
  'pays nothing twice, spends no reserved money, and explains every cent',
  async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        await sql`TRUNCATE payout_moves`.execute(owner);
        const accounts: number[] = [];
        const billings: number[] = [];
        const tracks: { isrc: string }[] = [];
        for (let n = 0; n < accountCount; n += 1) {
          const id = await buildAccount(db, { libraryPercentile: '80' });
          accounts.push(id);
          billings.push(await buildBilling(db, id));
          tracks.push(await buildTrack(db, id));
        }
        const model: Model = {
          accounts,
          billings,
          tracks,
          referrals: [],
          imports: [],
          balances: accounts.map(() => 0n),
          paid: 0n,
          platform: 0n,
          payouts: [],
        };
        const start = await readBooks(model);
        for (const command of list) {
          await command(model);
          const books = await readBooks(model);
          const moved = (name: string) => (books.get(name) ?? 0n) - (start.get(name) ?? 0n);
          expect(accounts.map((id) => moved(`account:${id}`))).toEqual(model.balances);
          expect([moved('paid'), moved('platform')]).toEqual([model.paid, model.platform]);
          for (const payout of model.payouts) {
            const reserved = payout.state === 'PENDING' ? payout.cents * microsPerCent : 0n;
            expect([payout.id, moved(`payout:${payout.id}`)]).toEqual([payout.id, reserved]);
          }
        }
      }),
      { numRuns: deepCount(1000), endOnFailure: true },
    );
    expect(await verifyLedger(owner)).toEqual([]);
  },
  7200 * seconds,
);
