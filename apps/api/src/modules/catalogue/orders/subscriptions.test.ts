import { messages } from '@regie/contract/messages.ts';
import type { QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Subscription } from '@regie/contract/routes/subscriptions.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
let cashier: TestClient;
let price: number;
beforeAll(async () => {
  client = await app.signInWith(['read_subscriptions']);
  cashier = await app.signInWith();
  const release = await buildRelease(app.db, await buildAccount(app.db), 'pending');
  const { data } = await cashier.get(`/api/release/${release}/quote`);
  price = (data as QuoteAnswer).prices.label;
});

const dayAfterYears = (years: number) => {
  const [day, month, year] = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris' }).format().split('/');
  return `${day}/${month}/${Number(year) + years}`;
};
const itemsOf = (subscription: Subscription) => JSON.parse(subscription.orderItems);
async function order(values: Record<string, unknown> = {}): Promise<Subscription> {
  const reply = await client.post('/api/subscriptions/new', { userId: await buildAccount(app.db), ...values });
  expect(reply).toMatchObject({ status: 200, message: 'L’abonnement est commandé' });
  return reply.data as Subscription;
}
const pay = async (id: number) => {
  const reply = await cashier.put(`/api/edit-invoice/${id}`, { status: 'PAID', reference: 'VIR-1' });
  expect(reply).toMatchObject({ status: 200 });
};
const list = async (query = '') =>
  (await client.get(`/api/subscriptions/list?limit=500${query}`)).data as Subscription[];
const dueOf = async (id: number) => {
  const found = (await list()).find((one) => one.id === id);
  return found && itemsOf(found).dueDate;
};
const cancel = (id: number) => client.delete(`/api/subscriptions/item/${id}/cancel`);
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
async function insert(values: Record<string, unknown>): Promise<number> {
  const accountId = await buildAccount(app.db);
  const { id } = await app.db
    .insertInto('orders')
    .values({ accountId, plan: 'label', planPrice: '199.00', ...values })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

describe('a new subscription', () => {
  it('is an order at the price of the settings and lasts a year once paid', async () => {
    const made = await order();
    expect(made).toMatchObject({
      status: 'PENDING',
      plan: 'label',
      totalAmountByLocation: price,
      LibraryId: null,
      invoiceNumber: null,
      isDuePassed: false,
    });
    expect(itemsOf(made)).toMatchObject({ planPrice: price, discount: 0, dueDate: null });
    expect(await entries('subscription.create', made.id)).toMatchObject([
      { before: null, after: { userId: made.Account.id, plan: 'label', total: price, promoCode: null } },
    ]);
    await pay(made.id);
    const paid = (await list()).find(({ id }) => id === made.id);
    expect(paid).toMatchObject({ status: 'PAID', isDuePassed: false });
    expect(paid && itemsOf(paid).dueDate).toBe(dayAfterYears(1));
    // The wizard and the accounts now use it.
    const release = await buildRelease(app.db, made.Account.id, 'pending');
    const quote = await cashier.get(`/api/release/${release}/quote?plan=album`);
    expect(quote.data).toMatchObject({ subscriptionUntil: dayAfterYears(1), quote: { total: 0 } });
  });

  it('continues the current subscription', async () => {
    const first = await order();
    await pay(first.id);
    const second = await order({ userId: first.Account.id });
    expect(itemsOf(second).dueDate).toBe(dayAfterYears(2));
    await pay(second.id);
    expect((await list('&sort=dueDate'))[0]).toMatchObject({ id: second.id });
  });

  it('continues another subscription paid at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const accountId = await buildAccount(app.db);
      const ids = [await insert({ accountId }), await insert({ accountId })];
      await Promise.all(ids.map(pay));
      const ends = await Promise.all(ids.map(dueOf));
      expect(ends.sort((a, b) => a.slice(-4) - b.slice(-4))).toEqual([dayAfterYears(1), dayAfterYears(2)]);
    }
  });

  it('lasts a year from its payment when the previous subscription has ended', async () => {
    const first = await order();
    await pay(first.id);
    const second = await order({ userId: first.Account.id });
    await app.owner.updateTable('orders').set({ dueDate: '2024-05-31' }).where('id', '=', first.id).execute();
    await pay(second.id);
    expect(await dueOf(second.id)).toBe(dayAfterYears(1));
    await cancel(first.id);
    expect(await dueOf(second.id)).toBe(dayAfterYears(1));
  });

  it('accepts a promo code unless it has expired', async () => {
    const codes = [
      { name: 'MOITIE', percent: '50', dueDate: '2099-12-31' },
      { name: 'VIEUX', percent: '50', dueDate: '2020-12-31' },
    ];
    await app.db.insertInto('promoCodes').values(codes).execute();
    expect(await order({ promoCode: 'moitie' })).toMatchObject({ totalAmountByLocation: price / 2 });
    const userId = await buildAccount(app.db);
    for (const [promoCode, sentence] of [
      ['VIEUX', messages.expiredPromoCode],
      ['INCONNU', messages.unknownPromoCode],
    ]) {
      expect(await client.post('/api/subscriptions/new', { userId, promoCode })).toMatchObject({
        status: 422,
        errors: { promoCode: sentence },
      });
    }
  });

  it('is refused without an account, for a disabled account, and while another is pending', async () => {
    for (const userId of [undefined, 'x', 2_000_000_000]) {
      const reply = await client.post('/api/subscriptions/new', { userId });
      expect([reply.status, Object.keys(reply.errors)]).toEqual([422, ['userId']]);
    }
    const disabled = await buildAccount(app.db);
    await app.db.updateTable('accounts').set({ state: 'disabled' }).where('id', '=', disabled).execute();
    expect(await client.post('/api/subscriptions/new', { userId: disabled })).toMatchObject({
      status: 422,
      errors: { userId: messages.accountDisabled },
    });
    const userId = await buildAccount(app.db);
    const replies = await Promise.all([1, 2, 3].map(() => client.post('/api/subscriptions/new', { userId })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const stranger = await app.signInWith(['manage_profiles']);
    expect(await stranger.post('/api/subscriptions/new', { userId })).toMatchObject({ status: 403 });
  });
});

describe('the list', () => {
  it('shows subscriptions that are not cancelled and marks expired ones', async () => {
    const paidAt = new Date();
    const passed = await insert({ status: 'paid', paidAt, dueDate: '2024-05-31' });
    const running = await insert({ status: 'paid', paidAt, dueDate: '2099-05-31' });
    const waiting = await insert({});
    // A release covered by the subscription bought nothing; other plans are not subscriptions.
    const covered = await insert({ planPrice: '0', status: 'paid', paidAt });
    const single = await insert({ plan: 'single' });
    const gone = await insert({ status: 'cancelled' });
    const ids = async (query = '') => (await list(query)).map(({ id }) => id);
    const all = await ids();
    for (const id of [passed, running, waiting]) expect(all).toContain(id);
    for (const id of [covered, single, gone]) expect(all).not.toContain(id);
    expect((await list()).find(({ id }) => id === passed)?.isDuePassed).toBe(true);
    expect(await ids('&due=passed')).toEqual([passed]);
    expect(await ids('&due=running')).not.toContain(waiting);
    expect(await ids('&status=PENDING')).toContain(waiting);
    expect(await ids(`&q=${waiting}`)).toEqual([waiting]);
    for (const sort of ['id', 'dueDate']) {
      const whole = await ids(`&sort=${sort}&order=asc`);
      const read: number[] = [];
      let cursor = '';
      do {
        const page = await client.get(`/api/subscriptions/list?limit=2&sort=${sort}&order=asc${cursor}`);
        read.push(...(page.data as Subscription[]).map(({ id }) => id));
        cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
      } while (cursor !== '');
      expect(read, sort).toEqual(whole);
    }
  });
});

describe('cancelling', () => {
  it('removes it from the list, ends its coverage and preserves its invoice number', async () => {
    const made = await order();
    await pay(made.id);
    const number = (await list()).find(({ id }) => id === made.id)?.invoiceNumber;
    expect(number).toMatch(/^\d{4}-\d{5}$/);
    expect(await cancel(made.id)).toMatchObject({ status: 200, message: 'L’abonnement est résilié' });
    expect((await list()).map(({ id }) => id)).not.toContain(made.id);
    expect(await cashier.get(`/api/invoices/${made.id}`)).toMatchObject({
      data: { status: 'CANCEL', invoiceNumber: number },
    });
    const release = await buildRelease(app.db, made.Account.id, 'pending');
    expect(await cashier.get(`/api/release/${release}/quote`)).toMatchObject({ data: { subscriptionUntil: null } });
    expect(await entries('subscription.cancel', made.id)).toMatchObject([
      { before: { status: 'PAID' }, after: { status: 'CANCEL' } },
    ]);
    expect(await cancel(made.id)).toMatchObject({ status: 200 });
    expect(await entries('subscription.cancel', made.id)).toHaveLength(1);
  });

  it('is the same action from the order’s page', async () => {
    const made = await order();
    expect((await cashier.put(`/api/edit-invoice/${made.id}`, { status: 'CANCEL' })).status).toBe(200);
    expect(await entries('subscription.cancel', made.id)).toMatchObject([{ after: { status: 'CANCEL' } }]);
    expect(await entries('order.set_status', made.id)).toEqual([]);
  });

  it('moves the end of the next pending subscription a year earlier; a new payment reverts it', async () => {
    const first = await order();
    await pay(first.id);
    const second = await order({ userId: first.Account.id });
    expect(await dueOf(second.id)).toBe(dayAfterYears(2));
    await cancel(first.id);
    expect(await dueOf(second.id)).toBe(dayAfterYears(1));
    await pay(first.id);
    expect(await dueOf(second.id)).toBe(dayAfterYears(2));
    const moves = [
      { before: { dueDate: dayAfterYears(2) }, after: { dueDate: dayAfterYears(1) } },
      { before: { dueDate: dayAfterYears(1) }, after: { dueDate: dayAfterYears(2) } },
    ];
    expect(await entries('subscription.move', second.id)).toMatchObject(moves);
    // The last one has no successor.
    await cancel(second.id);
    expect(await dueOf(first.id)).toBe(dayAfterYears(1));
  });

  it('moves the end of the next paid subscription a year earlier; a new payment runs after that', async () => {
    const first = await order();
    await pay(first.id);
    const second = await order({ userId: first.Account.id });
    await pay(second.id);
    await cancel(first.id);
    expect(await dueOf(second.id)).toBe(dayAfterYears(1));
    await pay(first.id);
    expect([await dueOf(second.id), await dueOf(first.id)]).toEqual([dayAfterYears(1), dayAfterYears(2)]);
  });

  it('with a credit note clears the invoice and the last day; a new payment starts a new year', async () => {
    const accountId = await buildAccount(app.db);
    const releaseId = await buildRelease(app.db, accountId, 'pending');
    await buildTrack(app.db, accountId, { releaseId });
    const payRelease = async () => {
      const reply = await cashier.post(`/api/release/${releaseId}/pay/offline`, { reference: 'VIR-2' });
      expect(reply).toMatchObject({ status: 200 });
    };
    const id = await insert({ accountId, releaseId });
    for (const payAgain of [pay, payRelease]) {
      await pay(id);
      await app.owner.updateTable('orders').set({ dueDate: '2026-05-31' }).where('id', '=', id).execute();
      await cancel(id);
      await cashier.put(`/api/edit-invoice/${id}`, { status: 'PENDING' });
      const waiting = (await list()).find((one) => one.id === id);
      expect(waiting).toMatchObject({ status: 'PENDING', invoiceNumber: null, isDuePassed: false });
      expect(await dueOf(id)).toBeNull();
      expect(await cashier.get(`/api/invoices/${id}`)).toMatchObject({ data: { invoiceNumber: null, issuedAt: null } });
      expect(await cashier.get(`/api/release/${releaseId}`)).toMatchObject({
        data: { Order: { invoiceNumber: null } },
      });
      await payAgain(id);
      expect(await dueOf(id)).toBe(dayAfterYears(1));
      expect((await entries('order.pay', id)).at(-1)?.after).toMatchObject({ dueDate: dayAfterYears(1) });
      await cancel(id);
    }
  });

  it('answers 404 for other orders and 403 without the capability', async () => {
    const single = await insert({ plan: 'single' });
    expect(await cancel(single)).toMatchObject({ status: 404 });
    expect(await cancel(2_000_000_000)).toMatchObject({ status: 404 });
    const made = await order();
    const stranger = await app.signInWith(['manage_profiles']);
    expect(await stranger.delete(`/api/subscriptions/item/${made.id}/cancel`)).toMatchObject({ status: 403 });
    expect((await list()).map(({ id }) => id)).toContain(made.id);
  });
});
