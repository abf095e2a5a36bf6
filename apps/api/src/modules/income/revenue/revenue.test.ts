// @module-tag slow
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import type {
  AnalyticsChanges,
  AnalyticsHistory,
  AnalyticsRow,
  AnalyticsSummary,
  Pivot,
} from '@regie/contract/routes/analytics.ts';
import type { MonthBoard, MonthDetail } from '@regie/contract/routes/months.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack, setRate } from '#test/factories.ts';
import { testLines } from '#test/lines.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports', 'manage_profiles']);
});

const read = async <Data>(path: string) => {
  const { status, data, message } = await staff.get(`/api/reporting/${path}`);
  if (status !== 200) throw new Error(message);
  return data as Data;
};
/** Millionths, as the board shows it. */
const round = (amount: number) => Math.round(amount * 1e6);
const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);

async function listAll(by: string, month: number): Promise<AnalyticsRow[]> {
  const rows: AnalyticsRow[] = [];
  for (let cursor: unknown = ''; typeof cursor === 'string'; ) {
    const page = await staff.get(
      `/api/reporting/analytics?by=${by}&from=${month}&limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    rows.push(...(page.data as AnalyticsRow[]));
    cursor = (page.meta as { nextCursor: string | null }).nextCursor;
  }
  return rows;
}

describe('the demo', () => {
  beforeAll(async () => {
    await loadDemo({ ownerUrl: app.database.ownerUrl, scale: 1, storage: testLines.storage, log: () => {} });
  }, 300_000);

  it('has the same revenue of each month on every screen', { timeout: 120_000 }, async () => {
    const to = monthToMs('2026-10');
    const board = await read<MonthBoard>(`months?from=${monthToMs('2024-11')}&to=${to}`);
    const history = await read<AnalyticsHistory>(`analytics/history?to=${to}`);
    const pivot = await read<Pivot>(`analytics/pivot?rows=month&from=${monthToMs('2024-11')}&to=${to}`);
    const first = monthToMs('2024-11');
    expect(board.months).toHaveLength(24);
    for (const { month, amountEur } of board.months) {
      const summary = await read<AnalyticsSummary>(`analytics/summary?from=${month}`);
      const detail = await read<MonthDetail>(`month?month=${month}`);
      const told: Record<string, number> = {
        analytics: summary.amountEur,
        home: history.months.find(({ fromDate }) => fromDate === month)?.amountEur ?? 0,
        'cross table': pivot.rowTotals[pivot.rows.findIndex(({ value }) => monthToMs(value) === month)] ?? 0,
        month: detail.amountEur,
      };
      const cells = board.cells.filter((cell) => cell.month === month).map((cell) => cell.amountEur);
      expect(detail.sources.map((source) => source.amountEur)).toEqual(cells);
      // Each is rounded to a millionth.
      expect(Math.abs(round(sum(cells)) - round(amountEur))).toBeLessThanOrEqual(cells.length / 2);
      for (const by of ['store', 'country', 'track', 'release', 'account'])
        told[by] = sum((await listAll(by, month)).map((row) => row.amountEur));
      expect(Object.fromEntries(Object.entries(told).map(([name, amount]) => [name, round(amount)]))).toEqual(
        Object.fromEntries(Object.keys(told).map((name) => [name, round(amountEur)])),
      );
      const posted = sum(detail.sources.map((source) => source.postedEur));
      const reports = sum(detail.postings.map((posting) => posting.reports));
      const gross = sum(detail.postings.map((posting) => posting.grossEur));
      expect(Math.abs(posted - gross)).toBeLessThanOrEqual(reports * 1e-6);
      if (month > first) {
        const changes = await read<AnalyticsChanges>(`analytics/changes?month=${month}`);
        const [largest] = changes.rows;
        const of = await read<AnalyticsHistory>(`analytics/history?by=account&value=${largest?.value}&to=${month}`);
        expect(of.months.at(-1)?.amountEur).toBe(largest?.amountEur);
      }
    }
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});

it('is what was posted, at the rate and account of its import, and what waits at those of today', async () => {
  const [account, later] = [await buildAccount(app.db), await buildAccount(app.db)];
  const track = await buildTrack(app.db, account);
  const month = monthToMs('2031-03');
  await setRate(app.db, 'USD', '2031-03', 1.25);
  const build = (amount: string, isChecked = false) =>
    buildStatement(
      { owner: app.owner, ownerUrl: app.database.ownerUrl },
      [{ isrc: track.isrc, month: '2031-03', store: 'Deezer', country: 'FR', amount, quantity: 10 }],
      { isChecked },
    );
  const told = async (by: string) => {
    await refreshAnalytics(app.owner);
    return Object.fromEntries((await listAll(by, month)).map(({ value, amountEur }) => [value, round(amountEur)]));
  };
  await build('12.50', true);
  const posted = await postMonthAsShown(staff, { fromDate: month, confirmRates: true });
  expect(posted.status).toBe(200);
  expect(await told('store')).toEqual({ Deezer: 10_000_000 });

  // What is posted stays; what comes later has the new rate and account.
  await setRate(app.db, 'USD', '2031-03', 2.5);
  await sql`UPDATE releases SET account_id = ${later} WHERE id = (SELECT release_id FROM tracks WHERE id = ${track.id})`.execute(
    app.owner,
  );
  expect(await told('store')).toEqual({ Deezer: 10_000_000 });
  expect(await told('account')).toEqual({ [account]: 10_000_000 });
  await build('5.00');
  expect(await told('store')).toEqual({ Deezer: 12_000_000 });
  expect(await told('account')).toEqual({ [account]: 10_000_000, [later]: 2_000_000 });

  // Reports of imports have the rate of theirs.
  const video = await staff.post('/api/reporting/youtube/create', {
    ...{ userId: later, fromDate: month, incomeOfYoutube: 25 },
  });
  expect(video.status).toBe(200);
  const csv = await staff.post(
    `/api/reporting/csv?date=${month}&import=${'7'.repeat(64)}&name=ventes.csv&batch=0&batches=1`,
    [{ isrc: track.isrc, numOfStreams: 4, incomeOfStreams: 7.5 }],
  );
  expect(csv.status).toBe(200);
  await setRate(app.db, 'USD', '2031-03', 5);
  expect(await told('store')).toEqual({ Deezer: 11_000_000, 'Import CSV': 3_000_000, Vidéo: 10_000_000 });
  expect(await told('account')).toEqual({ [account]: 10_000_000, [later]: 14_000_000 });
  expect(await told('track')).toEqual({ [track.id]: 14_000_000, '': 10_000_000 });
  const { sources, postings } = await read<MonthDetail>(`month?month=${month}`);
  expect(sources.map(({ source, state, amountEur }) => [source, state, amountEur])).toEqual([
    ['DistroKid', 'loaded', 11],
    ['Import CSV', 'posted', 3],
    ['Vidéo', 'posted', 10],
  ]);
  expect(postings.map(({ source, grossEur }) => [source, grossEur])).toEqual([
    [null, 10],
    ['Import CSV', 3],
    ['Vidéo', 10],
  ]);
  expect(await read<AnalyticsSummary>(`analytics/summary?from=${month}`)).toMatchObject({
    amountEur: 24,
    unmatchedEur: 0,
    streams: 24,
  });

  const reversed = await staff.post(`/api/imports/${(csv.data as { importId: number }).importId}/reverse`);
  expect(reversed.status).toBe(200);
  const deleted = await staff.delete(`/api/reporting/delete/${(video.data as { id: number }).id}`);
  expect(deleted.status).toBe(200);
  expect(await told('store')).toEqual({ Deezer: 11_000_000 });
});
