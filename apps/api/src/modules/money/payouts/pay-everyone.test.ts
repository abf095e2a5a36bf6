import { messages } from '@regie/contract/messages.ts';
import { formatPayoutNumber, payoutMessages } from '@regie/contract/payouts.ts';
import type { BatchDetail, Everyone, Payout } from '@regie/contract/routes/payouts.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { buildBilling, buildPayee, buildUnsignedPayee, changeBilling, credit, readBalance } from '#test/payouts.ts';

const app = useApp();
let client: Awaited<ReturnType<typeof app.signInWith>>;
let payees: Record<'rich' | 'waiting' | 'changed' | 'held' | 'poor', { accountId: number; billingId: number }>;

beforeEach(async () => {
  client = await app.signInWith();
  // Nobody of another test is owed anything.
  await app.owner.updateTable('accounts').set({ state: 'disabled' }).execute();
  const former = await app.owner.selectFrom('payouts').select('id').where('state', '=', 'pending').execute();
  for (const { id } of former) await client.call('DELETE', `/api/payouts/payout/${id}`, {});
  payees = {
    rich: await buildPayee(app.owner, '150.109'),
    waiting: await buildPayee(app.owner, '40'),
    changed: await buildPayee(app.owner, '30'),
    held: await buildPayee(app.owner, '20'),
    poor: await buildPayee(app.owner, '0.50'),
  };
  const { waiting, changed, held } = payees;
  await client.post('/api/payouts/request', { userId: waiting.accountId, account: waiting.billingId, amount: 40 });
  await changeBilling(app.owner, changed.billingId, (await app.signInWith()).admin.id);
  await app.owner.updateTable('accounts').set({ state: 'hold' }).where('id', '=', held.accountId).execute();
});

const look = async () => (await client.post('/api/payouts/pay-everyone', { dryRun: true })).data as Everyone;
const pay = (version: string, by = client) => by.post('/api/payouts/pay-everyone', { version, confirmWarnings: true });
const reasonsOf = (leftOut: Everyone['leftOut']) =>
  new Map(leftOut.map(({ userId, reason }) => [userId, reason])) as ReadonlyMap<number, string>;

const payoutsOf = async (userId: number, state: 'pending' | 'cancelled') =>
  (await client.get(`/api/payouts/${state}?user=${userId}`)).data as Payout[];

const actionsOf = async (payoutId: number) =>
  (
    await app.owner
      .selectFrom('auditLog')
      .select('action')
      .where('entity', '=', 'payout')
      .where('entityId', '=', String(payoutId))
      .orderBy('id')
      .execute()
  ).map(({ action }) => action);

const balanceOf = async (payee: keyof typeof payees) =>
  Number(await readBalance(app.db, `account:${payees[payee].accountId}`));

describe('paying everyone', () => {
  it('lists who is paid and who is not, and why, without any effect', async () => {
    const found = await look();
    expect(found).toMatchObject({ batchId: null, netEur: 188.9, hasWarnings: false, signatureReasons: [] });
    expect(found.rows).toMatchObject([
      { userId: payees.rich.accountId, payoutId: null, payoutAmount: 150.1, problems: [] },
      { userId: payees.waiting.accountId, payoutId: expect.any(Number), payoutAmount: 40, problems: [] },
    ]);
    const reasons = reasonsOf(found.leftOut);
    const amounts = new Map(found.leftOut.map(({ userId, amountEur }) => [userId, amountEur]));
    const { held, changed, poor } = payees;
    expect([held, changed, poor].map(({ accountId }) => amounts.get(accountId))).toEqual([20, 30, 0.5]);
    expect(reasons.get(payees.held.accountId)).toBe(messages.accountDisabled);
    expect(reasons.get(payees.changed.accountId)).toBe('Coordonnées modifiées récemment');
    expect(reasons.get(payees.poor.accountId)).toContain('ne couvre pas les frais');
    expect(await balanceOf('rich')).toBe(150.109);
    expect((await look()).version).toBe(found.version);
  });

  it('replaces a pending payout to the destination of the balance: one payout, one fee', async () => {
    const { accountId } = payees.waiting;
    await credit(app.owner, accountId, '25.30');
    const { version, rows } = await look();
    const row = rows.find(({ userId }) => userId === accountId);
    const [former = 0] = row?.replaces ?? [];
    expect(row).toMatchObject({ payoutId: null, payoutAmount: 65.3, payoutNet: 64.7, problems: [], apart: null });
    const { batchId } = (await pay(version)).data as Everyone;
    const payout = (await payoutsOf(accountId, 'pending')).at(0);
    expect(payout).toMatchObject({ payoutAmount: 65.3, payoutFee: 0.6, batchId });
    expect(await payoutsOf(accountId, 'cancelled')).toMatchObject([
      { payoutId: former, cancelReason: payoutMessages.replaced(formatPayoutNumber(payout?.payoutId ?? 0)) },
    ]);
    expect(await balanceOf('waiting')).toBe(0);
    expect(await actionsOf(former)).toEqual(['payout.request', 'payout.cancel']);
    expect(await actionsOf(payout?.payoutId ?? 0)).toEqual(['payout.request']);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('adds a balance within the fee to a pending payout, and joins two pending ones to one destination', async () => {
    await credit(app.owner, payees.waiting.accountId, '0.45');
    const { accountId: userId, billingId: account } = payees.rich;
    for (const amount of [100, 50.1]) await client.post('/api/payouts/request', { userId, account, amount });
    const { rows, version } = await look();
    expect(rows).toMatchObject([
      { userId, payoutAmount: 150.1, replaces: [expect.any(Number), expect.any(Number)] },
      { payoutAmount: 40.45, replaces: [expect.any(Number)] },
    ]);
    expect(await pay(version)).toMatchObject({ status: 200, data: { netEur: 189.35 } });
    expect(await balanceOf('rich')).toBe(0.009);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('leaves signed payouts, batched ones and other destinations apart, and says why', async () => {
    const { accountId: userId, billingId: account } = await buildUnsignedPayee(app.owner, '635');
    const ours = async () => (await look()).rows.filter((row) => row.userId === userId);
    const request = async (amount: number, to = account) =>
      (await client.post('/api/payouts/request', { userId, account: to, amount })).data as { payoutId: number };
    const { payoutId: paid } = await request(10);
    expect((await client.put(`/api/payouts/edit/${paid}`, { status: 'PAID' })).status).toBe(200);
    const { payoutId } = await request(600);
    expect(await look()).toMatchObject({ needSignatures: 1, signatureReasons: ['unsigned', 'destination'] });
    const signatory = await app.signInWith();
    await app.addSignatories(signatory.admin);
    expect(await signAsShown(signatory, 'payout', payoutId)).toMatchObject({ status: 200 });
    const both = await ours();
    expect(both).toMatchObject([
      { payoutId, payoutAmount: 600, apart: 'signed', replaces: [] },
      { payoutId: null, payoutAmount: 25, apart: 'signed', replaces: [] },
    ]);
    for (const { problems } of both) expect(problems).toContain('duplicate_beneficiary');

    const form = { payouts: [payoutId], confirmWarnings: true };
    const { id } = (await client.post('/api/payouts/batches', form)).data as { id: number };
    expect(await ours()).toMatchObject([{ payoutAmount: 25, apart: 'batch', apartBatchId: id, problems: [] }]);

    await request(10, await buildBilling(app.db, userId));
    expect(await ours()).toMatchObject([
      { payoutAmount: 15, apart: 'batch', replaces: [] },
      { payoutAmount: 10, apart: 'destination' },
    ]);
    const { version } = await look();
    expect(await pay(version)).toMatchObject({ status: 200 });
    expect(await payoutsOf(userId, 'pending')).toHaveLength(3);
  });

  it('says what differs from the last payout: never paid, three times as much, another destination', async () => {
    const { accountId: userId } = payees.waiting;
    const changes = async () => (await look()).rows.find((row) => row.userId === userId);
    expect(await changes()).toMatchObject({ changes: ['first_payment'], lastEur: null });
    const payoutId = (await changes())?.payoutId;
    expect((await client.put(`/api/payouts/edit/${payoutId}`, { status: 'PAID' })).status).toBe(200);
    await credit(app.owner, userId, '119.99');
    expect(await changes()).toMatchObject({ payoutAmount: 119.99, changes: [], lastEur: 40 });
    await credit(app.owner, userId, '0.01');
    expect(await changes()).toMatchObject({ changes: ['much_more'] });
    await changeBilling(app.owner, payees.waiting.billingId, client.admin.id, 80);
    expect(await changes()).toMatchObject({ changes: ['new_destination', 'much_more'] });
  });

  it('requests the balances and puts them into one batch with the pending payouts', async () => {
    const { version } = await look();
    const reply = await pay(version);
    expect(reply).toMatchObject({ status: 200, message: 'Le lot est créé' });
    const { batchId } = reply.data as Everyone;
    expect((await client.get(`/api/payouts/batches/${batchId}`)).data as BatchDetail).toMatchObject({
      count: 2,
      netEur: 188.9,
      state: 'draft',
    });
    expect(await balanceOf('rich')).toBe(0.009);
    expect(await balanceOf('changed')).toBe(30);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
    expect((await look()).rows).toEqual([]);
    expect(await pay((await look()).version)).toMatchObject({ status: 422 });
  });

  it('has no effect once a balance differs from the one shown', async () => {
    const { version } = await look();
    await credit(app.owner, payees.rich.accountId, '1');
    expect(await pay(version)).toMatchObject({ status: 409, message: payoutMessages.everyoneChanged });
    expect(await balanceOf('rich')).toBe(151.109);
  });

  it('has no effect once a destination differs from the one shown', async () => {
    const { version } = await look();
    await app.owner
      .updateTable('billingAccounts')
      .set({ iban: 'FR7630006000011234567890189' })
      .where('id', '=', payees.rich.billingId)
      .execute();
    expect(await pay(version)).toMatchObject({ status: 409, message: payoutMessages.everyoneChanged });
    expect(await balanceOf('rich')).toBe(150.109);
  });

  it('pays once when two people do it at the same time', async () => {
    const other = await app.signInWith();
    await credit(app.owner, payees.waiting.accountId, '5');
    const { version } = await look();
    const replies = await Promise.all([pay(version), pay(version, other), pay(version)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await balanceOf('rich')).toBe(0.009);
    expect(await payoutsOf(payees.waiting.accountId, 'cancelled')).toHaveLength(1);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
  });

  it('is refused without the right to change pending payouts', async () => {
    const reader = await app.signInWith(['read_pending_payout', 'read_unpaid_accounts', 'edit_paid_payout']);
    expect(await pay((await look()).version, reader)).toMatchObject({ status: 403 });
    expect(await balanceOf('rich')).toBe(150.109);
  });

  it('pays once when the button is pressed twice', async () => {
    const { version } = await look();
    const press = () =>
      client.post('/api/payouts/pay-everyone', { version, confirmWarnings: true }, { 'idempotency-key': key });
    const key = crypto.randomUUID();
    const [first, second] = await Promise.all([press(), press()]);
    expect(first).toMatchObject({ status: 200 });
    expect(second.data).toEqual(first.data);
    expect(await payoutsOf(payees.rich.accountId, 'pending')).toHaveLength(1);
  });

  it('requires the warnings to be confirmed', async () => {
    await credit(app.owner, payees.rich.accountId, '6000');
    const { version } = await look();
    expect(await client.post('/api/payouts/pay-everyone', { version })).toMatchObject({
      status: 422,
      errors: { confirmWarnings: payoutMessages.batchWarned },
    });
    expect(await balanceOf('rich')).toBe(6150.109);
  });
});
