import type { AutomaticReport } from '@regie/contract/routes/months.ts';
import type { ReportLines, ReportStatements } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack, setRate } from '#test/factories.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
});

const build = (rows: readonly StatementRow[], fileName: string) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, { isChecked: true, fileName });
const post = async (month: string) => {
  const reply = await postMonthAsShown(staff, { fromDate: monthToMs(month), confirmRates: true });
  expect(reply.status).toBe(200);
  return (reply.data as AutomaticReport).importId ?? 0;
};
const reportOf = async (importId: number, trackId: number) =>
  (
    await app.db
      .selectFrom('reports')
      .select('id')
      .where('importId', '=', importId)
      .where('trackId', '=', trackId)
      .executeTakeFirstOrThrow()
  ).id;
const statementsOf = async (report: number) =>
  (await staff.get(`/api/reporting/${report}/statements`)).data as ReportStatements;
const linesOf = async (report: number, statement: number) =>
  (await staff.get(`/api/reporting/${report}/statements/${statement}/lines`)).data as ReportLines;

it('shows the stores, countries and file lines a report was made from', { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const other = await buildTrack(app.db, account);
  const first = await build(
    [
      { isrc: track.isrc, month: '2024-01', store: 'Deezer', country: 'FR', amount: '1.25', quantity: 10 },
      { isrc: other.isrc, month: '2024-01', store: 'Deezer', country: 'FR', amount: '99', quantity: 1 },
      { isrc: track.isrc, month: '2024-01', store: 'Spotify', country: 'BE', amount: '7.000000000001', quantity: 70 },
      { isrc: track.isrc, month: '2024-01', store: 'iTunes', country: 'FR', amount: '0.5', quantity: 2 },
      { isrc: track.isrc, month: '2024-02', store: 'Deezer', country: 'FR', amount: '40', quantity: 400 },
    ],
    'janvier.tsv',
  );
  const second = await build([{ isrc: track.isrc, month: '2024-01', amount: '-0.25', quantity: -1 }], 'retour.tsv');
  const report = await reportOf(await post('2024-01'), track.id);

  const found = await statementsOf(report);
  expect(found).toEqual({
    isAsPosted: true,
    parts: [
      {
        statementId: first,
        fileName: 'janvier.tsv',
        source: 'DistroKid',
        month: monthToMs('2024-01'),
        kind: 'stream',
        currency: 'USD',
        quantity: 80,
        amount: 8.250000000001,
        amountUsd: 8.25,
        rate: 1.0824,
        rows: 2,
      },
      expect.objectContaining({ statementId: first, kind: 'download', amount: 0.5, quantity: 2, rows: 1 }),
      expect.objectContaining({ statementId: second, fileName: 'retour.tsv', amount: -0.25, quantity: -1 }),
    ],
  });
  const lines = await linesOf(report, first);
  expect(lines.total).toBe(3);
  // The header is the first line of the file.
  expect(lines.lines).toMatchObject([
    { store: 'Spotify', country: 'BE', kind: 'stream', amount: 7.000000000001, quantity: 70, rows: 1, firstLines: [4] },
    { store: 'Deezer', country: 'FR', kind: 'stream', amount: 1.25, quantity: 10, rows: 1, firstLines: [2] },
    { store: 'iTunes', country: 'FR', kind: 'download', amount: 0.5, amountUsd: 0.5, firstLines: [5] },
  ]);
  // Excludes other tracks of the file and income that waits.
  expect(await linesOf(report, second)).toMatchObject({ total: 1, lines: [{ store: 'Deezer', amount: -0.25 }] });
  expect(await linesOf(report, 999_999)).toEqual({ lines: [], total: 0 });
});

it("shows other currencies in dollars at the import's rates", { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const statement = await build([{ isrc: track.isrc, month: '2023-03', amount: '1' }], 'mars.tsv');
  await sql`
    INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows, track_id)
    VALUES (${statement}, '2023-03-01', ${track.isrc}, 'stream', 'EUR', 5, 10, 1, ${track.id}),
           (${statement}, '2023-03-01', ${track.isrc}, 'stream', 'XTS', 5, 30, 1, ${track.id})`.execute(app.owner);
  await setRate(app.db, 'XTS', '2023-03', 3);
  const report = await reportOf(await post('2023-03'), track.id);
  const amounts = async () => {
    const { parts, isAsPosted } = await statementsOf(report);
    return { isAsPosted, usd: Object.fromEntries(parts.map(({ currency, amountUsd }) => [currency, amountUsd])) };
  };
  expect(await amounts()).toEqual({ isAsPosted: true, usd: { USD: 1, EUR: 10.813, XTS: 10.813 } });
  await setRate(app.db, 'XTS', '2023-03', 6);
  expect(await amounts()).toEqual({ isAsPosted: true, usd: { USD: 1, EUR: 10.813, XTS: 10.813 } });
  expect(Object.fromEntries((await statementsOf(report)).parts.map(({ currency, rate }) => [currency, rate]))).toEqual({
    USD: 1.0813,
    EUR: 1,
    XTS: 3,
  });
  expect((await linesOf(report, statement)).lines).toMatchObject([{ currency: 'USD', amountUsd: 1 }]);
  // Income posted before rates were frozen is shown at current rates, which may differ.
  await sql`UPDATE import_rates SET rate = 6 WHERE currency = 'XTS'`.execute(app.owner);
  expect(await amounts()).toEqual({ isAsPosted: false, usd: { USD: 1, EUR: 10.813, XTS: 5.4065 } });
});

it('shows nothing for a report without statements, and needs read_reports', async () => {
  const account = await buildAccount(app.db);
  const track = await buildTrack(app.db, account);
  const created = await staff.post('/api/reporting/create', {
    trackId: track.id,
    userId: account,
    fromDate: monthToMs('2024-05'),
    numOfStreams: 1,
    incomeOfStreams: 1,
    numOfDownloads: 0,
    incomeOfDownloads: 0,
    numOfYoutube: 0,
    incomeOfYoutube: 0,
  });
  const { id } = created.data as { id: number };
  expect(await statementsOf(id)).toEqual({ parts: [], isAsPosted: true });
  expect((await staff.get('/api/reporting/999999/statements')).status).toBe(404);
  expect((await staff.get('/api/reporting/999999/statements/1/lines')).status).toBe(404);
  const stranger = await app.signInWith(['read_tools']);
  expect((await stranger.get(`/api/reporting/${id}/statements`)).status).toBe(403);
  expect((await stranger.get(`/api/reporting/${id}/statements/1/lines`)).status).toBe(403);
});
