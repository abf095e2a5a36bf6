import type { RouteContract } from '@regie/contract/route.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { buildBilling } from '#test/payouts.ts';

const app = useApp();
let client: TestClient;
let account: number;
let payout: number;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db, { firstName: 'Grâce', lastName: 'Bah' });
  const releaseId = await buildRelease(app.db, account, 'delivered');
  await app.db
    .updateTable('releases')
    .set({ title: 'Marée haute', artistName: 'Ondine' })
    .where('id', '=', releaseId)
    .execute();
  const track = await buildTrack(app.db, account, { title: 'Marée basse', isrc: null, releaseId });
  const billingAccountId = await buildBilling(app.db, account);
  const values = { accountId: account, billingAccountId, state: 'pending', amountEur: '12', feeEur: '0.60' } as const;
  payout = (await app.owner.insertInto('payouts').values(values).returning('id').executeTakeFirstOrThrow()).id;
  const ticket = { title: 'Reprise signalée', url: 'https://video.example/1', accountId: account, trackId: track.id };
  await app.owner.insertInto('tickets').values(ticket).execute();
  for (const invoiceNumber of [null, 82]) {
    await app.owner
      .insertInto('orders')
      .values({
        ...{ accountId: account, plan: 'label', planPrice: '15', status: 'paid', paidAt: new Date() },
        ...(invoiceNumber === null ? {} : { invoiceYear: 2026, invoiceNumber, issuedAt: new Date() }),
        dueDate: '2099-01-01',
      })
      .execute();
  }
  await app.owner
    .insertInto('ledgerBalances')
    .values({ account: `account:${account}`, currency: 'EUR', amount: '30' })
    .execute();
});

const total = async (path: string, q: string) => {
  const reply = await client.get(`/api${path}${path.includes('?') ? '&' : '?'}q=${encodeURIComponent(q)}`);
  expect(reply.status, `${path} ${q}`).toBe(200);
  return reply.meta?.total;
};

it.each([
  ['/accounts/profiles', 'bah grace'],
  ['/payouts/pending', 'BAH Grâce'],
  ['/payouts/unpaid-accounts', 'bah, grace'],
  ['/invoices', 'bah grâce'],
  ['/subscriptions/list', 'bah grace'],
  ['/tools/ticket/opened/all', 'bah grace'],
  ['/tools/ticket/opened/all', 'signalee reprise'],
  ['/tools/ticket/opened/all', 'basse maree'],
  ['/releases/delivered', 'haute maree bah'],
  ['/library/tracks', 'basse maree'],
  ['/tools/empty-isrc-barcode?kind=tracks', 'basse maree'],
  ['/tools/empty-isrc-barcode?kind=libraries', 'ondine maree'],
  ['/manage-admins?kind=capabilities', 'smartlinks voir'],
])('%s finds “%s”: words in any order, ignoring accents', async (path, q) => {
  expect(await total(path, q)).toBeGreaterThan(0);
  expect(await total(path, `${q} introuvable`)).toBe(0);
});

it('finds imports by the month, kind and person shown', async () => {
  const by = await app.buildAdmin();
  await app.owner
    .updateTable('admins')
    .set({ firstName: 'Léa', lastName: 'Kerbrat' })
    .where('id', '=', by.id)
    .execute();
  const values = { type: 'platform', rate: '1', termsVersion: 1 } as const;
  await app.owner
    .insertInto('imports')
    .values([
      { ...values, kind: 'single', month: '2026-10-01', toDate: '2026-11-01', createdBy: by.id },
      { ...values, kind: 'automatic', month: '2024-05-01', toDate: '2024-06-01', createdBy: null },
    ])
    .execute();
  for (const q of [
    'oct. 2026',
    'octobre 2026',
    '10/2026',
    'saisie main Léa',
    'kerbrat plateformes',
    '05/2024',
    'système mai',
  ]) {
    expect(await total('/imports', q), q).toBe(1);
  }
  expect(await total('/imports', 'oct. 2024')).toBe(0);
});

it('lists find records by number', async () => {
  const number = `V-${String(payout).padStart(6, '0')}`;
  expect(await total('/payouts/pending', number)).toBe(1);
  expect(await total('/payouts/pending', String(payout))).toBe(1);
  expect(await total('/payouts/paid', number)).toBe(0);
  expect(await total('/accounts/profiles', String(account))).toBe(1);
  const order = (await client.get('/api/invoices?q=2026-00082')).data as { id: number }[];
  expect(order).toHaveLength(1);
  for (const q of [`Order #${order[0]?.id}`, `Commande n° ${order[0]?.id}`, `${order[0]?.id}`]) {
    expect(await total('/invoices', q), q).toBe(1);
    expect(await total('/subscriptions/list', q), q).toBe(1);
  }
});

it('no list with a search fails on special input', { tags: ['slow'] }, async () => {
  let searched = 0;
  for (const row of routeTable.filter(({ list, method }: RouteContract) => list && method === 'GET')) {
    const path = row.path.replace(':status', row.path.includes('ticket') ? 'opened' : 'pending').replace(':id', '1');
    // Some require other parameters as well: those are tested elsewhere.
    if ((await client.get(`/api${path}`)).status !== 200) continue;
    searched += 1;
    for (const q of ['Bah Grâce', 'a', '143', 'V-000241', '2026-00082', 'Order #396', '%_\\', ', ;']) {
      const reply = await client.get(`/api${path}?q=${encodeURIComponent(q)}`);
      expect(reply.status, `${path} ${q}`).toBe(200);
    }
  }
  expect(searched).toBeGreaterThan(20);
});
