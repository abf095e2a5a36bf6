import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type {
  AccountFigures,
  AccountPayable,
  AccountStatement,
  AccountStatementMonth,
  PostedReport,
} from '@regie/contract/routes/account-statement.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { Import, LedgerTransaction, Report, ReportDetail } from '@regie/contract/routes/reports.ts';
import { sumAmounts } from '@regie/values/formats.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { insertPayouts } from '#src/modules/money/payouts/payout-postings.service.ts';
import { importBatch } from '#src/modules/money/reports/import-batches.service.ts';
import { deleteReport, reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { buildAccount, buildActor, buildReferral, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let actor: Awaited<ReturnType<typeof buildActor>>;

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
  actor = await buildActor(app.db);
});

let files = 0;
async function load(month: string, rows: { isrc: string; income: number }[], batch = 0, fileKey?: string) {
  files += 1;
  return app.db.transaction().execute((trx) =>
    importBatch(trx, actor, {
      monthMs: monthToMs(month),
      toMs: undefined,
      fileKey: fileKey ?? `relevé ${files}`,
      fileName: 'ventes.csv',
      batch,
      batches: undefined,
      rows: rows.map(({ isrc, income }) => ({ isrc, incomeOfStreams: income })),
    }),
  );
}
const adjust = (accountId: number, amountEur: string, reason: string) =>
  app.db.transaction().execute((trx) => postAdjustment(trx, { accountId, amountEur, adminId: actor.adminId, reason }));
const statement = async (userId: number, query = '') => {
  const reply = await client.get(`/api/accounts/statement?userId=${userId}${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return { ...(reply.data as AccountStatement), meta: reply.meta };
};
/** Sets a transaction's date as the database owner, like the demo. */
const date = (id: number, at: string) =>
  sql`SELECT backdate_transactions(ARRAY[${id}::bigint], ARRAY[${at}::timestamptz])`.execute(app.owner);

/** Posts a payout request to the ledger. */
async function requestPayout(accountId: number, amount: string): Promise<number> {
  const billing = await app.db
    .insertInto('billingAccounts')
    .values({
      accountId,
      type: 'paypal',
      email: 'ana@paiement.example',
      owner: 'Ana Solde',
      holderAddress: '1, rue Haute',
      holderCity: 'Lyon',
      holderCountry: 'France',
      holderPostcode: '69001',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const [payout] = await app.db
    .transaction()
    .execute((trx) =>
      insertPayouts(trx, [{ accountId, billingId: billing.id, amount }], { adminId: actor.adminId, feeEur: '0.6' }),
    );
  return payout?.id ?? 0;
}

describe('a posted amount', () => {
  it('is the same in every response that contains it', { tags: ['slow'] }, async () => {
    const reader = await app.signInWith();
    const read = async <Data>(url: string) => (await reader.get(`/api${url}`)).data as Data;
    for (const [month, percentile, income] of [
      ['2023-03', '66.67', '482.0853'],
      ['2020-11', '0.01', '0.57'],
      ['2024-07', '100', '-321.4159265358'],
    ] as const) {
      const account = await buildAccount(app.db, { libraryPercentile: percentile });
      const referrer = await buildAccount(app.db);
      await buildReferral(app.db, { referrerId: referrer, referredId: account, percentile: '3.33' });
      const tracks = [await buildTrack(app.db, account), await buildTrack(app.db, account)];
      const { importId } = await load(month, [
        { isrc: tracks[0]?.isrc ?? '', income: Number(income) },
        { isrc: tracks[1]?.isrc ?? '', income: 0.0123456789 },
      ]);
      const source = await read<Import>(`/imports/${importId}`);
      const reports = await Promise.all(
        (await read<Report[]>(`/reporting/all?import=${importId}`)).map(({ id }) =>
          read<ReportDetail>(`/reporting/${id}`),
        ),
      );
      // Sums of at most six decimals, in millionths.
      const sum = (amounts: number[]) => amounts.reduce((total, one) => total + Math.round(one * 1e6), 0) / 1e6;
      for (const [holder, amount, ofReports] of [
        [account, source.accountsEur, sum(reports.map(({ accountEur }) => accountEur))],
        [referrer, source.referralsEur, sum(reports.map(({ referrals }) => referrals[0]?.amountEur ?? 0))],
      ] as const) {
        const [line] = (await statement(holder)).lines;
        const why = await read<{ totalEur: number; reports: PostedReport[] }>(
          `/ledger/transactions/${line?.id}/reports?userId=${holder}`,
        );
        const { postings } = await read<LedgerTransaction>(`/ledger/transactions/${line?.id}`);
        const [history] = await read<AccountStatementMonth[]>(`/profile/${holder}/statement-months`);
        const latest = (await read<AccountFigures>(`/profile/${holder}/figures`)).months.at(-1);
        const own = holder === account;
        expect(
          {
            reports: ofReports,
            statement: line?.amountEur,
            balance: line?.balanceEur,
            profile: (await read<Profile>(`/profile/${holder}/profile`)).income,
            why: why.totalEur,
            shares: sum(why.reports.map(({ shareEur }) => shareEur)),
            posting: postings.find((posting) => posting.account === `account:${holder}`)?.amount,
            history: own ? history?.importsEur : history?.referralsEur,
            month: own ? latest?.ownEur : latest?.referralsEur,
          },
          `${month} ${holder}`,
        ).toEqual({
          ...{ reports: amount, statement: amount, balance: amount, profile: amount, why: amount },
          ...{ shares: amount, posting: amount, history: amount, month: amount },
        });
      }
    }
  });
});

describe('an account statement', () => {
  it('shows each movement with the balance after it', async () => {
    const account = await buildAccount(app.db, { firstName: 'Ana', lastName: 'Solde' });
    const referred = await buildAccount(app.db, { firstName: 'Bo', lastName: 'Filleul' });
    await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '10' });
    const own = await buildTrack(app.db, account);
    const theirs = await buildTrack(app.db, referred);
    // 113 USD at 1.13 is 100 EUR, of which 80 for the account.
    const { importId } = await load('2025-01', [
      { isrc: own.isrc, income: 113 },
      { isrc: theirs.isrc, income: 113 },
    ]);
    await adjust(account, '-3.5', 'Frais de retour');
    const payoutId = await requestPayout(account, '50');
    await app.db.transaction().execute((trx) => reverseImport(trx, actor, importId));

    const { openingEur, closingEur, lines, meta } = await statement(account);
    expect({ openingEur, closingEur, meta }).toEqual({
      openingEur: 0,
      closingEur: -53.5,
      meta: { nextCursor: null, total: 6, totalIsExact: true, sums: [{ currency: 'EUR', amount: -53.5 }] },
    });
    const found = async (q: string) => {
      const { lines, meta, ...bounds } = await statement(account, `&q=${encodeURIComponent(q)}`);
      expect(bounds).toEqual({ openingEur: 0, closingEur: -53.5 });
      expect(meta?.total).toBe(lines.length);
      const sum = sumAmounts(lines.map(({ amountEur }) => amountEur));
      expect(meta?.sums).toEqual(lines.length === 0 ? [] : [{ currency: 'EUR', amount: sum }]);
      return lines;
    };
    const of = (kind: string, isReversal = false) =>
      lines.filter((line) => line.kind === kind && line.isReversal === isReversal);
    expect(await found(`versement v-${String(payoutId).padStart(6, '0')}`)).toEqual(of('payout'));
    expect(await found('RETOUR regularisation')).toEqual(of('adjustment'));
    expect(await found('janvier 2025 filleul')).toEqual([...of('referral', true), ...of('referral')]);
    expect(await found('contre-passation plateformes revenus 01/2025 ventes.csv')).toEqual(of('import', true));
    expect(await found('février')).toEqual([]);
    const shown = lines.map((line) => [line.kind, line.isReversal, line.amountEur, line.balanceEur]);
    expect(shown.slice(2)).toEqual([
      ['payout', false, -50, 34.5],
      ['adjustment', false, -3.5, 84.5],
      // Both belong to one database transaction and instant; the higher id is listed first.
      ...(lines[4]?.kind === 'referral'
        ? [
            ['referral', false, 8, 88],
            ['import', false, 80, 80],
          ]
        : [
            ['import', false, 80, 88],
            ['referral', false, 8, 8],
          ]),
    ]);
    expect(
      shown
        .slice(0, 2)
        .map(([kind, isReversal]) => [kind, isReversal])
        .sort(),
    ).toEqual([
      ['import', true],
      ['referral', true],
    ]);
    expect(lines[0]?.balanceEur).toBe(-53.5);
    const payout = lines.find((line) => line.kind === 'payout');
    expect(payout).toMatchObject({
      payoutId,
      memo: `Versement ${payoutId} demandé`,
      admin: 'Test Essai',
      import: null,
    });
    const referral = lines.findLast((line) => line.kind === 'referral');
    expect(referral).toMatchObject({
      referred: { id: referred, name: 'Bo Filleul' },
      import: { id: importId, type: 'platform', month: monthToMs('2025-01'), fileName: 'ventes.csv', batch: 0 },
    });
  });

  it('is paged in both orders and filtered by period', async () => {
    const account = await buildAccount(app.db);
    const amounts = ['10', '-2.5', '0.000001', '40', '-7', '3'];
    for (const [index, amount] of amounts.entries()) {
      // Inserted in reverse: ordering is by time, not id. Two have the same time.
      await date(await adjust(account, amount, `n${index}`), `2025-0${6 - Math.floor(index / 2)}-15T12:00:00Z`);
    }
    const whole = await statement(account);
    const byTime = await statement(account, '&order=asc');
    expect(byTime.lines.map((line) => line.id)).toEqual(whole.lines.map((line) => line.id).toReversed());
    expect(byTime.lines.map((line) => line.balanceEur)).toEqual(
      whole.lines.map((line) => line.balanceEur).toReversed(),
    );
    expect(byTime.lines.map((line) => line.balanceEur)).toEqual([-7, -4, -3.999999, 36.000001, 46.000001, 43.500001]);
    expect(byTime.lines.map((line) => line.memo)).toEqual(['n4', 'n5', 'n2', 'n3', 'n0', 'n1']);
    for (const order of ['asc', 'desc']) {
      const seen: AccountStatement['lines'] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await statement(account, `&order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.lines);
        cursor = page.meta?.nextCursor ?? null;
      }
      expect(seen).toEqual(order === 'asc' ? byTime.lines : whole.lines);
    }
    const may = await statement(
      account,
      `&from=${Date.parse('2025-05-01T00:00:00+02:00')}&to=${Date.parse('2025-06-01T00:00:00+02:00') - 1}`,
    );
    expect(may).toMatchObject({ openingEur: -4, closingEur: 36.000001, meta: { total: 2 } });
    expect(may.lines.map((line) => line.balanceEur)).toEqual([36.000001, -3.999999]);
    const nothing = await statement(account, `&from=${Date.parse('2025-07-01')}`);
    expect(nothing).toMatchObject({ openingEur: 43.500001, closingEur: 43.500001, lines: [] });

    const months = (await client.get(`/api/profile/${account}/statement-months`)).data as AccountStatementMonth[];
    expect(months.map((month) => [month.month, month.openingEur, month.adjustmentsEur, month.closingEur])).toEqual([
      [monthToMs('2025-06'), 36.000001, 7.5, 43.500001],
      [monthToMs('2025-05'), -4, 40.000001, 36.000001],
      [monthToMs('2025-04'), 0, -4, -4],
    ]);
  });

  it('refuses a cursor of another list, an unknown account and a caller without the capability', async () => {
    const account = await buildAccount(app.db);
    await adjust(account, '1', '');
    await adjust(account, '1', '');
    const { meta } = await statement(account, '&limit=1');
    const other = await buildAccount(app.db);
    const get = (url: string) => client.get(`/api/accounts/statement?${url}`);
    expect((await get(`userId=${other}&cursor=${meta?.nextCursor}`)).status).toBe(400);
    expect((await get(`userId=${account}&order=asc&cursor=${meta?.nextCursor}`)).status).toBe(400);
    expect((await get(`userId=${account}&from=1e300`)).status).toBe(400);
    expect((await get('userId=999999')).status).toBe(404);
    expect((await get('')).status).toBe(400);
    expect((await client.get('/api/profile/999999/statement-months')).status).toBe(404);
    const reader = await app.signInWith(['read_reports', 'read_unpaid_accounts']);
    expect((await reader.get(`/api/accounts/statement?userId=${account}`)).status).toBe(403);
    expect((await reader.get(`/api/profile/${account}/statement-months`)).status).toBe(403);
  });
});

describe('the figures of an account', () => {
  it('show its best tracks of a year and its pending payouts', async () => {
    const account = await buildAccount(app.db, { firstName: 'Eva', lastName: 'Titre' });
    const [low, high, old] = await Promise.all([1, 2, 3].map((n) => buildTrack(app.db, account, { title: `T${n}` })));
    await load('2023-01', [{ isrc: old?.isrc ?? '', income: 900 }]);
    await load('2025-01', [
      { isrc: low?.isrc ?? '', income: 11.3 },
      { isrc: high?.isrc ?? '', income: 113 },
    ]);
    const first = await requestPayout(account, '20.5');
    await requestPayout(account, '4');
    const { closingEur: moved } = await statement(account);
    const reply = await client.get(`/api/profile/${account}/figures`);
    expect(reply.data).toMatchObject({
      topTracks: [
        { id: high?.id, title: 'T2', earnedEur: 80, streams: 0 },
        { id: low?.id, title: 'T1', earnedEur: 8 },
      ],
      pendingPayouts: [{ id: first, amountEur: 20.5 }, { amountEur: 4 }],
      releases: 3,
      blockedBillings: [],
      hasBilling: true,
      openTickets: null,
    });
    expect(await payable(account)).toEqual({
      payableEur: Math.trunc(moved * 100) / 100,
      reason: null,
      obstacle: null,
      pendingEur: 24.5,
      pendingCount: 2,
      pendingBatch: null,
    });
    expect((await client.get(`/api/profile/${account}/statement-parties`)).data).toMatchObject({
      account: { id: account, name: 'Eva Titre', lines: [] },
      house: { country: expect.any(String) },
    });
    expect((await client.get('/api/profile/999999/figures')).status).toBe(404);
    expect((await client.get('/api/profile/999999/payable')).status).toBe(404);
    expect((await client.get('/api/profile/999999/statement-parties')).status).toBe(404);
  });

  const payable = async (account: number) =>
    (await client.get(`/api/profile/${account}/payable`)).data as AccountPayable;

  const figures = async (account: number, as = client) =>
    (await as.get(`/api/profile/${account}/figures`)).data as AccountFigures;

  it('show twelve months of income, direct and from referrals, without reversed income', async () => {
    const account = await buildAccount(app.db);
    const referred = await buildAccount(app.db);
    await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '10' });
    const own = await buildTrack(app.db, account);
    const theirs = await buildTrack(app.db, referred);
    expect((await figures(account)).months).toEqual([]);
    await load('2024-01', [{ isrc: own.isrc, income: 113 }]);
    await load('2024-03', [{ isrc: own.isrc, income: 11.3 }]);
    await load('2025-02', [
      { isrc: own.isrc, income: 113 },
      { isrc: theirs.isrc, income: 113 },
    ]);
    const { importId } = await load('2025-04', [{ isrc: own.isrc, income: 113 }]);
    await adjust(account, '5', 'Geste commercial');
    expect((await figures(account)).months.at(-1)).toEqual({
      month: monthToMs('2025-04'),
      ownEur: 80,
      referralsEur: 0,
    });
    await app.db.transaction().execute((trx) => reverseImport(trx, actor, importId));
    const { months } = await figures(account);
    expect(months).toHaveLength(12);
    expect(months.filter(({ ownEur, referralsEur }) => ownEur !== 0 || referralsEur !== 0)).toEqual([
      { month: monthToMs('2024-03'), ownEur: expect.closeTo(8.35, 2), referralsEur: 0 },
      { month: monthToMs('2025-02'), ownEur: 80, referralsEur: 8 },
    ]);
    expect([months[0]?.month, months[11]?.month]).toEqual([monthToMs('2024-03'), monthToMs('2025-02')]);
  });

  it('show the payable amount, or the reason why nothing is payable', async () => {
    const account = await buildAccount(app.db);
    await adjust(account, '50.129', 'Reprise');
    expect(await payable(account)).toMatchObject({ payableEur: 0, obstacle: payoutMessages.noBilling });
    await requestPayout(account, '10');
    expect(await payable(account)).toMatchObject({ payableEur: 40.12, obstacle: null });
    // Suspended for 72 hours, a payout may still be requested.
    const change = (changedAt: Date | null) =>
      app.db.updateTable('billingAccounts').set({ changedAt }).where('accountId', '=', account).execute();
    await change(new Date());
    expect(await payable(account)).toMatchObject({
      ...{ payableEur: 0, reason: payoutMessages.recentlyChanged, obstacle: null },
    });
    await change(null);
    await adjust(account, '-60', 'Retour');
    expect(await payable(account)).toMatchObject({
      payableEur: 0,
      obstacle: payoutMessages.balanceWithinFee('0,60\u00a0€'),
    });
    await app.db.updateTable('accounts').set({ state: 'hold' }).where('id', '=', account).execute();
    expect(await payable(account)).toMatchObject({ payableEur: 0, obstacle: messages.accountDisabled });
  });

  it('show blocked payment details, and open tickets to those who may read them', async () => {
    const account = await buildAccount(app.db);
    await requestPayout(account, '1');
    const changedAt = new Date();
    const { id } = await app.db
      .updateTable('billingAccounts')
      .set({ changedAt })
      .where('accountId', '=', account)
      .returning('id')
      .executeTakeFirstOrThrow();
    const ticket = { accountId: account, title: 'Extrait', url: 'https://videos.example/1' };
    await app.db
      .insertInto('tickets')
      .values([ticket, { ...ticket, status: 'closed' }])
      .execute();
    expect(await figures(account)).toMatchObject({
      blockedBillings: [{ id, type: 'paypal', blockedUntil: changedAt.getTime() + 72 * 3_600_000 }],
      hasBilling: true,
      openTickets: null,
    });
    const helper = await app.signInWith(['manage_profiles', 'read_tools']);
    expect((await figures(account, helper)).openTickets).toBe(1);
    const signatories = [await app.signInWith(['manage_profiles']), await app.signInWith(['manage_profiles'])];
    await app.addSignatories(...signatories.map(({ admin }) => admin));
    for (const one of signatories) expect((await signAsShown(one, 'billing', id)).status).toBe(200);
    expect((await figures(account)).blockedBillings).toEqual([]);
  });
});

describe('why this amount', () => {
  it('shows the reports, the percentages and the rate', async () => {
    const account = await buildAccount(app.db);
    const referred = await buildAccount(app.db);
    await buildReferral(app.db, { referrerId: account, referredId: referred, percentile: '12.5' });
    const own = await buildTrack(app.db, account, { title: 'Marée haute' });
    const second = await buildTrack(app.db, account);
    const theirs = await buildTrack(app.db, referred);
    await load('2025-02', [{ isrc: own.isrc, income: 113 }], 0, 'deux lots');
    await load(
      '2025-02',
      [
        { isrc: second.isrc, income: 11.3 },
        { isrc: theirs.isrc, income: 226 },
      ],
      1,
      'deux lots',
    );
    const { lines } = await statement(account, '&order=asc');
    const explain = async (kind: string, query = '') => {
      const line = lines.find((found) => found.kind === kind);
      const reply = await client.get(`/api/ledger/transactions/${line?.id}/reports?userId=${account}${query}`);
      expect(reply.status).toBe(200);
      return { ...(reply.data as { rate: number; totalEur: number; reports: PostedReport[] }), meta: reply.meta };
    };
    const mine = await explain('import');
    expect(mine).toMatchObject({ rate: 1.13, totalEur: 88, meta: { total: 2 } });
    expect(mine.reports[0]).toMatchObject({
      trackTitle: 'Marée haute',
      isrc: own.isrc,
      grossUsd: 113,
      grossEur: 100,
      percentile: 80,
      accountEur: 80,
      referralPercentile: null,
      shareEur: 80,
      isReversed: false,
    });
    const imports = lines.filter((line) => line.kind === 'import');
    expect(imports.map((line) => line.amountEur)).toEqual([80, 8]);
    expect((await explain('referral')).reports).toMatchObject([
      { grossEur: 200, percentile: 80, accountEur: 160, referralPercentile: 12.5, shareEur: 20 },
    ]);
    const page = await explain('import', '&limit=1');
    expect(page.reports).toEqual(mine.reports.slice(0, 1));
    const next = await explain('import', `&limit=1&cursor=${page.meta?.nextCursor}`);
    expect(next.reports).toEqual(mine.reports.slice(1));
    expect(next.meta?.nextCursor).toBeNull();

    await app.db.transaction().execute((trx) => deleteReport(trx, actor, mine.reports[0]?.id ?? 0));
    const after = await explain('import');
    expect(after.reports.map((report) => report.isReversed)).toEqual([true, false]);
  });

  it("answers 404 for a posting that is not an import's posting to that account", async () => {
    const account = await buildAccount(app.db);
    const id = await adjust(account, '5', 'Geste');
    expect((await client.get(`/api/ledger/transactions/${id}/reports?userId=${account}`)).status).toBe(404);
    expect((await client.get(`/api/ledger/transactions/999999/reports?userId=${account}`)).status).toBe(404);
    const other = await app.signInWith(['read_platforms_stats']);
    expect((await other.get(`/api/ledger/transactions/${id}/reports?userId=${account}`)).status).toBe(403);
  });
});
