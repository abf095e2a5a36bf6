import { monthToMs } from '@regie/contract/month.ts';
import type { HomeFigures } from '@regie/contract/routes/accounting.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { buildBilling } from '#test/payouts.ts';
import { buildStatement, type StatementRow } from '#test/statements.ts';

const app = useApp();
let client: TestClient;
let account: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
});

const home = async (who = client) => (await who.get('/api/home')).data as HomeFigures;
const importRows = (month: string, rows: readonly { isrc: string; incomeOfStreams: number }[]) =>
  client.post(`/api/reporting/csv?date=${monthToMs(month)}`, rows);

describe('what needs attention', () => {
  it('counts releases in quality control, payouts to pay and open tickets, deleted and settled ones aside', async () => {
    await buildRelease(app.db, account, 'paid');
    await buildRelease(app.db, account, 'pending');
    const gone = await buildRelease(app.db, account, 'paid');
    await app.db.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', gone).execute();
    const billingAccountId = await buildBilling(app.db, account);
    const payout = { accountId: account, billingAccountId, amountEur: '12.50', feeEur: '0.60' };
    await app.owner
      .insertInto('payouts')
      .values([payout, payout, { ...payout, state: 'paid', paidAt: new Date() }])
      .execute();
    const ticket = { title: 'Reprise', url: 'https://video.example/1' };
    await app.owner
      .insertInto('tickets')
      .values([ticket, { ...ticket, status: 'closed' }])
      .execute();
    expect(await home()).toMatchObject({
      qualityControl: 1,
      pendingPayouts: { count: 2, amountEur: 25 },
      openTickets: 1,
    });
  });

  it('counts beyond where lists stop', async () => {
    const before = (await home()).openTickets ?? 0;
    await sql`
      INSERT INTO tickets (title, url) SELECT 'Masse', 'https://video.example/m' FROM generate_series(1, 10001)`.execute(
      app.owner,
    );
    expect((await home()).openTickets).toBe(before + 10_001);
    await app.owner.deleteFrom('tickets').where('title', '=', 'Masse').execute();
  });

  it('counts the ISRCs of files that found no track, until a later file reports them or the import is reversed', async () => {
    expect((await home()).unsaved).toEqual({ isrcs: 0, isExact: true, imports: 0, lastImportId: null });
    const known = await buildTrack(app.db, account);
    await importRows('2025-03', [
      { isrc: known.isrc, incomeOfStreams: 1 },
      { isrc: 'FR-ZZZ-25-00001', incomeOfStreams: 1 },
      { isrc: 'FRZZZ2500001', incomeOfStreams: 2 },
      { isrc: 'FRZZZ2500002', incomeOfStreams: 3 },
    ]);
    const first = (await home()).unsaved;
    expect(first).toMatchObject({ isrcs: 2, isExact: true, imports: 1 });
    // The track is there now; its income is not until the corrected file is.
    await buildTrack(app.db, account, { isrc: 'FRZZZ2500001' });
    expect((await home()).unsaved).toEqual(first);
    // Another month settles nothing.
    await importRows('2025-04', [{ isrc: 'FRZZZ2500001', incomeOfStreams: 3 }]);
    expect((await home()).unsaved).toEqual(first);
    await importRows('2025-03', [{ isrc: 'FRZZZ2500001', incomeOfStreams: 3 }]);
    expect((await home()).unsaved).toEqual({ ...first, isrcs: 1 });
    await client.post(`/api/imports/${first?.lastImportId}/reverse`, {});
    expect((await home()).unsaved).toMatchObject({ isrcs: 0, imports: 0, lastImportId: null });
  });

  it('counts the income of statements that has no track, in items and euros, until it has one or is taken away', async () => {
    expect((await home()).unmatched).toEqual({ items: 0, amountEur: 0, withoutRate: [] });
    const build = (rows: readonly StatementRow[]) =>
      buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, rows);
    const known = await buildTrack(app.db, account);
    await build([
      { isrc: known.isrc, amount: '900', month: '2024-01' },
      { isrc: 'FRZZZ2500011', amount: '10.824', month: '2024-01' },
      { isrc: 'FRZZZ2500012', amount: '1.0824', month: '2024-02' },
    ]);
    const second = await build([{ isrc: 'FRZZZ2500011', amount: '2.1648', month: '2024-01' }]);
    expect((await home()).unmatched).toEqual({ items: 2, amountEur: 13, withoutRate: [] });
    await buildTrack(app.db, account, { isrc: 'FRZZZ2500012' });
    expect((await home()).unmatched).toEqual({ items: 1, amountEur: 12, withoutRate: [] });
    await app.owner
      .updateTable('statements')
      .set({ status: 'removed', endedAt: new Date() })
      .where('id', '=', second)
      .execute();
    expect((await home()).unmatched).toEqual({ items: 1, amountEur: 10, withoutRate: [] });
    await client.put('/api/reporting/unmatched/FRZZZ2500011/track', { trackId: known.id });
    expect((await home()).unmatched).toEqual({ items: 0, amountEur: 0, withoutRate: [] });
  });

  it('counts the months whose rate is one of an earlier year', async () => {
    await app.owner.deleteFrom('exchangeRates').where('month', '>=', '2025-01-01').execute();
    const before = (await home()).missingRates;
    // 2025-03, 2025-04 and the month that ended last.
    expect(before).toEqual({ months: 3, first: monthToMs('2025-03') });
    await client.put('/api/exchange-rates', { month: monthToMs('2025-01'), currency: 'USD', rate: 1.1 });
    expect((await home()).missingRates).toMatchObject({ months: 1 });
    const { rows } = await sql<{ last: string }>`
      SELECT to_char(date_trunc('month', now() AT TIME ZONE 'Europe/Paris') - interval '1 day', 'YYYY-MM') AS last`.execute(
      app.db,
    );
    const [{ last } = { last: '' }] = rows;
    await client.put('/api/exchange-rates', { month: monthToMs(last), currency: 'USD', rate: 1.1 });
    expect((await home()).missingRates).toEqual({ months: 0, first: null });
  });
});

describe('what each capability sees', () => {
  it.each([
    ['read_paid_libraries', ['qualityControl']],
    ['read_pending_payout', ['pendingPayouts']],
    ['read_tools', ['openTickets']],
    ['edit_tools', ['openTickets']],
    ['read_reports', ['missingRates', 'reports', 'unmatched', 'unsaved']],
    ['manage_settings', ['missingRates', 'proposedSettings', 'undeliveredMails']],
    ['edit_pending_payout', ['pendingPayouts', 'proposedSettings']],
    ['edit_admins', ['undeliveredMails']],
    ['manage_profiles', ['accounts', 'adjustments']],
    ['read_none_paid_libraries', ['unpaidReleases']],
    ['read_unpaid_accounts', ['unpaidAccounts']],
    ['read_audit', ['alerts', 'unchecked']],
  ] as const)('%s', async (capability, fields) => {
    const figures = await home(await app.signInWith([capability]));
    const seen = Object.entries(figures).flatMap(([name, figure]) => (figure === null ? [] : [name]));
    expect(seen.sort()).toEqual([...fields]);
  });
});
