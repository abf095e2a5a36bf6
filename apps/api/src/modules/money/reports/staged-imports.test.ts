import type { AccountStatement } from '@regie/contract/routes/account-statement.ts';
import type { Import, Report } from '@regie/contract/routes/reports.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildReferral, buildRelease, buildTrack, setRate } from '#test/factories.ts';
import { reasons } from './report-rows.rules.ts';

const app = useApp();
let client: TestClient;
beforeAll(async () => {
  client = await app.signInWith();
});
afterAll(async () => {
  expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
});

const month = monthToMs('2025-03');
let files = 0;
const newFile = () => {
  files += 1;
  return String(files).padStart(64, '0');
};

interface Answer {
  importId: number;
  saved: number;
  unsaved: { row: number; isrc: string; reason: string }[];
  grossUsd: number;
  accountsEur: number;
  alreadyCounted: boolean;
  isPosted: boolean;
  dropped: number;
}

interface Sent {
  file: string;
  batch: number;
  batches?: number;
  monthMs?: number;
  by?: TestClient;
  key?: string;
}
function send(sent: Sent, rows: readonly object[]) {
  const { file, batch, batches, monthMs = month, by = client, key } = sent;
  const count = batches === undefined ? '' : `&batches=${batches}`;
  const url = `/api/reporting/csv?date=${monthMs}&import=${file}&batch=${batch}${count}&name=mars.csv`;
  return by.post(url, rows, key === undefined ? {} : { 'idempotency-key': key });
}
async function sendOk(sent: Sent, rows: readonly object[]): Promise<Answer> {
  const reply = await send(sent, rows);
  expect([reply.status, reply.errors]).toEqual([200, {}]);
  return reply.data as Answer;
}
const income = (isrc: string, usd: string | number) => ({ isrc, numOfStreams: 10, incomeOfStreams: usd });

const readImport = async (id: number) => (await client.get(`/api/imports/${id}`)).data as Import;
const reportsOf = async (query: string) => (await client.get(`/api/reporting/all?limit=500&${query}`)).data as Report[];
const postStaged = (id: number, rows: number, by = client) => by.post(`/api/imports/${id}/post`, { rows });
const discard = (id: number, by = client) => by.delete(`/api/imports/${id}`);

async function balance(accountId: number): Promise<string> {
  const row = await app.db
    .selectFrom('ledgerBalances')
    .select('amount')
    .where('account', '=', `account:${accountId}`)
    .executeTakeFirst();
  return row?.amount ?? '0.000000';
}
async function transactionsOf(importId: number) {
  return app.db
    .selectFrom('ledgerTransactions')
    .select(['accountId', 'adminId', 'kind'])
    .where('importId', '=', importId)
    .orderBy('accountId')
    .execute();
}

describe('a file of several batches', () => {
  it('posts each account once at the last batch, to the same cent as all rows at once', async () => {
    const [account, other] = [await buildAccount(app.db, { libraryPercentile: '66.67' }), await buildAccount(app.db)];
    const referrer = await buildAccount(app.db);
    await buildReferral(app.db, { referrerId: referrer, referredId: account, percentile: '3.33' });
    const [one, two] = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
    const three = await buildTrack(app.db, other);
    const batches = [
      [income(one.isrc, '0.0000123456'), income(three.isrc, '11.3'), income('FRNOP2500001', 1)],
      [income(one.isrc, '0.1111111111'), income(two.isrc, '7.7777777777')],
      [income(three.isrc, '-1.13'), income(one.isrc, '0.00000000005')],
    ];
    const file = newFile();
    const answers: Answer[] = [];
    for (const batch of [2, 0, 1]) answers.push(await sendOk({ file, batch, batches: 3 }, batches[batch] ?? []));
    expect(answers.map(({ saved, isPosted, accountsEur }) => ({ saved, isPosted, accountsEur }))).toEqual([
      { saved: 2, isPosted: false, accountsEur: 0 },
      { saved: 2, isPosted: false, accountsEur: 0 },
      { saved: 2, isPosted: true, accountsEur: 0 },
    ]);
    expect(answers[1]?.unsaved).toEqual([{ row: 3, isrc: 'FRNOP2500001', reason: reasons.unknownIsrc }]);
    const importId = answers[0]?.importId ?? 0;
    expect((await transactionsOf(importId)).map(({ accountId }) => accountId)).toEqual([account, other]);
    const staged = [await balance(account), await balance(other), await balance(referrer)];

    const statement = (await client.get(`/api/accounts/statement?userId=${account}`)).data as AccountStatement;
    expect(statement.lines).toHaveLength(1);
    expect(statement.lines[0]).toMatchObject({ import: { id: importId, batch: null } });

    const found = await readImport(importId);
    expect(found).toMatchObject({
      ...{ batches: 3, batchesExpected: 3, stagedBatches: 0, stagedRows: 0, rows: 7, saved: 6, unsaved: 1, reports: 3 },
      ...{ grossUsd: 18.0589012345, reversedAt: null },
    });
    expect(found.postedAt).not.toBeNull();
    expect(await reportsOf(`import=${importId}`)).toHaveLength(3);
    const { rows } = await sql`SELECT FROM import_staged_rows WHERE import_id = ${importId}`.execute(app.db);
    expect(rows).toHaveLength(0);

    expect((await client.post(`/api/imports/${importId}/reverse`)).status).toBe(200);
    expect([await balance(account), await balance(other), await balance(referrer)]).toEqual([
      '0.000000',
      '0.000000',
      '0.000000',
    ]);
    await sendOk({ file: newFile(), batch: 0 }, batches.flat());
    expect([await balance(account), await balance(other), await balance(referrer)]).toEqual(staged);
  });

  it('is not counted as income before its last batch', { tags: ['slow'] }, async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const february = monthToMs('2025-02');
    const figures = async () => {
      const from = `from=${february}&to=${february}`;
      const read = await Promise.all(
        [
          `/api/reporting/all?userId=${account}`,
          `/api/reporting/all?${from}`,
          '/api/home',
          '/api/accounting/stats/common?type=platform',
          '/api/accounting/reports?type=platform',
          `/api/accounting/months?${from}`,
          `/api/accounts/statement?userId=${account}`,
          `/api/profile/${account}/profile`,
          `/api/reporting/months?${from}`,
          '/api/payouts/unpaid-accounts',
        ].map((url) => client.get(url)),
      );
      expect(read.map(({ status }) => status)).toEqual(read.map(() => 200));
      const dryRun = await client.delete(`/api/reporting/deleteByMonth?date=${february}&dryRun=true`);
      return JSON.stringify([...read.map(({ data, meta }) => [data, meta]), dryRun.data]);
    };
    const before = await figures();
    const file = newFile();
    const sent = { file, batches: 2, monthMs: february };
    const { importId } = await sendOk({ ...sent, batch: 0 }, [income(isrc, '1130'), { isrc: 'FRNOP2500002' }]);
    expect(await figures()).toBe(before);
    expect(await reportsOf(`import=${importId}`)).toEqual([]);
    expect(await readImport(importId)).toMatchObject({
      ...{ batches: 1, stagedBatches: 1, stagedRows: 1, rows: 2, saved: 1, unsaved: 1, postedAt: null, reports: 0 },
      ...{ grossUsd: 0, grossEur: 0, accountsEur: 0, platformEur: 0 },
    });
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);

    // Deleting the month's reports does not affect a file that is still arriving.
    expect((await client.delete(`/api/reporting/deleteByMonth?date=${february}`)).data).toEqual({
      ...{ deleted: 0, amountEur: 0 },
    });
    expect(await sendOk({ ...sent, batch: 1 }, [income(isrc, '-0.13')])).toMatchObject({ isPosted: true, importId });
    expect(await balance(account)).toBe('799.907965');
    expect(await figures()).not.toBe(before);
  });

  it('accepts a batch once, and answers a repeated batch like the first', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const file = newFile();
    const rows = [income(isrc, '11.3'), { isrc: 'FRNOP2500003' }];
    const first = await sendOk({ file, batch: 0, batches: 2, key: 'lot 0' }, rows);
    // Sent again in the same run, in another one, and by another admin.
    expect(await sendOk({ file, batch: 0, batches: 2, key: 'lot 0' }, rows)).toEqual(first);
    const again = { ...first, alreadyCounted: true };
    expect(await sendOk({ file, batch: 0, batches: 2 }, rows)).toEqual(again);
    expect(await sendOk({ file, batch: 0, batches: 2, by: await app.signInWith() }, rows)).toEqual(again);
    expect((await send({ file, batch: 0, batches: 2 }, [income(isrc, '12')])).status).toBe(409);
    expect((await send({ file, batch: 2, batches: 2 }, rows)).status).toBe(409);
    expect(await readImport(first.importId)).toMatchObject({ batches: 1, stagedRows: 1, rows: 2 });

    await sendOk({ file, batch: 1, batches: 2 }, [income(isrc, '11.3')]);
    expect(await sendOk({ file, batch: 0, batches: 2 }, rows)).toEqual({ ...again, isPosted: true });
    expect(await balance(account)).toBe('16.000000');
  });

  it('is posted once when every batch arrives several times at once', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const file = newFile();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        sendOk({ file, batch: index % 4, batches: 4, key: `${file} ${index % 10}` }, [income(isrc, 1.13)]),
      ),
    );
    const [{ importId } = { importId: 0 }] = answers;
    expect(new Set(answers.map((answer) => answer.importId))).toEqual(new Set([importId]));
    expect(await transactionsOf(importId)).toHaveLength(1);
    expect(await balance(account)).toBe('3.200000');
    expect(await reportsOf(`import=${importId}`)).toMatchObject([{ numOfStreams: 40, totalIncome: 4.52 }]);
    expect(await app.journal('import.post')).toContainEqual(expect.objectContaining({ entityId: String(importId) }));
  });

  it('freezes rate and percentages at the first batch', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const sent = { file: newFile(), batches: 2, monthMs: monthToMs('2025-04') };
    await sendOk({ ...sent, batch: 0 }, [income(isrc, '11.3')]);
    await sql`UPDATE accounts SET library_percentile = 10 WHERE id = ${account}`.execute(app.db);
    await setRate(app.db, 'USD', '2025-04', 2);
    await sendOk({ ...sent, batch: 1 }, [income(isrc, '11.3')]);
    expect(await balance(account)).toBe('16.000000');
    await sql`DELETE FROM exchange_rates WHERE month = '2025-04-01'`.execute(app.owner);
  });

  it('pays the owners of the ISRCs at posting time, and names the rows whose ISRC lost its owner', async () => {
    const [account, heir] = [await buildAccount(app.db), await buildAccount(app.db)];
    const releaseId = await buildRelease(app.db, account);
    const moved = await buildTrack(app.db, account, { releaseId });
    const [renamed, doubled, deleted] = [
      await buildTrack(app.db, account),
      await buildTrack(app.db, account),
      await buildTrack(app.db, account),
    ];
    const file = newFile();
    const rows = [moved, renamed, doubled, deleted].map(({ isrc }) => income(isrc, '11.3'));
    const { importId } = await sendOk({ file, batch: 0, batches: 2 }, rows);

    await sql`UPDATE releases SET account_id = ${heir} WHERE id = ${releaseId}`.execute(app.db);
    await sql`UPDATE tracks SET isrc = 'FRNEW2500001' WHERE id = ${renamed.id}`.execute(app.db);
    await sql`UPDATE tracks SET deleted_at = now() WHERE id = ${deleted.id}`.execute(app.db);
    await buildTrack(app.db, heir, { isrc: doubled.isrc });
    await sql`UPDATE accounts SET state = 'disabled' WHERE id = ${account}`.execute(app.db);

    const last = [income(doubled.isrc, '11.3'), income(deleted.isrc, '11.3')];
    expect(await sendOk({ file, batch: 1, batches: 2 }, last)).toMatchObject({
      ...{ isPosted: true, saved: 1, dropped: 2 },
      unsaved: [{ row: 5001, isrc: doubled.isrc, reason: reasons.doubledIsrc }],
    });
    expect(await balance(heir)).toBe('8.000000');
    expect(await balance(account)).toBe('16.000000');
    expect(await readImport(importId)).toMatchObject({ rows: 6, saved: 3, unsaved: 3, reports: 2, grossUsd: 33.9 });
    const given = expect.objectContaining({ numOfStreams: '10', incomeOfStreams: '11.3' });
    expect((await client.get(`/api/imports/${importId}/unsaved`)).data).toEqual([
      { batch: 0, row: 2, isrc: renamed.isrc, reason: reasons.unknownIsrc, given },
      { batch: 0, row: 3, isrc: doubled.isrc, reason: reasons.doubledIsrc, given },
      { batch: 1, row: 5001, isrc: doubled.isrc, reason: reasons.doubledIsrc, given },
    ]);
    expect(await sendOk({ file, batch: 0, batches: 2 }, rows)).toMatchObject({ saved: 2, alreadyCounted: true });
  });

  it('preserves the staged rows when a track exceeds the limits of a report, and names the remedy', async () => {
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const rows = Array.from({ length: 5000 }, () => ({ isrc: track.isrc, numOfStreams: '999999999999999' }));
    const file = newFile();
    const { importId } = await sendOk({ file, batch: 0, batches: 2 }, rows);
    const refused = await send({ file, batch: 1, batches: 2 }, rows);
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining('supprimez cet envoi') });
    expect(await readImport(importId)).toMatchObject({ stagedRows: 5000, batches: 1, postedAt: null });
    expect((await discard(importId)).status).toBe(200);
  });
});

describe('a truncated file', () => {
  it('is posted in part on confirmation and completed by sending the file again', async () => {
    const account = await buildAccount(app.db);
    const [one, two] = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
    const sent = { file: newFile(), batches: 4 };
    const { importId } = await sendOk({ ...sent, batch: 0 }, [income(one.isrc, '11.3'), { isrc: 'FRNOP2500004' }]);
    await sendOk({ ...sent, batch: 2 }, [income(two.isrc, '11.3')]);
    expect(await readImport(importId)).toMatchObject({ stagedBatches: 2, stagedRows: 2, rows: 3, unsaved: 1 });
    expect((await client.get('/api/imports?state=staged')).data).toEqual([expect.objectContaining({ id: importId })]);
    const active = (await client.get('/api/imports?state=active&limit=500')).data as Import[];
    expect(active.map(({ id }) => id)).not.toContain(importId);

    // Refuses to post rows that arrived after the caller's preview.
    expect(await postStaged(importId, 1)).toMatchObject({ status: 409 });
    expect(await postStaged(importId, 2)).toMatchObject({
      ...{ status: 200, data: { saved: 2, dropped: 0, reports: 2, accountsEur: 16 } },
    });
    expect(await balance(account)).toBe('16.000000');
    expect(await transactionsOf(importId)).toHaveLength(1);
    expect(await postStaged(importId, 2)).toMatchObject({ status: 409 });
    expect(await postStaged(importId, 0)).toMatchObject({ status: 409 });
    expect((await discard(importId)).status).toBe(409);

    // The rest is staged until the file is complete.
    expect(await sendOk({ ...sent, batch: 0 }, [income(one.isrc, '11.3'), { isrc: 'FRNOP2500004' }])).toMatchObject({
      ...{ alreadyCounted: true, isPosted: true },
    });
    expect(await sendOk({ ...sent, batch: 1 }, [income(one.isrc, '1.13')])).toMatchObject({ isPosted: false });
    expect(await balance(account)).toBe('16.000000');
    expect(await sendOk({ ...sent, batch: 3 }, [income(two.isrc, '1.13')])).toMatchObject({ isPosted: true, importId });
    expect(await balance(account)).toBe('17.600000');
    expect(await transactionsOf(importId)).toHaveLength(2);
    expect(await readImport(importId)).toMatchObject({ batches: 4, reports: 2, saved: 4, stagedBatches: 0 });
    expect((await app.journal('import.post')).filter(({ entityId }) => entityId === String(importId))).toHaveLength(2);
  });

  it('is posted once when two admins confirm at once', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const { importId } = await sendOk({ file: newFile(), batch: 0, batches: 2 }, [income(isrc, '11.3')]);
    const replies = await Promise.all(Array.from({ length: 5 }, () => postStaged(importId, 1)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await balance(account)).toBe('8.000000');
  });

  it('can be discarded without ledger entries, and loaded again', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const sent = { file: newFile(), batches: 2 };
    const { importId } = await sendOk({ ...sent, batch: 0 }, [income(isrc, '11.3')]);
    expect(await client.post(`/api/imports/${importId}/reverse`)).toMatchObject({ status: 409 });
    expect(await discard(importId)).toMatchObject({ status: 200, data: { rows: 1 } });
    expect((await app.journal('import.discard')).at(-1)).toMatchObject({
      ...{ entityId: String(importId), before: { file: 'mars.csv', month: '2025-03', batches: 1, rows: 1 } },
    });
    expect(await readImport(importId)).toMatchObject({ stagedRows: 0, postedAt: null, reversedAt: expect.any(Number) });
    expect(await discard(importId)).toMatchObject({ status: 409 });
    expect(await postStaged(importId, 1)).toMatchObject({ status: 409 });
    expect(await discard(importId + 1000)).toMatchObject({ status: 404 });
    expect(await postStaged(importId + 1000, 1)).toMatchObject({ status: 404 });
    expect(await transactionsOf(importId)).toEqual([]);

    const again = await sendOk({ ...sent, batch: 0 }, [income(isrc, '11.3')]);
    expect(again).toMatchObject({ alreadyCounted: false });
    expect(again.importId).not.toBe(importId);
    await sendOk({ ...sent, batch: 1 }, [income(isrc, '11.3')]);
    expect(await balance(account)).toBe('16.000000');
  });

  it('is discarded together with its staged rows when its posted rows are reversed', async () => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const sent = { file: newFile(), batches: 3 };
    const { importId } = await sendOk({ ...sent, batch: 0 }, [income(isrc, '11.3')]);
    await postStaged(importId, 1);
    await sendOk({ ...sent, batch: 1 }, [income(isrc, '11.3')]);
    expect((await client.post(`/api/imports/${importId}/reverse`)).status).toBe(200);
    expect(await balance(account)).toBe('0.000000');
    expect(await readImport(importId)).toMatchObject({ stagedBatches: 0, stagedRows: 0, reports: 0 });
  });

  it('needs edit_reports to post and discard, and a recent second factor to post', async () => {
    const { isrc } = await buildTrack(app.db, await buildAccount(app.db));
    const { importId } = await sendOk({ file: newFile(), batch: 0, batches: 2 }, [income(isrc, '11.3')]);
    const reader = await app.signInWith(['read_reports']);
    expect((await postStaged(importId, 1, reader)).status).toBe(403);
    expect((await discard(importId, reader)).status).toBe(403);
    expect((await reader.get(`/api/imports/${importId}`)).data).toMatchObject({ stagedRows: 1 });
    const editor = await app.signInWith(['edit_reports']);
    expect((await discard(importId, editor)).status).toBe(200);
  });
});

describe('rows outside a file of several batches', () => {
  it.each([
    ['without a file', ''],
    ['of a file of one batch', `&import=${'f1'.repeat(32)}&batches=1`],
    ['of a file that does not say how many it has', `&import=${'f2'.repeat(32)}`],
  ])('are posted on arrival, %s', async (_, query) => {
    const account = await buildAccount(app.db);
    const { isrc } = await buildTrack(app.db, account);
    const reply = await client.post(`/api/reporting/csv?date=${month}${query}`, [income(isrc, '11.3')]);
    expect(reply.data).toMatchObject({ saved: 1, accountsEur: 8, isPosted: true, dropped: 0, alreadyCounted: false });
    expect(await balance(account)).toBe('8.000000');
    const { importId } = reply.data as Answer;
    expect(await readImport(importId)).toMatchObject({ stagedBatches: 0, reports: 1, batches: 1 });
  });
});
