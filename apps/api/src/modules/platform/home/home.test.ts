import { type HomeFigures, mostWaiting, type WaitingCounts } from '@regie/contract/routes/accounting.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
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

describe('home figures', () => {
  it('count alerts, including sign-ins, from the day the linked list starts', async () => {
    const reader = await app.signInWith(['read_audit']);
    await sql`INSERT INTO audit_log (at, action, entity, after)
      SELECT ((now() AT TIME ZONE 'Europe/Paris')::date - 7)::timestamp AT TIME ZONE 'Europe/Paris' + s.shift, s.action, 'admin', '{"alert": "admin"}'
        FROM (VALUES (interval '0', 'admin.edit'), (interval '1 second', 'auth.signin'), (interval '-1 second', 'admin.edit')) AS s (shift, action)`.execute(
      app.owner,
    );
    expect((await home(reader)).alerts).toBe(2);
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Paris' }).format(Date.now() - 7 * 86_400_000);
    const { rows } = await sql<{ ms: string }>`
      SELECT extract(epoch FROM ${day}::timestamp AT TIME ZONE 'Europe/Paris') * 1000 AS ms`.execute(app.owner);
    const list = await reader.get(`/api/journal?mark=alerts&signIns=with&from=${Number(rows[0]?.ms)}`);
    expect(list.meta).toMatchObject({ total: 2 });
    await sql`DELETE FROM audit_log WHERE after = '{"alert": "admin"}'`.execute(app.owner);
  });

  it('add up the payable amounts, like the list of accounts to pay', async () => {
    const tracks = await Promise.all([1, 2, 3].map(async () => buildTrack(app.db, await buildAccount(app.db))));
    // Of each balance in euros, six decimals are left after the division by the rate.
    await importRows(
      '2023-03',
      tracks.map(({ isrc }) => ({ isrc, incomeOfStreams: 100 })),
    );
    const { rows } = await sql<{ exact: string; paid: string }>`
      SELECT sum(amount) AS exact, sum(trunc(amount, 2)) AS paid FROM ledger_balances
       WHERE account_id IS NOT NULL AND amount >= 50`.execute(app.owner);
    expect(rows[0]?.exact).not.toMatch(/\.\d\d0*$/);
    const { unpaidAccounts } = await home();
    // Nobody has payment details yet.
    expect(unpaidAccounts).toEqual({ count: 3, amountEur: Number(rows[0]?.paid), payableEur: 0 });
    const { rows: balances } = await sql<{ accountId: number; paid: string }>`
      SELECT account_id, trunc(amount, 2) AS paid FROM ledger_balances
       WHERE account_id IS NOT NULL AND amount >= 50 ORDER BY account_id`.execute(app.owner);
    const [first, second] = balances;
    for (const payee of [first, second]) await buildBilling(app.db, payee?.accountId ?? 0);
    await app.db
      .updateTable('accounts')
      .set({ state: 'disabled' })
      .where('id', '=', second?.accountId ?? 0)
      .execute();
    expect((await home()).unpaidAccounts?.payableEur).toBe(Number(first?.paid));
    // Details that changed recently suspend payouts.
    await app.db.updateTable('billingAccounts').set({ changedAt: new Date() }).execute();
    expect((await home()).unpaidAccounts?.payableEur).toBe(0);
    const list = await client.get('/api/payouts/unpaid-accounts');
    expect(list.meta?.sums).toEqual([{ amount: unpaidAccounts?.amountEur, currency: 'EUR' }]);
  });

  it('count releases in quality control, pending payouts and open tickets, but not deleted or settled ones', async () => {
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
    await app.owner
      .updateTable('tickets')
      .set({ createdAt: new Date('2026-01-05') })
      .where('status', '=', 'opened')
      .execute();
    await app.owner
      .updateTable('payouts')
      .set({ createdAt: new Date('2026-01-06') })
      .where('state', '=', 'pending')
      .execute();
    await app.owner
      .updateTable('releases')
      .set({ createdAt: new Date('2026-01-07') })
      .where('status', '=', 'pending')
      .execute();
    expect((await home()).since).toMatchObject({
      openTickets: Date.UTC(2026, 0, 5),
      pendingPayouts: Date.UTC(2026, 0, 6),
      unpaidReleases: Date.UTC(2026, 0, 7),
    });
  });

  it('count beyond the cap of lists', async () => {
    const before = (await home()).openTickets ?? 0;
    await sql`
      INSERT INTO tickets (title, url) SELECT 'Masse', 'https://video.example/m' FROM generate_series(1, 10001)`.execute(
      app.owner,
    );
    expect((await home()).openTickets).toBe(before + 10_001);
    await app.owner.deleteFrom('tickets').where('title', '=', 'Masse').execute();
  });

  it('count ISRCs without a track until a later file reports them or the import is reversed', async () => {
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
    await app.owner
      .updateTable('imports')
      .set({ createdAt: new Date('2026-01-08') })
      .where('id', '=', first?.lastImportId ?? 0)
      .execute();
    expect((await home()).since.unsaved).toBe(Date.UTC(2026, 0, 8));
    // The track exists now; its income still needs the corrected file.
    await buildTrack(app.db, account, { isrc: 'FRZZZ2500001' });
    expect((await home()).unsaved).toEqual(first);
    // Another month does not settle it.
    await importRows('2025-04', [{ isrc: 'FRZZZ2500001', incomeOfStreams: 3 }]);
    expect((await home()).unsaved).toEqual(first);
    await importRows('2025-03', [{ isrc: 'FRZZZ2500001', incomeOfStreams: 3 }]);
    expect((await home()).unsaved).toEqual({ ...first, isrcs: 1 });
    await client.post(`/api/imports/${first?.lastImportId}/reverse`, {});
    expect((await home()).unsaved).toMatchObject({ isrcs: 0, imports: 0, lastImportId: null });
    expect((await home()).since.unsaved).toBeNull();
  });

  it('count unmatched statement income, in items and euros, until it is matched or deleted', {
    tags: ['slow'],
  }, async () => {
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
    await app.owner
      .updateTable('statements')
      .set({ createdAt: new Date('2026-01-09') })
      .where('id', '=', second)
      .execute();
    expect((await home()).since.unmatched).toBe(Date.UTC(2026, 0, 9));
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
    expect((await home()).since.unmatched).toBeNull();
  });

  it('count months whose rate is from an earlier year', async () => {
    await app.owner.deleteFrom('exchangeRates').where('month', '>=', '2025-01-01').execute();
    const before = (await home()).missingRates;
    // 2025-03, 2025-04 and the last full month.
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

it('reports a last backup that is more than a day old', async () => {
  expect((await home()).isBackupLate).toBe(false);
  await sql`INSERT INTO backups (name, size_bytes, is_encrypted, ended_at)
    VALUES ('old', 1, true, now() - interval '27 hours')`.execute(app.owner);
  expect((await home()).isBackupLate).toBe(true);
  await app.owner.deleteFrom('backups').execute();
});

describe('figures by capability', () => {
  it.each([
    ['read_paid_libraries', ['qualityControl']],
    ['read_pending_payout', ['pendingPayouts']],
    ['read_tools', ['openTickets']],
    ['edit_tools', ['openTickets']],
    ['read_reports', ['blockedStatements', 'missingRates', 'reports', 'unmatched', 'unsaved']],
    ['manage_settings', ['isBackupLate', 'missingRates', 'undeliveredMails']],
    ['edit_pending_payout', ['pendingPayouts']],
    ['edit_admins', ['signatures', 'undeliveredMails']],
    ['manage_profiles', ['accounts', 'withoutSiren']],
    ['read_statements_out', ['undeliveredStatements']],
    ['read_none_paid_libraries', ['unpaidReleases']],
    ['read_unpaid_accounts', ['unpaidAccounts']],
    ['read_audit', ['alerts', 'signatures']],
  ] as const)('%s', async (capability, fields) => {
    const { since, ...figures } = await home(await app.signInWith([capability]));
    const hidden = Object.entries(since).filter(([name]) => !(fields as readonly string[]).includes(name));
    expect(hidden.every(([, at]) => at === null)).toBe(true);
    const seen = Object.entries(figures).flatMap(([name, figure]) => (figure === null ? [] : [name]));
    expect(seen.sort()).toEqual([...fields]);
  });
});

describe('the counts of the sidebar', () => {
  const waiting = async (who = client) => (await who.get('/api/home/waiting')).data as WaitingCounts;
  const addTickets = (many: number) =>
    sql`INSERT INTO tickets (title, url) SELECT 'Attente', 'https://video.example/w' FROM generate_series(1, ${sql.lit(many)})`.execute(
      app.owner,
    );
  afterEach(() => app.owner.deleteFrom('tickets').where('title', '=', 'Attente').execute());

  it('equal those of the home page and the inbox', { tags: ['slow'] }, async () => {
    await buildRelease(app.db, account, 'opened');
    await buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [
      { isrc: 'FRZZZ2500013', amount: '1', month: '2024-01' },
    ]);
    const figures = await home();
    const { signatures, ...counts } = await waiting();
    // Nobody is a signatory.
    expect(signatures).toBeNull();
    expect(counts).toEqual({
      unpaidReleases: figures.unpaidReleases,
      paidReleases: figures.qualityControl,
      pendingPayouts: figures.pendingPayouts?.count,
      unpaidAccounts: figures.unpaidAccounts?.count,
      unmatched: figures.unmatched?.items,
      openTickets: figures.openTickets,
    });
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  });

  it('are exact up to 99, and capped above', async () => {
    const { openTickets } = await waiting();
    await addTickets(99 - (openTickets ?? 0));
    expect((await waiting()).openTickets).toBe(99);
    await addTickets(50);
    expect((await waiting()).openTickets).toBe(mostWaiting);
  });

  it.each([
    ['read_none_paid_libraries', 'unpaidReleases'],
    ['read_paid_libraries', 'paidReleases'],
    ['read_pending_payout', 'pendingPayouts'],
    ['read_unpaid_accounts', 'unpaidAccounts'],
    ['read_reports', 'unmatched'],
    ['read_tools', 'openTickets'],
    ['edit_tools', 'openTickets'],
    ['read_delivered_libraries', undefined],
  ] as const)('%s shows %s only', async (capability, shown) => {
    const counts = await waiting(await app.signInWith([capability]));
    const seen = Object.entries(counts).flatMap(([name, count]) => (count === null ? [] : [name]));
    expect(seen).toEqual(shown === undefined ? [] : [shown]);
  });
});
