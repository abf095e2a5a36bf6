import { messages } from '@regie/contract/messages.ts';
import type { Invoice, InvoiceDetail, InvoiceRecord } from '@regie/contract/routes/invoices.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import { sumAmounts } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildRelease } from '#test/factories.ts';

const app = useApp();
let client: TestClient & { admin: { id: number } };
let account: number;

beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
  account = await buildAccount(app.db, { firstName: 'Yan', lastName: 'Facture' });
});

async function buildOrder(values: { accountId?: number; releaseId?: number; plan?: string } = {}): Promise<number> {
  const { id } = await app.db
    .insertInto('orders')
    .values({ accountId: account, plan: 'single', planPrice: '24', labelFees: '6', discount: '3', ...values })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
const read = async (id: number) => (await client.get(`/api/invoices/${id}`)).data as InvoiceDetail;
const set = (id: number, status: unknown) => client.put(`/api/edit-invoice/${id}`, { status });
const entries = async (action: string, id: number) =>
  (await app.journal(action)).filter((entry) => entry.entityId === String(id));

describe('an invoice', () => {
  it('shows order, customer, fees, VAT and payment', async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const id = await buildOrder({ releaseId });
    const bank = { iban: 'FR1420041010050500013M02606', bic: 'PSSTFRPPXXX' };
    const house = JSON.stringify({ ...defaultSettings.house, ...bank });
    await app.owner.insertInto('settings').values({ key: 'house', value: house }).execute();
    const invoice = await read(id);
    expect(invoice).toMatchObject({
      id,
      status: 'PENDING',
      plan: 'single',
      totalAmountByLocation: 27,
      LibraryId: releaseId,
      Account: { id: account, fname: 'Yan', lname: 'Facture' },
      invoiceNumber: null,
      vatPercent: 20,
      vatAmount: 4.5,
      customer: { name: 'Yan Facture' },
      house: bank,
    });
    expect(JSON.parse(invoice.orderItems)).toEqual({
      planPrice: 24,
      labelFees: 6,
      expressDeliveryPrice: 0,
      discount: 3,
      currency: 'EUR',
      dueDate: null,
    });
    expect(JSON.parse(invoice.transactionDetails)).toMatchObject({
      id: null,
      metadata: { customer_fullname: 'Yan Facture', customer_id: account, release_id: releaseId },
    });
  });

  it('is issued once when the order becomes PAID, which sends the release to quality control', async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const id = await buildOrder({ releaseId });
    expect(await set(id, 'PAID')).toMatchObject({ status: 200, data: { status: 'PAID' } });
    const { invoiceNumber } = await read(id);
    expect(invoiceNumber).toMatch(/^\d{4}-\d{5}$/);
    const release = await app.db.selectFrom('releases').select('status').where('id', '=', releaseId).executeTakeFirst();
    expect(release?.status).toBe('paid');
    expect(await entries('order.pay', id)).toMatchObject([{ adminId: client.admin.id, after: { invoiceNumber } }]);

    expect(await set(id, 'PENDING')).toMatchObject({ data: { status: 'PENDING', invoiceNumber, paidAt: null } });
    expect(await set(id, 'PAID')).toMatchObject({ data: { status: 'PAID', invoiceNumber, creditNotes: [] } });
    expect(await set(id, 'PAID')).toMatchObject({ status: 200 });
    // Paid again, the order sends the release to quality control again.
    await app.db.updateTable('releases').set({ status: 'pending' }).where('id', '=', releaseId).execute();
    await set(id, 'PENDING');
    await set(id, 'PAID');
    expect(
      await app.db.selectFrom('releases').select('status').where('id', '=', releaseId).executeTakeFirst(),
    ).toMatchObject({ status: 'paid' });
    expect((await entries('order.set_status', id)).map(({ before, after }) => [before, after])).toEqual([
      [{ status: 'PAID' }, { status: 'PENDING' }],
      [{ status: 'PAID' }, { status: 'PENDING' }],
    ]);
    // Each payment is the same action.
    const paid = [{ status: 'PENDING' }, { status: 'PAID', total: expect.any(Number), invoiceNumber }];
    expect((await entries('order.pay', id)).slice(1).map(({ before, after }) => [before, after])).toEqual([paid, paid]);
  });

  it('is credited once when the order is cancelled; paid again, the order gets a new invoice', async () => {
    const id = await buildOrder();
    await set(id, 'PAID');
    const { invoiceNumber, issuedAt } = await read(id);
    const cancelled = (await set(id, 'CANCEL')).data as InvoiceDetail;
    expect(cancelled).toMatchObject({
      ...{ status: 'CANCEL', invoiceNumber, cancelledAt: expect.any(Number) },
      creditNotes: [{ number: expect.stringMatching(/^AV-\d{4}-\d{5}$/), invoiceNumber, invoiceIssuedAt: issuedAt }],
    });
    await set(id, 'PENDING');
    expect((await set(id, 'CANCEL')).data).toMatchObject({ creditNotes: cancelled.creditNotes });
    const again = (await set(id, 'PAID')).data as InvoiceDetail;
    expect(again).toMatchObject({ status: 'PAID', cancelledAt: null, creditNotes: cancelled.creditNotes });
    expect(again.invoiceNumber).not.toBe(invoiceNumber);
    expect((await entries('order.set_status', id)).map(({ after }) => after)).toEqual([
      { status: 'CANCEL', creditNote: cancelled.creditNotes[0]?.number, creditedInvoice: invoiceNumber },
      { status: 'PENDING' },
      { status: 'CANCEL' },
    ]);
    expect(await entries('order.pay', id)).toMatchObject([
      { after: { invoiceNumber } },
      { before: { status: 'CANCEL' }, after: { status: 'PAID', invoiceNumber: again.invoiceNumber } },
    ]);
    for (const q of [invoiceNumber, again.invoiceNumber, cancelled.creditNotes[0]?.number]) {
      expect((await client.get(`/api/invoices?q=${q}`)).data).toMatchObject([{ id }]);
    }
    expect(((await set(id, 'CANCEL')).data as InvoiceDetail).creditNotes).toHaveLength(2);
    const unissued = await buildOrder();
    expect((await set(unissued, 'CANCEL')).data).toMatchObject({ creditNotes: [], invoiceNumber: null });
  });

  it('gets credit notes numbered without gaps when many are cancelled at once, and they are immutable', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => buildOrder()));
    await Promise.all(ids.map((id) => set(id, 'PAID')));
    const replies = await Promise.all(ids.map((id) => set(id, 'CANCEL')));
    const numbers = replies
      .map(({ data }) => Number((data as InvoiceDetail).creditNotes[0]?.number.slice(-5)))
      .sort((a, b) => a - b);
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
    await expect(app.db.updateTable('creditNotes').set({ number: 1 }).execute()).rejects.toThrow('permission denied');
    await expect(app.db.deleteFrom('creditNotes').execute()).rejects.toThrow('permission denied');
    const move = app.db.updateTable('orders').set({ invoiceNumber: 999 });
    const paid = await buildOrder();
    await set(paid, 'PAID');
    await expect(move.where('id', '=', paid).execute()).rejects.toThrow('it is frozen');
  });

  it('names the same buyer after the account changes, until another invoice is issued', async () => {
    const accountId = await buildAccount(app.db, { firstName: 'Ana', lastName: 'Avant' });
    const id = await buildOrder({ accountId });
    const rename = (lastName: string) =>
      app.db.updateTable('accounts').set({ lastName, city: 'Nantes' }).where('id', '=', accountId).execute();
    await rename('Presque');
    expect((await read(id)).customer).toMatchObject({ name: 'Ana Presque', contact: null, city: 'Nantes' });
    await set(id, 'PAID');
    await rename('Après');
    expect((await read(id)).customer.name).toBe('Ana Presque');
    await set(id, 'CANCEL');
    await set(id, 'PAID');
    const paidAgain = await read(id);
    expect(paidAgain.customer.name).toBe('Ana Après');
    expect(paidAgain.creditNotes.map(({ customer }) => customer.name)).toEqual(['Ana Presque']);
    await expect(app.db.updateTable('orders').set({ buyer: '{}' }).where('id', '=', id).execute()).rejects.toThrow(
      'frozen',
    );
  });

  it('names the same seller after the settings change, and the house of today if it was issued before', async () => {
    const id = await buildOrder();
    await set(id, 'PAID');
    const earlier = await buildOrder();
    await app.owner
      .updateTable('orders')
      .set({ invoiceYear: 2024, invoiceNumber: 1 })
      .where('id', '=', earlier)
      .execute();
    const name = async (order: number) => (await read(order)).house.name;
    const before = await name(id);
    await app.owner
      .updateTable('settings')
      .set({ value: JSON.stringify({ ...defaultSettings.house, name: 'Autre maison' }) })
      .where('key', '=', 'house')
      .execute();
    expect(before).not.toBe('Autre maison');
    expect(await name(id)).toBe(before);
    expect(await name(earlier)).toBe('Autre maison');
    await expect(app.db.updateTable('orders').set({ seller: '{}' }).where('id', '=', id).execute()).rejects.toThrow(
      'frozen',
    );
  });

  it('is completed by the account when it was issued with fewer fields, unless the account has changed since', async () => {
    const accountId = await buildAccount(app.db, { firstName: 'Éva', lastName: 'Tôt' });
    const id = await buildOrder({ accountId });
    await app.db.updateTable('accounts').set({ siren: '918273640' }).where('id', '=', accountId).execute();
    const buyer = JSON.stringify({ first_name: 'Éva', last_name: 'Tôt', city: null });
    await app.owner.updateTable('orders').set({ buyer }).where('id', '=', id).execute();
    expect((await read(id)).customer.siren).toBe('918273640');
    await app.db.updateTable('accounts').set({ city: 'Lyon' }).where('id', '=', accountId).execute();
    expect((await read(id)).customer).toMatchObject({ name: 'Éva Tôt', siren: null, city: null });
  });

  it('lists the orders with a document issued in a month, and journals it', async () => {
    const issued = async (month: number) =>
      ((await client.get(`/api/invoices/issued?month=${month}`)).data as InvoiceRecord[]).map(({ id }) => id);
    const id = await buildOrder();
    const thisMonth = monthToMs(monthOfInstant(Date.now()));
    await set(id, 'PAID');
    expect(await issued(thisMonth)).toContain(id);
    const last = monthToMs(addMonths(monthOfInstant(Date.now()), -1));
    expect(await issued(last)).toEqual([]);
    const credited = { orderId: id, year: 2020, number: 1, invoiceYear: 2019, invoiceNumber: 9 };
    await app.owner
      .insertInto('creditNotes')
      .values({ ...credited, issuedAt: new Date(last) })
      .execute();
    expect(await issued(last)).toEqual([id]);
    expect((await app.journal('order.download')).at(-1)).toMatchObject({ after: { month: monthOfInstant(last) } });
    expect((await client.get('/api/invoices/issued?month=1')).status).toBe(422);
  });

  it('stores its payment reference and journals it', async () => {
    const id = await buildOrder();
    const pay = (reference: string) => client.put(`/api/edit-invoice/${id}`, { status: 'PAID', reference });
    const paymentReference = async () => JSON.parse((await read(id)).transactionDetails).id;
    expect((await pay('x'.repeat(201))).status).toBe(422);
    expect((await pay(' VIR 4512 ')).status).toBe(200);
    expect(await paymentReference()).toBe('VIR 4512');
    expect(await entries('order.pay', id)).toMatchObject([{ after: { reference: 'VIR 4512' } }]);
    await set(id, 'CANCEL');
    await pay('CHQ 7');
    expect(await paymentReference()).toBe('CHQ 7');
    expect((await entries('order.pay', id)).at(-1)).toMatchObject({ after: { reference: 'CHQ 7' } });
  });

  it('moves its payment to the credit note when it is cancelled', async () => {
    const id = await buildOrder();
    const pay = (reference?: string) => client.put(`/api/edit-invoice/${id}`, { status: 'PAID', reference });
    const paymentOf = (invoice: InvoiceDetail) => JSON.parse(invoice.transactionDetails);
    await pay('VIR 1');
    const credited = (await set(id, 'CANCEL')).data as InvoiceDetail;
    expect(credited.creditNotes).toMatchObject([{ payment: { id: 'VIR 1', isCard: false } }]);
    expect(paymentOf(credited).id).toBeNull();
    expect(paymentOf((await pay()).data as InvoiceDetail).id).toBeNull();

    const card = { cardTransactionId: 'pi_1', paymentIntentId: 'pi_1', receiptEmail: 'a@b.fr' };
    await app.db.updateTable('orders').set(card).where('id', '=', id).execute();
    // Set back without a credit note, the order keeps its payment.
    await set(id, 'PENDING');
    expect((await pay()).data).toMatchObject({ isPaidByCard: true });
    await set(id, 'PENDING');
    expect((await set(id, 'CANCEL')).data).toMatchObject({
      isPaidByCard: false,
      creditNotes: [{ payment: { id: 'VIR 1' } }, { payment: { id: 'pi_1', isCard: true } }],
    });
    const again = (await pay('CHQ 7')).data as InvoiceDetail;
    expect(paymentOf(again)).toMatchObject({ id: 'CHQ 7', receipt_email: null });
    expect(again.creditNotes.map((note) => note.payment?.id)).toEqual(['VIR 1', 'pi_1']);
    const { paymentIntentId } = await app.db
      .selectFrom('orders')
      .select('paymentIntentId')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(paymentIntentId).toBeNull();
  });

  it('cannot become paid or pending while another order of the release is paid', async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const first = await buildOrder({ releaseId });
    await set(first, 'CANCEL');
    const second = await buildOrder({ releaseId });
    await set(second, 'PAID');
    expect(await read(first)).toMatchObject({ status: 'CANCEL', otherPaid: second });
    expect((await read(second)).otherPaid).toBeNull();
    for (const status of ['PAID', 'PENDING']) {
      expect(await set(first, status)).toMatchObject({ status: 409, message: messages.releasePaid(second) });
    }
    expect(await read(first)).toMatchObject({ status: 'CANCEL', invoiceNumber: null });
    await set(second, 'CANCEL');
    expect(await set(first, 'PAID')).toMatchObject({ status: 200 });
  });

  it('is paid once when two orders of a release are set to paid at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const releaseId = await buildRelease(app.db, account, 'pending');
      const first = await buildOrder({ releaseId });
      await set(first, 'CANCEL');
      const second = await buildOrder({ releaseId });
      await set(second, 'CANCEL');
      const replies = await Promise.all([set(first, 'PAID'), set(second, 'PAID')]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it.each([
    ['pending', 'PENDING', 'PAID'],
    ['cancelled', 'CANCEL', 'CANCEL'],
    ['opened', 'OPENED', 'OPENED'],
    ['delivered', 'DELIVRED', 'DELIVRED'],
  ] as const)('shows the status of a %s release: %s before its payment, %s after', async (stored, before, after) => {
    const releaseId = await buildRelease(app.db, account, stored);
    const id = await buildOrder({ releaseId });
    expect((await read(id)).release).toMatchObject({ id: releaseId, status: before });
    expect((await set(id, 'PAID')).data).toMatchObject({ release: { status: after } });
    // A credit note leaves the release; its page names the credit note.
    const { creditNotes } = (await set(id, 'CANCEL')).data as InvoiceDetail;
    const reader = await app.signInWith();
    expect((await reader.get(`/api/release/${releaseId}`)).data).toMatchObject({
      status: after,
      Order: { id, status: 'CANCEL', creditNote: creditNotes[0]?.number },
    });
  });

  it('shows no status for a deleted release', async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const id = await buildOrder({ releaseId });
    await app.db.updateTable('releases').set({ deletedAt: new Date() }).where('id', '=', releaseId).execute();
    expect((await read(id)).release).toMatchObject({ id: releaseId, status: null });
  });

  it('gets numbers without gaps when many are paid at once', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => buildOrder()));
    const replies = await Promise.all(ids.map((id) => set(id, 'PAID')));
    const numbers = replies
      .map((reply) => Number((reply.data as Invoice).invoiceNumber?.slice(-5)))
      .sort((a, b) => a - b);
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('cannot return to pending while another order of the release is pending', async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const first = await buildOrder({ releaseId });
    await set(first, 'CANCEL');
    const second = await buildOrder({ releaseId });
    expect(await set(first, 'PENDING')).toMatchObject({ status: 409, message: messages.orderWaits(second) });
  });

  it("cancels the release's pending order when it becomes PAID, with a credit note if that was invoiced", async () => {
    const releaseId = await buildRelease(app.db, account, 'pending');
    const first = await buildOrder({ releaseId });
    await set(first, 'CANCEL');
    const second = await buildOrder({ releaseId });
    expect((await read(first)).otherWaiting).toBe(second);
    expect((await read(second)).otherWaiting).toBeNull();
    expect(await set(first, 'PAID')).toMatchObject({ status: 200, data: { status: 'PAID', otherWaiting: null } });
    expect(await read(second)).toMatchObject({ status: 'CANCEL', invoiceNumber: null, creditNotes: [] });
    expect(await entries('order.set_status', second)).toMatchObject([
      { before: { status: 'PENDING' }, after: { status: 'CANCEL', paidInstead: first } },
    ]);

    // The same when both had an invoice before.
    await set(first, 'CANCEL');
    await set(second, 'PAID');
    await set(second, 'PENDING');
    await set(first, 'PAID');
    const { status, creditNotes } = await read(second);
    expect([status, creditNotes.length]).toEqual(['CANCEL', 1]);
    expect((await entries('order.set_status', second)).at(-1)?.after).toMatchObject({
      creditNote: creditNotes[0]?.number,
      paidInstead: first,
    });
  });

  it('refuses an unknown status or order, and a caller without the capability', async () => {
    const id = await buildOrder();
    expect(await set(id, 'REFUNDED')).toMatchObject({ status: 422, errors: { status: 'Choisissez un état' } });
    expect((await set(999_999, 'PAID')).status).toBe(404);
    expect((await client.get('/api/invoices/999999')).status).toBe(404);
    const other = await app.signInWith(['read_subscriptions', 'edit_paid_libraries']);
    expect((await other.put(`/api/edit-invoice/${id}`, { status: 'PAID' })).status).toBe(403);
    expect((await read(id)).status).toBe('PENDING');
  });
});

describe('the lists of invoices', () => {
  it("show all or one account's, filtered and searched, paged by cursor", async () => {
    const owner = await buildAccount(app.db, { firstName: 'Olga', lastName: 'Liste' });
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await buildOrder({ accountId: owner }));
    await set(ids[1] ?? 0, 'PAID');
    const list = async (url: string) => ((await client.get(`/api${url}`)).data as Invoice[]).map((row) => row.id);
    const newest = ids.toReversed();
    expect(await list(`/invoices/user/${owner}/list`)).toEqual(newest);
    expect(await list(`/invoices?userId=${owner}`)).toEqual(newest);
    expect(await list('/invoices?q=olga+liste')).toEqual(newest);
    expect(await list(`/invoices?q=%23${ids[2]}`)).toEqual([ids[2]]);
    const { invoiceNumber } = await read(ids[1] ?? 0);
    expect(await list(`/invoices?q=${invoiceNumber}`)).toEqual([ids[1]]);
    expect(await list(`/invoices?userId=${owner}&status=PAID`)).toEqual([ids[1]]);
    const page = await client.get(`/api/invoices?userId=${owner}&limit=2`);
    const { totalAmountByLocation: amount } = await read(ids[1] ?? 0);
    expect(page.meta).toMatchObject({ total: 3, sums: [{ currency: 'EUR', amount }] });
    expect(await list(`/invoices?userId=${owner}&limit=2&cursor=${page.meta?.nextCursor}`)).toEqual([ids[0]]);
    expect((await client.get('/api/invoices/user/999999/list')).status).toBe(404);
  });

  it('add up the issued invoices, without cancelled, credited and unissued orders', async () => {
    const owner = await buildAccount(app.db);
    const [kept = 0, cancelled = 0, credited = 0] = [
      await buildOrder({ accountId: owner }),
      await buildOrder({ accountId: owner }),
      await buildOrder({ accountId: owner }),
      await buildOrder({ accountId: owner }),
    ];
    for (const id of [kept, cancelled, credited]) expect((await set(id, 'PAID')).status).toBe(200);
    for (const id of [cancelled, credited]) expect((await set(id, 'CANCEL')).status).toBe(200);
    expect((await set(credited, 'PENDING')).status).toBe(200);
    const { totalAmountByLocation: amount } = await read(kept);
    const list = await client.get(`/api/invoices?userId=${owner}`);
    expect(list.meta).toMatchObject({ total: 4, sums: [{ currency: 'EUR', amount }] });
    // One state is added up as it is listed.
    const pending = await client.get(`/api/invoices?userId=${owner}&status=PENDING`);
    const amounts = (pending.data as Invoice[]).map(({ totalAmountByLocation }) => totalAmountByLocation);
    expect(amounts).toHaveLength(2);
    expect(pending.meta?.sums).toEqual([{ currency: 'EUR', amount: sumAmounts(amounts) }]);
  });
});
