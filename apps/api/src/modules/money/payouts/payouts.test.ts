import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { Payout, PayoutDetail, UnpaidAccount } from '@regie/contract/routes/payouts.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { deepCount } from '#test/deep.ts';
import { buildAccount } from '#test/factories.ts';
import { buildBilling, buildPayee, changeBilling, credit, readBalance } from '#test/payouts.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };

beforeAll(async () => {
  client = await app.signInWith();
  // These tests together send more than the daily limit.
  await app.owner.insertInto('settings').values({ key: 'payoutApprovalEur', value: '10000000' }).execute();
});

async function request(payee: { accountId: number; billingId: number }, amount: number, by: TestClient = client) {
  const reply = await by.post('/api/payouts/request', { userId: payee.accountId, account: payee.billingId, amount });
  if (reply.status !== 200) throw new Error(`request refused: ${reply.status} ${reply.message}`);
  return (reply.data as { payoutId: number }).payoutId;
}
const move = (id: number, status: string, reason?: string, by: TestClient = client) =>
  by.put(`/api/payouts/edit/${id}`, { status, ...(reason === undefined ? {} : { reason }) });
const stateOf = async (id: number) =>
  (await app.owner.selectFrom('payouts').select('state').where('id', '=', id).executeTakeFirst())?.state;
const lastEntry = async (action: string) => (await app.journal(action)).at(-1);

describe('a payout request', () => {
  it('reserves the amount, freezes the fee and is journalled', async () => {
    const payee = await buildPayee(app.owner, '100.129999');
    const reply = await client.post('/api/payouts/request', {
      userId: payee.accountId,
      account: payee.billingId,
      amount: 100.12,
    });
    expect(reply).toMatchObject({ status: 200, message: 'Le versement est demandé' });
    const { payoutId } = reply.data as { payoutId: number };
    expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('0.009999');
    expect(await readBalance(app.owner, `payout:${payoutId}`)).toBe('100.120000');
    const { data } = await client.get(`/api/payouts/payout/${payoutId}`);
    expect(data).toMatchObject({ payoutState: 'PENDING', payoutAmount: 100.12, payoutFee: 0.6, payoutNet: 99.52 });
    expect(await lastEntry('payout.request')).toMatchObject({
      adminId: client.admin.id,
      entityId: String(payoutId),
      after: { userId: payee.accountId, amount: '100.12', billingAccountId: payee.billingId },
    });
  });

  it('creates one payout per Idempotency-Key', async () => {
    const payee = await buildPayee(app.owner, '100');
    const body = { userId: payee.accountId, account: payee.billingId, amount: 10 };
    const first = await client.post('/api/payouts/request', body, { 'idempotency-key': 'demande-1' });
    const again = await client.post('/api/payouts/request', body, { 'idempotency-key': 'demande-1' });
    expect(again.data).toEqual(first.data);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('90.000000');
  });

  it.each([
    ['amount', { amount: undefined }, payoutMessages.amount],
    ['amount', { amount: 0.09 }, payoutMessages.amount],
    ['amount', { amount: 0.1 }, payoutMessages.amountWithinFee('0,60\u00a0€')],
    ['amount', { amount: 0.6 }, payoutMessages.amountWithinFee('0,60\u00a0€')],
    ['amount', { amount: '12' }, payoutMessages.amount],
    ['amount', { amount: 10.001 }, payoutMessages.amountDecimals],
    ['amount', { amount: 50.01 }, payoutMessages.amountOverBalance],
    ['account', { account: undefined }, payoutMessages.account],
    ['account', { account: 987_654 }, payoutMessages.account],
    ['userId', { userId: 987_654 }, messages.unknownAccount],
  ])('is refused without a valid %s', async (field, values, sentence) => {
    const payee = await buildPayee(app.owner, '50');
    const reply = await client.post('/api/payouts/request', {
      userId: payee.accountId,
      account: payee.billingId,
      amount: 10,
      ...values,
    });
    expect(reply).toMatchObject({ status: 422, errors: { [field]: sentence } });
    expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('50.000000');
  });

  it("is refused for another account's details and for deleted ones", async () => {
    const [one, other] = [await buildPayee(app.owner, '50'), await buildPayee(app.owner, '50')];
    const body = { userId: one.accountId, account: other.billingId, amount: 10 };
    expect((await client.post('/api/payouts/request', body)).errors).toEqual({ account: payoutMessages.account });
    await sql`UPDATE billing_accounts SET deleted_at = now() WHERE id = ${one.billingId}`.execute(app.owner);
    const deleted = await client.post('/api/payouts/request', { ...body, account: one.billingId });
    expect(deleted.errors).toEqual({ account: payoutMessages.account });
  });

  it.each(['disabled', 'hold'])('is refused for a %s account', async (state) => {
    const payee = await buildPayee(app.owner, '50');
    await sql`UPDATE accounts SET state = ${state} WHERE id = ${payee.accountId}`.execute(app.owner);
    const body = { userId: payee.accountId, account: payee.billingId, amount: 10 };
    expect(await client.post('/api/payouts/request', body)).toMatchObject({
      status: 422,
      message: messages.accountDisabled,
    });
  });

  it('needs edit_pending_payout', async () => {
    const other = await app.signInWith(['read_pending_payout', 'edit_paid_payout']);
    expect((await other.post('/api/payouts/request', {})).status).toBe(403);
  });

  it('is refused when the balance is negative', async () => {
    const payee = await buildPayee(app.owner, '-50');
    const body = { userId: payee.accountId, account: payee.billingId, amount: 0.1 };
    expect((await client.post('/api/payouts/request', body)).errors).toEqual({
      amount: payoutMessages.amountOverBalance,
    });
  });

  it('allows one of 200 concurrent requests on a balance that covers one', {
    tags: ['slow'],
    timeout: 1_800_000,
  }, async () => {
    for (let round = 0; round < deepCount(50); round += 1) {
      const payee = await buildPayee(app.owner, '10');
      const body = { userId: payee.accountId, account: payee.billingId, amount: 6 };
      const replies = await Promise.all(Array.from({ length: 200 }, () => client.post('/api/payouts/request', body)));
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
      // On a busy machine, some requests time out waiting for a connection.
      for (const reply of replies) expect([200, 422, 503]).toContain(reply.status);
      expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('4.000000');
    }
  });
});

it('answers 503 when no database connection is free, and reserves nothing', {
  tags: ['slow'],
  timeout: 60_000,
}, async () => {
  const payee = await buildPayee(app.owner, '10');
  const body = { userId: payee.accountId, account: payee.billingId, amount: 6 };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  // The test's own pool has ten connections.
  const holders = Array.from({ length: 10 }, () => app.db.connection().execute(() => released));
  try {
    expect(await client.post('/api/payouts/request', body)).toMatchObject({
      status: 503,
      code: 'unavailable',
      message: messages.tookTooLong,
    });
  } finally {
    release();
    await Promise.all(holders);
  }
  expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('10.000000');
});

describe('the payout states', () => {
  it('pays: posts the net as paid, and retains the fee', async () => {
    const payee = await buildPayee(app.owner, '50');
    const id = await request(payee, 50);
    const [paid, platform] = [await readBalance(app.owner, 'paid'), await readBalance(app.owner, 'platform')];
    expect(await move(id, 'PAID')).toMatchObject({ status: 200, data: { payoutId: id, payoutState: 'PAID' } });
    expect(await readBalance(app.owner, `payout:${id}`)).toBe('0.000000');
    expect(Number(await readBalance(app.owner, 'paid')) - Number(paid)).toBeCloseTo(49.4, 6);
    expect(Number(await readBalance(app.owner, 'platform')) - Number(platform)).toBeCloseTo(0.6, 6);
    expect(await lastEntry('payout.pay')).toMatchObject({
      adminId: client.admin.id,
      entityId: String(id),
      before: { state: 'PENDING', amount: '50.00' },
      after: { state: 'PAID' },
    });
  });

  it('un-pays, cancels, returns and deletes, to the last cent', async () => {
    const payee = await buildPayee(app.owner, '40');
    const account = `account:${payee.accountId}`;
    const start = await readBalance(app.owner, 'paid');
    const ids = [];
    for (let index = 0; index < 4; index += 1) ids.push(await request(payee, 10));
    const [unpaid = 0, cancelled = 0, returned = 0, deleted = 0] = ids;
    for (const id of [unpaid, returned, deleted]) await move(id, 'PAID');

    expect((await move(unpaid, 'PENDING')).status).toBe(200);
    expect(await readBalance(app.owner, `payout:${unpaid}`)).toBe('10.000000');
    expect((await move(unpaid, 'PAID')).status).toBe(200);
    expect((await move(unpaid, 'PENDING')).status).toBe(200);

    expect((await move(cancelled, 'CANCEL')).status).toBe(200);
    expect(await readBalance(app.owner, account)).toBe('10.000000');

    expect(await move(returned, 'CANCEL', 'Compte clôturé')).toMatchObject({ status: 200, meta: undefined });
    expect(await readBalance(app.owner, account)).toBe('20.000000');
    expect(await lastEntry('payout.return')).toMatchObject({
      entityId: String(returned),
      after: { reason: 'Compte clôturé' },
    });

    expect((await client.delete(`/api/payouts/edit/${deleted}`)).status).toBe(200);
    expect((await client.delete(`/api/payouts/edit/${unpaid}`)).status).toBe(200);
    expect(await readBalance(app.owner, account)).toBe('40.000000');
    expect(await readBalance(app.owner, 'paid')).toBe(start);
    expect((await client.get(`/api/payouts/payout/${deleted}`)).status).toBe(404);
    expect(await lastEntry('payout.delete')).toMatchObject({ entityId: String(unpaid), before: { state: 'PENDING' } });
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('refuses moves the table does not list', async () => {
    const payee = await buildPayee(app.owner, '40');
    const id = await request(payee, 10);
    await move(id, 'CANCEL');
    for (const status of ['PAID', 'PENDING'])
      expect(await move(id, status)).toMatchObject({ status: 409, message: payoutMessages.closed });
    expect((await client.delete(`/api/payouts/edit/${id}`)).status).toBe(409);
    expect((await move(id, 'SENT')).errors).toEqual({ status: payoutMessages.status });
    expect((await move(987_654, 'PAID')).status).toBe(404);
  });

  it('changes and journals nothing for the present state', async () => {
    const payee = await buildPayee(app.owner, '40');
    const id = await request(payee, 10);
    for (const status of ['PENDING', 'PAID', 'CANCEL']) {
      await move(id, status, status === 'CANCEL' ? 'Compte clôturé' : undefined);
      const entries = () => sql`SELECT id FROM audit_log ORDER BY id`.execute(app.owner);
      const before = { payout: (await client.get(`/api/payouts/payout/${id}`)).data, entries: await entries() };
      expect(await move(id, status)).toMatchObject({
        status: 200,
        message: payoutMessages.alreadySo,
        data: { payoutId: id, payoutState: status, batchId: null },
      });
      const after = { payout: (await client.get(`/api/payouts/payout/${id}`)).data, entries: await entries() };
      expect(after, status).toEqual(before);
    }
    expect(
      (await (await app.signInWith(['edit_pending_payout'])).put(`/api/payouts/edit/${id}`, { status: 'CANCEL' }))
        .status,
    ).toBe(200);
  });

  it('records a returned payment without a reason, with a warning', async () => {
    const id = await request(await buildPayee(app.owner, '40'), 10);
    await move(id, 'PAID');
    expect(await move(id, 'CANCEL')).toMatchObject({ status: 200, meta: { warnings: [payoutMessages.noReason] } });
    expect(await lastEntry('payout.return')).toMatchObject({
      entityId: String(id),
      after: { warnings: [payoutMessages.noReason] },
    });
  });

  it('pays once for concurrent attempts', async () => {
    const id = await request(await buildPayee(app.owner, '40'), 40);
    const before = Number(await readBalance(app.owner, 'paid'));
    const replies = await Promise.all(Array.from({ length: 12 }, () => move(id, 'PAID')));
    expect(replies.filter(({ message }) => message !== payoutMessages.alreadySo)).toHaveLength(1);
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect((await app.journal('payout.pay')).filter(({ entityId }) => entityId === String(id))).toHaveLength(1);
    expect(Number(await readBalance(app.owner, 'paid')) - before).toBeCloseTo(39.4, 6);
  });

  it('refuses to pay a disabled account, a net of zero, or deleted details', async () => {
    const stopped = await buildPayee(app.owner, '40');
    const small = await request(stopped, 0.61);
    // Such a payout may exist from before these amounts were refused.
    await sql`UPDATE payouts SET fee_eur = amount_eur WHERE id = ${small}`.execute(app.owner);
    expect(await move(small, 'PAID')).toMatchObject({ status: 409, message: payoutMessages.netTooSmall });
    const id = await request(stopped, 10);
    await sql`UPDATE billing_accounts SET deleted_at = now() WHERE id = ${stopped.billingId}`.execute(app.owner);
    expect(await move(id, 'PAID')).toMatchObject({ status: 409, message: payoutMessages.billingDeleted });
    await sql`UPDATE accounts SET state = 'hold' WHERE id = ${stopped.accountId}`.execute(app.owner);
    expect(await move(id, 'PAID')).toMatchObject({ status: 409, message: messages.accountDisabled });
    expect(await stateOf(id)).toBe('pending');
    expect((await move(id, 'CANCEL')).status).toBe(200);
  });

  it('refuses to pay an account whose balance is now negative', async () => {
    const payee = await buildPayee(app.owner, '40');
    const id = await request(payee, 40);
    await credit(app.owner, payee.accountId, '-0.000001');
    expect(await move(id, 'PAID')).toMatchObject({ status: 409, message: payoutMessages.negativeBalance });
    await credit(app.owner, payee.accountId, '0.000001');
    expect((await move(id, 'PAID')).status).toBe(200);
  });

  it('waits 72 hours after a change of details unless two signatures cover them', async () => {
    const payee = await buildPayee(app.owner, '40');
    const id = await request(payee, 10);
    const changer = await app.buildAdmin();
    const signatories = [await app.signInWith(), await app.signInWith()] as const;
    await app.addSignatories(...signatories.map(({ admin }) => admin));
    await changeBilling(app.owner, payee.billingId, changer.id, 71);
    expect((await client.get(`/api/payouts/payout/${id}`)).data).toMatchObject({ isRecentlyChanged: true });
    expect(await move(id, 'PAID')).toMatchObject({ status: 409, message: payoutMessages.recentlyChanged });
    await signAsShown(signatories[0], 'billing', payee.billingId);
    expect((await move(id, 'PAID')).status).toBe(409);
    await signAsShown(signatories[1], 'billing', payee.billingId);
    expect((await move(id, 'PAID')).status).toBe(200);
    const later = await request(payee, 10);
    await changeBilling(app.owner, payee.billingId, changer.id, 73);
    expect((await move(later, 'PAID')).status).toBe(200);
  });

  it('only allows a return once the receipt was downloaded', async () => {
    const id = await request(await buildPayee(app.owner, '40'), 40);
    const download = () => client.put(`/api/payouts/download/${id}`, { download: true });
    expect(await download()).toMatchObject({ status: 409, message: payoutMessages.notPaid });
    expect((await client.get(`/api/payouts/payout/${id}/receipt`)).status).toBe(409);
    await move(id, 'PAID');
    expect((await client.get(`/api/payouts/payout/${id}/receipt`)).data).toMatchObject({
      payoutNet: 39.4,
      account: { owner: 'Awa Diallo' },
      house: { name: 'Régie' },
    });
    expect(await download()).toMatchObject({ status: 200, data: { payoutId: id, payoutDownloaded: 1 } });
    expect(await download()).toMatchObject({ status: 200 });
    expect((await app.journal('payout.download')).filter((entry) => entry.entityId === String(id))).toHaveLength(1);
    expect(await move(id, 'PENDING')).toMatchObject({ status: 409, message: payoutMessages.isDownloaded });
    expect(await client.delete(`/api/payouts/edit/${id}`)).toMatchObject({ status: 409 });
    expect((await move(id, 'CANCEL', 'Compte clôturé')).status).toBe(200);
    expect((await client.put(`/api/payouts/download/${id}`, { download: false })).status).toBe(422);
    const other = await app.signInWith(['edit_pending_payout']);
    expect((await other.put(`/api/payouts/download/${id}`, { download: true })).status).toBe(403);
  });

  it('preserves the beneficiary of a payment when the details change later', async () => {
    const payee = await buildPayee(app.owner, '40');
    const [paid, taken] = [await request(payee, 10), await request(payee, 10)];
    const ibanOf = async (id: number) => {
      const { iban } = (await client.post(`/api/payouts/payout/${id}/reveal`)).data as { iban: string };
      const shown = ((await client.get(`/api/payouts/payout/${id}`)).data as PayoutDetail).account.iban;
      expect(shown).toBe(`••••${iban.slice(-4)}`);
      return iban;
    };
    const before = await ibanOf(paid);
    for (const id of [paid, taken]) await move(id, 'PAID');
    await move(taken, 'PENDING');
    await changeBilling(app.owner, payee.billingId, client.admin.id, 73);
    expect(await ibanOf(paid)).toBe(before);
    expect((await client.get(`/api/payouts/payout/${paid}/receipt`)).data).toMatchObject({ account: { iban: before } });
    const after = await ibanOf(taken);
    expect(after).not.toBe(before);
    await move(taken, 'PAID');
    await move(paid, 'CANCEL', 'Compte clôturé');
    expect([await ibanOf(paid), await ibanOf(taken)]).toEqual([before, after]);
    // Each access to a full number is in the journal, with its last 4 characters.
    for (const action of ['payout.reveal', 'payout.receipt']) {
      const [entry] = (await app.journal(action)).filter((row) => row.entityId === String(paid));
      expect(entry).toMatchObject({ adminId: client.admin.id, after: { destination: `•••• ${before.slice(-4)}` } });
    }
  });

  it('requires the capability of the current state', async () => {
    const payee = await buildPayee(app.owner, '40');
    const [pending, paid] = [await request(payee, 10), await request(payee, 10)];
    await move(paid, 'PAID');
    const onlyPending = await app.signInWith(['edit_pending_payout']);
    const onlyPaid = await app.signInWith(['edit_paid_payout']);
    const neither = await app.signInWith(['read_pending_payout', 'read_paid_payout']);
    expect((await move(pending, 'PAID', undefined, onlyPaid)).status).toBe(403);
    expect((await onlyPaid.delete(`/api/payouts/edit/${pending}`)).status).toBe(403);
    expect((await move(paid, 'PENDING', undefined, onlyPending)).status).toBe(403);
    expect((await onlyPending.delete(`/api/payouts/edit/${paid}`)).status).toBe(403);
    expect((await move(pending, 'PAID', undefined, neither)).status).toBe(403);
    expect((await move(paid, 'PENDING', undefined, onlyPaid)).status).toBe(200);
    expect((await move(pending, 'CANCEL', undefined, onlyPending)).status).toBe(200);
  });

  it('deletes once under one Idempotency-Key, and moves once', async () => {
    const payee = await buildPayee(app.owner, '40');
    const id = await request(payee, 10);
    const key = { 'idempotency-key': 'mouvement-1' };
    const paid = await client.put(`/api/payouts/edit/${id}`, { status: 'PAID' }, key);
    expect(await client.put(`/api/payouts/edit/${id}`, { status: 'PAID' }, key)).toMatchObject({
      status: 200,
      data: paid.data,
    });
    expect((await client.put(`/api/payouts/edit/${id}`, { status: 'PENDING' }, key)).status).toBe(409);
    expect((await client.delete(`/api/payouts/edit/${id}`, key)).status).toBe(200);
    expect((await client.delete(`/api/payouts/edit/${id}`, key)).status).toBe(200);
    expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('40.000000');
  });
});

describe('the payout lists', () => {
  it('show each state, with search, filters and the caller’s rights', { tags: ['slow'] }, async () => {
    const accountId = await buildAccount(app.owner, { lastName: 'Quignard' });
    await credit(app.owner, accountId, '100');
    const bank = await buildBilling(app.owner, accountId);
    const paypal = await buildBilling(app.owner, accountId, { type: 'paypal', email: 'awa@exemple.fr', owner: 'Awa' });
    const ids = [];
    for (const [billingId, amount] of [
      [bank, 10],
      [paypal, 20],
      [bank, 30],
      [paypal, 40],
    ] as const)
      ids.push(await request({ accountId, billingId }, amount));
    const [, paid = 0, cancelled = 0] = ids;
    await move(paid, 'PAID');
    await move(cancelled, 'CANCEL', 'Demande du client');
    const returned = await request({ accountId, billingId: bank }, 0.7);
    await move(returned, 'PAID');
    await move(returned, 'CANCEL', 'Compte clôturé');
    const reopened = await request({ accountId, billingId: bank }, 0.8);
    for (const status of ['PAID', 'PENDING', 'CANCEL']) await move(reopened, status);
    const read = async (url: string) => (await client.get(`/api/payouts/${url}`)).data as Payout[];
    expect((await read('pending?q=quignard')).map((row) => row.payoutId)).toEqual([ids[3], ids[0]]);
    expect((await read('pending?q=quignard&sort=amount&order=asc')).map((row) => row.payoutAmount)).toEqual([10, 40]);
    expect((await read('pending?q=quignard&type=paypal')).map((row) => row.destination)).toEqual(['a•••@exemple.fr']);
    expect(await read(`paid?user=${accountId}`)).toMatchObject([
      {
        payoutId: paid,
        payoutState: 'PAID',
        payoutDownloaded: 0,
        userLname: 'Quignard',
        userIncome: 30,
        type: 'paypal',
        owner: 'Awa',
      },
    ]);
    const given = [
      { payoutId: reopened, payoutState: 'CANCEL', returnedAt: null, cancelReason: null },
      { payoutId: cancelled, payoutState: 'CANCEL', returnedAt: null, cancelReason: 'Demande du client' },
    ];
    const back = { payoutId: returned, payoutState: 'CANCEL', cancelReason: 'Compte clôturé' };
    expect(await read('cancelled?q=Quignard')).toMatchObject([given[0], back, given[1]]);
    expect(await read('cancelled?q=Quignard&returned=false')).toMatchObject(given);
    const [last] = await read('cancelled?q=Quignard&returned=true');
    expect(last).toMatchObject({ ...back, returnedAt: last?.cancelledAt ?? 0 });
    expect((await client.get('/api/payouts/cancelled?returned=oui')).status).toBe(422);
    for (const call of [
      client.get(`/api/payouts/payout/${returned}/receipt`),
      client.put(`/api/payouts/download/${returned}`, { download: true }),
      move(returned, 'PAID'),
      move(returned, 'PENDING'),
      client.delete(`/api/payouts/edit/${returned}`),
    ])
      expect((await call).status).toBe(409);
    const first = await client.get('/api/payouts/pending?q=quignard&limit=1');
    const second = await client.get(`/api/payouts/pending?q=quignard&limit=1&cursor=${first.meta?.nextCursor}`);
    expect((second.data as Payout[]).map((row) => row.payoutId)).toEqual([ids[0]]);
    const reader = await app.signInWith(['read_pending_payout']);
    expect((await reader.get('/api/payouts/pending')).status).toBe(200);
    expect((await reader.get('/api/payouts/paid')).status).toBe(403);
    expect((await reader.get(`/api/payouts/payout/${paid}`)).status).toBe(403);
    const detail = (await client.get(`/api/payouts/payout/${paid}`)).data as PayoutDetail;
    expect(detail.account).toMatchObject({ type: 'paypal', email: 'awa@exemple.fr', holderCity: 'Marseille' });
    expect(detail.paidBy).toMatch(/^Camille Essai/);
  });

  it('show the accounts owed at least 0.10 €, highest first, and request several at once', async () => {
    const ids: number[] = [];
    for (const balance of ['0.09', '0.10', '250.556', '-3', '70', '0.60']) {
      const id = await buildAccount(app.owner, { lastName: 'Zadigacier' });
      await credit(app.owner, id, balance);
      ids.push(id);
    }
    const [poor = 0, small = 0, rich = 0, , stopped = 0, withinFee = 0] = ids;
    const bank = await buildBilling(app.owner, rich);
    await sql`UPDATE accounts SET state = 'hold' WHERE id = ${stopped}`.execute(app.owner);
    const read = async (query: string) =>
      (await client.get(`/api/payouts/unpaid-accounts?q=zadigacier${query}`)).data as UnpaidAccount[];
    expect((await read('')).map((row) => row.id)).toEqual([rich, stopped, withinFee, small]);
    expect(await read('&state=HOLD')).toMatchObject([
      { id: stopped, income: 70, state: 'HOLD', role: 'CUSTOMER', hasBilling: false },
    ]);
    expect((await (await app.signInWith(['manage_profiles'])).get('/api/payouts/unpaid-accounts')).status).toBe(403);
    // The payable part of all balances, whatever the page.
    const page = await client.get('/api/payouts/unpaid-accounts?q=zadigacier&limit=1');
    expect(page.meta).toMatchObject({ total: 4, sums: [{ currency: 'EUR', amount: 321.25 }] });

    expect((await client.get(`/api/payouts/request/${rich}`)).data).toMatchObject({
      available: 250.55,
      fee: 0.6,
      obstacle: null,
      pendingCount: 0,
      accounts: [{ id: bank, type: 'bank' }],
    });
    expect((await client.get(`/api/payouts/request/${withinFee}`)).data).toMatchObject({
      obstacle: payoutMessages.balanceWithinFee('0,60\u00a0€'),
    });
    const key = { 'idempotency-key': 'groupe-1' };
    for (const id of [poor, withinFee]) await buildBilling(app.owner, id);
    const undecided = await buildAccount(app.owner, { lastName: 'Zadigacier' });
    await credit(app.owner, undecided, '0.7');
    for (let i = 0; i < 2; i += 1) await buildBilling(app.owner, undecided);
    // The list already shows why a balance cannot be requested.
    expect((await read('')).map(({ id, obstacle }) => [id, obstacle])).toEqual([
      [rich, null],
      [stopped, messages.accountDisabled],
      [undecided, payoutMessages.severalAccounts],
      [withinFee, payoutMessages.balanceWithinFee('0,60\u00a0€')],
      [small, payoutMessages.noBilling],
    ]);
    const body = { users: [rich, stopped, small, poor, withinFee, undecided] };
    const reply = await client.post('/api/payouts/request-balances', body, key);
    expect(reply).toMatchObject({
      status: 200,
      data: {
        requested: [{ userId: rich, amount: 250.55 }],
        skipped: [
          { userId: poor, reason: payoutMessages.balanceWithinFee('0,60\u00a0€') },
          { userId: small, reason: payoutMessages.noBilling },
          { userId: stopped, reason: messages.accountDisabled },
          { userId: withinFee, reason: payoutMessages.balanceWithinFee('0,60\u00a0€') },
          { userId: undecided, reason: payoutMessages.severalAccounts },
        ],
      },
    });
    expect((await client.post('/api/payouts/request-balances', body, key)).data).toEqual(reply.data);
    expect(await readBalance(app.owner, `account:${rich}`)).toBe('0.006000');
    expect(await lastEntry('payout.request')).toMatchObject({ after: { userId: rich, billingAccountId: bank } });
    expect((await read('')).map((row) => row.id)).toEqual([stopped, undecided, withinFee, small]);
    expect((await client.post('/api/payouts/request-balances', { users: [] })).status).toBe(422);
    const other = await app.signInWith(['read_unpaid_accounts']);
    expect((await other.post('/api/payouts/request-balances', body)).status).toBe(403);
  });
});
