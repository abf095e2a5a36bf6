import { messages } from '@regie/contract/messages.ts';
import { releaseLists } from '@regie/contract/releases.ts';
import type { PaymentStart, QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCardPayments } from '#src/lib/card-payments.ts';
import { type Reply, type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { type StripeApi, signEvent, startStripeApi, testCardKeys } from '#test/stripe-api.ts';

const app = useApp();
let client: TestClient;
let account: number;
let stripe: StripeApi;

beforeAll(async () => {
  client = await app.signInWith();
  account = await buildAccount(app.db);
  stripe = await startStripeApi();
});
afterAll(() => stripe.close());

const cardsOn = () => {
  app.deps.cards = createCardPayments(testCardKeys, { log: app.deps.log, api: stripe.address });
};
const cardsOff = () => {
  delete app.deps.cards;
};

const newRelease = (values: Record<string, unknown> = {}) => ({
  userId: account,
  title: 'Marée haute',
  genre: 'Jazz',
  originalRealeaseDate: '1/9/2026',
  digitalReleaseDate: '30/10/2026',
  yearOfRegistration: 2026,
  recordingOwnerName: 'Awa Diallo',
  coverDetailsOwner: 'Awa Diallo',
  ...values,
});
const delivery = (values: Record<string, unknown> = {}) => ({
  genre: 'Jazz',
  plan: 'single',
  label: '',
  platforms: ['spotify', 'deezer'],
  territories: ['all'],
  ...values,
});

async function draft(of = account): Promise<number> {
  const reply = await client.post('/api/release/new', newRelease({ userId: of }));
  expect(reply).toMatchObject({ status: 200, message: 'Le brouillon est enregistré' });
  return (reply.data as { id: number }).id;
}
const releaseOf = async (id: number) => (await client.get(`/api/release/${id}`)).data as Release;
const orderOf = async (id: number) => {
  const { Order } = await releaseOf(id);
  if (!Order) throw new Error('order missing in the reply');
  return { ...Order, items: JSON.parse(Order.orderItems), payment: JSON.parse(Order.transactionDetails) };
};
/** A release of the account with a track and a pending order. */
async function ordered(values: Record<string, unknown> = {}, of = account): Promise<number> {
  const id = await draft(of);
  await buildTrack(app.db, of, { releaseId: id });
  expect(await client.put(`/api/release/${id}/delivery`, delivery(values))).toMatchObject({ status: 200 });
  return id;
}
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));
const pay = (id: number, reference: string | null = 'VIR-1', headers?: Record<string, string>) =>
  client.post(`/api/release/${id}/pay/offline`, { reference }, headers);
const start = (id: number) => client.post(`/api/release/${id}/pay/start`);

async function parisDays() {
  const { rows } = await sql<{ today: string; yesterday: string }>`
    SELECT d AS today, d - 1 AS yesterday FROM (SELECT (now() AT TIME ZONE 'Europe/Paris')::date AS d) x`.execute(
    app.db,
  );
  if (!rows[0]) throw new Error('no day');
  return rows[0];
}

async function promo(name: string, percent: string, dueDate = '2099-12-31') {
  const { id } = await app.db
    .insertInto('promoCodes')
    .values({ name, percent, dueDate })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

describe('a new release', () => {
  it('is a draft of its account in the unpublished list, and is journalled', async () => {
    const id = await draft();
    expect(await releaseOf(id)).toMatchObject({
      title: 'Marée haute',
      status: 'DRAFT',
      userId: account,
      originalRealeaseDate: '01/09/2026',
      coverDetailsOwner: 'Awa Diallo',
      Order: null,
      canEdit: true,
    });
    const list = await client.get(`/api/releases/unpublished?userId=${account}`);
    expect(list.data).toEqual(expect.arrayContaining([expect.objectContaining({ id, status: 'DRAFT' })]));
    expect(await entries('release.create', id)).toMatchObject([
      { before: null, after: { userId: account, title: 'Marée haute', status: 'DRAFT' } },
    ]);
  });

  it('can be started, filled and paid with any of the capabilities to edit releases', async () => {
    const editor = await app.signInWith([releaseLists.paid.edit]);
    const { data } = await editor.post('/api/release/new', newRelease());
    const { id } = data as { id: number };
    const track = {
      ...{ title: 'Aurore', genre: 'Jazz', language: 'French', recordingOwnerName: 'Awa', yearOfRegistration: 2026 },
      ...{ libraryId: id, artists: [{ fullname: 'Awa Diallo', role: 'Primary Artist' }] },
      ...{ contributors: [], musicians: [] },
    };
    expect(await editor.post('/api/tracks/add', track)).toMatchObject({ status: 200 });
    const { updatedAt } = (await editor.get(`/api/release/${id}`)).data as Release;
    const form = { ...newRelease(), title: 'Marée basse', status: 'DRAFT', updatedAt };
    expect(await editor.put(`/api/release/${id}/edit`, form)).toMatchObject({ status: 200, data: { status: 'DRAFT' } });
    expect(await editor.put(`/api/release/${id}/delivery`, delivery())).toMatchObject({ status: 200 });
    expect(await editor.post(`/api/release/${id}/pay/offline`, { reference: 'CB-1' })).toMatchObject({ status: 200 });
    expect(await releaseOf(id)).toMatchObject({ title: 'Marée basse', status: 'PAID' });
  });

  it.each([
    ['userId', { userId: 999_999 }, messages.unknownAccount],
    ['title', { title: ' ' }, messages.required('titre')],
    ['title', { title: 'x'.repeat(501) }, messages.maxLength(500)],
    ['recordingOwnerName', { recordingOwnerName: 'x'.repeat(201) }, messages.maxLength(200)],
    ['coverDetailsOwner', { coverDetailsOwner: 'x'.repeat(201) }, messages.maxLength(200)],
    ['coverDetailsOwner', { coverDetailsOwner: undefined }, messages.required('propriétaire de la pochette')],
    ['genre', { genre: 'Zydeco' }, messages.genreRequired],
    ['digitalReleaseDate', { digitalReleaseDate: '31/02/2026' }, messages.invalidDate],
  ])('refuses a wrong %s', async (field, values, message) => {
    const reply = await client.post('/api/release/new', newRelease(values));
    expect(reply).toMatchObject({ status: 422, errors: { [field]: message } });
  });

  it.each(['\ud83d', '\ude00\ud83d'])('refuses %o, which is not a string', async (title) => {
    expect(await client.post('/api/release/new', newRelease({ title }))).toMatchObject({
      status: 400,
      code: 'invalid_data',
    });
  });

  it('is created once per Idempotency-Key', async () => {
    const send = () =>
      client.post('/api/release/new', newRelease({ title: 'Une fois' }), { 'idempotency-key': 'new-1' });
    const replies = await Promise.all([send(), send(), send()]);
    expect(new Set(replies.map((reply) => JSON.stringify(reply.data))).size).toBe(1);
    const stored = app.db.selectFrom('releases').select('id').where('title', '=', 'Une fois');
    expect(await stored.execute()).toHaveLength(1);
  });

  it('answers 403 without a capability to edit releases', async () => {
    const reader = await app.signInWith([releaseLists.unpublished.read]);
    expect(await reader.post('/api/release/new', newRelease())).toMatchObject({ status: 403 });
  });
});

describe('delivery', () => {
  it('stores the choice and orders it at the prices of the settings', async () => {
    const id = await draft();
    await promo('BIENVENUE', '12.5');
    const reply = await client.put(
      `/api/release/${id}/delivery`,
      delivery({
        plan: 'album',
        label: 'Nord',
        expressDelivery: true,
        promoCode: 'bienvenue',
        platforms: ['Apple Music', 'spotify', 'spotify'],
        territories: ['fr', 'BE'],
        digitalReleaseDate: '05/11/2026',
      }),
    );
    expect(reply).toMatchObject({
      status: 200,
      data: {
        status: 'DRAFT',
        quote: { planPrice: 29.9, labelFees: 15, expressDeliveryPrice: 25, discount: 8.74, total: 61.16 },
      },
    });
    const release = await releaseOf(id);
    expect(release).toMatchObject({
      plan: 'album',
      digitalLabel: 'Nord',
      digitalGenre: 'Jazz',
      expressDelivery: true,
      platforms: 'apple-music,spotify',
      territories: 'FR,BE',
      digitalReleaseDate: '05/11/2026',
      originalRealeaseDate: '01/09/2026',
    });
    const order = await orderOf(id);
    expect(order).toMatchObject({
      status: 'PENDING',
      totalAmountByLocation: 61.16,
      discount: 8.74,
      promoCode: 'BIENVENUE',
      vatPercent: 20,
      vatAmount: 10.19,
      invoiceNumber: null,
    });
    expect(order.items).toEqual({
      planPrice: 29.9,
      labelFees: 15,
      expressDeliveryPrice: 25,
      currency: 'EUR',
      globalCurrency: 'EUR',
    });
    expect(await entries('release.delivery', id)).toMatchObject([{ after: { plan: 'album', digitalLabel: 'Nord' } }]);
    expect(await entries('order.create', order.id)).toMatchObject([
      { before: null, after: { total: 61.16, promoCode: 'BIENVENUE', libraryId: id } },
    ]);
  });

  it('reprices an unpaid order in place', async () => {
    const id = await ordered();
    const before = await orderOf(id);
    await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'ep' }));
    const after = await orderOf(id);
    expect([before.totalAmountByLocation, after.totalAmountByLocation, after.id]).toEqual([9.9, 19.9, before.id]);
    expect(await entries('order.price', after.id)).toMatchObject([
      { before: { plan: 'single', total: 9.9 }, after: { plan: 'ep', total: 19.9 } },
    ]);
  });

  it('does not change the price of a pending order until its choice changes', async () => {
    const label = await buildAccount(app.db);
    const { today, yesterday } = await parisDays();
    const code = await promo('GARDE', '10', today);
    const id = await ordered({ plan: 'ep', label: 'Nord', promoCode: 'GARDE' }, label);
    const frozen = 31.41;
    const before = await orderOf(id);
    expect(before.totalAmountByLocation).toBe(frozen);

    // Since then: other prices, another VAT rate, an expired code and a label subscription.
    const prices = JSON.stringify({ single: 1, ep: 2, album: 3, label: 4, premiumLabelFee: 5, expressFee: 6 });
    const settings = [
      { key: 'prices', value: prices },
      { key: 'vatPercent', value: '8.5' },
    ];
    await app.owner.insertInto('settings').values(settings).execute();
    await app.db.updateTable('promoCodes').set({ dueDate: yesterday }).where('id', '=', code).execute();
    await pay(await ordered({ plan: 'label' }, label), 'VIR-1');

    const url = `/api/release/${id}`;
    const quote = (query: string) => client.get(`${url}/quote?${query}`);
    for (const promoCode of ['garde', undefined]) {
      const same = delivery({ plan: 'ep', label: 'Sud', platforms: ['deezer'], promoCode, expressDelivery: false });
      expect(await client.put(`${url}/delivery`, same)).toMatchObject({ data: { quote: { total: frozen } } });
    }
    expect(await orderOf(id)).toMatchObject({ totalAmountByLocation: frozen, vatPercent: 20, promoCode: 'GARDE' });
    expect(await releaseOf(id)).toMatchObject({ platforms: 'deezer', digitalLabel: 'Sud' });
    expect(await entries('order.price', before.id)).toEqual([]);
    expect((await quote('plan=ep&label=x&promoCode=garde')).data).toMatchObject({
      promoError: null,
      quote: { total: frozen, vatPercent: 20 },
    });

    expect((await quote('plan=ep&label=x&promoCode=garde&expressDelivery=true')).data).toMatchObject({
      promoError: null,
      quote: { total: 5.4, vatPercent: 8.5 },
    });
    const more = delivery({ plan: 'ep', label: 'Sud', promoCode: 'GARDE', expressDelivery: true });
    expect(await client.put(`${url}/delivery`, more)).toMatchObject({ data: { quote: { total: 5.4 } } });
    await app.owner.deleteFrom('settings').where('key', 'in', ['prices', 'vatPercent']).execute();
  });

  it('names a created order in the message', async () => {
    const id = await draft();
    const send = async () => (await client.put(`/api/release/${id}/delivery`, delivery())).message;
    const first = await send();
    expect(first).toBe(messages.orderCreated((await orderOf(id)).id));
    expect(await send()).toBe('La diffusion est enregistrée');
  });

  it('journals nothing when nothing changes', async () => {
    const id = await ordered();
    await client.put(`/api/release/${id}/delivery`, delivery());
    const order = await orderOf(id);
    expect(await entries('release.delivery', id)).toHaveLength(1);
    expect(await entries('order.price', order.id)).toEqual([]);
  });

  it('preserves the VAT rate of the order until it is repriced', async () => {
    const id = await ordered();
    await app.owner.insertInto('settings').values({ key: 'vatPercent', value: '8.5' }).execute();
    expect((await orderOf(id)).vatPercent).toBe(20);
    await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'ep' }));
    expect(await orderOf(id)).toMatchObject({ vatPercent: 8.5, vatAmount: 1.56 });
    await app.owner.deleteFrom('settings').where('key', '=', 'vatPercent').execute();
  });

  it.each([
    ['platforms', { platforms: [] }, 'Choisissez au moins une plateforme'],
    ['platforms', { platforms: undefined }, 'Choisissez au moins une plateforme'],
    ['plan', { plan: '' }, 'Choisissez un plan'],
    ['plan', { plan: undefined }, 'Choisissez un plan'],
    ['territories', { territories: ['all', 'FR'] }, messages.allWithOthers],
    ['territories', { territories: [] }, messages.chooseTerritory],
    ['territories.0', { territories: ['XX'] }, messages.invalidChoice],
    ['genre', { genre: '' }, messages.genreRequired],
    ['digitalReleaseDate', { digitalReleaseDate: '' }, messages.required('date de sortie numérique')],
    ['promoCode', { promoCode: 'INCONNU' }, messages.unknownPromoCode],
    ['status', { status: 'CANCEL' }, messages.invalidChoice],
  ])('refuses a wrong %s', async (field, values, message) => {
    const id = await draft();
    const reply = await client.put(`/api/release/${id}/delivery`, delivery(values));
    expect(reply).toMatchObject({ status: 422, errors: { [field]: message } });
    expect((await releaseOf(id)).Order).toBeNull();
  });

  it('accepts a promo code until its last day, and refuses a deleted code', async () => {
    const { today, yesterday } = await parisDays();
    await promo('DERNIER', '50', today);
    await promo('HIER', '50', yesterday);
    const removed = await promo('RETIRE', '50');
    await app.db.updateTable('promoCodes').set({ deletedAt: new Date() }).where('id', '=', removed).execute();
    const id = await draft();
    const send = (promoCode: string) => client.put(`/api/release/${id}/delivery`, delivery({ promoCode }));
    expect(await send('HIER')).toMatchObject({ status: 422, errors: { promoCode: messages.expiredPromoCode } });
    expect(await send('RETIRE')).toMatchObject({ status: 422, errors: { promoCode: messages.unknownPromoCode } });
    expect(await send('DERNIER')).toMatchObject({ status: 200, data: { quote: { discount: 4.95, total: 4.95 } } });
  });

  it("changes the status like the edit form: needs both lists' capabilities and confirms quality", async () => {
    const id = await ordered();
    const editor = await app.signInWith([releaseLists.unpublished.edit]);
    const url = `/api/release/${id}/delivery`;
    expect(await editor.put(url, delivery({ status: 'PENDING' }))).toMatchObject({ status: 403 });
    expect(await client.put(url, delivery({ status: 'PENDING' }))).toMatchObject({ data: { status: 'PENDING' } });
    expect(await editor.put(url, delivery())).toMatchObject({ status: 403 });
    const blocked = await client.put(url, delivery({ status: 'DELIVRED', confirmQuality: false }));
    expect(blocked).toMatchObject({ status: 422, errors: { status: expect.stringContaining('Pas de pochette') } });
    const meant = await client.put(url, delivery({ status: 'DELIVRED', confirmQuality: true }));
    expect(meant).toMatchObject({ data: { status: 'DELIVRED' }, meta: undefined });
    expect(await entries('release.deliver', id)).toMatchObject([
      { after: { status: 'DELIVRED', confirmedQuality: expect.arrayContaining(['no_cover']) } },
    ]);
  });

  it('to DELIVRED without a confirmation of quality succeeds, and names the problems', async () => {
    const id = await ordered();
    const reply = await client.put(`/api/release/${id}/delivery`, delivery({ status: 'DELIVRED' }));
    expect(reply).toMatchObject({ status: 200, meta: { warnings: [expect.stringContaining('Pas de pochette')] } });
    expect(reply.message).toContain(reply.meta?.warnings?.[0]);
    expect(await entries('release.deliver', id)).toMatchObject([
      { after: { confirmedQuality: expect.arrayContaining(['no_cover']) } },
    ]);
  });

  it('changes everything but the purchase of a paid order', async () => {
    const id = await ordered();
    expect(await pay(id)).toMatchObject({ status: 200 });
    const rest = { platforms: ['deezer'], territories: ['FR', 'BE'], promoCode: '', genre: 'Jazz', status: 'PENDING' };
    expect(await client.put(`/api/release/${id}/delivery`, delivery(rest))).toMatchObject({
      status: 200,
      data: { status: 'PENDING', quote: { total: 9.9 } },
    });
    const changed = await releaseOf(id);
    expect([changed.platforms, changed.territories, changed.Order?.status]).toEqual(['deezer', 'FR,BE', 'PAID']);
    for (const bought of [{ expressDelivery: true }, { label: 'Nord' }]) {
      expect(await client.put(`/api/release/${id}/delivery`, delivery(bought))).toMatchObject({ status: 409 });
    }
    const reply = await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'ep' }));
    expect(reply).toMatchObject({ status: 409, message: messages.orderPaid });
    expect(await orderOf(id)).toMatchObject({ plan: 'single', totalAmountByLocation: 9.9 });
  });

  it('marks an order set back to pending as invoiced, and refuses another promo code', async () => {
    await promo('SOLDES', '10');
    await promo('AUTRE', '20');
    const id = await ordered({ promoCode: 'soldes' });
    await pay(id);
    await client.put(`/api/edit-invoice/${(await orderOf(id)).id}`, { status: 'PENDING' });
    expect((await client.get(`/api/release/${id}/quote`)).data).toMatchObject({
      order: { isPaid: false, isInvoiced: true, plan: 'single', promoCode: 'SOLDES', quote: { total: 8.91 } },
    });
    const save = (promoCode: string) =>
      client.put(`/api/release/${id}/delivery`, delivery({ promoCode, platforms: ['deezer'] }));
    expect(await save('INCONNU')).toMatchObject({ status: 422, errors: { promoCode: messages.unknownPromoCode } });
    expect(await save('AUTRE')).toMatchObject({ status: 409, message: messages.orderInvoiced });
    for (const same of ['', 'Soldes']) expect((await save(same)).status).toBe(200);
    expect(await orderOf(id)).toMatchObject({ status: 'PENDING', promoCode: 'SOLDES', totalAmountByLocation: 8.91 });
    expect((await releaseOf(id)).platforms).toBe('deezer');
  });

  it('answers 403 without the capability and 404 for an unknown release', async () => {
    const id = await draft();
    const reader = await app.signInWith([releaseLists.unpublished.read]);
    expect(await reader.put(`/api/release/${id}/delivery`, delivery())).toMatchObject({ status: 403 });
    expect(await client.put('/api/release/999999/delivery', delivery())).toMatchObject({ status: 404 });
  });
});

describe('the quote', () => {
  const quote = async (id: number, query: string) => {
    const reply = await client.get(`/api/release/${id}/quote?${query}`);
    expect(reply.status).toBe(200);
    return reply.data as QuoteAnswer;
  };

  it('shows prices and the cost of a choice, and stores nothing', async () => {
    const id = await draft();
    await promo('DEVIS', '10');
    expect(await quote(id, '')).toMatchObject({
      prices: { single: 9.9, expressFee: 25 },
      quote: null,
      promoError: null,
      subscriptionUntil: null,
    });
    expect(await quote(id, 'plan=ep&expressDelivery=true&promoCode=devis')).toMatchObject({
      quote: { planPrice: 19.9, expressDeliveryPrice: 25, discount: 4.49, total: 40.41, vatAmount: 6.74 },
    });
    const unknown = await quote(id, 'plan=ep&promoCode=rien');
    expect(unknown).toMatchObject({ promoError: messages.unknownPromoCode, quote: { total: 19.9 }, order: null });
    expect((await releaseOf(id)).Order).toBeNull();
  });

  it('shows the current order to an admin who may only edit the list', async () => {
    await promo('TENU', '10');
    const id = await ordered({ promoCode: 'TENU' });
    const editor = await app.signInWith([releaseLists.paid.edit]);
    expect((await editor.get(`/api/release/${id}`)).data).toMatchObject({ Order: { promoCode: 'TENU' } });
    expect((await editor.get(`/api/release/${id}/quote?plan=ep`)).data).toMatchObject({
      quote: { total: 19.9 },
      order: { isPaid: false, plan: 'single', promoCode: 'TENU', quote: { discount: 0.99, total: 8.91 } },
    });
  });
});

describe('an offline payment', () => {
  it('marks the order PAID, numbers its invoice and sends the release to quality control', async () => {
    const id = await ordered({ plan: 'ep' });
    const { id: orderId } = await orderOf(id);
    const reply = await pay(id, '  VIR 2026-118 ');
    const order = await orderOf(id);
    expect(reply).toMatchObject({
      status: 200,
      message: 'Payments fait avec succès',
      data: { orderId, status: 'PAID', releaseStatus: 'PAID', total: 19.9, invoiceNumber: order.invoiceNumber },
    });
    expect(order).toMatchObject({
      status: 'PAID',
      totalAmountByLocation: 19.9,
      payment: { id: 'VIR 2026-118', receipt_email: null },
    });
    expect(order.invoiceNumber).toMatch(/^\d{4}-\d{5}$/);
    expect((await releaseOf(id)).status).toBe('PAID');
    expect(await entries('order.pay', orderId)).toMatchObject([
      { before: { status: 'PENDING' }, after: { status: 'PAID', total: 19.9, reference: 'VIR 2026-118' } },
    ]);
    expect(await entries('release.paid', id)).toMatchObject([
      { before: { status: 'DRAFT' }, after: { status: 'PAID' } },
    ]);
  });

  it('does not change the status of a release that is no longer pending', async () => {
    const id = await ordered();
    await app.db.updateTable('releases').set({ status: 'delivered' }).where('id', '=', id).execute();
    expect(await pay(id)).toMatchObject({ status: 200, data: { releaseStatus: 'DELIVRED' } });
    expect((await releaseOf(id)).status).toBe('DELIVRED');
  });

  it.each([null, '', '   '])('refuses the reference %o', async (reference) => {
    const id = await ordered();
    expect(await pay(id, reference)).toMatchObject({
      status: 422,
      errors: { reference: messages.required('référence du règlement') },
    });
    expect((await orderOf(id)).status).toBe('PENDING');
  });

  it('requires an order, a track and a release that is not withdrawn', async () => {
    const empty = await draft();
    expect(await pay(empty)).toMatchObject({ status: 422, errors: { global: messages.orderMissing } });
    await client.put(`/api/release/${empty}/delivery`, delivery());
    expect(await pay(empty)).toMatchObject({ status: 422, errors: { global: messages.trackMissing } });
    const withdrawn = await ordered();
    await client.put(`/api/release/${withdrawn}/withdraw`, { note: 'À la demande du client' });
    expect(await pay(withdrawn)).toMatchObject({ status: 409, message: messages.releaseWithdrawn });
  });

  it("answers 403 without the capability of the release's list", async () => {
    const id = await ordered();
    await app.db.updateTable('releases').set({ status: 'pending' }).where('id', '=', id).execute();
    const editor = await app.signInWith([releaseLists.delivered.edit]);
    expect(await editor.post(`/api/release/${id}/pay/offline`, { reference: 'x' })).toMatchObject({ status: 403 });
    expect(await editor.post(`/api/release/${id}/pay/start`)).toMatchObject({ status: 403 });
  });

  it('needs no reference for an order of 0 €', async () => {
    await promo('PRESSE', '100');
    const id = await ordered({ promoCode: 'PRESSE' });
    expect(await start(id)).toMatchObject({ status: 200, data: { mode: 'free', total: 0, clientSecret: null } });
    expect(await pay(id, null)).toMatchObject({ status: 200, data: { total: 0 } });
  });

  it('pays once for concurrent calls and for a repeated Idempotency-Key', async () => {
    const id = await ordered();
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => pay(id, `VIR-${n}`)));
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await entries('order.pay', (await orderOf(id)).id)).toHaveLength(1);
    const other = await ordered();
    const keyed = await Promise.all([1, 2, 3].map(() => pay(other, 'VIR-9', { 'idempotency-key': 'pay-1' })));
    expect(keyed.map((reply) => reply.status)).toEqual([200, 200, 200]);
    expect(new Set(keyed.map((reply) => JSON.stringify(reply.data))).size).toBe(1);
    expect(await entries('order.pay', (await orderOf(other)).id)).toHaveLength(1);
  });

  it('numbers invoices without gaps; refused payments use no number', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await ordered());
    const before = await app.db.selectFrom('invoiceCounters').select('lastNumber').executeTakeFirst();
    await Promise.all(ids.flatMap((id) => [pay(id, 'a'), pay(id, 'b'), pay(id, '')]));
    const numbers = await Promise.all(ids.map(async (id) => Number((await orderOf(id)).invoiceNumber?.slice(5))));
    const first = (before?.lastNumber ?? 0) + 1;
    expect(numbers.toSorted((a, b) => a - b)).toEqual(ids.map((_, n) => first + n));
  });

  it('reuses the invoice of an order set back to pending when it is paid again', async () => {
    const id = await ordered();
    await pay(id);
    const { id: orderId, invoiceNumber } = await orderOf(id);
    const counter = () => app.db.selectFrom('invoiceCounters').selectAll().execute();
    const before = await counter();
    expect((await client.put(`/api/edit-invoice/${orderId}`, { status: 'PENDING' })).status).toBe(200);
    // Its price was invoiced: another price needs another order.
    expect(await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'album' }))).toMatchObject({
      status: 409,
      message: messages.orderInvoiced,
    });
    expect(await pay(id, 'VIR-2')).toMatchObject({ status: 200, data: { orderId, invoiceNumber } });
    expect(await orderOf(id)).toMatchObject({ status: 'PAID', invoiceNumber, payment: { id: 'VIR-2' } });
    expect(await counter()).toEqual(before);
    await client.put(`/api/edit-invoice/${orderId}`, { status: 'CANCEL' });
    expect((await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'album' }))).status).toBe(200);
    expect((await orderOf(id)).id).not.toBe(orderId);
  });

  it('cannot change an invoice even in the database', async () => {
    const id = await ordered();
    await pay(id);
    const order = await orderOf(id);
    const change = (values: Record<string, unknown>) =>
      app.db.updateTable('orders').set(values).where('id', '=', order.id).execute();
    await expect(change({ planPrice: '1.00' })).rejects.toThrow('frozen');
    await expect(change({ invoiceNumber: 77_777 })).rejects.toThrow('frozen');
    await expect(app.db.deleteFrom('orders').where('id', '=', order.id).execute()).rejects.toThrow('permission denied');
  });
});

describe('a label subscription', () => {
  it('starts with the plan, lasts a year and makes plans and labels free', async () => {
    const label = await buildAccount(app.db);
    const first = await ordered({ plan: 'label', label: 'Nord' }, label);
    expect((await orderOf(first)).totalAmountByLocation).toBe(114);
    await pay(first);
    const { rows } = await sql<{ due: string; wanted: string }>`
      SELECT due_date AS due, ((now() AT TIME ZONE 'Europe/Paris') + interval '1 year')::date AS wanted
        FROM orders WHERE release_id = ${first}`.execute(app.db);
    expect(rows[0]?.due).toBe(rows[0]?.wanted);

    const second = await ordered({ plan: 'album', label: 'Nord', expressDelivery: true }, label);
    const until = rows[0]?.due.split('-').reverse().join('/');
    expect((await client.get(`/api/release/${second}/quote`)).data).toMatchObject({ subscriptionUntil: until });
    expect((await orderOf(second)).items).toMatchObject({ planPrice: 0, labelFees: 0, expressDeliveryPrice: 25 });

    // While covered, the plan `label` cannot be bought again.
    const third = await ordered({ plan: 'label' }, label);
    await pay(third, null);
    const runs = await app.db.selectFrom('orders').select('dueDate').where('releaseId', '=', third).execute();
    expect(runs).toEqual([{ dueDate: null }]);

    await app.owner.updateTable('orders').set({ dueDate: '2020-01-01' }).where('releaseId', '=', first).execute();
    const lapsed = await ordered({ plan: 'album' }, label);
    expect((await orderOf(lapsed)).totalAmountByLocation).toBe(29.9);
  });
});

describe('a card payment', () => {
  const startCard = async (id: number) => {
    const reply = await start(id);
    expect(reply).toMatchObject({ status: 200, data: { mode: 'card' } });
    const data = reply.data as PaymentStart;
    const intent = stripe.intents.get(data.clientSecret?.replace('_secret_test', '') ?? '');
    if (!intent) throw new Error('Stripe has no such payment');
    return { ...data, intent };
  };
  const succeeded = (intent: object, values: Record<string, unknown> = {}) => ({
    client_secret: null,
    ...intent,
    amount_received: Reflect.get(intent, 'amount'),
    status: 'succeeded',
    ...values,
  });
  async function deliver({ payload, signature }: { payload: string; signature: string }) {
    const answer = await app.app.inject({
      method: 'POST',
      url: '/api/webhooks/stripe',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      payload,
    });
    return { status: answer.statusCode, ...answer.json<Pick<Reply, 'code' | 'data'>>() };
  }

  it('answers 503, and 404 to the webhook, when Stripe is not configured', async () => {
    const id = await ordered();
    expect(await start(id)).toMatchObject({
      status: 200,
      data: { mode: 'offline', total: 9.9, currency: 'EUR', clientSecret: null, publicKey: null },
    });
    expect(await deliver(signEvent('payment_intent.succeeded', {}))).toMatchObject({ status: 404 });
  });

  describe('with Stripe', () => {
    beforeAll(cardsOn);
    afterAll(cardsOff);

    it('opens one payment for the order; only its signed event marks it PAID', async () => {
      const id = await ordered({ plan: 'ep' });
      const started = await Promise.all([start(id), start(id), start(id)]);
      expect(started.map((reply) => reply.status)).toEqual([200, 200, 200]);
      const { intent, publicKey, orderId, clientSecret } = await startCard(id);
      expect(new Set(started.map((reply) => (reply.data as PaymentStart).clientSecret))).toEqual(
        new Set([clientSecret]),
      );
      expect(publicKey).toBe(testCardKeys.publicKey);
      expect(intent).toMatchObject({ amount: 1990, currency: 'eur' });
      expect(intent.metadata).toMatchObject({ order_id: String(orderId), release_title: 'Marée haute' });
      expect(await entries('order.start_card', orderId)).toHaveLength(1);
      expect((await orderOf(id)).status).toBe('PENDING');

      const event = signEvent('payment_intent.succeeded', succeeded(intent));
      expect(await deliver(event)).toMatchObject({ status: 200, data: { isHandled: true } });
      const order = await orderOf(id);
      expect(order).toMatchObject({ status: 'PAID', payment: { id: intent.id } });
      expect((await releaseOf(id)).status).toBe('PAID');
      expect(await entries('order.pay', orderId)).toMatchObject([
        { adminId: null, after: { cardTransactionId: intent.id, invoiceNumber: order.invoiceNumber } },
      ]);
    });

    it('handles an event once, also when it arrives several times or concurrently', async () => {
      const id = await ordered();
      const { intent, orderId } = await startCard(id);
      const event = signEvent('payment_intent.succeeded', succeeded(intent));
      const answers = await Promise.all(Array.from({ length: 6 }, () => deliver(event)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(answers.filter((answer) => Reflect.get(Object(answer.data), 'isHandled'))).toHaveLength(1);
      expect(await entries('order.pay', orderId)).toHaveLength(1);
      expect(await entries('order.paid_twice', orderId)).toEqual([]);
    });

    it('sends Stripe the new amount when the order is repriced', async () => {
      const id = await ordered();
      const before = await startCard(id);
      await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'album' }));
      const after = await startCard(id);
      expect(after.intent.id).toBe(before.intent.id);
      expect(after.intent.amount).toBe(2990);
    });

    it('opens a new payment when Stripe cancelled the first', async () => {
      const id = await ordered();
      const { intent } = await startCard(id);
      intent.status = 'canceled';
      const again = await startCard(id);
      expect(again.intent.id).not.toBe(intent.id);
      // The cancelled payment no longer belongs to the order.
      await deliver(signEvent('payment_intent.succeeded', succeeded(intent)));
      expect((await orderOf(id)).status).toBe('PENDING');
      expect(await entries('order.card_refused', again.orderId)).toHaveLength(1);
    });

    it('waits for a payment that Stripe already succeeded', async () => {
      const id = await ordered();
      const { intent } = await startCard(id);
      intent.status = 'succeeded';
      expect(await start(id)).toMatchObject({ status: 409, message: messages.paymentPending });
    });

    it.each([
      ['a lesser amount', { amount: 1, amount_received: 1 }],
      ['a part of the amount', { amount_received: 1 }],
      ['another currency', { currency: 'usd' }],
      ['another payment', { id: 'pi_foreign' }],
    ])('journals and refuses %s', async (_name, values) => {
      const id = await ordered();
      const { intent, orderId } = await startCard(id);
      const answer = await deliver(signEvent('payment_intent.succeeded', succeeded(intent, values)));
      expect(answer).toMatchObject({ status: 200, data: { isHandled: false } });
      expect((await orderOf(id)).status).toBe('PENDING');
      expect(await entries('order.card_refused', orderId)).toHaveLength(1);
    });

    it('journals a declined card, and the order is still pending', async () => {
      const id = await ordered();
      const { intent, orderId } = await startCard(id);
      const declined = { ...intent, client_secret: null, amount_received: 0 };
      const error = { last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds' } };
      const answer = await deliver(signEvent('payment_intent.payment_failed', { ...declined, ...error }));
      expect(answer).toMatchObject({ status: 200, data: { isHandled: true } });
      expect((await orderOf(id)).status).toBe('PENDING');
      expect(await entries('order.card_failed', orderId)).toMatchObject([{ after: { reason: 'insufficient_funds' } }]);
      expect((await startCard(id)).intent.id).toBe(intent.id);
      await deliver(signEvent('payment_intent.succeeded', succeeded(intent)));
      expect((await orderOf(id)).status).toBe('PAID');
    });

    it('pays once when event and offline payment coincide, and journals the second payment', async () => {
      for (let n = 0; n < 5; n += 1) {
        const id = await ordered();
        const { intent, orderId } = await startCard(id);
        const event = signEvent('payment_intent.succeeded', succeeded(intent));
        const [card, offline] = await Promise.all([deliver(event), pay(id, 'VIR-7')]);
        expect(card.status).toBe(200);
        expect([200, 409]).toContain(offline.status);
        expect(await entries('order.pay', orderId)).toHaveLength(1);
        expect(await entries('order.paid_twice', orderId)).toHaveLength(offline.status === 200 ? 1 : 0);
        expect((await orderOf(id)).status).toBe('PAID');
      }
    });

    it('accepts the card payment of an order invoiced before', async () => {
      const id = await ordered();
      cardsOff();
      await pay(id);
      cardsOn();
      const { id: orderId, invoiceNumber } = await orderOf(id);
      await client.put(`/api/edit-invoice/${orderId}`, { status: 'PENDING' });
      const { intent } = await startCard(id);
      const event = signEvent('payment_intent.succeeded', succeeded(intent));
      expect(await deliver(event)).toMatchObject({ status: 200, data: { isHandled: true } });
      expect(await orderOf(id)).toMatchObject({ status: 'PAID', invoiceNumber, payment: { id: intent.id } });
    });

    it('journals the card payment of a cancelled order whose release another order has paid for', async () => {
      const id = await ordered();
      const { intent, orderId } = await startCard(id);
      await client.put(`/api/edit-invoice/${orderId}`, { status: 'CANCEL' });
      await client.put(`/api/release/${id}/delivery`, delivery());
      const { id: other } = await orderOf(id);
      await pay(id);
      const answer = await deliver(signEvent('payment_intent.succeeded', succeeded(intent)));
      expect(answer).toMatchObject({ status: 200, data: { isHandled: false } });
      expect((await client.get(`/api/invoices/${orderId}`)).data).toMatchObject({ status: 'CANCEL', otherPaid: other });
      expect(await entries('order.paid_twice', orderId)).toMatchObject([
        { after: { reason: 'release_paid', paidInstead: other, cardTransactionId: intent.id, amount: 9.9 } },
      ]);
    });

    it('opens a new payment for a card order that was credited', async () => {
      const id = await ordered();
      const { intent, orderId } = await startCard(id);
      intent.status = 'succeeded';
      await deliver(signEvent('payment_intent.succeeded', succeeded(intent)));
      await client.put(`/api/edit-invoice/${orderId}`, { status: 'CANCEL' });
      await client.put(`/api/edit-invoice/${orderId}`, { status: 'PENDING' });
      const again = await startCard(id);
      expect([again.orderId, again.intent.id === intent.id]).toEqual([orderId, false]);
    });

    it('refuses events without a valid, recent Stripe signature', async () => {
      const id = await ordered();
      const { intent } = await startCard(id);
      const good = signEvent('payment_intent.succeeded', succeeded(intent));
      const refused = { status: 400, code: 'invalid_data' };
      const foreign = signEvent('payment_intent.succeeded', succeeded(intent), { secret: 'whsec_other' });
      expect(await deliver(foreign)).toMatchObject(refused);
      const stale = { timestamp: Math.floor(Date.now() / 1000) - 301 };
      expect(await deliver(signEvent('payment_intent.succeeded', succeeded(intent), stale))).toMatchObject(refused);
      expect(await deliver({ ...good, payload: good.payload.replace('eur', 'EUR') })).toMatchObject(refused);
      expect(await deliver({ ...good, signature: '' })).toMatchObject(refused);
      expect(await deliver({ ...good, signature: 'x'.repeat(5000) })).toMatchObject(refused);
      expect((await orderOf(id)).status).toBe('PENDING');
    });

    it.each([
      ['an unknown order', 'payment_intent.succeeded', { metadata: { order_id: '999999' } }],
      ['no order of ours', 'payment_intent.succeeded', { metadata: {} }],
      ['a forged order', 'payment_intent.succeeded', { metadata: { order_id: '1; DROP' } }],
      ['another event', 'customer.created', { metadata: { order_id: '1' } }],
    ])('answers 200 without effect to %s', async (_name, type, values) => {
      const intent = { id: 'pi_x', amount: 990, amount_received: 990, currency: 'eur', status: 'succeeded' };
      const answer = await deliver(signEvent(type, { client_secret: null, ...intent, ...values }));
      expect(answer).toMatchObject({ status: 200, code: 'success', data: { isHandled: false } });
    });

    it('reports when Stripe does not answer, and opens the payment once it does', async () => {
      const id = await ordered();
      stripe.failure = { status: 401, type: 'invalid_request_error', code: 'api_key_invalid' };
      expect(await start(id)).toMatchObject({ status: 503, message: messages.cardUnavailable });
      stripe.failure = { status: 400, type: 'invalid_request_error', code: 'amount_too_small' };
      expect(await start(id)).toMatchObject({ status: 422, errors: { global: messages.amountTooSmall } });
      stripe.failure = undefined;
      await startCard(id);
    });

    it('refuses when the order changes during the call to Stripe', async () => {
      const id = await ordered();
      stripe.beforeAnswer = async () => {
        stripe.beforeAnswer = undefined;
        await client.put(`/api/release/${id}/delivery`, delivery({ plan: 'album' }));
      };
      expect(await start(id)).toMatchObject({ status: 409, message: messages.orderMoved });
      expect((await startCard(id)).intent.amount).toBe(2990);
    });

    it('repeats the answer for the same Idempotency-Key without calling Stripe', async () => {
      const id = await ordered();
      const send = () => client.post(`/api/release/${id}/pay/start`, undefined, { 'idempotency-key': 'start-1' });
      const first = await send();
      const asked = stripe.calls.length;
      const second = await send();
      expect(second.data).toEqual(first.data);
      expect(second.headers['idempotency-replayed']).toBe('true');
      expect(stripe.calls).toHaveLength(asked);
    });
  });
});
