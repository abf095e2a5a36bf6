import type {
  AnalyticsChanges,
  AnalyticsHistory,
  AnalyticsRow,
  AnalyticsSummary,
} from '@regie/contract/routes/analytics.ts';
import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack, setRate } from '#test/factories.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';
import { refreshAnalytics } from './refresh.service.ts';

const app = useApp();
let staff: TestClient;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
  // The amounts below are multiples of this rate.
  await sql`INSERT INTO exchange_rates (month, currency, rate) VALUES ('2031-01-01', 'USD', 1.0824)`.execute(app.owner);
});
beforeEach(async () => {
  await refreshAnalytics(app.owner);
});

const build = (rows: readonly StatementRow[], options?: Parameters<typeof buildStatement>[2]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);
const list = async (query: string) => (await staff.get(`/api/reporting/analytics?${query}`)).data as AnalyticsRow[];
const summary = async (query: string) =>
  (await staff.get(`/api/reporting/analytics/summary?${query}`)).data as AnalyticsSummary;
const history = async (query: string) =>
  (await staff.get(`/api/reporting/analytics/history?${query}`)).data as AnalyticsHistory;
const amounts = (rows: readonly AnalyticsRow[]) => Object.fromEntries(rows.map((row) => [row.name, row.amountEur]));

it('adds up a month by store, country, track, release and account to the same total', { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db, { firstName: 'Awa', lastName: 'Diop' });
  const other = await buildAccount(app.db, { firstName: 'Bruno', lastName: 'Lima' });
  const track = await buildTrack(app.db, account);
  const second = await buildTrack(app.db, other);
  await build([
    { isrc: track.isrc, month: '2031-01', store: 'Deezer', country: 'FR', amount: '10.824', quantity: 100 },
    { isrc: track.isrc, month: '2031-01', store: 'iTunes', country: 'BE', amount: '2.1648', quantity: 2 },
    { isrc: second.isrc, month: '2031-01', store: 'YouTube (Ads)', country: 'FR', amount: '1.0824', quantity: 30 },
    { isrc: second.isrc, month: '2031-02', store: 'Deezer', country: 'FR', amount: '5.412', quantity: 50 },
    { isrc: 'FRINS3100001', month: '2031-01', store: 'Deezer', country: '', amount: '-1.0824', quantity: -1 },
  ]);
  const at = `from=${monthToMs('2031-01')}`;
  expect((await summary(at)).pendingMonths).toBe(2);
  expect(await refreshAnalytics(app.owner)).toBe(2);

  expect(await summary(at)).toMatchObject({
    fromDate: monthToMs('2031-01'),
    amountEur: 12,
    previousEur: null,
    unmatchedEur: -1,
    streams: 99,
    downloads: 2,
    videos: 30,
    streamsEur: 9,
    downloadsEur: 2,
    videosEur: 1,
    pendingMonths: 0,
    missingRates: [],
  });
  const changes = (await staff.get('/api/reporting/analytics/changes')).data as AnalyticsChanges;
  expect(changes.fromDate).toBe(monthToMs('2031-02'));
  expect(changes.rows).toMatchObject([
    { name: 'Awa Diop', userId: account, amountEur: 0, previousEur: 12 },
    { name: 'Bruno Lima', userId: other, amountEur: 5, previousEur: 1 },
  ]);
  const former = await staff.get(`/api/reporting/analytics/changes?month=${monthToMs('2031-01')}`);
  expect(former.data).toMatchObject({
    fromDate: monthToMs('2031-01'),
    rows: [
      { userId: account, amountEur: 12, previousEur: 0 },
      { userId: other, amountEur: 1, previousEur: 0 },
    ],
  });
  expect(amounts(await list(`by=store&${at}`))).toEqual({ Deezer: 9, iTunes: 2, 'YouTube (Ads)': 1 });
  expect((await list(`by=country&${at}`)).map((row) => [row.value, row.amountEur])).toEqual([
    ['FR', 11],
    ['BE', 2],
    ['', -1],
  ]);
  const tracks = await list(`by=track&${at}`);
  expect(tracks.map((row) => [row.isrc, row.userId, row.amountEur])).toEqual([
    [track.isrc, account, 12],
    [second.isrc, other, 1],
    [null, null, -1],
  ]);
  expect((await list(`by=release&${at}`)).map((row) => [row.libraryId, row.amountEur])).toEqual([
    [tracks[0]?.libraryId, 12],
    [tracks[1]?.libraryId, 1],
    [null, -1],
  ]);
  expect(amounts(await list(`by=account&${at}`))).toEqual({ 'Awa Diop': 12, 'Bruno Lima': 1, '': -1 });

  expect(await summary(`span=quarter&from=${monthToMs('2031-03')}`)).toMatchObject({
    fromDate: monthToMs('2031-01'),
    amountEur: 17,
  });
  const [february] = await list(`by=track&from=${monthToMs('2031-02')}`);
  expect(february).toMatchObject({ isrc: second.isrc, amountEur: 5, previousEur: 1 });
  const told = await history(`by=track&value=${tracks[1]?.value}&to=${monthToMs('2031-02')}`);
  expect(told.of).toMatchObject({ name: tracks[1]?.name, libraryId: tracks[1]?.libraryId, userId: other });
  expect(told.months).toHaveLength(24);
  expect(told.months.slice(-3).map((month) => month.amountEur)).toEqual([0, 1, 5]);
  expect((await history(`to=${monthToMs('2031-02')}`)).months.slice(-2).map((month) => month.amountEur)).toEqual([
    12, 5,
  ]);
  expect(await history(`by=track&value=0&to=${monthToMs('2031-02')}`)).toMatchObject({ of: null });

  // The month board computes the same sums separately.
  const board = (await staff.get(`/api/reporting/months?from=${monthToMs('2031-01')}&to=${monthToMs('2031-02')}`))
    .data as MonthBoard;
  expect(board.months.map((month) => month.amountEur)).toEqual([12, 5]);
});

it('compares each value with its last earlier period with income, and names that period', async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  await build([
    { isrc: track.isrc, month: '2031-07', store: 'Bandcamp', amount: '10.824' },
    { isrc: track.isrc, month: '2031-10', store: 'Bandcamp', amount: '21.648' },
    { isrc: track.isrc, month: '2031-10', store: 'Tidal', amount: '1.0824' },
  ]);
  await refreshAnalytics(app.owner);
  const rows = await list(`by=store&from=${monthToMs('2031-10')}`);
  expect(
    rows.map(({ name, amountEur, previousEur, previousFrom }) => [name, amountEur, previousEur, previousFrom]),
  ).toEqual([
    ['Bandcamp', 20, 10, monthToMs('2031-07')],
    ['Tidal', 1, null, null],
  ]);
});

it('lists periods in order', async () => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  await build(
    ['2033-02', '2033-05', '2034-05'].map((month, index) => ({
      isrc: track.isrc,
      month,
      amount: ['10.824', '21.648', '32.472'][index] ?? '',
    })),
  );
  await refreshAnalytics(app.owner);
  const spanOf = async (span: string) =>
    (await list(`span=${span}&sort=period&limit=2`)).map((row) => [row.fromDate, row.amountEur, row.previousEur]);
  expect(await spanOf('month')).toEqual([
    [monthToMs('2034-05'), 30, 20],
    [monthToMs('2033-05'), 20, 10],
  ]);
  expect(await spanOf('quarter')).toEqual([
    [monthToMs('2034-04'), 30, 20],
    [monthToMs('2033-04'), 20, 10],
  ]);
  expect((await spanOf('year'))[0]).toEqual([monthToMs('2034-01'), 30, 30]);
  expect(await summary('')).toMatchObject({ fromDate: monthToMs('2034-05'), amountEur: 30 });
});

it('updates the sums after a match, a move, a new rate, another month, a reversal and a deletion', {
  tags: ['slow'],
}, async () => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const statement = await build(
    [
      { isrc: track.isrc, month: '2035-01', amount: '10.824' },
      { isrc: 'FRINS3500001', month: '2035-01', amount: '5.412' },
    ],
    { isChecked: true },
  );
  await refreshAnalytics(app.owner);
  const told = async (by: string, month = '2035-01') => {
    await refreshAnalytics(app.owner);
    return (await list(`by=${by}&from=${monthToMs(month)}`)).map((row) => [row.value, row.amountEur]);
  };
  expect(await told('track')).toEqual([
    [String(track.id), 10],
    ['', 5],
  ]);
  const found = await buildTrack(app.db, account, { isrc: 'FRINS3500001' });
  expect(await told('track')).toEqual([
    [String(track.id), 10],
    [String(found.id), 5],
  ]);

  // From one track to another: the month's totals stay.
  const third = await buildTrack(app.db, await buildAccount(app.db));
  await sql`UPDATE income_items SET alias_track_id = ${third.id} WHERE key = 'FRINS3500001'`.execute(app.owner);
  await sql`SELECT match_items(ARRAY['FRINS3500001'])`.execute(app.owner);
  expect(await told('track')).toEqual([
    [String(track.id), 10],
    [String(third.id), 5],
  ]);

  const mover = await buildAccount(app.db);
  await sql`UPDATE releases SET account_id = ${mover} WHERE id = (SELECT release_id FROM tracks WHERE id = ${track.id})`.execute(
    app.owner,
  );
  expect((await told('account'))[0]).toEqual([String(mover), 10]);

  const posted = await postMonthAsShown(staff, { fromDate: monthToMs('2035-01'), confirmRates: true });
  expect(posted.status).toBe(200);
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM analytics_marks`.execute(app.owner);
  expect(rows[0]?.n).toBe(0);

  // Posted to the third track; after the reversal it follows the ISRC again.
  await sql`UPDATE income_items SET alias_track_id = NULL WHERE key = 'FRINS3500001'`.execute(app.owner);
  await sql`SELECT match_items(ARRAY['FRINS3500001'])`.execute(app.owner);
  expect((await told('track'))[1]).toEqual([String(third.id), 5]);
  const { importId } = posted.data as { importId: number };
  expect((await staff.post(`/api/imports/${importId}/reverse`)).status).toBe(200);
  expect((await told('track'))[1]).toEqual([String(found.id), 5]);

  await setRate(app.db, 'USD', '2035-01', 2.1648);
  expect(await told('store')).toEqual([['Deezer', 7.5]]);
  await setRate(app.db, 'USD', '2035-01', 1.0824);
  expect(await told('store')).toEqual([['Deezer', 15]]);

  await sql`UPDATE statements SET accounting_month = '2036-04-01' WHERE id = ${statement}`.execute(app.owner);
  expect(await told('store')).toEqual([]);
  expect(await told('store', '2036-04')).toEqual([['Deezer', 15]]);
  const removed = await staff.delete(`/api/reporting/statements/${statement}`);
  expect(removed.status).toBe(200);
  expect(await told('store', '2036-04')).toEqual([]);
});

it('shows income without a rate separately', async () => {
  // Before the first rate.
  await build([{ isrc: 'FRINS1900001', month: '2019-06', amount: '10', quantity: 7 }]);
  await refreshAnalytics(app.owner);
  expect(await summary(`from=${monthToMs('2019-06')}`)).toMatchObject({
    amountEur: 0,
    streams: 7,
    missingRates: [{ month: monthToMs('2019-06'), currency: 'USD', amount: 10 }],
  });
});

it('pages through a period and searches names', async () => {
  const account = await buildAccount(app.db, { firstName: 'Zélie', lastName: 'Quatremère' });
  const tracks = await Promise.all(
    Array.from({ length: 5 }, (_, index) => buildTrack(app.db, account, { title: `Refrain ${index}` })),
  );
  await build(
    tracks.map((track, index) => ({
      isrc: track.isrc,
      month: '2038-01',
      country: ['FR', 'BE', 'CH', 'CA', 'LU'][index] ?? 'FR',
      store: index === 4 ? 'Qobuz' : 'Deezer',
      quantity: 10 - index,
      amount: `${index + 1}`,
    })),
  );
  await refreshAnalytics(app.owner);
  const at = `from=${monthToMs('2038-01')}`;
  const seen: (string | null)[] = [];
  let cursor: string | null = '';
  do {
    const page: Awaited<ReturnType<TestClient['get']>> = await staff.get(
      `/api/reporting/analytics?by=track&limit=2&${at}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    expect(page.meta).toMatchObject({ total: 5, totalIsExact: true });
    seen.push(...(page.data as AnalyticsRow[]).map((row) => row.isrc));
    cursor = (page.meta as { nextCursor: string | null }).nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(tracks.map((track) => track.isrc).toReversed());
  expect((await list(`by=track&sort=quantity&limit=1&${at}`))[0]?.isrc).toBe(tracks[0]?.isrc);
  const names = async (query: string) => (await list(`${query}&${at}`)).map((row) => row.name);
  expect(await names('by=track&q=refrain 3')).toEqual(['Refrain 3']);
  expect(await names('by=store&q=QOB')).toEqual(['Qobuz']);
  expect(await names('by=country&q=suisse')).toEqual(['CH']);
  expect(await names('by=account&q=quatremere')).toEqual(['Zélie Quatremère']);
  expect(await names('by=account&q=personne')).toEqual([]);
  const release = await list(`by=release&${at}`);
  expect(release).toHaveLength(5);
  expect(await names(`by=release&q=${release[0]?.name.toLowerCase()}`)).toContain(release[0]?.name);
  expect(await names('by=release&q=personne')).toEqual([]);
});

it('updates the same months again after an interruption', async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  await build([{ isrc: track.isrc, month: '2039-01', amount: '10.824' }]);
  await sql`
    CREATE FUNCTION stop_analytics() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
    CREATE TRIGGER stop_analytics BEFORE INSERT ON analytics_sums FOR EACH ROW WHEN (NEW.span = 'year') EXECUTE FUNCTION stop_analytics()`.execute(
    app.owner,
  );
  await expect(refreshAnalytics(app.owner)).rejects.toThrow('stopped');
  await sql`DROP TRIGGER stop_analytics ON analytics_sums; DROP FUNCTION stop_analytics`.execute(app.owner);
  expect((await summary(`span=year&from=${monthToMs('2039-01')}`)).pendingMonths).toBe(1);
  expect(await refreshAnalytics(app.owner)).toBe(1);
  expect(await summary(`span=year&from=${monthToMs('2039-01')}`)).toMatchObject({ amountEur: 10, pendingMonths: 0 });
});

it('ledger:verify compares the sums with statements and imports, except in months being updated', {
  tags: ['slow'],
}, async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  await build([{ isrc: track.isrc, month: '2041-01', amount: '10.824' }]);
  await sql`UPDATE analytics_sums SET streams_eur = streams_eur + 1`.execute(app.owner);
  await sql`INSERT INTO analytics_marks (month) SELECT starts FROM analytics_sums WHERE dimension = 'total' AND span = 'month'`.execute(
    app.owner,
  );
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  await refreshAnalytics(app.owner);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  const one = sql`dimension = 'track' AND span = 'quarter' AND starts = '2041-01-01'`;
  await sql`UPDATE analytics_sums SET streams_eur = streams_eur + 0.01 WHERE ${one}`.execute(app.owner);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    "a period's analytics differs from the revenue: quarter of 2041-01, by track: 10.010000, statements and imports 10.000000 EUR",
  ]);
  await sql`UPDATE analytics_sums SET streams_eur = streams_eur - 0.01 WHERE ${one}`.execute(app.owner);
});

it('needs read_reports', async () => {
  const stranger = await app.signInWith(['read_platforms_stats']);
  for (const path of ['', '/summary', '/history'])
    expect((await stranger.get(`/api/reporting/analytics${path}`)).status).toBe(403);
});
