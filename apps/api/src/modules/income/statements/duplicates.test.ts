import type { AnalyticsSummary, Pivot } from '@regie/contract/routes/analytics.ts';
import type { AutomaticReport, MonthCell, MonthDetail } from '@regie/contract/routes/months.ts';
import type { Consequence, StatementDetail } from '@regie/contract/routes/statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { queryColumn } from '#src/lib/db.ts';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { checkAsShown, postMonthAsShown } from '#test/as-shown.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let account: number;
const rate = 1.25;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports', 'read_audit']);
  account = await buildAccount(app.db);
  await app.owner.deleteFrom('exchangeRates').execute();
  await app.owner
    .insertInto('exchangeRates')
    .values(
      // Rates for each quarter, so that none is stale.
      ['01', '04', '07', '10'].flatMap((month) =>
        [2020, 2021, 2022, 2023, 2024, 2025].map((year) => ({
          currency: 'USD',
          rate: String(rate),
          month: `${year}-${month}-01`,
        })),
      ),
    )
    .execute();
});

const build = (rows: readonly StatementRow[], options?: Parameters<typeof buildStatement>[2]) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);
const get = async (id: number) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;
const duplicatesOf = async (id: number) => (await get(id)).duplicates;
const check = (id: number, body: Record<string, unknown> = {}) =>
  checkAsShown(staff, `/api/reporting/statements/${id}`, body);
const replace = (id: number, body: Record<string, unknown>) =>
  staff.post(`/api/reporting/statements/${id}/replace`, body);
const post = (month: string, body: Record<string, unknown> = {}) =>
  postMonthAsShown(staff, { fromDate: monthToMs(month), ...body });
const dryRun = async (month: string) =>
  (await staff.post('/api/reporting/automatic', { fromDate: monthToMs(month), dryRun: true })).data as AutomaticReport;

let isrcs = 0;
const newIsrc = () => `FRDBL25${String(++isrcs).padStart(5, '0')}`;
const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));
/** Rows of that many tracks, each with its own amount. */
const sales = (month: string, count: number, more: Partial<StatementRow> = {}): StatementRow[] =>
  many(count, (index) => ({ isrc: newIsrc(), month, quantity: index + 2, amount: `${index + 1}.25`, ...more }));

describe('duplicate lines', () => {
  it('in a file uploaded again are shown on both, with their amount', { tags: ['slow'] }, async () => {
    const rows = sales('2021-01', 3);
    const first = await build(rows, { fileName: 'janvier.tsv' });
    const second = await build([...rows].reverse(), { fileName: 'janvier bis.tsv' });
    const worth = {
      importId: null,
      lines: 3,
      postedLines: 0,
      amountEur: 6.75 / rate,
      status: 'loaded',
      source: 'DistroKid',
    };
    expect(await duplicatesOf(first)).toEqual([
      { ...worth, statementId: second, fileName: 'janvier bis.tsv', firstLine: null },
    ]);
    expect(await duplicatesOf(second)).toEqual([
      { ...worth, statementId: first, fileName: 'janvier.tsv', firstLine: null },
    ]);
    // Equal rows have not grown.
    expect((await get(second)).contains).toBeNull();
  });

  it('of a track and month that an import has posted are told like those of a statement', {
    tags: ['slow'],
  }, async () => {
    const month = monthToMs('2022-05');
    const tracks = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
    const rows = tracks.map(({ isrc }, index) => ({
      isrc,
      month: '2022-05',
      quantity: index + 2,
      amount: `${index + 1}.25`,
    }));
    const sent = await staff.post(
      `/api/reporting/csv?date=${month}&import=${'5'.repeat(64)}&name=mai.csv&batch=0&batches=1`,
      rows.map(({ isrc, quantity, amount }) => ({ isrc, numOfStreams: quantity, incomeOfStreams: amount })),
    );
    const { importId } = sent.data as { importId: number };
    // One of three tracks has other figures.
    const other = { ...rows[0], isrc: (await buildTrack(app.db, account)).isrc, month: '2022-05', amount: '9.00' };
    const id = await build([...rows, other]);
    const found = {
      ...{ statementId: null, importId, fileName: 'mai.csv', source: 'Import CSV', status: 'checked' },
      ...{ lines: 2, postedLines: 2, amountEur: 3.5 / rate, firstLine: null },
    };
    expect(await duplicatesOf(id)).toEqual([found]);
    // Stored once the month is added up.
    const stored = async () => {
      await refreshAnalytics(app.owner);
      return queryColumn(app.owner)`SELECT rows FROM import_duplicates WHERE statement_id = ${id}`;
    };
    expect(await stored()).toEqual([2]);
    expect(await duplicatesOf(id)).toEqual([found]);
    const board = async () =>
      ((await staff.get(`/api/reporting/month?month=${month}`)).data as MonthDetail).sources.map(
        ({ source, state, doubledEur }) => [source, state, doubledEur],
      );
    expect(await board()).toEqual([
      ['DistroKid', 'doubled', 2.8],
      ['Import CSV', 'posted', 0],
    ]);
    expect(await check(id)).toMatchObject({ status: 422, errors: { confirmDuplicates: expect.any(String) } });
    expect((await check(id, { confirmDuplicates: true })).status).toBe(200);
    expect(await board()).toEqual([
      ['DistroKid', 'checked', 0],
      ['Import CSV', 'posted', 0],
    ]);
    expect((await dryRun('2022-05')).duplicates).toMatchObject([
      { otherImportId: importId, lines: 2, isConfirmed: true },
    ]);
    expect((await app.journal('statement.check')).at(-1)).toMatchObject({ after: { duplicateOfImport: [importId] } });

    expect((await staff.post(`/api/reporting/statements/${id}/uncheck`)).status).toBe(200);
    expect((await check(id)).status).toBe(422);
    expect((await staff.post(`/api/imports/${importId}/reverse`)).status).toBe(200);
    expect(await duplicatesOf(id)).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('are flagged beside every total in euros that counts them twice, until confirmed or replaced', {
    tags: ['slow'],
  }, async () => {
    const rows = sales('2020-11', 3);
    const first = await build(rows);
    const second = await build([...rows, ...sales('2020-11', 1)]);
    const doubled = async () => {
      const at = monthToMs('2020-11');
      const { cells } = (await staff.get(`/api/reporting/months?from=${at}&to=${at}`)).data as { cells: MonthCell[] };
      const { doubledEur } = (await staff.get(`/api/reporting/analytics/summary?from=${at}`)).data as AnalyticsSummary;
      const inTable = (await staff.get(`/api/reporting/analytics/pivot?from=${at}&to=${at}`)).data as Pivot;
      return [...cells.map((cell) => cell.doubledEur), doubledEur, inTable.doubledEur];
    };
    await refreshAnalytics(app.owner);
    expect(await doubled()).toEqual([6.75 / rate, 6.75 / rate, 6.75 / rate]);
    const at = monthToMs('2020-11');
    const { sources } = (await staff.get(`/api/reporting/month?month=${at}`)).data as MonthDetail;
    expect(
      sources[0]?.statements.map(({ id, alerts }) => [id, alerts.filter(({ kind }) => kind === 'duplicates')]),
    ).toMatchObject([
      [first, [{ canReplace: false }]],
      [second, [{ canReplace: true, message: expect.stringContaining('remplacez-le') }]],
    ]);
    expect(sources[0]?.statements.map(({ doubledEur }) => doubledEur)).toEqual([0, 6.75 / rate]);
    // Named, and told where the next month is compared with this one.
    const summary = async (month: string) =>
      (await staff.get(`/api/reporting/analytics/summary?from=${monthToMs(month)}`)).data as AnalyticsSummary;
    expect((await summary('2020-11')).doubledStatements).toMatchObject([{ id: second }]);
    expect(await summary('2020-12')).toMatchObject({ doubledEur: 0, previousDoubledEur: 6.75 / rate });
    const differences = async () => (await staff.get(`/api/reporting/statements/${second}/differences`)).data;
    expect(await differences()).toMatchObject({ doubledEur: 6.75 / rate, formerDoubledEur: 0 });
    expect(await check(first, { confirmDuplicates: true })).toMatchObject({ status: 200 });
    expect(await doubled()).toEqual([0, 0, 0]);
    expect(await differences()).toMatchObject({ doubledEur: 0 });
    expect(await staff.post(`/api/reporting/statements/${first}/uncheck`, {})).toMatchObject({ status: 200 });
    expect(await check(first, { confirmDuplicates: true })).toMatchObject({ status: 200 });
    expect(await replace(second, { dryRun: false, replaces: first })).toMatchObject({ status: 200 });
    expect(await doubled()).toEqual([0, 0, 0]);
  });

  it('are shown when a file repeats a twentieth of another one', { tags: ['slow'] }, async () => {
    const rows = sales('2021-02', 100);
    const first = await build(rows);
    // Another month, and the end of the previous one, cut within a track.
    const second = await build([...sales('2021-03', 95), ...rows.slice(40, 45)]);
    expect(await duplicatesOf(second)).toMatchObject([{ statementId: first, lines: 5, firstLine: 97 }]);
    expect(await duplicatesOf(first)).toMatchObject([{ statementId: second, lines: 5, firstLine: 42 }]);
  });

  it('are shown when a few of them are mixed with different lines of the same tracks', { tags: ['slow'] }, async () => {
    const rows = sales('2021-04', 100);
    const first = await build(rows);
    const second = await build(
      rows.map((row, index) => (index % 20 === 0 ? row : { ...row, quantity: 500 + index, amount: `${index}.7531` })),
    );
    expect(await duplicatesOf(second)).toMatchObject([{ statementId: first, lines: 5 }]);
  });

  it('are shown when another file has the lines of a store among those of other stores', {
    tags: ['slow'],
  }, async () => {
    const own = sales('2021-05', 6, { store: 'Qobuz', country: 'BE' });
    const others = own.map((row) => ({ ...row, store: 'Spotify', amount: '3.5' }));
    const all = await build([...others, ...own]);
    const part = await build(own);
    expect(await duplicatesOf(part)).toMatchObject([{ statementId: all, lines: 6, amountEur: 22.5 / rate }]);
    expect(await duplicatesOf(all)).toMatchObject([{ statementId: part, lines: 6, firstLine: 8 }]);
  });

  it('are found by sums when the files name stores and countries differently', async () => {
    const rows = sales('2021-06', 4);
    const first = await build(rows);
    const second = await build(rows.map((row) => ({ ...row, store: 'DEEZER SA', country: '' })));
    expect(await duplicatesOf(second)).toMatchObject([{ statementId: first, lines: 4, firstLine: null }]);
    expect(await duplicatesOf(first)).toMatchObject([{ statementId: second, lines: 4, firstLine: null }]);
  });

  it('count the rows of each file', async () => {
    const isrc = newIsrc();
    const half = { isrc, month: '2021-07', quantity: 2, amount: '2.5' };
    const first = await build([half, half]);
    const second = await build([{ ...half, quantity: 4, amount: '5' }]);
    expect(await duplicatesOf(first)).toMatchObject([{ lines: 2, amountEur: 4 }]);
    expect(await duplicatesOf(second)).toMatchObject([{ lines: 1, amountEur: 4 }]);
  });

  it('are not reported when two stores’ files share small amounts by chance', { tags: ['slow'] }, async () => {
    const tracks = many(40, newIsrc);
    const file = (store: string, factor: number) =>
      tracks.map((isrc, index) => ({
        isrc,
        month: '2021-08',
        store,
        // A tenth has a quantity of one and equal amounts.
        quantity: index % 10 === 0 ? 1 : index * factor,
        amount: index % 10 === 0 ? '0.003' : `0.${String(index * factor * 31).padStart(5, '0')}`,
      }));
    const first = await build(file('Deezer', 3));
    const second = await build(file('Spotify', 7));
    expect(await duplicatesOf(first)).toEqual([]);
    expect(await duplicatesOf(second)).toEqual([]);
  });

  it('are not reported for late plays with the usual amount per play', { tags: ['slow'] }, async () => {
    const tracks = many(60, newIsrc);
    const plays = (index: number, quantity: number) => ({
      isrc: tracks[index],
      month: '2021-09',
      quantity,
      amount: (quantity * 0.003).toFixed(3),
    });
    const first = await build(tracks.map((_, index) => plays(index, index < 30 ? 1 : index * 5)));
    const second = await build([
      ...sales('2021-10', 20),
      ...many(40, (index) => plays(index + 10, index % 3 === 0 ? 2 : 1)),
    ]);
    expect(await duplicatesOf(second)).toEqual([]);
    expect(await duplicatesOf(first)).toEqual([]);
  });

  it('are not reported between a correction and its statement, or for zero amounts', { tags: ['slow'] }, async () => {
    const rows = sales('2021-11', 3);
    const first = await build(rows);
    const correction = await build([...rows, { isrc: newIsrc(), month: '2021-11', amount: '9' }]);
    await app.owner.updateTable('statements').set({ replaces: first }).where('id', '=', correction).execute();
    expect(await duplicatesOf(correction)).toEqual([]);
    expect(await duplicatesOf(first)).toEqual([]);
    const free = many(5, () => ({ isrc: newIsrc(), month: '2021-12', amount: '0' }));
    await build(free);
    expect(await duplicatesOf(await build(free.map((row) => ({ ...row, title: 'Autre' }))))).toEqual([]);
  });

  it('disappear with the other statement, and have no amount without a rate', async () => {
    const rows = sales('2019-12', 2);
    const [first, second] = [await build(rows), await build([...rows].reverse())];
    expect(await duplicatesOf(first)).toMatchObject([{ statementId: second, amountEur: null }]);
    expect(await staff.delete(`/api/reporting/statements/${second}`)).toMatchObject({ status: 200 });
    expect(await duplicatesOf(first)).toEqual([]);
    const left = await app.owner
      .selectFrom('statementDuplicates')
      .selectAll()
      .where((where) => where.or([where('statementId', '=', second), where('otherId', '=', second)]))
      .execute();
    expect(left).toEqual([]);
  });

  it('in two files loaded at the same time are shown on both', async () => {
    const rows = sales('2021-12', 8);
    // Neither load can end before both files are read.
    const other = await app.owner.startTransaction().execute();
    await sql`SELECT pg_advisory_xact_lock_shared(hashtext('match_items'))`.execute(other);
    const loading = Promise.all([build(rows), build([...rows].reverse())]);
    try {
      await untilBlocked(app.owner, 2);
    } finally {
      await other.commit().execute();
    }
    const ids = await loading;
    expect((await Promise.all(ids.map(duplicatesOf))).flat().map(({ statementId }) => statementId)).toEqual(
      ids.toReversed(),
    );
  });
});

describe('checking a statement', () => {
  it('asks to confirm duplicate lines and journals it', { tags: ['slow'] }, async () => {
    const rows = sales('2022-01', 3);
    const first = await build(rows, { fileName: 'premier.tsv' });
    const second = await build([...rows].reverse());
    expect(await check(second)).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: { confirmDuplicates: expect.stringMatching(/3 lignes sont en double avec «.premier\.tsv.»/) },
    });
    expect(await check(second, { confirmDuplicates: 'oui' })).toMatchObject({ status: 422 });
    expect(await check(second, { confirmDuplicates: true })).toMatchObject({ status: 200 });
    expect((await app.journal('statement.check')).at(-1)).toMatchObject({
      entityId: String(second),
      after: { duplicateOf: [first], duplicateLines: [3], duplicateEur: ['5.400000'] },
    });
    // The other statement needs its own confirmation.
    expect(await check(first)).toMatchObject({ status: 422 });
    // No duplicates: nothing to confirm.
    const alone = await build(sales('2022-01', 1));
    expect(await check(alone)).toMatchObject({ status: 200 });
    expect((await app.journal('statement.check')).at(-1)?.after).toEqual({ status: 'checked' });
  });
});

describe('posting a month', () => {
  /** Sales of known tracks, so that they are posted. */
  const known = async (month: string, count: number) => {
    const tracks = [];
    for (let index = 0; index < count; index += 1) tracks.push(await buildTrack(app.db, account));
    return tracks.map(({ isrc }, index) => ({ isrc, month, quantity: index + 2, amount: `${index + 1}.5` }));
  };
  const stateOf = async (month: string) => {
    const reply = await staff.get(`/api/reporting/months?from=${monthToMs(month)}&to=${monthToMs(month)}`);
    return (reply.data as { cells: MonthCell[] }).cells.map(({ state }) => state);
  };

  it('shows lines that would be posted twice, and asks for a confirmation', async () => {
    const month = '2022-03';
    const rows = await known(month, 3);
    const first = await build(rows, { isChecked: true, fileName: 'a.tsv' });
    const second = await build([...rows].reverse(), { isChecked: true, fileName: 'b.tsv' });
    const found = {
      otherImportId: null,
      statementId: second,
      fileName: 'b.tsv',
      otherStatementId: first,
      otherFileName: 'a.tsv',
      lines: 3,
    };
    expect((await dryRun(month)).duplicates).toEqual([
      { ...found, isPosted: false, isConfirmed: false, amountEur: 7.5 / rate },
    ]);
    expect(await stateOf(month)).toEqual(['doubled']);
    expect(await post(month)).toMatchObject({
      status: 422,
      errors: { confirmDuplicates: expect.stringMatching(/3 lignes sont en double avec «.a\.tsv.»/) },
    });
    const posted = await post(month, { confirmDuplicates: true });
    expect(posted).toMatchObject({ status: 200, data: { rows: 6 } });
    expect((await app.journal('import.automatic')).at(-1)).toMatchObject({
      after: { duplicateOf: [first], duplicateLines: [3], duplicateEur: ['6.000000'] },
    });
    expect(await duplicatesOf(first)).toMatchObject([{ statementId: second, lines: 3, postedLines: 3 }]);
  });

  it('shows lines that another statement has posted, and does not ask again once confirmed', {
    tags: ['slow'],
  }, async () => {
    const month = '2022-04';
    const rows = await known(month, 3);
    const first = await build(rows);
    await check(first);
    expect(await post(month)).toMatchObject({ status: 200, data: { duplicates: [] } });
    const second = await build(rows.slice(0, 2));
    expect(await duplicatesOf(second)).toMatchObject([
      { statementId: first, lines: 2, postedLines: 2, status: 'checked' },
    ]);
    await check(second, { confirmDuplicates: true });
    expect(await stateOf(month)).toEqual(['checked']);
    expect((await dryRun(month)).duplicates).toMatchObject([
      { statementId: second, otherStatementId: first, isPosted: true, isConfirmed: true, lines: 2 },
    ]);
    // Withdrawing the check also withdraws the confirmation.
    await staff.post(`/api/reporting/statements/${second}/uncheck`);
    await app.owner.updateTable('statements').set({ status: 'checked' }).where('id', '=', second).execute();
    expect((await dryRun(month)).duplicates).toMatchObject([{ isConfirmed: false }]);
    expect(await post(month)).toMatchObject({ status: 422 });
    await app.owner.updateTable('statements').set({ status: 'loaded' }).where('id', '=', second).execute();
    await check(second, { confirmDuplicates: true });
    expect(await post(month)).toMatchObject({ status: 200, data: { rows: 2, isLate: true } });
  });

  it('ignores lines that the other statement neither posted nor would post now', { tags: ['slow'] }, async () => {
    const month = '2022-05';
    const rows = await known(month, 2);
    await build(rows);
    await build([...rows].reverse(), { isChecked: true });
    expect((await dryRun(month)).duplicates).toEqual([]);
    expect(await post(month)).toMatchObject({ status: 200 });
  });

  it('compares the month lines are posted to, not the month they name', { tags: ['slow'] }, async () => {
    const rows = await known('2022-06', 2);
    const first = await build(rows, { isChecked: true, accountingMonth: '2022-07-01' });
    await build([...rows].reverse(), { isChecked: true });
    expect((await dryRun('2022-06')).duplicates).toEqual([]);
    expect(await post('2022-06')).toMatchObject({ status: 200 });
    expect((await dryRun('2022-07')).duplicates).toMatchObject([{ statementId: first, isPosted: true, lines: 2 }]);
  });
});

describe('a cumulative file', () => {
  const grow = (rows: readonly StatementRow[], by: number) =>
    rows.map((row) => ({ ...row, amount: String(Number(row.amount) + by), quantity: Number(row.quantity) + 1 }));

  it('is recognised and replaces the former file including its postings', { tags: ['slow'] }, async () => {
    const tracks = [];
    for (let index = 0; index < 4; index += 1) tracks.push(await buildTrack(app.db, account));
    const rows = tracks.map(({ isrc }, index) => ({ isrc, month: '2022-09', quantity: 3, amount: `${index + 1}` }));
    const former = await build(rows, { isChecked: true, fileName: 'lifetime-09.tsv' });
    expect(await post('2022-09')).toMatchObject({ status: 200 });
    const added = { isrc: newIsrc(), month: '2022-10', quantity: 3, amount: '5' };
    const later = await build([...rows.slice(0, 3), ...grow(rows.slice(3), 1), added], {
      fileName: 'lifetime-10.tsv',
    });
    expect(await get(later)).toMatchObject({
      contains: { id: former, fileName: 'lifetime-09.tsv', lines: 1, amountEur: 6 / rate },
      replaces: null,
    });
    // A statement cannot replace itself or one it does not contain.
    const other = await build(sales('2022-09', 1));
    expect(await replace(later, { dryRun: true })).toMatchObject({ status: 409 });
    expect(await replace(later, { replaces: other, dryRun: true })).toMatchObject({ status: 409 });
    const told = await replace(later, { replaces: former, dryRun: true });
    expect(told.data as Consequence).toMatchObject({ replaced: { id: former }, imports: 1, reports: 4 });
    expect((await get(later)).replaces).toBeNull();

    expect(await replace(later, { replaces: former })).toMatchObject({
      status: 200,
      data: { replaced: { id: former, status: 'replaced' }, imports: 1, reports: 4 },
    });
    expect(await get(later)).toMatchObject({
      contains: null,
      duplicates: [],
      replaces: { id: former, status: 'replaced' },
    });
    expect((await app.journal('statement.replace')).at(-1)).toMatchObject({
      entityId: String(former),
      after: { by: later, imports: 1 },
    });
    // The former one's postings are reversed; the new one needs no confirmation and is posted.
    expect(await check(later)).toMatchObject({ status: 200 });
    expect(await post('2022-09')).toMatchObject({ status: 200, data: { rows: 4, grossUsd: 11, duplicates: [] } });

    // The same for the next one, although this one replaced another.
    const next = await build([...rows.slice(0, 2), ...grow(rows.slice(2), 3), added]);
    expect((await get(next)).contains).toMatchObject({ id: later, lines: 0 });
    expect(await replace(next, { replaces: later })).toMatchObject({ status: 200 });
  });

  it('in which every sum grew needs a confirmation to be checked or posted beside the former file', {
    tags: ['slow'],
  }, async () => {
    const tracks = [];
    for (let index = 0; index < 4; index += 1) tracks.push(await buildTrack(app.db, account));
    const rows = tracks.map(({ isrc }, index) => ({ isrc, month: '2022-08', quantity: 3, amount: `${index + 1}.5` }));
    const former = await build(rows, { isChecked: true, fileName: 'ete.tsv' });
    expect(await post('2022-08')).toMatchObject({ status: 200 });
    // Another row of the first track is not in the former file.
    const later = await build([...grow(rows, 1), ...rows.slice(0, 1)], { fileName: 'ete-bis.tsv' });
    expect(await get(later)).toMatchObject({
      contains: { id: former },
      duplicates: [{ statementId: former, lines: 4 }],
    });
    expect(await check(later)).toMatchObject({ status: 422, errors: { confirmDuplicates: expect.any(String) } });
    expect(await check(later, { confirmDuplicates: true })).toMatchObject({ status: 200 });
    expect((await dryRun('2022-08')).duplicates).toMatchObject([{ otherStatementId: former, isPosted: true }]);
  });

  it('is not recognised with fewer rows, with one row, or from the same archive', { tags: ['slow'] }, async () => {
    const [one, two] = [newIsrc(), newIsrc()];
    const row = (isrc: string, amount: string) => ({ isrc, month: '2022-07', quantity: 3, amount });
    await build([row(one, '0.1'), row(one, '0.2'), row(two, '1'), row(two, '1')]);
    const fewer = await build([row(one, '7'), row(two, '8')]);
    expect(await get(fewer)).toMatchObject({ contains: null, duplicates: [] });

    const single = newIsrc();
    await build([row(single, '5')]);
    expect(await get(await build([row(single, '6')]))).toMatchObject({ contains: null, duplicates: [] });
  });

  it('is not confused with a following month, late income, other countries, or a smaller correction', {
    tags: ['slow'],
  }, async () => {
    const rows = sales('2022-11', 30);
    const first = await build(rows, { fileName: 'novembre.tsv' });
    const contains = async (file: readonly StatementRow[]) => {
      const id = await build(file);
      const found = (await get(id)).contains;
      await staff.delete(`/api/reporting/statements/${id}`);
      return found;
    };
    expect(await contains(rows.map((row) => ({ ...row, month: '2022-12' })))).toBeNull();
    expect(await contains([...sales('2022-12', 30), ...rows.slice(0, 10)])).toBeNull();
    expect(await contains(grow(rows, 1).map((row) => ({ ...row, country: 'US' })))).toBeNull();
    expect(await contains([...rows.slice(0, 29), { ...rows[29], amount: '0.5' }, ...sales('2022-11', 3)])).toBeNull();
    // Without these rows it would be cumulative.
    expect(await contains([...rows, ...sales('2022-12', 3)])).toMatchObject({ id: first, lines: 3 });
  });

  it('needs the capability to replace, and replaces the statement it corrects first', { tags: ['slow'] }, async () => {
    const rows = sales('2023-01', 2);
    const former = await build(rows);
    const wrong = await build(sales('2023-02', 1));
    const later = await build([...rows, ...sales('2023-01', 1)]);
    const reader = await app.signInWith(['read_reports']);
    expect(await reader.post(`/api/reporting/statements/${later}/replace`, { replaces: former })).toMatchObject({
      status: 403,
    });
    await sql`UPDATE statements SET replaces = ${wrong} WHERE id = ${later}`.execute(app.owner);
    expect((await get(later)).contains).toBeNull();
    expect(await replace(later, { replaces: former })).toMatchObject({ status: 409 });
  });
});
