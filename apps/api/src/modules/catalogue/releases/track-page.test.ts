import type { TrackPage } from '@regie/contract/routes/track-page.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildReferral, buildRelease, buildTrack, setRate } from '#test/factories.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let owner: number;
let referrer: number;
let releaseId: number;
let track: { id: number; isrc: string };
let other: { id: number; isrc: string };
let latest: number;

beforeAll(async () => {
  staff = await app.signInWith();
  await setRate(app.db, 'USD', '2029-01', 2);
  owner = await buildAccount(app.db, { firstName: 'Awa', lastName: 'Titre' });
  referrer = await buildAccount(app.db, { firstName: 'Luc', lastName: 'Parrain' });
  await buildReferral(app.db, { referrerId: referrer, referredId: owner, percentile: '10' });
  releaseId = await buildRelease(app.db, owner);
  track = await buildTrack(app.db, owner, { releaseId, title: 'Caravelle' });
  other = await buildTrack(app.db, owner, { releaseId });
  const build = (rows: Parameters<typeof buildStatement>[1], fileName: string) =>
    buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, { isChecked: true, fileName });
  // The first month is thirteen months before the last one with income.
  await build([{ isrc: track.isrc, month: '2030-02', amount: '400' }], 'ancien.tsv');
  await build([{ isrc: track.isrc, month: '2030-03', amount: '40' }], 'mars.tsv');
  for (const month of ['2030-02', '2030-03']) {
    const posted = await postMonthAsShown(staff, { fromDate: monthToMs(month), confirmRates: true });
    expect(posted.status).toBe(200);
  }
  latest = await build(
    [
      ...['FR', 'BE'].map((country, index) => ({
        isrc: track.isrc,
        month: '2031-02',
        country,
        amount: `${20 + index}`,
      })),
      { isrc: 'FRTPG3100001', month: '2031-02', amount: '6', title: 'Caravele', artist: 'Awa T.' },
      { isrc: other.isrc, month: '2031-02', amount: '8' },
    ],
    'fevrier.tsv',
  );
  await sql`UPDATE income_items SET alias_track_id = ${track.id}, alias_at = now() WHERE key = 'FRTPG3100001'`.execute(
    app.owner,
  );
  await sql`SELECT match_items(ARRAY['FRTPG3100001'])`.execute(app.owner);
  for (const status of ['closed', 'opened'])
    await app.owner
      .insertInto('tickets')
      .values({ title: `Reprise ${status}`, status, url: 'https://exemple.fr', trackId: track.id, accountId: owner })
      .execute();
  await refreshAnalytics(app.owner);
});

const read = async (by: TestClient) => (await by.get(`/api/library/track/${track.id}`)).data as TrackPage;

it('a track shows who was paid what in twelve months, its latest reports, aliases and claims', async () => {
  const page = await read(staff);
  expect(page).toMatchObject({
    track: { title: 'Caravelle', isrc: track.isrc, libraryId: releaseId },
    release: { id: releaseId, status: 'DELIVRED', canEdit: true },
    account: { id: owner },
    aliases: { rows: [{ title: 'Caravele', artist: 'Awa T.', code: 'FRTPG3100001' }], total: 1 },
  });
  // 40 $ ÷ 2 = 20 €, of which 80 %; the referrer has 10 % of that.
  expect(page.payees).toMatchObject([
    { account: { id: owner }, isReferrer: false, lowestPercentile: 80, highestPercentile: 80, amountEur: 16 },
    { account: { id: referrer }, isReferrer: true, lowestPercentile: 10, highestPercentile: 10, amountEur: 1.6 },
  ]);
  expect(page.reports?.rows.map(({ month, grossEur, accountEur }) => [month, grossEur, accountEur])).toEqual([
    [monthToMs('2030-03'), 20, 16],
    [monthToMs('2030-02'), 200, 160],
  ]);
  expect(page.reports?.total).toBe(2);
  expect(page.tickets?.rows.map(({ title, status }) => [title, status])).toEqual([
    ['Reprise opened', 'OPENED'],
    ['Reprise closed', 'CLOSED'],
  ]);
});

it('the lines of a track are those of the latest live statement, under every code it has there', async () => {
  const lines = async () => (await staff.get(`/api/library/track/${track.id}/lines`)).data;
  expect(await lines()).toMatchObject({
    statement: { id: latest, fileName: 'fevrier.tsv', month: monthToMs('2031-02') },
    lines: [
      { country: 'FR', amount: 26, firstLines: [2, 4] },
      { country: 'BE', amount: 21, firstLines: [3] },
    ],
    total: 2,
  });
  await sql`UPDATE statements SET status = 'received' WHERE id = ${latest}`.execute(app.owner);
  expect(await lines()).toMatchObject({ statement: { fileName: 'mars.tsv' } });
  await sql`UPDATE statements SET status = 'checked' WHERE id = ${latest}`.execute(app.owner);
  const silent = await buildTrack(app.db, owner);
  expect((await staff.get(`/api/library/track/${silent.id}/lines`)).data).toEqual({
    statement: null,
    lines: [],
    total: 0,
  });
});

it('a release has the income of each of its tracks in twelve months', async () => {
  const income = (await staff.get(`/api/reporting/analytics/release/${releaseId}/tracks`)).data as {
    trackId: number;
    amountEur: number;
  }[];
  // 40 $, 41 $ and 6 $; and 8 $.
  expect(new Map(income.map(({ trackId, amountEur }) => [trackId, amountEur]))).toEqual(
    new Map([
      [track.id, 43.5],
      [other.id, 4],
    ]),
  );
});

it('a track tells each caller what they may read', async () => {
  const seen = async (capability: Parameters<typeof app.signInWith>[0]) => {
    const page = await read(await app.signInWith(capability));
    return Object.entries(page).flatMap(([part, value]) => (value === null ? [] : [part]));
  };
  expect(await seen([])).toEqual(['track', 'release']);
  expect(await seen(['read_paid_libraries'])).toEqual(['track', 'release']);
  expect(await seen(['read_delivered_libraries'])).toEqual(['track', 'release', 'account']);
  expect(await seen(['manage_profiles'])).toEqual(['track', 'release', 'account', 'payees']);
  expect(await seen(['read_reports'])).toEqual(['track', 'release', 'reports', 'aliases']);
  expect(await seen(['read_tools'])).toEqual(['track', 'release', 'tickets']);
});

it('an unknown or deleted track is not found', async () => {
  const gone = await buildTrack(app.db, owner);
  await sql`UPDATE tracks SET deleted_at = now() WHERE id = ${gone.id}`.execute(app.owner);
  for (const id of [gone.id, 999_999_999]) expect((await staff.get(`/api/library/track/${id}`)).status).toBe(404);
});
