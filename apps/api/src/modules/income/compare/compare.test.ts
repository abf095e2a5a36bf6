import type { Comparison } from '@regie/contract/routes/compare.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildReferral, buildTrack, setRate } from '#test/factories.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';
import { listReasons } from './compare.service.ts';

const app = useApp();
let staff: TestClient;
const period = `a=${monthToMs('2024-01')}&b=${monthToMs('2024-02')}`;
const answer = async (address: string) => {
  const reply = await staff.get(`/api${address}${address.includes('?') ? '&' : '?'}${period}`);
  expect(reply.status).toBe(200);
  return reply.data as Comparison;
};
const effectsOf = ({ bars }: Comparison) => Object.fromEntries(bars.map(({ effect, exactEur }) => [effect, exactEur]));
const build = (month: string, rows: readonly Omit<StatementRow, 'month'>[], isChecked = false) =>
  buildStatement(
    { owner: app.owner, ownerUrl: app.database.ownerUrl },
    rows.map((row) => ({ store: 'Spotify', ...row, month })),
    { isChecked },
  );

let account: number;
let referred: number;
let other: number;
let stays: { id: number; isrc: string };
let [first, refund, adjustment] = [0, 0, 0];

/** January is posted, February waits; the account had 80 %, and has 75 %. */
beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports', 'manage_profiles']);
  await setRate(app.db, 'USD', '2024-01', '1.25');
  await setRate(app.db, 'USD', '2024-02', '1.6');
  account = await buildAccount(app.db, { firstName: 'Fanta', lastName: 'Keïta' });
  other = await buildAccount(app.db);
  referred = await buildAccount(app.db, { firstName: 'Awa', lastName: 'Diop' });
  await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '10' });
  stays = await buildTrack(app.db, account, { title: 'Reste' });
  const [withdrawn, moves, added] = [
    await buildTrack(app.db, account),
    await buildTrack(app.db, account),
    await buildTrack(app.db, account),
  ];
  const theirs = await buildTrack(app.db, referred);
  first = await build(
    '2024-01',
    [
      { isrc: stays.isrc, amount: '12.5', quantity: 100 },
      { isrc: withdrawn.isrc, amount: '1.25' },
      { isrc: moves.isrc, amount: '2.5' },
      { isrc: theirs.isrc, amount: '12.5' },
    ],
    true,
  );
  const late = await build('2024-01', [{ isrc: stays.isrc, amount: '5', store: 'Deezer' }], true);
  await sql`UPDATE statements SET source = 'Deezer' WHERE id = ${late}`.execute(app.owner);
  expect((await postMonthAsShown(staff, { fromDate: monthToMs('2024-01'), confirmRates: true })).status).toBe(200);

  await sql`UPDATE accounts SET library_percentile = 75 WHERE id = ${account}`.execute(app.owner);
  await sql`UPDATE releases SET account_id = ${other} WHERE id = (SELECT release_id FROM tracks WHERE id = ${moves.id})`.execute(
    app.owner,
  );
  const second = await build('2024-02', [
    { isrc: stays.isrc, amount: '9.6', quantity: 80 },
    { isrc: added.isrc, amount: '3.2' },
    { isrc: moves.isrc, amount: '4.8' },
  ]);
  await sql`
    INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows, track_id)
    VALUES (${second}, '2024-02-01', ${stays.isrc}, 'stream', 'XTS', 5, 30, 1, ${stays.id})`.execute(app.owner);
  refund = await build('2024-02', [{ isrc: stays.isrc, amount: '-1.6', quantity: -5 }]);
  const csv = await staff.post(
    `/api/reporting/csv?date=${monthToMs('2024-02')}&import=${'1'.repeat(64)}&name=ventes.csv&batch=0&batches=1`,
    [{ isrc: stays.isrc, numOfStreams: 10, incomeOfStreams: '1.6' }],
  );
  expect(csv.status).toBe(200);
  const video = { userId: account, fromDate: monthToMs('2024-02'), incomeOfYoutube: 3.2 };
  expect((await staff.post('/api/reporting/youtube/create', video)).status).toBe(200);
  const { rows } = await sql<{ id: number }>`
    WITH t AS (
      INSERT INTO ledger_transactions (kind, account_id, memo, occurred_at) VALUES ('adjustment', ${account}, 'Avoir', '2024-02-29 23:30+01') RETURNING id, occurred_at)
    INSERT INTO ledger_postings (transaction_id, account, currency, amount, occurred_at)
    SELECT id, v.account, 'EUR', v.amount, occurred_at FROM t, (VALUES (${`account:${account}`}, 3), ('adjustment', -3)) AS v (account, amount)
    RETURNING transaction_id AS id`.execute(app.owner);
  adjustment = rows[0]?.id ?? 0;
});

it('explains the net income of an account by every effect, down to reports and statements', {
  tags: ['slow'],
}, async () => {
  const found = await answer(`/profile/${account}/compare`);
  expect(found).toMatchObject({
    name: 'Fanta Keïta',
    ...{ amountAEur: 14.4, amountBEur: 10.4, differenceEur: -4, isForecastA: false, isForecastB: true },
    missingRates: [{ currency: 'XTS', amountA: 0, amountB: 30 }],
  });
  expect(effectsOf(found)).toEqual({
    ...{ missing: -3.2, extra: 2.15, correction: -0.75, new: 1.5, gone: -0.8, moved: -1.6 },
    ...{ plays: -1.6, price: -0.256, rate: -1.344, share: -0.3, referral: -0.8, adjustment: 3 },
  });
  const partsOf = (effect: string) => found.bars.find((bar) => bar.effect === effect)?.parts;
  const { rows: reports } = await sql<{ id: number }>`
    SELECT r.id FROM reports r JOIN imports i ON i.id = r.import_id WHERE r.track_id = ${stays.id} AND i.kind = 'automatic'`.execute(
    app.db,
  );
  expect(partsOf('rate')).toMatchObject([
    {
      ...{
        name: 'DistroKid',
        amountEur: -1.34,
        before: 1.25,
        after: 1.6,
        currency: 'USD',
        statements: [first, first + 2],
      },
      parts: [{ name: 'Reste', id: stays.id, amountEur: -1.34, reports: [reports[0]?.id, null] }],
    },
  ]);
  expect(partsOf('correction')).toMatchObject([{ name: 'DistroKid', statements: [null, refund] }]);
  expect(partsOf('extra')).toMatchObject([
    { name: 'Vidéo', amountEur: 1.4, parts: [{ name: '', id: null }] },
    { name: 'Import CSV', amountEur: 0.75, parts: [{ name: 'Reste' }] },
  ]);
  expect(partsOf('referral')).toMatchObject([{ name: 'Awa Diop', id: referred, parts: [] }]);
  expect(partsOf('adjustment')).toMatchObject([{ name: 'Avoir', id: adjustment, parts: [] }]);
  const figures = (await staff.get(`/api/profile/${account}/figures`)).data as {
    months: { ownEur: number; referralsEur: number }[];
  };
  expect(figures.months.at(-2)).toMatchObject({ ownEur: 13.6, referralsEur: 0.8 });
});

it('explains the gross income of a track, a release, an account, a store and the house', async () => {
  const track = await answer(`/reporting/compare?subject=track&value=${stays.id}`);
  expect(track).toMatchObject({ name: 'Reste', amountAEur: 14, amountBEur: 6, differenceEur: -8 });
  expect(effectsOf(track)).toEqual({ missing: -4, extra: 1, correction: -1, plays: -2, price: -0.32, rate: -1.68 });
  const { releaseId } = await app.db
    .selectFrom('tracks')
    .select('releaseId')
    .where('id', '=', stays.id)
    .executeTakeFirstOrThrow();
  const release = await answer(`/reporting/compare?subject=release&value=${releaseId}`);
  expect(release.bars).toEqual(track.bars);
  const gross = await answer(`/reporting/compare?subject=grossAccount&value=${account}`);
  expect(gross).toMatchObject({ name: 'Fanta Keïta', amountAEur: 17, amountBEur: 10, differenceEur: -7 });
  expect(Object.keys(effectsOf(gross))).not.toContain('referral');
  const store = await answer('/reporting/compare?subject=store&value=Spotify');
  expect(store).toMatchObject({ name: 'Spotify', amountAEur: 23, amountBEur: 10, differenceEur: -13 });
  // Stores have no tracks: the new one is among the plays.
  expect(effectsOf(store)).toEqual({ correction: -1, plays: -4.6893203883, price: -4.2306796117, rate: -3.08 });
  const video = await answer('/reporting/compare?subject=store&value=Vidéo');
  expect(effectsOf(video)).toEqual({ extra: 2 });
  expect(await answer('/reporting/compare?subject=all')).toMatchObject({ amountAEur: 27, amountBEur: 13 });
});

it('compares month with month, and adds up over the months', async () => {
  const two = `a=${monthToMs('2023-12')}&b=${monthToMs('2024-01')}&months=2`;
  const reply = await staff.get(`/api/reporting/compare?subject=track&value=${stays.id}&${two}`);
  const found = reply.data as Comparison;
  expect(found).toMatchObject({ amountAEur: 14, amountBEur: 20, differenceEur: 6 });
  // January has no earlier income, and February less than January.
  expect(effectsOf(found)).toEqual({ missing: -4, extra: 15, correction: -1, plays: -2, price: -0.32, rate: -1.68 });
});

it('counts neither reversed reports nor deleted statements', async () => {
  const track = await buildTrack(app.db, account);
  const statement = await build('2024-05', [{ isrc: track.isrc, amount: '4.8' }], true);
  const at = `a=${monthToMs('2024-04')}&b=${monthToMs('2024-05')}`;
  const amount = async () => ((await staff.get(`/api/profile/${account}/compare?${at}`)).data as Comparison).amountBEur;
  expect(await amount()).toBe(2.25);
  await postMonthAsShown(staff, { fromDate: monthToMs('2024-05'), confirmRates: true });
  // A later percentage is not the posted report's.
  await sql`UPDATE accounts SET library_percentile = 50 WHERE id = ${account}`.execute(app.owner);
  expect(await amount()).toBe(2.25);
  const report = await app.db
    .selectFrom('reports')
    .select('id')
    .where('trackId', '=', track.id)
    .executeTakeFirstOrThrow();
  expect((await staff.delete(`/api/reporting/delete/${report.id}`)).status).toBe(200);
  expect(await amount()).toBe(1.5);
  await sql`UPDATE statements SET status = 'removed', ended_at = now() WHERE id = ${statement}`.execute(app.owner);
  expect(await amount()).toBe(0);
  await sql`UPDATE accounts SET library_percentile = 75 WHERE id = ${account}`.execute(app.owner);
});

it('needs manage_profiles for an account, and read_reports for the rest', async () => {
  const [reader, manager] = [await app.signInWith(['read_reports']), await app.signInWith(['manage_profiles'])];
  const [net, gross] = [
    `/api/profile/${account}/compare?${period}`,
    `/api/reporting/compare?subject=track&value=${stays.id}&${period}`,
  ];
  expect([(await manager.get(net)).status, (await manager.get(gross)).status]).toEqual([200, 403]);
  expect([(await reader.get(net)).status, (await reader.get(gross)).status]).toEqual([403, 200]);
  expect((await staff.get(`/api/profile/999999/compare?${period}`)).status).toBe(404);
  expect((await staff.get(`/api/reporting/compare?subject=release&value=x&${period}`)).status).toBe(404);
  expect((await staff.get(`${gross}&months=13`)).status).toBe(422);
});

it('finds the first reason of several accounts at once, as each comparison has it', async () => {
  const ids = [account, referred, other];
  const comparisons = await Promise.all(ids.map((id) => answer(`/profile/${id}/compare`)));
  const reasons = await app.db
    .transaction()
    .execute((trx) => listReasons(trx, ids, { a: '2024-01-01', b: '2024-02-01' }));
  expect(ids.map((id) => reasons.get(id))).toMatchObject(
    comparisons.map(({ bars }) => {
      const [first] = bars.toSorted((one, two) => Math.abs(two.amountEur) - Math.abs(one.amountEur));
      return { effect: first?.effect, amountEur: first?.amountEur };
    }),
  );
});
