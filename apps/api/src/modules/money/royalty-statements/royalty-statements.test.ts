import type { RoyaltyDraft, RoyaltyRecord, RoyaltyStatementRow } from '@regie/contract/routes/royalty-statements.ts';
import { sumAmounts } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { Client } from 'pg';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { literal } from '#src/lib/column-engine.ts';
import { queryRows, querySingle, queryValue } from '#src/lib/db.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildReferral, buildRelease, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';
import { printRoyaltyStatement } from './print-statement.service.ts';
import { publishRun } from './publish-run.service.ts';
import { listLines, publishRoyaltyRunJob } from './royalty-runs.service.ts';

const app = useApp();
let staff: TestClient;
let main: Client;

beforeAll(async () => {
  staff = await app.signInWith();
  main = new Client({ connectionString: app.database.ownerUrl });
  await main.connect();
});
afterAll(() => main.end());

const build = (rows: readonly StatementRow[]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, { isChecked: true });
const post = (month: string) => postMonthAsShown(staff, { fromDate: monthToMs(month), confirmRates: true });
const adjust = (accountId: number, amountEur: string, reason: string) =>
  app.db.transaction().execute((trx) => postAdjustment(trx, { accountId, amountEur, adminId: null, reason }));
const publish = async (month: string) => {
  const { id } = await app.owner
    .insertInto('royaltyRuns')
    .values({ month: `${month}-01` })
    .returning('id')
    .executeTakeFirstOrThrow();
  return publishRun(main, app.deps.lines, id);
};
const monthAfter = async (months: number) =>
  (
    await querySingle<{ month: string }>(app.owner)`
      SELECT to_char(month_in_paris(now()) + make_interval(months => ${months}), 'YYYY-MM') AS month`
  ).month;

interface Part {
  netEur: number;
}
interface StatementRecord {
  house: object;
  openingEur: number;
  closingEur: number;
  pendingEur: number;
  income: { totalEur: number; lines: number; tracks: (Part & { title: string })[]; stores: Part[]; countries: Part[] };
  referrals: Part[];
  corrections: (Part & { beforeEur: number; afterEur: number })[];
  payouts: Part[];
  adjustments: Part[];
}
const read = (accountId: number) =>
  queryRows<{ record: StatementRecord; number: number; fromMonth: string; runId: number }>(app.owner)`
    SELECT record, number, from_month, run_id FROM royalty_statements WHERE account_id = ${accountId} ORDER BY number`;

/** The published lines of an account, as text. */
async function linesOf(accountId: number, runId: number) {
  const { storageKey } = await querySingle<{ storageKey: string }>(app.owner)`
    SELECT f.storage_key FROM royalty_runs r JOIN files f ON f.id = r.file_id WHERE r.id = ${runId}`;
  const path = literal(await app.deps.lines.pathOf(storageKey));
  return app.deps.lines.engine.run<Record<string, string>>([
    `SELECT * FROM read_parquet(${path}) WHERE account_id = ${accountId} ORDER BY line`,
  ]);
}

/** 10^-scale units of a decimal. */
function units(text: string, scale: number): bigint {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${part.padEnd(scale, '0').slice(0, scale)}`);
}
const micros = (text: string) => units(text, 6);

describe('a run', () => {
  it('publishes every account’s movements, and lines that add up to its income', async () => {
    const [account, referrer] = [
      await buildAccount(app.db, { libraryPercentile: '70' }),
      await buildAccount(app.db, { libraryPercentile: '80' }),
    ];
    await buildReferral(app.db, { referrerId: referrer, referredId: account, percentile: '10' });
    const releaseId = await buildRelease(app.db, account);
    const [first, second] = [
      await buildTrack(app.db, account, { releaseId, title: 'Aurore' }),
      await buildTrack(app.db, account, { releaseId, title: 'Brume' }),
    ];
    const earlier = await adjust(account, '12.5', 'avant');
    await sql`SELECT backdate_transactions(ARRAY[${earlier}::bigint], ARRAY[now() - interval '5 months'])`.execute(
      app.owner,
    );
    await staff.put('/api/exchange-rates', {
      month: monthToMs('2025-03'),
      currency: 'GBP',
      rate: 0.83,
      confirmFar: true,
    });
    await build([
      { isrc: first.isrc, month: '2025-03', amount: '1.01', store: 'Deezer', country: 'FR' },
      { isrc: first.isrc, month: '2025-03', amount: '0.000007', store: 'Spotify', country: 'BE' },
      { isrc: second.isrc, month: '2025-03', amount: '-0.2', store: 'Spotify', country: 'FR' },
    ]);
    const pounds = await build([
      { isrc: first.isrc, month: '2025-03', amount: '3.3333333', store: 'iTunes', country: 'GB' },
    ]);
    await setCurrency(app.owner, pounds, 'GBP');
    const { importId } = (await post('2025-03')).data as { importId: number };
    await adjust(account, '-2', 'frais');

    const month = await monthAfter(-3);
    expect(await publish(month)).toBe(2);
    const [one] = await read(account);
    const income = (one?.record.income.totalEur ?? 0) - 0;
    expect(one).toMatchObject({ number: 1, fromMonth: `${month}-01` });
    expect(one?.record).toMatchObject({
      openingEur: 12.5,
      adjustments: [{ netEur: -2 }],
      payouts: [],
      corrections: [],
    });
    expect(one?.record.income.tracks.map(({ title }) => title)).toEqual(['Aurore', 'Brume']);
    expect(one?.record.income.stores).toHaveLength(3);
    const { amount } = await querySingle<{ amount: string }>(app.owner)`
      SELECT amount FROM ledger_balances WHERE account = ${`account:${account}`}`;
    expect(one?.record.closingEur).toBe(Number(amount));
    expect(income).toBeCloseTo(Number(amount) - 12.5 + 2, 6);

    // A second program: every line from the store’s own amount.
    const lines = await linesOf(account, one?.runId ?? 0);
    expect(lines).toHaveLength(4);
    expect(lines.reduce((sum, line) => sum + micros(line.net_eur ?? ''), 0n)).toBe(micros(income.toFixed(6)));
    for (const line of lines) {
      const [gross, rate] = [units(line.gross ?? '', 18), units(line.rate ?? '', 10)];
      // Gross has 18 decimals and the rate 10: the quotient has 8, of which 6 stay. The share is 70 %.
      const difference = micros(line.net_eur ?? '') - (gross * 70n) / (rate * 10_000n);
      expect(difference >= -2n && difference <= 2n).toBe(true);
    }
    expect(lines.map(({ store, country, currency }) => [store, country, currency])).toContainEqual([
      'iTunes',
      'GB',
      'GBP',
    ]);
    const [own] = await read(referrer);
    expect(own?.record.referrals).toMatchObject([{ month: '2025-03', percentile: 10 }]);
    expect(own?.record.closingEur).toBe(own?.record.referrals[0]?.netEur);

    expect(await publishRun(main, app.deps.lines, one?.runId ?? 0)).toBeUndefined();
    const report = await queryValue<number>(app.owner)`
      SELECT id FROM reports WHERE account_id = ${account} AND track_id = ${second.id}`;
    expect((await staff.delete(`/api/reporting/delete/${report}`)).status).toBe(200);
    await staff.post(`/api/imports/${importId}/reverse`, {});
    expect(await publish(await monthAfter(-2))).toBe(2);
    const [, next] = await read(account);
    expect(next?.record).toMatchObject({
      openingEur: one?.record.closingEur,
      closingEur: 10.5,
      income: { totalEur: 0, lines: 0 },
      corrections: [{ beforeEur: income, reason: 'Rapport supprimé\u00a0: Brume' }, { afterEur: 0 }],
    });
  });
});

describe('the calls', () => {
  const runJob = async (runId: number) =>
    publishRoyaltyRunJob({ lines: app.deps.lines, ownerUrl: app.database.ownerUrl })(
      { runId },
      { db: app.owner, log: app.app.log },
    );

  it('show what a month would publish, publish it once, and show what was published', async () => {
    const account = await buildAccount(app.db, { lastName: 'Zéphyr' });
    const referrer = await buildAccount(app.db, { lastName: 'Parrain' });
    await buildReferral(app.db, { referrerId: referrer, referredId: account, percentile: '10' });
    const track = await buildTrack(app.db, account);
    await build([{ isrc: track.isrc, month: '2025-04', amount: '108.24' }]);
    await post('2025-04');
    const house = { name: 'Maison', address: '1, rue Haute', iban: 'FR76' };
    await app.owner
      .insertInto('settings')
      .values({ key: 'house', value: JSON.stringify(house) })
      .execute();
    const month = monthToMs(await monthAfter(-1));
    const drafts = await staff.get(`/api/royalty-drafts?month=${month}&q=Zephyr`);
    expect(drafts.data).toMatchObject([
      {
        Account: { id: account, lname: 'Zéphyr' },
        isFirst: true,
        hasEmail: false,
        openingEur: 0,
        formerIncomeEur: null,
      },
    ]);
    const [draft] = drafts.data as RoyaltyDraft[];
    const referred = (await staff.get(`/api/royalty-drafts?month=${month}&q=Parrain`)).data as RoyaltyDraft[];
    expect(referred).toMatchObject([{ incomeEur: 0, closingEur: Math.round((draft?.incomeEur ?? 0) * 100_000) / 1e6 }]);
    const reply = await staff.post('/api/royalty-runs', { month });
    expect(reply).toMatchObject({ status: 200, message: 'Les relevés sont en cours de publication' });
    const { id } = reply.data as { id: number };
    expect(await staff.post('/api/royalty-runs', { month: monthToMs(await monthAfter(0)) })).toMatchObject({
      status: 409,
    });
    expect((await staff.get(`/api/royalty-runs/${id}`)).data).toMatchObject({ publishedAt: null, statements: 0 });
    await runJob(id);
    expect((await staff.get('/api/royalty-runs')).data).toMatchObject([{ id, month, hasFailed: false }, {}, {}]);
    const list = (await staff.get(`/api/royalty-statements?runId=${id}&q=zephyr`)).data as RoyaltyStatementRow[];
    expect(list).toMatchObject([{ number: 1, incomeEur: draft?.incomeEur, closingEur: draft?.closingEur, to: month }]);
    const statementId = list[0]?.id ?? 0;
    expect((await staff.get(`/api/royalty-statements?userId=${account}`)).data).toEqual(list);
    expect((await staff.get(`/api/royalty-statements/${statementId}`)).data).toMatchObject({
      record: {
        account: { id: account },
        income: { lines: 1, tracks: [{ trackId: track.id, isrc: track.isrc }] },
      },
    });
    const lines = await listLines(app.db, app.deps.lines, statementId, { after: 0, limit: 9 });
    expect(lines).toMatchObject([
      { line: 1, trackId: track.id, store: 'Deezer', country: 'FR', currency: 'USD', gross: '108.24', firstLine: 2 },
    ]);
    const [{ record } = { record: undefined }] = await read(account);
    expect(record?.house).toEqual({
      ...{ name: 'Maison', address: '1, rue Haute', postcode: '', city: '', country: 'France' },
      ...{ email: '', siren: '', vatNumber: '' },
    });
    // One that fails does not end the thread that prints the next.
    const failed = expect(printRoyaltyStatement({} as RoyaltyRecord)).rejects.toThrow();
    const pdf = await staff.get(`/api/royalty-statements/${statementId}/pdf`);
    await failed;
    expect(pdf.headers['content-disposition']).toContain(`attachment; filename="Releve-${account}-1.pdf"`);
    expect(pdf.bytes.toString('latin1')).toMatch(/^%PDF-/);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf.bytes)), { mergePages: true });
    expect(text).toContain('Relevé n° 1');
    expect(text).toContain('Zéphyr');
    await sql`UPDATE royalty_statements SET record = '{}' WHERE id = ${statementId}`.execute(app.owner);
    expect(await staff.get(`/api/royalty-statements/${statementId}/pdf`)).toMatchObject({ status: 404 });
    expect(await staff.post('/api/royalty-runs', { month })).toMatchObject({
      status: 422,
      errors: { month: expect.any(String) },
    });
    expect(await staff.get('/api/royalty-runs/999999')).toMatchObject({ status: 404 });
  });

  it('show a failure, after which nothing is published, and try again', async () => {
    const month = monthToMs(await monthAfter(0));
    const future = { month: monthToMs(await monthAfter(1)) };
    expect(await staff.post('/api/royalty-runs', future)).toMatchObject({
      status: 422,
      errors: { month: expect.any(String) },
    });
    const { id } = (await staff.post('/api/royalty-runs', { month })).data as { id: number };
    await publishRoyaltyRunJob({ lines: app.deps.lines, ownerUrl: 'postgres://nobody@127.0.0.1:1/none' })(
      { runId: id },
      { db: app.owner, log: app.app.log },
    );
    expect((await staff.get(`/api/royalty-runs/${id}`)).data).toMatchObject({ hasFailed: true, publishedAt: null });
    const reader = await app.signInWith(['read_statements_out']);
    expect(await reader.post(`/api/royalty-runs/${id}/retry`, {})).toMatchObject({ status: 403 });
    expect(await staff.post(`/api/royalty-runs/${id}/retry`, {})).toMatchObject({ status: 200 });
    expect(await staff.post(`/api/royalty-runs/${id}/retry`, {})).toMatchObject({ status: 409 });
    await runJob(id);
    expect((await reader.get(`/api/royalty-runs/${id}`)).data).toMatchObject({
      hasFailed: false,
      publishedAt: expect.any(Number),
    });
  });
});

it('the first reason of a change compares the months of sales of both statements, of one month each', async () => {
  const [monthly, quarterly] = [await buildAccount(app.db), await buildAccount(app.db)];
  await sql`UPDATE accounts SET statement_period = 'quarter' WHERE id = ${quarterly}`.execute(app.owner);
  const isrcs = [(await buildTrack(app.db, monthly)).isrc, (await buildTrack(app.db, quarterly)).isrc];
  const earn = async (month: string, amount: string) => {
    await build(isrcs.map((isrc) => ({ isrc, month, amount, store: 'Deezer' })));
    await post(month);
  };
  await adjust(monthly, '1', 'avance');
  for (const month of ['2029-03', '2029-05']) await publish(month);
  await earn('2025-06', '10.8');
  await publish('2029-06');
  await earn('2025-07', '5.4');
  const draftsOf = async (client: TestClient, month: string) => {
    const { data } = await client.get(`/api/royalty-drafts?month=${monthToMs(month)}&limit=500`);
    return Object.fromEntries((data as RoyaltyDraft[]).map(({ Account, reason }) => [Account.id, reason]));
  };
  expect((await draftsOf(staff, '2029-07'))[monthly]).toMatchObject({
    ...{ effect: 'price', name: 'DistroKid', fromA: monthToMs('2025-06'), fromB: monthToMs('2025-07') },
    amountEur: -3.83,
  });
  expect((await draftsOf(staff, '2029-09'))[quarterly]).toBeNull();
  expect((await draftsOf(await app.signInWith(['send_statements']), '2029-07'))[monthly]).toBeNull();
});

describe('the period', () => {
  const listDue = async (month: string) =>
    (await staff.get(`/api/royalty-drafts?month=${monthToMs(month)}&limit=500`)).data as RoyaltyDraft[];
  const sorted = (rows: readonly (RoyaltyDraft | RoyaltyStatementRow)[]) =>
    rows
      .map(({ Account: { id }, from, openingEur, incomeEur, closingEur }) => ({
        id,
        from,
        openingEur,
        incomeEur,
        closingEur,
      }))
      .toSorted((one, other) => one.id - other.id);
  const addAccount = async (period: string | null) => {
    const account = await buildAccount(app.db);
    await adjust(account, '5', 'avance');
    await sql`UPDATE accounts SET statement_period = ${period} WHERE id = ${account}`.execute(app.owner);
    return account;
  };

  it('of a quarter ends in March and not in April; the next statement has three months', async () => {
    const account = await addAccount('quarter');
    await publish('2030-03');
    const april = await listDue('2030-04');
    expect(april.map(({ Account }) => Account.id)).not.toContain(account);
    await publish('2030-04');
    await adjust(account, '3', 'avance de mai');
    await publish('2030-06');
    expect(await read(account)).toMatchObject([
      { number: 1, fromMonth: '2030-01-01', record: { closingEur: 5 } },
      { number: 2, fromMonth: '2030-04-01', record: { openingEur: 5, adjustments: [{ netEur: 3 }], closingEur: 8 } },
    ]);
  });

  it('is the house’s unless the account has its own, in the list and in the run', async () => {
    const accounts = {
      house: await addAccount(null),
      month: await addAccount('month'),
      half: await addAccount('half_year'),
    };
    const { version } = (await staff.get('/api/settings')).data as { version: string };
    await staff.put('/api/settings', { version, statementPeriod: 'year' });
    const due: Record<string, string[]> = {};
    for (const month of ['2031-05', '2031-06', '2031-12']) {
      await adjust(accounts.month, '1', 'avance');
      const drafts = await listDue(month);
      await publish(month);
      const [run] = (await staff.get('/api/royalty-runs?limit=1')).data as { id: number }[];
      const reply = await staff.get(`/api/royalty-statements?runId=${run?.id}&limit=500`);
      const published = reply.data as RoyaltyStatementRow[];
      expect(sorted(published)).toEqual(sorted(drafts));
      const sums = [{ currency: 'EUR', amount: sumAmounts(published.map(({ incomeEur }) => incomeEur)) }];
      expect(reply.meta?.sums).toEqual(sums);
      const runs = await staff.get('/api/royalty-runs?limit=500');
      const incomes = (runs.data as { incomeEur: number }[]).map(({ incomeEur }) => incomeEur);
      expect(runs.meta?.sums).toEqual([{ currency: 'EUR', amount: sumAmounts(incomes) }]);
      due[month] = Object.entries(accounts)
        .filter(([, id]) => drafts.some(({ Account }) => Account.id === id))
        .map(([name]) => name);
    }
    expect(due).toEqual({ '2031-05': ['month'], '2031-06': ['month', 'half'], '2031-12': ['house', 'month', 'half'] });
  });
});
