import { messages } from '@regie/contract/messages.ts';
import type { PromoCode } from '@regie/contract/routes/promo-codes.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
beforeAll(async () => {
  client = await app.signInWith(['read_coupon', 'edit_coupon']);
});

let made = 0;
const form = (values: Record<string, unknown> = {}) => {
  made += 1;
  return { name: `CODE${made}`, description: 'Essai', amount: 12.5, dueDate: '31/12/2099', ...values };
};
const add = (values: Record<string, unknown> = {}) => client.post('/api/promo-code/add', form(values));
const added = async (values: Record<string, unknown> = {}) => {
  const reply = await add(values);
  expect(reply).toMatchObject({ status: 200 });
  return reply.data as PromoCode;
};
const list = async (query = '') => (await client.get(`/api/promo-code/list?limit=500${query}`)).data as PromoCode[];

describe('adding a promo code', () => {
  it('stores, lists and journals it', async () => {
    const name = 'Été 2026';
    const reply = await add({ name: `  ${name} `, dueDate: '1/2/2099' });
    const code = { name, description: 'Essai', type: 'percent', amount: 12.5, dueDate: '01/02/2099' };
    expect(reply).toMatchObject({
      status: 200,
      message: 'Le code promo est enregistré',
      data: { ...code, isExpired: false, uses: 0 },
    });
    const { id } = reply.data as PromoCode;
    expect(await list('&q=ete')).toMatchObject([{ id, ...code }]);
    expect((await app.journal('promo_code.create')).find((entry) => entry.entityId === String(id))).toMatchObject({
      before: null,
      after: { name, description: 'Essai', percent: 12.5, dueDate: '01/02/2099' },
    });
  });

  it.each([
    ['0', 0],
    ['7,25', 7.25],
    ['7.5', 7.5],
    [' 100 ', 100],
  ])('accepts the percentage %j', async (amount, percent) => {
    expect(await added({ amount })).toMatchObject({ amount: percent });
  });

  it.each([
    [{ name: undefined }, { name: 'code promo est requis' }],
    [{ name: ' a ' }, { name: 'code promo est requis' }],
    [{ name: 7 }, { name: 'code promo est requis' }],
    [{ amount: undefined }, { amount: 'Percentage est requis' }],
    [{ amount: '' }, { amount: 'Percentage est requis' }],
    [{ amount: '1.234,5' }, { amount: 'Percentage est requis' }],
    [{ amount: -1 }, { amount: messages.percentRange }],
    [{ amount: 100.01 }, { amount: messages.percentRange }],
    [{ amount: 1.005 }, { amount: messages.percentDecimals }],
    [{ dueDate: undefined }, { dueDate: "Date d'experation est requis" }],
    [{ dueDate: '29/02/2027' }, { dueDate: "Date d'experation est requis" }],
    [{ dueDate: '31/04/2027' }, { dueDate: "Date d'experation est requis" }],
    [{ dueDate: '2027-12-31' }, { dueDate: "Date d'experation est requis" }],
  ])('refuses %j', async (values, errors) => {
    expect(await add(values)).toMatchObject({ status: 422, errors });
  });

  it('accepts 29 February in leap years only', async () => {
    expect(await added({ dueDate: '29/02/2096' })).toMatchObject({ dueDate: '29/02/2096' });
    expect(await add({ dueDate: '29/02/2100' })).toMatchObject({ status: 422 });
  });

  it('refuses a name in use, in any case, until the code is deleted', async () => {
    const { id } = await added({ name: 'Rentrée' });
    expect(await add({ name: 'RENTRÉE' })).toMatchObject({ status: 422, errors: { name: messages.promoCodeTwice } });
    expect(await client.delete(`/api/promo-code/item/${id}`)).toMatchObject({ status: 200 });
    expect(await added({ name: 'RENTRÉE' })).toMatchObject({ name: 'RENTRÉE' });
  });

  it('creates one code per Idempotency-Key', async () => {
    const body = form();
    const key = { 'idempotency-key': crypto.randomUUID() };
    const first = await client.post('/api/promo-code/add', body, key);
    const second = await client.post('/api/promo-code/add', body, key);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.data).toEqual(first.data);
  });

  it('needs the capability to edit', async () => {
    const reader = await app.signInWith(['read_coupon']);
    expect(await reader.post('/api/promo-code/add', form())).toMatchObject({ status: 403 });
  });
});

describe('the list', () => {
  it('warns of an expired code, separates it from valid ones, and pages through every sort', async () => {
    const reply = await add({ dueDate: '31/12/2025' });
    const past = reply.data as PromoCode;
    const warning = messages.promoCodePast('31/12/2025');
    expect(reply).toMatchObject({
      message: expect.stringContaining(warning),
      meta: { warnings: [warning] },
      data: { isExpired: true },
    });
    expect((await app.journal('promo_code.create')).at(-1)?.after).toMatchObject({ warnings: [warning] });
    expect((await list('&state=expired')).map(({ id }) => id)).toEqual([past.id]);
    expect(new Set((await list('&state=valid')).map(({ isExpired }) => isExpired))).toEqual(new Set([false]));
    for (const sort of ['createdAt', 'name', 'amount', 'dueDate']) {
      const whole = (await list(`&sort=${sort}&order=asc`)).map(({ id }) => id);
      const read: number[] = [];
      let cursor = '';
      do {
        const page = await client.get(`/api/promo-code/list?limit=3&sort=${sort}&order=asc${cursor}`);
        read.push(...(page.data as PromoCode[]).map(({ id }) => id));
        cursor = page.meta?.nextCursor ? `&cursor=${page.meta.nextCursor}` : '';
      } while (cursor !== '');
      expect(read, sort).toEqual(whole);
    }
  });
});

describe('deleting a promo code', () => {
  it('removes it from the list and from new orders, not from existing orders', async () => {
    const code = await added({ name: 'PARTI' });
    const accountId = await buildAccount(app.db);
    const releaseId = await buildRelease(app.db, accountId, 'pending');
    const order = { accountId, releaseId, plan: 'single', planPrice: '19.90', discount: '2.49', promoCodeId: code.id };
    await app.db.insertInto('orders').values(order).execute();
    expect((await list()).find(({ id }) => id === code.id)).toMatchObject({ uses: 1 });
    const quote = async (id = releaseId) => {
      const staff = await app.signInWith(['edit_none_paid_libraries']);
      const reply = await staff.get(`/api/release/${id}/quote?plan=single&promoCode=parti`);
      return reply.data as { promoError: string | null; order: { promoCode: string } };
    };
    expect(await quote()).toMatchObject({ promoError: null, order: { promoCode: 'PARTI' } });

    expect(await client.delete(`/api/promo-code/item/${code.id}`)).toMatchObject({
      status: 200,
      message: 'Le code promo est supprimé',
    });
    expect((await list()).map(({ id }) => id)).not.toContain(code.id);
    expect(await quote()).toMatchObject({ promoError: null, order: { promoCode: 'PARTI' } });
    const other = await buildRelease(app.db, accountId, 'pending');
    expect(await quote(other)).toMatchObject({ promoError: messages.unknownPromoCode, order: null });
    const journal = await app.journal('promo_code.delete');
    expect(journal.find((entry) => entry.entityId === String(code.id))).toMatchObject({ before: { name: 'PARTI' } });
    expect(await client.delete(`/api/promo-code/item/${code.id}`)).toMatchObject({ status: 404 });
  });

  it('needs the capability to edit', async () => {
    const { id } = await added();
    const reader = await app.signInWith(['read_coupon']);
    expect(await reader.delete(`/api/promo-code/item/${id}`)).toMatchObject({ status: 403 });
    expect((await list()).map((code) => code.id)).toContain(id);
  });
});
