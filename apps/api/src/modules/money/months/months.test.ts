import type { AutomaticReport, MonthBoard, MonthCell, MonthDetail } from '@regie/contract/routes/months.ts';
import type { Statement } from '@regie/contract/routes/statements.ts';
import { addMonths, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildReferral, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildReceived, buildStatement, distrokidFile, readReceived, type StatementRow } from '#test/statements.ts';
import { getMonth, listMonths, postAutomaticReport } from './months.service.ts';

const app = useApp();
let staff: TestClient;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
});

const build = (rows: readonly StatementRow[], options?: Parameters<typeof buildStatement>[2]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);
const post = (month: string, dryRun = false) => {
  const body = { fromDate: monthToMs(month), confirmRates: true };
  return dryRun ? staff.post('/api/reporting/automatic', { ...body, dryRun }) : postMonthAsShown(staff, body);
};
const cellsOf = async (from: string, to = from) => {
  const reply = await staff.get(`/api/reporting/months?from=${monthToMs(from)}&to=${monthToMs(to)}`);
  return (reply.data as { cells: MonthCell[] }).cells;
};
const balanceOf = async (account: number) => {
  const { rows } = await sql<{ amount: string }>`
    SELECT amount FROM ledger_balances WHERE account = ${`account:${account}`}`.execute(app.owner);
  return rows[0]?.amount;
};

it('posts the validated statements of a month as reports, and late ones as more reports', async () => {
  const referrer = await buildAccount(app.db);
  const account = await buildAccount(app.db, { libraryPercentile: '80' });
  await buildReferral(app.db, { referrerId: referrer, referredId: account, percentile: '10' });
  const track = await buildTrack(app.db, account);
  const other = await buildTrack(app.db, account);
  await build(
    [
      { isrc: track.isrc, month: '2024-01', amount: '10.8240000000001', quantity: 100 },
      { isrc: track.isrc, month: '2024-01', amount: '1', store: 'iTunes', quantity: 2 },
      { isrc: track.isrc, month: '2024-01', amount: '2', store: 'YouTube (Ads)', quantity: 30 },
      { isrc: other.isrc, month: '2024-01', amount: '-0.5', quantity: -3 },
      { isrc: other.isrc, month: '2024-02', amount: '7', quantity: 9 },
      { isrc: 'FRNON2400001', month: '2024-01', amount: '5.412' },
    ],
    { isChecked: true, fileName: 'janvier.tsv' },
  );
  const unchecked = await build([{ isrc: other.isrc, month: '2024-01', amount: '3' }], { fileName: 'février.tsv' });

  const dry = await post('2024-01', true);
  expect(dry.status).toBe(200);
  const expected = {
    rows: 4,
    reports: 2,
    grossUsd: 13.324,
    grossEur: 12.309683,
    accountsEur: 9.847746,
    referralsEur: 0.984775,
    platformEur: 1.477162,
    accounts: [{ id: account, reports: 2, accountEur: 9.847746 }],
    unmatchedEur: 5,
    unchecked: [{ id: unchecked, fileName: 'février.tsv' }],
    isLate: false,
  };
  expect(dry.data).toMatchObject({ ...expected, importId: null });
  // The dry run was rolled back.
  expect(await balanceOf(account)).toBeUndefined();

  const posted = await post('2024-01');
  expect(posted.data).toMatchObject(expected);
  const { importId } = posted.data as AutomaticReport;
  expect(await balanceOf(account)).toBe('9.847746');
  expect(await balanceOf(referrer)).toBe('0.984775');
  const reports = await app.owner
    .selectFrom('reports')
    .selectAll()
    .where('importId', '=', importId ?? 0)
    .orderBy('trackId')
    .execute();
  expect(
    reports.map((report) => [
      report.trackId,
      report.numStreams,
      report.incomeStreamsUsd,
      report.numDownloads,
      report.incomeDownloadsUsd,
      report.numYoutube,
      report.incomeYoutubeUsd,
    ]),
  ).toEqual([
    [track.id, 100, '10.8240000000', 2, '1.0000000000', 30, '2.0000000000'],
    [other.id, -3, '-0.5000000000', 0, '0.0000000000', 0, '0.0000000000'],
  ]);
  expect((await app.journal('import.automatic')).at(-1)).toMatchObject({
    entityId: String(importId),
    after: { month: '2024-01', reports: 2 },
  });

  // Nothing is posted twice.
  expect(await post('2024-01')).toMatchObject({ status: 409 });
  await app.owner.updateTable('statements').set({ status: 'checked' }).where('id', '=', unchecked).execute();
  const late = await post('2024-01');
  expect(late.data).toMatchObject({ rows: 1, reports: 1, grossUsd: 3, isLate: true });

  // Reversed, it waits again and can be posted again.
  expect(await staff.post(`/api/imports/${importId}/reverse`)).toMatchObject({ status: 200 });
  expect(await post('2024-01', true)).toMatchObject({ status: 200, data: { rows: 4, grossUsd: 13.324 } });
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

it('posts again only the income of a deleted report', async () => {
  const account = await buildAccount(app.db);
  const [one, two] = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
  await build(
    [
      { isrc: one.isrc, month: '2024-03', amount: '1' },
      { isrc: two.isrc, month: '2024-03', amount: '2' },
    ],
    { isChecked: true },
  );
  const { importId } = (await post('2024-03')).data as AutomaticReport;
  const report = await app.owner
    .selectFrom('reports')
    .select('id')
    .where('importId', '=', importId ?? 0)
    .where('trackId', '=', one.id)
    .executeTakeFirstOrThrow();
  expect(await staff.delete(`/api/reporting/delete/${report.id}`)).toMatchObject({ status: 200 });
  expect(await cellsOf('2024-03')).toMatchObject([{ state: 'checked' }]);
  expect((await post('2024-03')).data).toMatchObject({ rows: 1, grossUsd: 1, isLate: true });
  expect(await cellsOf('2024-03')).toMatchObject([{ state: 'posted', readyEur: 0 }]);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
});

it('converts other currencies once at the month’s rates and names the missing ones', async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const id = await build(
    [
      { isrc: track.isrc, month: '2024-05', amount: '100.0000000001' },
      { isrc: track.isrc, month: '2024-05', amount: '0.3333333333333333', country: 'BE' },
    ],
    { isChecked: true },
  );
  await setCurrency(app.owner, id, 'GBP');
  const refused = await post('2024-05');
  expect(refused).toMatchObject({ status: 422, errors: { fromDate: expect.stringContaining('GBP') } });
  expect(await cellsOf('2024-05')).toMatchObject([
    { missingRates: [{ currency: 'GBP', amount: 100.333333 }], amountEur: 0 },
  ]);
  await app.owner
    .insertInto('exchangeRates')
    .values([
      { month: '2024-04-01', currency: 'GBP', rate: '0.8466' },
      // Rates of other currencies or months, even newer ones, are ignored.
      { month: '2024-05-01', currency: 'CHF', rate: '0.95' },
      { month: '2024-04-01', currency: 'SEK', rate: '11.4' },
    ])
    .execute();
  // (100.0000000001 + 0.3333333333333333) × 1.0824 ÷ 0.8466, computed elsewhere: 128.278762107380…
  expect((await post('2024-05')).data).toMatchObject({ grossUsd: 128.2787621074 });
});

it('shows the state of every source in every month', { tags: ['slow'] }, async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  await build([{ isrc: track.isrc, month: '2023-01', amount: '1.0813' }], { isChecked: true });
  await build([{ isrc: 'FRNON2300001', month: '2023-02', amount: '2.1626' }]);
  const cells = await cellsOf('2023-01', '2023-05');
  const month = (index: number) => monthToMs(addMonths('2023-01' as Month, index));
  expect(
    cells.map((cell) => [cell.source, cell.month, cell.state, cell.amountEur, cell.unmatchedEur, cell.readyEur]),
  ).toEqual([
    ['DistroKid', month(0), 'checked', 1, 0, 1],
    ['DistroKid', month(1), 'loaded', 2, 2, 0],
    ['DistroKid', month(2), 'expected', 0, 0, 0],
    ['DistroKid', month(3), 'expected', 0, 0, 0],
    ['DistroKid', month(4), 'expected', 0, 0, 0],
  ]);
  // Staff set another accounting month for all its lines.
  await build([{ isrc: track.isrc, month: '2019-01', amount: '5' }], {
    accountingMonth: '2023-04-01',
    isChecked: true,
  });
  expect((await cellsOf('2023-04'))[0]).toMatchObject({ state: 'checked' });
  // The same lines in a file of another name.
  await build([
    { isrc: track.isrc, month: '2023-01', amount: '1.0813' },
    { isrc: track.isrc, month: '2023-01', amount: '9', store: 'iTunes' },
  ]);
  expect((await cellsOf('2023-01'))[0]).toMatchObject({ state: 'doubled' });
  // The database adds up the cells of a month.
  const board = await staff.get(`/api/reporting/months?from=${monthToMs('2023-02')}&to=${monthToMs('2023-02')}`);
  expect(board.data).toMatchObject({ months: [{ month: month(1), amountEur: 2, readyEur: 0 }] });
  expect(
    await staff.get(`/api/reporting/months?from=${monthToMs('2023-02')}&to=${monthToMs('2023-01')}`),
  ).toMatchObject({ status: 422 });
});

it('computes the next due date of a source from its statements', { tags: ['slow'] }, async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const quarters: [string, string][] = [
    ['2021-03', '2021-05-10'],
    ['2021-06', '2021-08-11'],
    ['2021-09', '2021-11-12'],
  ];
  for (const [month, arrived] of quarters) {
    // A quarter in one file: its last month counts.
    const id = await build(
      [0, -1, -2].map((back) => ({ isrc: track.isrc, month: addMonths(month as Month, back), amount: '1' })),
    );
    await app.owner
      .updateTable('statements')
      .set({ source: 'Trimestriel', createdAt: new Date(`${arrived}T08:00:00Z`) })
      .where('id', '=', id)
      .execute();
  }
  const board = await listMonths(
    app.owner,
    { from: monthToMs('2021-09'), to: monthToMs('2022-03') },
    Date.parse('2022-02-21T12:00:00Z'),
  );
  expect(board.cells.filter(({ source }) => source === 'Trimestriel')).toMatchObject([
    { month: monthToMs('2021-09'), state: 'loaded', dueAt: null, lateDays: 0 },
    { month: monthToMs('2021-12'), state: 'expected', dueAt: Date.parse('2022-02-11'), lateDays: 10 },
  ]);

  // A refused file of the source is named where its month is closed.
  const content = distrokidFile([{ isrc: track.isrc, month: '2021-12', amount: 'deux' }]);
  const refused = await buildReceived(app.owner, content, 'decembre.tsv');
  await readReceived(app.database.ownerUrl, refused, content);
  const found = await app.owner
    .updateTable('statements as now')
    .from('statements as before')
    .set({ source: 'Trimestriel', createdAt: new Date('2022-02-12T08:00:00Z') })
    .whereRef('now.id', '=', 'before.id')
    .where('now.id', '=', refused)
    .returning('before.source')
    .executeTakeFirst();
  expect(found).toEqual({ source: 'DistroKid' });
  const { sources } = await getMonth(app.owner, monthToMs('2021-12'), Date.parse('2022-02-21T12:00:00Z'));
  expect(sources.find(({ source }) => source === 'Trimestriel')?.refused).toEqual([
    { id: refused, fileName: 'decembre.tsv', line: 2 },
  ]);
});

it('shows the obstacles to closing a month, and its preview', { tags: ['slow'] }, async () => {
  const account = await buildAccount(app.db);
  const [track, other] = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
  const month = '2020-08';
  const monthMs = monthToMs(month);
  await app.owner
    .insertInto('exchangeRates')
    .values({ month: `${month}-01`, currency: 'USD', rate: '1.1422' })
    .execute();
  const read = async () => (await staff.get(`/api/reporting/month?month=${monthMs}`)).data as MonthDetail;
  const preview = (body: object = {}) => staff.post('/api/reporting/month/preview', { fromDate: monthMs, ...body });
  expect(await read()).toEqual({
    month: monthMs,
    amountEur: 0,
    readyEur: 0,
    isFuture: false,
    sources: [],
    postings: [],
  });
  const plain = await build([
    { isrc: track.isrc, month, amount: '11.422' },
    { isrc: 'FRNON2000001', month, amount: '1.1422' },
  ]);
  const [source] = (await read()).sources;
  expect(source).toMatchObject({ source: 'DistroKid', state: 'loaded', amountEur: 11, unmatchedEur: 1 });
  expect(source?.statements).toMatchObject([
    { id: plain, amountEur: 11, unmatchedEur: 1, isWaiting: true, isChecked: false, state: 'loaded' },
  ]);
  expect(source?.statements[0]?.version).not.toBeNull();
  const doubled = await build([
    { isrc: track.isrc, month, amount: '11.422' },
    { isrc: other.isrc, month, amount: '2.2844' },
  ]);
  const alerts = (await read()).sources[0]?.statements.map(({ alerts }) => alerts.map(({ kind }) => kind));
  expect(alerts).toEqual([['duplicates', 'unmatched'], ['duplicates']]);

  // Only a forecast shows what is not validated; it changes nothing.
  expect(await preview()).toMatchObject({ status: 409 });
  expect(await preview({ withUnchecked: true })).toMatchObject({
    status: 200,
    data: { importId: null, grossEur: 22, statements: [{ id: plain }, { id: doubled }] },
  });
  await app.owner.updateTable('statements').set({ status: 'checked' }).where('id', '=', plain).execute();
  const { data } = await preview();
  expect(data).toMatchObject({ grossEur: 10, statements: [{ id: plain }], unchecked: [{ id: doubled }] });
  expect(await post(month)).toMatchObject({ status: 200, data: { grossEur: 10 } });
  const closed = await read();
  expect(closed).toMatchObject({ readyEur: 0, postings: [{ grossEur: 10, reports: 1 }] });
  expect(closed.sources[0]?.statements).toMatchObject([
    // Its income without a track is left.
    { id: plain, isChecked: true, isWaiting: false, state: 'posted', version: null, alerts: [] },
    { id: doubled, isChecked: false, state: 'doubled' },
  ]);
  expect(closed.sources[0]?.state).toBe('doubled');
  await app.owner
    .updateTable('statements')
    .set({ status: 'removed', endedAt: new Date() })
    .where('id', '=', doubled)
    .execute();
  const alone = await read();
  expect(alone.sources[0]).toMatchObject({ state: 'posted', unmatchedEur: 1 });
  const reader = await app.signInWith(['read_reports']);
  expect(await reader.post('/api/reporting/month/preview', { fromDate: monthMs })).toMatchObject({ status: 403 });
  expect(await reader.get(`/api/reporting/month?month=${monthMs}`)).toMatchObject({ status: 200, data: alone });
});

it('shows the same state of a statement everywhere, and refuses to withdraw the check of posted income', {
  tags: ['slow'],
}, async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const month = '2020-10';
  await app.owner
    .insertInto('exchangeRates')
    .values({ month: `${month}-01`, currency: 'USD', rate: '1.1422' })
    .execute();
  const id = await build([
    { isrc: track.isrc, month, amount: '11.422' },
    { isrc: 'FRNON2000002', month, amount: '1.1422' },
  ]);
  const states = async () => {
    const listed = await staff.get(`/api/reporting/statements?month=${monthToMs(month)}`);
    const { sources } = (await staff.get(`/api/reporting/month?month=${monthToMs(month)}`)).data as MonthDetail;
    return [
      ...(listed.data as Statement[]).map(({ state }) => state),
      ((await staff.get(`/api/reporting/statements/${id}`)).data as Statement).state,
      ...sources.flatMap(({ state, statements }) => [state, ...statements.map((statement) => statement.state)]),
      ...(await cellsOf(month)).map(({ state }) => state),
    ];
  };
  const everywhere = (state: string) => [state, state, state, state, state];
  const listedAs = async (state: string) =>
    ((await staff.get(`/api/reporting/statements?status=${state}`)).data as Statement[]).some((row) => row.id === id);
  const uncheck = () => staff.post(`/api/reporting/statements/${id}/uncheck`);
  expect(await states()).toEqual(everywhere('loaded'));
  await app.owner.updateTable('statements').set({ status: 'checked' }).where('id', '=', id).execute();
  expect(await states()).toEqual(everywhere('checked'));
  const { importId } = (await post(month)).data as AutomaticReport;
  expect(await states()).toEqual(everywhere('posted'));
  expect([await listedAs('posted'), await listedAs('checked'), await listedAs('loaded')]).toEqual([true, false, false]);

  expect(await uncheck()).toMatchObject({
    status: 409,
    message: 'Des revenus de ce relevé sont dans des rapports\u00a0: contre-passez d’abord leur import',
  });
  expect(await staff.post(`/api/imports/${importId}/reverse`)).toMatchObject({ status: 200 });
  expect(await uncheck()).toMatchObject({ status: 200, data: { status: 'loaded' } });

  await build([{ isrc: 'FRNON2000003', month: '2020-12', amount: '1.1422' }], { isChecked: true });
  expect(await cellsOf('2020-12')).toMatchObject([{ state: 'unmatched' }]);
});

it('adds up a track over several statements before rounding, and posts two months in one transaction', {
  tags: ['slow'],
}, async () => {
  const owner = await buildAccount(app.db);
  const [one, other] = [await buildTrack(app.db, owner), await buildTrack(app.db, owner)];
  // Each alone would round down to zero.
  const half = { isrc: one.isrc, month: '2024-08', amount: '0.00000000004' };
  await build([half, { ...half, store: 'YouTube (Ads)', quantity: '3' }], { isChecked: true });
  await build([half, { isrc: other.isrc, month: '2024-09', amount: '7', quantity: '2' }], { isChecked: true });
  await app.owner.transaction().execute(async (trx) => {
    const actor = { adminId: null, requestId: null };
    for (const month of ['2024-08', '2024-09'] as const)
      for (const isDryRun of [true, false])
        await postAutomaticReport(trx, actor, { monthMs: monthToMs(month), isDryRun, confirmRates: true });
  });
  const reports = await app.db
    .selectFrom('reports')
    .select(['trackId', 'numStreams', 'numYoutube', 'incomeStreamsUsd', 'incomeYoutubeUsd'])
    .where('accountId', '=', owner)
    .orderBy('id')
    .execute();
  const rest = { incomeYoutubeUsd: '0.0000000000' };
  expect(reports).toEqual([
    { ...rest, trackId: one.id, numStreams: 2, numYoutube: 3, incomeStreamsUsd: '0.0000000001' },
    { ...rest, trackId: other.id, numStreams: 2, numYoutube: 0, incomeStreamsUsd: '7.0000000000' },
  ]);
});

it('ledger:verify reports a report that differs from its statements', { tags: ['slow'] }, async () => {
  const track = await buildTrack(app.db, await buildAccount(app.db));
  const id = await build([{ isrc: track.isrc, month: '2024-10', amount: '4' }], { isChecked: true });
  const { importId } = (await post('2024-10')).data as AutomaticReport;
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  const change = (by: string) =>
    app.owner
      .updateTable('statementSums')
      .set({ amount: sql`amount + ${by}::numeric` })
      .where('statementId', '=', id)
      .execute();
  await change('0.01');
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringMatching(/automatic import.*reported 4\.0000000000, statements 4\.01/),
    expect.stringMatching(/month board.*stored 4, 0, 4\.01; sums 4\.01, 0, 4\.01 USD/),
    expect.stringMatching(/its lines.*by sums: 4\.01, lines 4 USD/),
  ]);
  await change('-0.01');
  // A claim without a report.
  const claim = (by: number | null) =>
    app.owner.updateTable('statementSums').set({ importId: by }).where('statementId', '=', id).execute();
  await claim(0);
  expect(await verifyLedger(app.owner, app.deps.lines)).toHaveLength(2);
  await claim(importId);
});

it("ledger:verify compares the unmatched totals and the items' meanings with the sums", {
  tags: ['slow'],
}, async () => {
  const [track, other] = [
    await buildTrack(app.db, await buildAccount(app.db)),
    await buildTrack(app.db, await buildAccount(app.db)),
  ];
  const id = await build([
    { isrc: 'FRNON2400077', month: '2024-11', amount: '5' },
    { isrc: track.isrc, month: '2024-11', amount: '7' },
  ]);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  for (const source of ['', 'DistroKid']) {
    for (const month of ['-infinity', '2024-11-01']) {
      const addEuros = (euros: number) =>
        sql`UPDATE unmatched_totals SET eur = eur + ${euros} WHERE source = ${source} AND month = ${month}::date`.execute(
          app.owner,
        );
      await addEuros(1);
      expect(await verifyLedger(app.owner, app.deps.lines)).toContainEqual(
        expect.stringMatching(`the unmatched totals differ from the sums.*"${source}" in ${month}.*sums 4\\.6`),
      );
      await addEuros(-1);
    }
  }
  const addItems = (items: number) =>
    sql`UPDATE unmatched_counts SET items = items + ${items} WHERE source = '' AND month = '2024-11-01'`.execute(
      app.owner,
    );
  await addItems(1);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    'the count of unmatched items is wrong: "" in 2024-11-01: stored 2, items 1',
  ]);
  await addItems(-1);
  const giveTo = async (trackId: number) => {
    await sql`UPDATE income_items SET track_id = ${trackId} WHERE key = ${track.isrc}`.execute(app.owner);
  };
  await giveTo(other.id);
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    `waiting income has the wrong track: ${track.isrc}: has track ${other.id}, means ${track.id}`,
    `waiting income has the wrong track: ${track.isrc}: has track ${other.id}, waits for ${track.id} in statement ${id}`,
  ]);
  await giveTo(track.id);
  await sql`UPDATE statement_postings SET amount = amount + 1 WHERE import_id = (SELECT min(import_id) FROM statement_postings)`.execute(
    app.owner,
  );
  expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([
    expect.stringMatching(/postings of a statement differ from its sums/),
  ]);
});

it('needs the capability to post', async () => {
  const reader = await app.signInWith(['read_reports']);
  expect(await reader.post('/api/reporting/automatic', { fromDate: monthToMs('2024-01') })).toMatchObject({
    status: 403,
  });
  expect(await reader.get('/api/reporting/months')).toMatchObject({ status: 200 });
});

it('shows the board up to the last complete month, or the current month once it has income', async () => {
  const current = monthOfInstant(Date.now());
  const last = async () => ((await staff.get('/api/reporting/months')).data as MonthBoard).months.at(-1)?.month;
  expect(await last()).toBe(monthToMs(addMonths(current, -1)));
  await build([{ isrc: 'FRNOW2600001', month: current, amount: '1' }]);
  expect(await last()).toBe(monthToMs(current));
});

it('shows the pending work of months before the period, as the board of those months does', async () => {
  const board = async (from: string, to: string) =>
    (await staff.get(`/api/reporting/months?from=${monthToMs(from)}&to=${monthToMs(to)}`)).data as MonthBoard;
  const track = await buildTrack(app.db, await buildAccount(app.db));
  expect((await board('2020-01', '2020-12')).earlier).toBeNull();
  await build(
    [
      { isrc: track.isrc, month: '2020-01', amount: '1.1' },
      { isrc: track.isrc, month: '2020-03', amount: '7' },
      { isrc: 'FRNON2000001', month: '2020-02', amount: '5' },
    ],
    { isChecked: true },
  );
  await build([{ isrc: track.isrc, month: '2020-04', amount: '3' }]);
  const { months } = await board('2020-01', '2020-04');
  const readyEur = months.reduce((sum, of) => sum + of.readyEur, 0);
  expect(readyEur).toBeGreaterThan(7);
  const { earlier } = await board('2020-05', '2020-05');
  expect(earlier).toMatchObject({ first: monthToMs('2020-01'), readyMonths: 2, uncheckedMonths: 1, missingRates: [] });
  expect(earlier?.readyEur).toBeCloseTo(readyEur, 5);
  expect((await board('2020-02', '2020-02')).earlier).toMatchObject({ readyMonths: 1, uncheckedMonths: 0 });
  await post('2020-01');
  await post('2020-03');
  expect((await board('2020-05', '2020-05')).earlier).toMatchObject({
    first: monthToMs('2020-04'),
    readyMonths: 0,
    readyEur: 0,
    uncheckedMonths: 1,
  });
});
