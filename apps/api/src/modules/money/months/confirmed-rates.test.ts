import type { AutomaticReport, MonthBoard } from '@regie/contract/routes/months.ts';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { checkAsShown, postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let isrc: string;
let files = 0;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports', 'manage_settings']);
  isrc = (await buildTrack(app.db, await buildAccount(app.db))).isrc;
});

/** A loaded statement of one line in a currency. */
const load = async (month: string, currency: string) => {
  const test = { owner: app.owner, ownerUrl: app.database.ownerUrl };
  const id = await buildStatement(test, [{ isrc, month, amount: '10', title: `Titre ${++files}` }]);
  await setCurrency(app.owner, id, currency);
  return id;
};
const setRate = (month: string, currency: string, rate: number) =>
  staff.put('/api/exchange-rates', { month: monthToMs(month), currency, rate, confirmFar: true });
const check = (id: number, body: object = {}) => checkAsShown(staff, `/api/reporting/statements/${id}`, body);
const uncheck = (id: number) => staff.post(`/api/reporting/statements/${id}/uncheck`);
const get = async (id: number) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;
const post = (month: string, body: object = {}) => postMonthAsShown(staff, { fromDate: monthToMs(month), ...body });
const dryRun = async (month: string) =>
  (await staff.post('/api/reporting/automatic', { fromDate: monthToMs(month), dryRun: true })).data as AutomaticReport;
const reverse = async (reply: { data: unknown }) =>
  staff.post(`/api/imports/${(reply.data as AutomaticReport).importId}/reverse`);
const boardOf = async (month: string) =>
  (await staff.get(`/api/reporting/months?from=${monthToMs(month)}&to=${monthToMs(month)}`)).data as MonthBoard;
const refused = { status: 422, errors: { confirmRates: expect.stringContaining('confirmez') } };

describe('a rate', () => {
  it.each([
    ['2023-06', '2023-06', false],
    ['2023-06', '2023-04', false],
    ['2023-06', '2023-03', true],
    ['2023-01', '2022-11', false],
    ['2023-01', '2022-10', true],
  ])('%s for %s in %s is stale: %s', async (month, rateMonth, isStale) => {
    const currency = 'NOK';
    await sql`DELETE FROM exchange_rates WHERE currency = ${currency}`.execute(app.owner);
    await setRate(rateMonth, currency, 11.5);
    const id = await load(month, currency);
    expect((await get(id)).months).toMatchObject([{ isStale, isFuture: false, rateMonth: monthToMs(rateMonth) }]);
    expect(await check(id)).toMatchObject(isStale ? refused : { status: 200 });
    await staff.delete(`/api/reporting/statements/${id}`);
  });

  it('of the euro is never stale', async () => {
    const id = await load('2023-08', 'EUR');
    expect((await get(id)).months).toMatchObject([{ isStale: false, isFuture: false }]);
    expect(await check(id)).toMatchObject({ status: 200 });
    expect(await dryRun('2023-08')).toMatchObject({ mustConfirm: false, staleRates: expect.any(Array) });
  });
});

describe('a stale rate', () => {
  it('is shown with its own month and confirmed once, with the statement', { tags: ['slow'] }, async () => {
    await setRate('2021-03', 'AUD', 1.6);
    const id = await load('2021-08', 'AUD');
    const stale = { currency: 'AUD', month: monthToMs('2021-08'), rateMonth: monthToMs('2021-03'), rate: 1.6 };
    expect((await get(id)).months).toMatchObject([{ isStale: true, isConfirmed: false, rate: 1.6 }]);
    expect((await boardOf('2021-08')).cells).toMatchObject([{ staleRates: [stale] }]);
    expect(await check(id)).toMatchObject(refused);
    expect(await check(id, { confirmRates: false })).toMatchObject(refused);
    expect((await get(id)).status).toBe('loaded');

    expect(await check(id, { confirmRates: true })).toMatchObject({ status: 200 });
    expect((await app.journal('statement.check')).at(-1)).toMatchObject({
      entityId: String(id),
      after: { confirmedRates: ['1,6\u00a0AUD en août 2021 (taux de mars 2021)'] },
    });
    expect((await get(id)).months).toMatchObject([{ isStale: true, isConfirmed: true }]);
    expect(await dryRun('2021-08')).toMatchObject({ staleRates: [stale], isFuture: false, mustConfirm: false });
    const posted = await post('2021-08');
    expect(posted).toMatchObject({ status: 200, data: { staleRates: [stale] } });
    // Posted income keeps its rate: no confirmation is needed.
    expect((await get(id)).months).toMatchObject([{ isStale: false }]);
    expect((await boardOf('2021-08')).cells).toMatchObject([{ state: 'posted', staleRates: [] }]);
    await reverse(posted);
  });

  it('must be confirmed again when another rate would be used by then', { tags: ['slow'] }, async () => {
    await setRate('2021-09', 'CAD', 1.5);
    const id = await load('2022-02', 'CAD');
    await check(id, { confirmRates: true });
    expect((await dryRun('2022-02')).mustConfirm).toBe(false);

    // Another rate for the same month.
    await setRate('2021-09', 'CAD', 1.51);
    expect((await get(id)).months).toMatchObject([{ isConfirmed: false }]);
    expect(await dryRun('2022-02')).toMatchObject({ mustConfirm: true, staleRates: [{ rate: 1.51 }] });
    expect(await post('2022-02')).toMatchObject(refused);
    // Another month, still stale.
    await setRate('2021-10', 'CAD', 1.5);
    expect(await post('2022-02')).toMatchObject(refused);
    expect((await boardOf('2022-02')).cells).toMatchObject([{ state: 'checked', postedEur: 0 }]);

    // Confirmed with the month, it needs no confirmation when posted again.
    const posted = await post('2022-02', { confirmRates: true });
    expect(posted).toMatchObject({ status: 200, data: { mustConfirm: true } });
    expect((await app.journal('import.automatic')).at(-1)).toMatchObject({
      after: { confirmedRates: ['1,5\u00a0CAD en février 2022 (taux d’octobre 2021)'] },
    });
    await reverse(posted);
    const again = await post('2022-02');
    expect(again).toMatchObject({ status: 200, data: { mustConfirm: false } });
    await reverse(again);

    // A current rate needs no confirmation.
    await setRate('2022-01', 'CAD', 1.4);
    expect(await dryRun('2022-02')).toMatchObject({ mustConfirm: false, staleRates: [] });
    expect((await get(id)).months).toMatchObject([{ isStale: false }]);
  });

  it('is used with a warning when the call has neither version nor confirmation', async () => {
    await setRate('2020-01', 'HUF', 330);
    const id = await load('2020-10', 'HUF');
    await sql`UPDATE statements SET status = 'checked' WHERE id = ${id}`.execute(app.owner);
    const reply = await staff.post('/api/reporting/automatic', { fromDate: monthToMs('2020-10') });
    const warning = statementMessages.unconfirmedRates(['330\u00a0HUF en octobre 2020 (taux de janvier 2020)']);
    expect(reply).toMatchObject({ status: 200, data: { reports: 1 }, meta: { warnings: [warning] } });
    expect(reply.message).toContain(warning);
    expect((await app.journal('import.automatic')).at(-1)?.after).toMatchObject({ warnings: [warning] });
    // Nobody has confirmed the rate.
    await reverse(reply);
    expect((await dryRun('2020-10')).mustConfirm).toBe(true);
  });

  it('is confirmed for one statement, not for others of the month', { tags: ['slow'] }, async () => {
    await setRate('2020-01', 'SEK', 10.5);
    const one = await load('2020-09', 'SEK');
    await check(one, { confirmRates: true });
    const late = await load('2020-09', 'SEK');
    await sql`UPDATE statements SET status = 'checked' WHERE id = ${late}`.execute(app.owner);
    expect((await dryRun('2020-09')).mustConfirm).toBe(true);
    expect(await post('2020-09')).toMatchObject(refused);
    await uncheck(late);
    expect(await post('2020-09')).toMatchObject({ status: 200 });
  });

  it('loses its confirmation when the validation is withdrawn', async () => {
    await setRate('2020-01', 'DKK', 7.4);
    const id = await load('2020-11', 'DKK');
    await check(id, { confirmRates: true });
    await uncheck(id);
    expect((await get(id)).months).toMatchObject([{ isConfirmed: false }]);
    expect(await check(id)).toMatchObject(refused);
  });
});

describe('a month in the future', () => {
  const current = monthOfInstant(Date.now());
  const next = addMonths(current, 1);

  it('is shown and confirmed once, whatever its rates', { tags: ['slow'] }, async () => {
    await setRate(current, 'GBP', 0.87);
    const ids = [await load(next, 'EUR'), await load(next, 'GBP')];
    for (const id of ids) {
      expect((await get(id)).months).toMatchObject([{ isFuture: true, isStale: false, isConfirmed: false }]);
      expect(await check(id)).toMatchObject(refused);
      expect(await check(id, { confirmRates: true })).toMatchObject({ status: 200 });
      expect((await get(id)).months).toMatchObject([{ isFuture: true, isConfirmed: true }]);
    }
    expect((await boardOf(next)).months).toMatchObject([{ isFuture: true }]);
    // A newer rate is not stale: the month was confirmed.
    await setRate(current, 'GBP', 0.88);
    expect(await dryRun(next)).toMatchObject({ isFuture: true, staleRates: [], mustConfirm: false });
    expect(await post(next)).toMatchObject({ status: 200, data: { isFuture: true } });
  });

  it('does not include the current month', async () => {
    const id = await load(current, 'EUR');
    expect((await get(id)).months).toMatchObject([{ isFuture: false }]);
    expect((await boardOf(current)).months).toMatchObject([{ isFuture: false }]);
    expect(await check(id)).toMatchObject({ status: 200 });
  });
});
