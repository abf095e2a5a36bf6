import type { AutomaticReport, MonthCell } from '@regie/contract/routes/months.ts';
import type { ReportStatements } from '@regie/contract/routes/reports.ts';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import type { UnmatchedSummary } from '@regie/contract/routes/unmatched.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { postMonthAsShown } from '#test/as-shown.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

/** Events between the load of a month's lines and the update of its balances. */
const app = useApp();
let staff: TestClient;
let account: number;

beforeAll(async () => {
  staff = await app.signInWith();
  account = await buildAccount(app.db);
});

const build = (rows: readonly StatementRow[], options: Parameters<typeof buildStatement>[2] = { isChecked: true }) =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows, options);
const post = (month: string, dryRun = false) => {
  const body = { fromDate: monthToMs(month), confirmRates: true };
  return dryRun ? staff.post('/api/reporting/automatic', { ...body, dryRun }) : postMonthAsShown(staff, body);
};
const reverse = (importId: number | null) => staff.post(`/api/imports/${importId}/reverse`, {});
const cellOf = async (month: string) => {
  const reply = await staff.get(`/api/reporting/months?from=${monthToMs(month)}&to=${monthToMs(month)}`);
  return (reply.data as { cells: MonthCell[] }).cells[0];
};
const balanceOf = async (id: number) => {
  const { rows } = await sql<{ amount: string }>`
    SELECT amount FROM ledger_balances WHERE account = ${`account:${id}`}`.execute(app.owner);
  return rows[0]?.amount ?? '0.000000';
};
const setRate = (month: string, currency: string, rate: number) =>
  staff.put('/api/exchange-rates', { month: monthToMs(month), currency, rate, confirmFar: true });
const inCurrency = (statement: number, currency: string) => setCurrency(app.owner, statement, currency);
/** Waiting income whose track differs from its item's, or whose month contradicts it. */
const contradictions = async () => {
  const { rows } = await sql<{ what: string }>`
    SELECT s.item AS what FROM statement_sums s JOIN income_items i ON i.key = s.item
     WHERE s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id`.execute(app.owner);
  return rows.map(({ what }) => what);
};

describe('rates', () => {
  it('that change after a month was posted do not change its amounts', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account);
    await setRate('2024-01', 'GBP', 0.8);
    const pounds = await build([{ isrc: track.isrc, month: '2024-01', amount: '80' }]);
    await inCurrency(pounds, 'GBP');
    await build([{ isrc: track.isrc, month: '2024-01', amount: '10.824' }]);
    const posted = (await post('2024-01')).data as AutomaticReport;
    expect(posted).toMatchObject({ grossUsd: 119.064, grossEur: 110 });
    expect(await cellOf('2024-01')).toMatchObject({ postedEur: 110, amountEur: 110, readyEur: 0 });
    const report = await app.owner
      .selectFrom('reports')
      .select('id')
      .where('importId', '=', posted.importId ?? 0)
      .executeTakeFirstOrThrow();
    await setRate('2024-01', 'GBP', 0.4);
    await setRate('2024-01', 'USD', 2);
    expect(await cellOf('2024-01')).toMatchObject({ postedEur: 110, amountEur: 110, readyEur: 0 });
    const statement = (await staff.get(`/api/reporting/statements/${pounds}`)).data as StatementDetail;
    expect(statement).toMatchObject({ postedEur: 100, amountEur: 100, months: [{ postedEur: 100, amountEur: 100 }] });
    const found = (await staff.get(`/api/reporting/${report.id}/statements`)).data as ReportStatements;
    expect(found.isAsPosted).toBe(true);
    expect(found.parts.map(({ currency, amountUsd }) => [currency, amountUsd])).toEqual([
      ['GBP', 108.24],
      ['USD', 10.824],
    ]);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
    // Reversed, it is worth what today's rates give.
    await reverse(posted.importId);
    expect(await cellOf('2024-01')).toMatchObject({ postedEur: 0, amountEur: 205.412, readyEur: 205.412 });
    expect((await post('2024-01')).data).toMatchObject({ grossEur: 205.412 });
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
    await setRate('2024-01', 'USD', 1.0824);
  });

  it('that are missing are named, and nothing of the month is posted', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account);
    const lost = await build([{ isrc: track.isrc, month: '2024-02', amount: '5' }]);
    await inCurrency(lost, 'XTS');
    await build([{ isrc: track.isrc, month: '2024-02', amount: '1' }]);
    for (const dryRun of [true, false]) {
      expect(await post('2024-02', dryRun)).toMatchObject({
        status: 422,
        errors: { fromDate: expect.stringContaining('XTS') },
      });
    }
    expect(await cellOf('2024-02')).toMatchObject({ postedEur: 0 });
    await setRate('2024-02', 'XTS', 4);
    expect((await post('2024-02')).data).toMatchObject({ reports: 1, grossUsd: 2.353 });
  });
});

describe('the dry run of a posting', () => {
  it('equals the unmatched amounts of the month, before and after validation and posting', {
    tags: ['slow'],
  }, async () => {
    const track = await buildTrack(app.db, account);
    await build([
      { isrc: track.isrc, month: '2024-03', amount: '1' },
      { isrc: 'FRFLT2400001', month: '2024-03', amount: '10.824' },
    ]);
    expect((await post('2024-03')).data).toMatchObject({ unmatchedEur: 10 });
    await build([{ isrc: track.isrc, month: '2024-03', amount: '2' }]);
    await build([{ isrc: 'FRFLT2400002', month: '2024-03', amount: '1.0824' }], {});
    const late = (await post('2024-03')).data as AutomaticReport;
    const inbox = (await staff.get(`/api/reporting/unmatched/summary?month=${monthToMs('2024-03')}`))
      .data as UnmatchedSummary;
    expect(inbox.amountEur).toBe(11);
    expect(late.unmatchedEur).toBe(11);
    expect(await cellOf('2024-03')).toMatchObject({ unmatchedEur: 11 });
  });

  it('rounds a quantity once, over all currencies', async () => {
    const track = await buildTrack(app.db, account);
    const euros = await build([{ isrc: track.isrc, month: '2024-04', amount: '1', quantity: '0.25' }]);
    await inCurrency(euros, 'EUR');
    await build([{ isrc: track.isrc, month: '2024-04', amount: '2', quantity: '0.25' }]);
    const { importId } = (await post('2024-04')).data as AutomaticReport;
    const report = await app.owner
      .selectFrom('reports')
      .select('numStreams')
      .where('importId', '=', importId ?? 0)
      .executeTakeFirstOrThrow();
    // 0.25 + 0.25, not 0 + 0.
    expect(report.numStreams).toBe(1);
  });

  it('equals the posting to the last decimal, and again after a reversal', { tags: ['slow'] }, async () => {
    const tracks = [];
    for (let n = 0; n < 7; n++) tracks.push(await buildTrack(app.db, account));
    const rows = tracks.flatMap(({ isrc }, n) => [
      { isrc, month: '2024-05', amount: `0.${'3'.repeat(12)}${n}`, country: 'FR' },
      { isrc, month: '2024-05', amount: `-0.${'1'.repeat(14)}${n}`, country: 'BE' },
      // Sums that cancel out, and a zero.
      { isrc, month: '2024-05', amount: '0', store: 'iTunes' },
    ]);
    await build(rows);
    const euros = await build(
      rows.map((row) => ({ ...row, amount: row.amount.replace('-0.', '-5.').replace('0.', '4.') })),
    );
    await inCurrency(euros, 'EUR');
    const [{ importId: none, ...dry }, { importId, ...told }] = [
      (await post('2024-05', true)).data as AutomaticReport,
      (await post('2024-05')).data as AutomaticReport,
    ];
    expect(none).toBeNull();
    expect(told).toEqual(dry);
    const before = await balanceOf(account);
    await reverse(importId);
    const { importId: second, ...again } = (await post('2024-05')).data as AutomaticReport;
    expect(second).not.toBe(importId);
    // Its stale rate was confirmed the first time.
    expect(again).toEqual({ ...dry, mustConfirm: false });
    expect(await balanceOf(account)).toBe(before);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});

describe('concurrent postings', () => {
  it('post a month once, also after a double click', async () => {
    const track = await buildTrack(app.db, account);
    await build([{ isrc: track.isrc, month: '2024-06', amount: '5' }]);
    const replies = await Promise.all([post('2024-06'), post('2024-06'), post('2024-06', true)]);
    expect(
      replies
        .slice(0, 2)
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([200, 409]);
    expect([200, 409]).toContain(replies[2]?.status);
    await build([{ isrc: track.isrc, month: '2024-06', amount: '7' }]);
    const { version } = (await post('2024-06', true)).data as AutomaticReport;
    const body = { fromDate: monthToMs('2024-06'), confirmRates: true, dryRun: false, version };
    const click = () => staff.post('/api/reporting/automatic', body, { 'idempotency-key': 'double-clic' });
    const clicks = await Promise.all([click(), click()]);
    expect(clicks.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(clicks.map(({ data }) => (data as AutomaticReport).importId)).size).toBe(1);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('reversing an import and posting late income of its statement run one after the other', async () => {
    const [one, two] = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
    const isrc = 'FRFLT2400006';
    await build([
      { isrc: one.isrc, month: '2024-10', amount: '5' },
      { isrc, month: '2024-10', amount: '7' },
    ]);
    const { importId } = (await post('2024-10')).data as AutomaticReport;
    await staff.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: two.id });
    // Whatever updates this balance waits.
    const held = await app.owner.startTransaction().execute();
    await sql`SELECT FROM ledger_balances WHERE account = ${`account:${account}`} FOR UPDATE`.execute(held);
    const reversed = reverse(importId);
    await untilBlocked(app.owner, 1);
    const late = post('2024-10');
    await untilBlocked(app.owner, 2);
    await held.commit().execute();
    expect((await reversed).status).toBe(200);
    expect((await late).status).toBe(200);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it("reversing an import and assigning a track to an item see each other's changes", async () => {
    const track = await buildTrack(app.db, account);
    const isrc = 'FRFLT2400003';
    await build([{ isrc, month: '2024-07', amount: '5' }]);
    expect((await staff.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: track.id })).status).toBe(200);
    const { importId } = (await post('2024-07')).data as AutomaticReport;
    const held = await app.owner.startTransaction().execute();
    await sql`UPDATE income_items SET alias_track_id = NULL, alias_by = NULL, alias_at = NULL WHERE key = ${isrc}`.execute(
      held,
    );
    await sql`SELECT match_items(ARRAY[${isrc}])`.execute(held);
    const reversed = reverse(importId);
    try {
      await untilBlocked(app.owner, 1);
    } finally {
      await held.commit().execute();
    }
    expect((await reversed).status).toBe(200);
    expect(await contradictions()).toEqual([]);
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('the end of a load and the assignment of one of its items do not deadlock', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, account);
    const isrc = 'FRFLT2400004';
    await build([{ isrc, month: '2024-08', amount: '5' }]);
    // The load waits for this transaction, which then locks that item.
    const held = await app.owner.startTransaction().execute();
    await sql`SELECT pg_advisory_xact_lock_shared(hashtext('match_items'))`.execute(held);
    const loading = build([{ isrc, month: '2024-08', amount: '6' }]);
    await untilBlocked(app.owner, 1);
    const assigned = staff.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: track.id });
    await untilBlocked(app.owner, 2);
    await held.commit().execute();
    expect((await assigned).status).toBe(200);
    await loading;
    expect(await contradictions()).toEqual([]);
  });
});

describe('delivering a release or withdrawing it', () => {
  it('rematches the tracks of its account that share an ISRC', async () => {
    const older = await buildRelease(app.db, account, 'pending');
    const newer = await buildRelease(app.db, account, 'pending');
    const isrc = 'FRFLT2400005';
    const first = await buildTrack(app.db, account, { isrc, releaseId: older });
    const second = await buildTrack(app.db, account, { isrc, releaseId: newer });
    await build([{ isrc, month: '2024-09', amount: '5' }]);
    const trackOf = async () =>
      (await app.owner.selectFrom('statementSums').select('trackId').where('item', '=', isrc).executeTakeFirstOrThrow())
        .trackId;
    const setStatus = (releaseId: number, status: string) =>
      app.db.updateTable('releases').set({ status }).where('id', '=', releaseId).execute();
    expect(await trackOf()).toBe(first.id);
    await setStatus(newer, 'delivered');
    expect(await trackOf()).toBe(second.id);
    await setStatus(older, 'closed');
    expect(await trackOf()).toBe(first.id);
    await setStatus(older, 'cancelled');
    expect(await trackOf()).toBe(second.id);
    // Posted income does not move.
    await post('2024-09');
    await setStatus(newer, 'pending');
    expect(await trackOf()).toBe(second.id);
    expect(await contradictions()).toEqual([]);
  });

  it('applies to a load that runs at the same time', async () => {
    const isrc = 'FRFLT2400009';
    const older = await buildRelease(app.db, account, 'pending');
    const newer = await buildRelease(app.db, account, 'pending');
    await buildTrack(app.db, account, { isrc, releaseId: older });
    await buildTrack(app.db, account, { isrc, releaseId: newer });
    const held = await app.owner.startTransaction().execute();
    await sql`UPDATE releases SET status = 'delivered' WHERE id = ${newer}`.execute(held);
    const loading = build([{ isrc, month: '2024-12', amount: '5' }]);
    await untilBlocked(app.owner, 1);
    await held.commit().execute();
    await loading;
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });
});
