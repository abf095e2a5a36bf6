import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { BatchDetail, Everyone } from '@regie/contract/routes/payouts.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildBilling, buildPayee, changeBilling, credit, readBalance } from '#test/payouts.ts';

const app = useApp();
let client: TestClient;
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
const ours = (leftOut: Everyone['leftOut']) =>
  new Map(leftOut.map(({ userId, reason }) => [userId, reason])) as ReadonlyMap<number, string>;

const balanceOf = async (payee: keyof typeof payees) =>
  Number(await readBalance(app.db, `account:${payees[payee].accountId}`));

describe('paying everyone', () => {
  it('lists who is paid and who is not, and why, without any effect', async () => {
    const found = await look();
    expect(found).toMatchObject({ batchId: null, netEur: 188.9, hasWarnings: false });
    expect(found.rows).toMatchObject([
      { userId: payees.waiting.accountId, payoutId: expect.any(Number), payoutAmount: 40, problems: [] },
      { userId: payees.rich.accountId, payoutId: null, payoutAmount: 150.1, problems: [] },
    ]);
    const reasons = ours(found.leftOut);
    const amounts = new Map(found.leftOut.map(({ userId, amountEur }) => [userId, amountEur]));
    const { held, changed, poor } = payees;
    expect([held, changed, poor].map(({ accountId }) => amounts.get(accountId))).toEqual([20, 30, 0.5]);
    expect(reasons.get(payees.held.accountId)).toBe(messages.accountDisabled);
    expect(reasons.get(payees.changed.accountId)).toBe('Coordonnées modifiées récemment');
    expect(reasons.get(payees.poor.accountId)).toContain('ne couvre pas les frais');
    expect(await balanceOf('rich')).toBe(150.109);
    expect((await look()).version).toBe(found.version);
  });

  it('marks both payouts of an account with a pending payout and a balance, whatever the destination', async () => {
    const { accountId } = payees.waiting;
    const [paid] = (await look()).rows.filter(({ userId }) => userId === accountId);
    expect((await client.put(`/api/payouts/edit/${paid?.payoutId}`, { status: 'PAID' })).status).toBe(200);
    await credit(app.owner, accountId, '25');
    const other = await buildBilling(app.db, accountId);
    await client.post('/api/payouts/request', { userId: accountId, account: other, amount: 10 });
    const both = (await look()).rows.filter(({ userId }) => userId === accountId);
    expect(both).toMatchObject([
      { payoutId: expect.any(Number), payoutAmount: 10 },
      { payoutId: null, payoutAmount: 15 },
    ]);
    for (const { problems } of both) expect(problems).toContain('duplicate_beneficiary');
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
    const { version } = await look();
    const replies = await Promise.all([pay(version), pay(version, other), pay(version)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await balanceOf('rich')).toBe(0.009);
    expect(await verifyLedger(app.db, app.deps.lines)).toEqual([]);
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
