// @module-tag slow
import { monthToMs } from '@regie/values/month.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database, type Trx } from '#src/lib/db.ts';
import { AppError } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import {
  createBatch,
  exportBatch,
  makePaypalFile,
  makeSepaFile,
  payBatch,
  voidBatch,
} from '#src/modules/money/payouts/batches.service.ts';
import { deletePayout, editPayout, markDownloaded, requestPayout } from '#src/modules/money/payouts/payouts.service.ts';
import { importBatch } from '#src/modules/money/reports/import-batches.service.ts';
import { reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { editProfile } from '#src/modules/people/accounts/accounts.service.ts';
import { addReferral, deleteReferral } from '#src/modules/people/accounts/referrals.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useDatabase } from './database.ts';
import { deepCount } from './deep.ts';
import { buildAccount, buildActor, buildTrack } from './factories.ts';
import { testLines } from './lines.ts';
import { divide, index, pick, toText } from './model.ts';
import { buildBilling, signDetails, signMoney } from './payouts.ts';

/**
 * Random imports, adjustments, referrals, payouts and batches against a model without SQL in integer micro-euros
 * (product §33.5, §33.19, §33.21). After each command: every transaction sums to zero, stored balances equal the sums of
 * their postings, nothing is paid twice, and reserved money is not spent.
 */
const database = useDatabase();
let db: Database;
let owner: Database;
let caller: Caller;

beforeAll(async () => {
  db = createDatabase(database.appUrl, { max: 2 });
  owner = createDatabase(database.ownerUrl, { max: 1 });
  caller = { ...(await buildActor(db)), session: undefined, can: () => true };
  await owner
    .insertInto('settings')
    .values([
      { key: 'payoutApprovalEur', value: JSON.stringify(10_000_000) },
      { key: 'adjustmentApprovalEur', value: JSON.stringify(null) },
      { key: 'house', value: JSON.stringify({ name: 'Maison Régie', iban: 'FR1420041010050500013M02606' }) },
    ])
    .execute();
});
afterAll(() => Promise.all([db.destroy(), owner.destroy()]));

const inTransaction = <Result>(run: (trx: Trx) => Promise<Result>) => db.transaction().execute(run);

const accountCount = 3;
const rate = 11_300_000_000n;
const feeCents = 60n;
const microsPerCent = 10_000n;

/** Rounds half to even, as amounts are displayed. */
function toCents(micros: bigint): bigint {
  const size = micros < 0n ? -micros : micros;
  const [cents, rest] = [size / microsPerCent, size % microsPerCent];
  const rounded = rest * 2n > microsPerCent || (rest * 2n === microsPerCent && cents % 2n === 1n) ? cents + 1n : cents;
  return micros < 0n ? -rounded : rounded;
}
interface ModelPayout {
  id: number;
  account: number;
  cents: bigint;
  state: 'PENDING' | 'PAID' | 'CANCEL' | 'deleted';
  isDownloaded: boolean;
  isExported: boolean;
  batch: ModelBatch | undefined;
  /** The batch it was in when it was marked paid alone. */
  leftBatch: ModelBatch | undefined;
}
interface ModelBatch {
  id: number;
  state: 'draft' | 'exported' | 'paid' | 'void';
}
interface Model {
  accounts: number[];
  billings: number[];
  isPaypal: boolean[];
  tracks: { isrc: string }[];
  referrals: { id: number; referrer: number; referred: number; percent: bigint }[];
  imports: { id: number; credits: Map<number, bigint> }[];
  /** Micro-euros, by index in `accounts`. */
  balances: bigint[];
  paid: bigint;
  platform: bigint;
  payouts: ModelPayout[];
  batches: ModelBatch[];
  /** Each payout named in a bank or PayPal file, with its batch. */
  sent: Map<number, number>;
}

const take = (model: Model, index: number, micros: bigint) => {
  model.balances[index] = (model.balances[index] ?? 0n) + micros;
};

/** True when the call is refused with an AppError; other errors fail the test. */
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
let files = 0;

const importRows: fc.Arbitrary<Command> = fc
  .array(fc.record({ track: index, cents: fc.bigInt({ min: -8_000n, max: 60_000n }) }), { minLength: 1, maxLength: 4 })
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
        rows: rows.map((row) => ({ isrc: pick(model.tracks, row.track)?.isrc, incomeOfStreams: toText(row.cents, 2) })),
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
    micros: fc.bigInt({ min: -60_000_000n, max: 300_000_000n }).filter((value) => value !== 0n),
  })
  .map(({ account, micros }) => async (model) => {
    const which = account % accountCount;
    await inTransaction((trx) =>
      postAdjustment(trx, {
        accountId: model.accounts[which] ?? 0,
        amountEur: toText(micros, 6),
        adminId: caller.adminId,
        reason: 'essai',
      }),
    );
    take(model, which, micros);
  });

/** A balance in cents as the profile shows it: what is payable, rounded down. */
const shownCents = (micros: bigint) => (micros < 0n ? toCents(micros) : micros / microsPerCent);

/** A balance typed into the profile: nothing happens when it is the one shown. */
const setIncome: fc.Arbitrary<Command> = fc
  .record({ account: index, cents: fc.bigInt({ min: 0n, max: 30_000n }), isSeen: fc.boolean() })
  .map(({ account, cents, isSeen }) => async (model) => {
    const which = account % accountCount;
    const present = model.balances[which] ?? 0n;
    const seen = isSeen ? present : present + microsPerCent;
    const form = { income: Number(toText(cents, 2)), incomeSeen: Number(toText(seen, 6)), reason: 'essai' };
    const names = { fname: 'Awa', lname: 'Diallo', country: 'France' };
    const refused = await isRefused(() =>
      inTransaction((trx) => editProfile(trx, caller, model.accounts[which] ?? 0, { ...names, ...form })),
    );
    expect(refused).toBe(!isSeen);
    if (!refused && shownCents(present) !== cents) take(model, which, cents * microsPerCent - present);
  });

/** Whether `from` referred `to`, directly or through others. */
function hasBrought(model: Model, from: number, to: number): boolean {
  return model.referrals.some(
    ({ referrer, referred }) => referrer === from && (referred === to || hasBrought(model, referred, to)),
  );
}

const refer: fc.Arbitrary<Command> = fc
  .tuple(index, index, fc.bigInt({ min: 0n, max: 2000n }))
  .map(([from, to, percent]) => async (model) => {
    const [referrer, referred] = [from % accountCount, to % accountCount];
    const isKnown = model.referrals.some((one) => one.referrer === referrer && one.referred === referred);
    let id = 0;
    const refused = await isRefused(async () => {
      ({ id } = await inTransaction((trx) =>
        addReferral(trx, caller, {
          referrerId: model.accounts[referrer] ?? 0,
          referredId: model.accounts[referred] ?? 0,
          percentile: Number(toText(percent, 2)),
        }),
      ));
    });
    expect(refused).toBe(referrer === referred || isKnown || hasBrought(model, referred, referrer));
    if (!refused) model.referrals.push({ id, referrer, referred, percent });
  });

const removeReferral: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const removed = pick(model.referrals, which);
  if (!removed) return;
  await inTransaction((trx) => deleteReferral(trx, caller, removed.id));
  model.referrals = model.referrals.filter((one) => one !== removed);
});

/** A request of 0 to 133% of the balance, or of a fixed amount. */
const request: fc.Arbitrary<Command> = fc
  .record({
    account: index,
    percent: fc.bigInt({ min: 0n, max: 110n }),
    cents: fc.bigInt({ min: 1n, max: 5000n }),
    isShare: fc.boolean(),
  })
  .map(({ account, percent, cents, isShare }) => async (model) => {
    const which = account % accountCount;
    const balance = model.balances[which] ?? 0n;
    const asked = isShare && balance > 0n ? (balance * percent) / (100n * microsPerCent) : cents;
    const mayPass = asked >= 10n && asked > feeCents && asked * microsPerCent <= balance;
    let id = 0;
    const refused = await isRefused(async () => {
      // The form refuses less than the minimum.
      if (asked < 10n) throw new AppError('validation_failed');
      id = await inTransaction((trx) =>
        requestPayout(trx, caller, {
          userId: model.accounts[which] ?? 0,
          account: model.billings[which] ?? 0,
          amount: Number(toText(asked, 2)),
        }),
      );
    });
    expect(refused).toBe(!mayPass);
    if (refused) return;
    model.payouts.push({
      ...{ id, account: which, cents: asked, state: 'PENDING' },
      ...{ isDownloaded: false, isExported: false, batch: undefined, leftBatch: undefined },
    });
    take(model, which, -asked * microsPerCent);
  });

const moveTo = (status: 'PENDING' | 'PAID' | 'CANCEL'): fc.Arbitrary<Command> =>
  index.map((which) => async (model) => {
    const payout = pick(model.payouts, which);
    if (!payout) return;
    const { state, cents } = payout;
    const isFree = !payout.isExported;
    const mayPass =
      state === status ||
      (state === 'PENDING' && status === 'PAID' && cents - feeCents >= 1n && !isOwing(model, payout) && isFree) ||
      (state === 'PENDING' && status === 'CANCEL' && isFree) ||
      (state === 'PAID' && status === 'PENDING' && !payout.isDownloaded && isFree) ||
      (state === 'PAID' && status === 'CANCEL');
    const refused = await isRefused(() =>
      inTransaction((trx) => editPayout(trx, caller, payout.id, { status, reason: 'retour' })),
    );
    expect([state, status, refused]).toEqual([state, status, !mayPass]);
    if (refused || state === status) return;
    const sign = status === 'PAID' ? 1n : state === 'PAID' ? -1n : 0n;
    model.paid += sign * (cents - feeCents) * microsPerCent;
    model.platform += sign * feeCents * microsPerCent;
    if (status === 'CANCEL') take(model, payout.account, cents * microsPerCent);
    payout.state = status;
    if (!isFree) return;
    // The payer takes back a payment of the last minutes, into the batch it left.
    const rejoined = status === 'PENDING' && payout.leftBatch?.state === 'draft' ? payout.leftBatch : undefined;
    payout.leftBatch = status === 'PAID' ? payout.batch : undefined;
    payout.batch = rejoined;
  });

const remove: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const payout = pick(model.payouts, which);
  if (!payout) return;
  const { state, cents } = payout;
  const mayPass = !payout.isExported && (state === 'PENDING' || (state === 'PAID' && !payout.isDownloaded));
  const refused = await isRefused(() => inTransaction((trx) => deletePayout(trx, caller, payout.id)));
  expect([state, refused]).toEqual([state, !mayPass]);
  if (refused) return;
  if (state === 'PAID') {
    model.paid -= (cents - feeCents) * microsPerCent;
    model.platform -= feeCents * microsPerCent;
  }
  take(model, payout.account, cents * microsPerCent);
  payout.state = 'deleted';
  payout.batch = undefined;
});

const download: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const payout = pick(model.payouts, which);
  if (!payout) return;
  const refused = await isRefused(() => inTransaction((trx) => markDownloaded(trx, caller, payout.id)));
  expect(refused).toBe(payout.state !== 'PAID');
  if (!refused) payout.isDownloaded = true;
});

const isOwing = (model: Model, payout: ModelPayout) => (model.balances[payout.account] ?? 0n) < 0n;
const membersOf = (model: Model, batch: ModelBatch) => model.payouts.filter((payout) => payout.batch === batch);

const gather: fc.Arbitrary<Command> = fc
  .array(fc.tuple(index, fc.boolean()), { minLength: 1, maxLength: 4 })
  .map((picks) => async (model) => {
    const waiting = model.payouts.filter((payout) => payout.state === 'PENDING' && payout.batch === undefined);
    // Mostly payouts that may be sent, sometimes any.
    const chosen = [...new Set(picks.map(([which, isAny]) => pick(isAny ? model.payouts : waiting, which)))];
    const payouts = chosen.filter((payout) => payout !== undefined);
    if (payouts.length === 0) return;
    const mayPass = payouts.every(
      (payout) =>
        payout.state === 'PENDING' &&
        payout.batch === undefined &&
        payout.cents - feeCents >= 1n &&
        !isOwing(model, payout),
    );
    let id = 0;
    const refused = await isRefused(async () => {
      const form = { payouts: payouts.map((payout) => payout.id), confirmWarnings: true };
      id = await inTransaction((trx) => createBatch(trx, caller, form));
    });
    expect(refused).toBe(!mayPass);
    if (refused) return;
    const batch: ModelBatch = { id, state: 'draft' };
    model.batches.push(batch);
    for (const payout of payouts) payout.batch = batch;
  });

/** The payouts and cents named in a batch's files. */
async function readFiles(model: Model, batch: ModelBatch): Promise<Map<number, bigint>> {
  const files = new Map<number, bigint>();
  const has = (type: 'sepa' | 'paypal') =>
    membersOf(model, batch).some((payout) => (model.isPaypal[payout.account] ?? false) === (type === 'paypal'));
  if (has('sepa')) {
    const xml = (await makeSepaFile(db as Trx, caller, batch.id)).content.toString();
    const transfers = xml.matchAll(/-(\d+)<\/EndToEndId><\/PmtId><Amt><InstdAmt Ccy="EUR">([\d.]+)</g);
    for (const [, id = '', amount = ''] of transfers) files.set(Number(id), BigInt(amount.replace('.', '')));
    expect(xml).toContain(
      `<CtrlSum>${toText(
        [...files.values()].reduce((sum, cents) => sum + cents, 0n),
        2,
      )}<`,
    );
  }
  if (has('paypal')) {
    const csv = (await makePaypalFile(db as Trx, caller, batch.id)).content.toString();
    for (const [, amount = '', id = ''] of csv.matchAll(/,([\d.]+),EUR,V-0*(\d+),/g)) {
      files.set(Number(id), BigInt(amount.replace('.', '')));
    }
  }
  return files;
}

const send: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const batch = pick(model.batches, which);
  if (!batch) return;
  const members = membersOf(model, batch);
  const mayPass =
    members.length > 0 &&
    batch.state !== 'void' &&
    (batch.state !== 'draft' || !members.some((payout) => isOwing(model, payout)));
  const refused = await isRefused(() => inTransaction((trx) => exportBatch(trx, caller, batch.id)));
  expect([batch.state, refused]).toEqual([batch.state, !mayPass]);
  if (refused) return;
  if (batch.state === 'draft') batch.state = 'exported';
  for (const payout of members) payout.isExported = true;
  const expected = members.map((payout): [number, bigint] => [payout.id, payout.cents - feeCents]);
  expect(await readFiles(model, batch)).toEqual(new Map(expected));
  for (const payout of members) {
    expect([payout.id, model.sent.get(payout.id) ?? batch.id]).toEqual([payout.id, batch.id]);
    model.sent.set(payout.id, batch.id);
  }
});

const settle: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const batch = pick(model.batches, which);
  if (!batch) return;
  const refused = await isRefused(() => inTransaction((trx) => payBatch(trx, caller, batch.id)));
  expect([batch.state, refused]).toEqual([batch.state, batch.state !== 'exported']);
  if (refused) return;
  batch.state = 'paid';
  for (const payout of membersOf(model, batch)) {
    payout.state = 'PAID';
    model.paid += (payout.cents - feeCents) * microsPerCent;
    model.platform += feeCents * microsPerCent;
  }
});

const giveUp: fc.Arbitrary<Command> = index.map((which) => async (model) => {
  const batch = pick(model.batches, which);
  if (!batch) return;
  const refused = await isRefused(() => inTransaction((trx) => voidBatch(trx, caller, batch.id)));
  expect([batch.state, refused]).toEqual([batch.state, batch.state !== 'draft']);
  if (refused) return;
  for (const payout of membersOf(model, batch)) payout.batch = undefined;
  batch.state = 'void';
});

const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: importRows },
    { weight: 1, arbitrary: reverse },
    { weight: 2, arbitrary: adjust },
    { weight: 1, arbitrary: setIncome },
    { weight: 2, arbitrary: refer },
    { weight: 1, arbitrary: removeReferral },
    { weight: 12, arbitrary: request },
    { weight: 3, arbitrary: moveTo('PAID') },
    { weight: 2, arbitrary: moveTo('PENDING') },
    { weight: 2, arbitrary: moveTo('CANCEL') },
    { weight: 1, arbitrary: remove },
    { weight: 1, arbitrary: download },
    { weight: 6, arbitrary: gather },
    { weight: 5, arbitrary: send },
    { weight: 4, arbitrary: settle },
    { weight: 1, arbitrary: giveUp },
  ),
  { minLength: 100, maxLength: 100, size: 'max' },
);

const micros = (amount: string) => BigInt(amount.replace('.', ''));

/** The ledger of this run's accounts and payouts, stored and recomputed. */
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
        const isPaypal = [false, true, false];
        for (let n = 0; n < accountCount; n += 1) {
          const id = await buildAccount(db, { libraryPercentile: '80' });
          accounts.push(id);
          const billing = await buildBilling(db, id, isPaypal[n] ? { type: 'paypal' } : {});
          billings.push(billing);
          // Signatures have their own tests.
          await signMoney(db, id, '1000000000');
          await signDetails(db, billing);
          tracks.push(await buildTrack(db, id));
        }
        const model: Model = {
          accounts,
          billings,
          isPaypal,
          tracks,
          referrals: [],
          imports: [],
          balances: accounts.map(() => 0n),
          paid: 0n,
          platform: 0n,
          payouts: [],
          batches: [],
          sent: new Map(),
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
      { numRuns: deepCount(1000, 80), endOnFailure: true },
    );
    expect(await verifyLedger(owner, testLines)).toEqual([]);
  },
  7200 * seconds,
);
