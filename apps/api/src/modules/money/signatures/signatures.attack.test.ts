// @module-tag slow
import { getCapability } from '@regie/contract/capabilities.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Reply, type TestAdmin, type TestClient, testPassword, tokenIn, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { addTotp } from '#test/factors.ts';
import { buildBilling, buildUnsignedPayee, credit, signDetails, signMoney } from '#test/payouts.ts';
import { buildStatement } from '#test/statements.ts';

/**
 * Attacks by one person with every right (product §39.17). Each ends with no more paid without two signatures than
 * `unsignedEur`.
 */
const app = useApp();
type Person = TestClient & { admin: TestAdmin };
const newPassword = 'neuf curseurs verts';
const unsignedEur = 500;
let mallory: Person;
let others: Person[];

const reset = async () => {
  for (const table of ['signatures', 'signedParts', 'payoutMoves', 'proposals', 'signatories'] as const) {
    await app.owner.deleteFrom(table).execute();
  }
};

/** A house of this many signatories, Mallory among them. */
async function house(size: number): Promise<void> {
  await reset();
  mallory = await app.signInWith();
  others = [];
  for (let index = 1; index < size; index += 1) others.push(await app.signInWith());
  if (size > 0) await app.addSignatories(...[mallory, ...others].map(({ admin }) => admin));
}

beforeEach(() => house(3));

interface Payee {
  accountId: number;
  billingId: number;
}
const other = () => others[0] as Person;
const request = async ({ accountId, billingId }: Payee, amount: number, by: TestClient = mallory) => {
  const reply = await by.post('/api/payouts/request', { userId: accountId, account: billingId, amount });
  return (reply.data as { payoutId: number }).payoutId;
};
const pay = (id: number, by: TestClient = mallory) => by.put(`/api/payouts/edit/${id}`, { status: 'PAID' });
/** Requests and pays; the answer of the payment. */
const payOut = async (payee: Payee, amount: number, by: TestClient = mallory) =>
  pay(await request(payee, amount, by), by);
const steal = async (amount: number, by: TestClient = mallory) =>
  payOut(await buildUnsignedPayee(app.owner, String(amount)), amount, by);
const report = async (month: string, rows: object[], by: TestClient = mallory) =>
  ((await by.post(`/api/reporting/csv?date=${monthToMs(month)}`, rows)).data as { importId: number }).importId;

/** EUR that left the house without two signatures. */
async function leaked(): Promise<number> {
  const { rows } = await sql<{ eur: string }>`
    SELECT coalesce(sum(amount_eur), 0) AS eur FROM payout_moves WHERE signed_at IS NULL`.execute(app.owner);
  return Number(rows[0]?.eur);
}
const expectRefused = (reply: Reply) => expect(reply).toMatchObject({ status: 409 });
const expectSafe = async () => expect(await leaked()).toBeLessThanOrEqual(unsignedEur);

const edit = ({ admin }: { admin: TestAdmin }, change: object, by: TestClient = mallory) =>
  by.put(`/api/manage-admins/admin/${admin.id}`, {
    ...{ fname: 'Camille', lname: 'Essai', email: admin.email },
    capabilities: admin.capabilities.map((name) => getCapability(name).id),
    ...change,
  });

describe('the access of signatories', () => {
  it.each([1, 2, 3, 5])('cannot be taken over by one signatory of %i', async (size) => {
    await house(size);
    for (const victim of others) {
      const email = `vole${victim.admin.id}@regie.example`;
      const replies = [
        await edit(victim, { email }),
        await edit(victim, { password: newPassword }),
        await mallory.post(`/api/manage-admins/admin/${victim.admin.id}/factor-lift`),
        await mallory.delete(`/api/manage-admins/admin/${victim.admin.id}`),
      ];
      // A change that is accepted only waits for signatures.
      expect(
        replies.filter(({ status, message }) => status === 200 && !message.includes(signatureMessages.waits)),
      ).toEqual([]);
      await edit(victim, { capabilities: [] });
      expect(await app.signIn(victim.admin)).toBeDefined();
      const asVictim = app.signIn({ ...victim.admin, email });
      await expect(asVictim).rejects.toThrow('sign-in refused');
    }
    const reply = await steal(50_000);
    if (size === 1) {
      // One person alone: the signature says so, and home warns of it.
      expect(reply).toMatchObject({ status: 200 });
      return;
    }
    expectRefused(reply);
    await expectSafe();
  });

  it('changes with two signatures of other signatories, not of its owner', async () => {
    await house(4);
    const [victim, second] = others as [Person, Person];
    const email = `nouveau${victim.admin.id}@regie.example`;
    // The name stays, so that nothing changes but what is proposed.
    const lname = `Essai ${/\d+/.exec(victim.admin.email)?.[0]}`;
    expect(await edit(victim, { email, lname, password: newPassword })).toMatchObject({
      status: 200,
      message: signatureMessages.waits,
    });
    expect((await app.journal('admin.propose_access')).at(-1)).toMatchObject({
      before: { email: victim.admin.email },
      after: { email, passwordChanged: true },
    });
    const edits = (await app.journal('admin.edit')).map(({ entityId }) => entityId);
    expect(edits).not.toContain(String(victim.admin.id));
    await app.signIn(victim.admin);
    const waiting = await app.owner.selectFrom('proposals').select('id').where('endedAt', 'is', null).execute();
    const id = waiting[0]?.id ?? 0;
    expect(await signAsShown(victim, 'proposal', id)).toMatchObject({ status: 403 });
    expect(await signAsShown(second, 'proposal', id)).toMatchObject({ status: 200, data: { isComplete: true } });
    await expect(app.signIn(victim.admin)).rejects.toThrow();
    await app.signIn({ ...victim.admin, email }, newPassword);
  });

  it('a reset by mail is refused to a signatory without a factor, and otherwise requires the factor', async () => {
    const victim = other();
    const ask = async () => {
      const visitor = await app.visitor();
      await visitor.post('/api/auth/reset_password/request', { email: victim.admin.email });
      return tokenIn((await app.runJobs()).find(({ text }) => text.includes('/reset-password-action?')));
    };
    const act = async (token: string, more: object = {}) =>
      (await app.visitor()).post('/api/auth/reset_password/action', {
        ...{ token, password: newPassword, password_confirmation: newPassword },
        ...more,
      });
    const find = async (token: string) =>
      (await (await app.visitor()).get(`/api/auth/reset_password/action?token=${token}`)).data;
    const first = await ask();
    expect(await find(first)).toEqual({ needs: 'others' });
    expect(await act(first)).toMatchObject({ status: 403, message: signatureMessages.resetRefused });
    const { recoveryCodes } = await addTotp(victim);
    const token = await ask();
    expect(await find(token)).toEqual({ needs: 'code' });
    expect(await act(token)).toMatchObject({ status: 422, errors: { code: signatureMessages.resetFactor } });
    expect(await act(token, { code: 'aaaaaa-bbbbbb-cccccc-dddddd' })).toMatchObject({ status: 422 });
    expect(await act(token, { code: recoveryCodes[0] })).toMatchObject({ status: 200 });
  });

  it('an admin whose e-mail was changed, then deleted and erased, cannot sign', async () => {
    const clerk = { admin: await app.buildAdmin() };
    await edit(clerk, { email: 'marionnette@regie.example', password: newPassword });
    const puppet = Object.assign(
      await app.signIn({ ...clerk.admin, email: 'marionnette@regie.example' }, newPassword),
      clerk,
    );
    const payee = await buildUnsignedPayee(app.owner, '50000');
    const id = await request(payee, 50_000, puppet);
    expect(await signAsShown(puppet, 'payout', id)).toMatchObject({ status: 403 });
    await mallory.delete(`/api/manage-admins/admin/${clerk.admin.id}`);
    await mallory.post(`/api/manage-admins/admin/${clerk.admin.id}/erasure`, {});
    expectRefused(await pay(id));
    await expectSafe();
  });

  it('deleting seven admins and adding them again does not change the signatories', async () => {
    for (let index = 0; index < 7; index += 1) {
      const admin = await app.buildAdmin();
      await mallory.delete(`/api/manage-admins/admin/${admin.id}`);
      await mallory.post('/api/manage-admins/admin', {
        ...{ fname: 'Camille', lname: 'Bis', email: `bis${admin.id}@regie.example`, password: newPassword },
        capabilities: [],
      });
    }
    expectRefused(await steal(70_000));
    await expectSafe();
  });

  it('a proposed signatory needs a second signature; two signatories become one only on the server', async () => {
    const puppet = await app.signInWith();
    const proposed = await mallory.post(`/api/manage-admins/admin/${puppet.admin.id}/signatory`);
    expect(proposed).toMatchObject({ status: 200, data: { isDone: false } });
    const { id } = await app.owner
      .selectFrom('proposals')
      .select('id')
      .where('endedAt', 'is', null)
      .executeTakeFirstOrThrow();
    expect(await signAsShown(puppet, 'proposal', id)).toMatchObject({ status: 403 });
    const payout = await request(await buildUnsignedPayee(app.owner, '9000'), 9000);
    expect(await signAsShown(puppet, 'payout', payout)).toMatchObject({ status: 403 });
    expectRefused(await pay(payout));

    await house(2);
    expect(await mallory.delete(`/api/manage-admins/admin/${other().admin.id}/signatory`)).toMatchObject({
      status: 409,
      message: signatureMessages.lastOnServer,
    });
    await expectSafe();
  });

  it('an admin with every right who is no signatory does not sign by paying', async () => {
    const boss = await app.signInWith();
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 9000, boss);
    await signAsShown(other(), 'payout', id);
    expectRefused(await pay(id, boss));
    await expectSafe();
  });
});

describe('signatures of payments', () => {
  it('do not cover later income', async () => {
    const payee = await buildUnsignedPayee(app.owner, '10');
    const id = await request(payee, 10);
    await signAsShown(other(), 'payout', id);
    const { isrc } = await buildTrack(app.db, payee.accountId);
    await report('2025-03', [{ isrc, incomeOfStreams: 70_625 }]);
    expect(await pay(id)).toMatchObject({ status: 200 });
    expectRefused(await payOut(payee, 40_000));
    await expectSafe();
  });

  it('count once: a returned or reopened payment needs new signatures', async () => {
    for (const status of ['CANCEL', 'PENDING']) {
      await house(3);
      const payee = await buildUnsignedPayee(app.owner, '9000');
      const id = await request(payee, 9000);
      await signAsShown(other(), 'payout', id);
      expect(await pay(id)).toMatchObject({ status: 200 });
      await mallory.put(`/api/payouts/edit/${id}`, { status, reason: 'Retour' });
      expectRefused(status === 'CANCEL' ? await payOut(payee, 9000) : await pay(id));
      await expectSafe();
    }
  });

  it('small payments to many accounts by several admins stay within the limit', async () => {
    const puppets = [mallory];
    for (let index = 0; index < 2; index += 1) puppets.push(await app.signInWith());
    for (let index = 0; index < 12; index += 1) {
      await steal(499, puppets[index % puppets.length]);
      await sql`UPDATE payout_moves SET at = at - interval '1 day'`.execute(app.owner);
    }
    await expectSafe();
  });

  it('a payment of one euro, or a payment for another account, does not sign a destination', async () => {
    const victim = await buildAccount(app.db);
    await credit(app.owner, victim, '9000');
    await signMoney(app.owner, victim, '9000');
    const billingId = await buildBilling(app.owner, victim);
    expect(await payOut({ accountId: victim, billingId }, 1)).toMatchObject({ status: 200 });
    expectRefused(await payOut({ accountId: victim, billingId }, 4000));
    const { iban } = await app.owner
      .selectFrom('billingAccounts')
      .select('iban')
      .where('id', '=', billingId)
      .executeTakeFirstOrThrow();
    const accomplice = await buildUnsignedPayee(app.owner, '800', { iban });
    const id = await request(accomplice, 800);
    await signAsShown(other(), 'payout', id);
    expect(await pay(id)).toMatchObject({ status: 200 });
    expectRefused(await payOut({ accountId: victim, billingId }, 4500));
    await expectSafe();
  });

  it('of a deleted payment do not sign its destination', async () => {
    const payee = await buildUnsignedPayee(app.owner, '2000');
    await signMoney(app.owner, payee.accountId, '2000');
    const id = await request(payee, 1000);
    await signAsShown(other(), 'payout', id);
    expect(await pay(id)).toMatchObject({ status: 200 });
    await mallory.delete(`/api/payouts/edit/${id}`);
    expectRefused(await payOut(payee, 900));
    await expectSafe();
  });

  it('of a batch do not count in another batch with its payout', async () => {
    const [first, second] = [await buildUnsignedPayee(app.owner, '2000'), await buildUnsignedPayee(app.owner, '3000')];
    const ids = [await request(first, 2000), await request(second, 3000)];
    const { id } = (await mallory.post('/api/payouts/batches', { payouts: [ids[0]], confirmWarnings: true })).data as {
      id: number;
    };
    await signAsShown(other(), 'batch', id);
    await mallory.delete(`/api/payouts/batches/${id}`);
    const next = (await mallory.post('/api/payouts/batches', { payouts: ids, confirmWarnings: true })).data as {
      id: number;
    };
    await sql`INSERT INTO settings (key, value) VALUES ('house', '{"name":"M","iban":"FR1420041010050500013M02606","bic":"PSSTFRPPXXX"}')
              ON CONFLICT DO NOTHING`.execute(app.owner);
    expectRefused(await mallory.post(`/api/payouts/batches/${next.id}/export`));
    await expectSafe();
  });

  it('of a removed signatory do not count', async () => {
    await house(4);
    const [leaver] = others as [Person];
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 9000);
    await signAsShown(leaver, 'payout', id);
    await app.owner
      .updateTable('signatories')
      .set({ removedAt: new Date() })
      .where('adminId', '=', leaver.admin.id)
      .execute();
    expectRefused(await pay(id));
    await expectSafe();
  });

  it('do not cover details that changed afterwards', async () => {
    const payee = await buildUnsignedPayee(app.owner, '9000');
    const id = await request(payee, 9000);
    await signAsShown(other(), 'payout', id);
    await app.owner
      .updateTable('billingAccounts')
      .set({ iban: 'FR7630006000011234567890189' })
      .where('id', '=', payee.billingId)
      .execute();
    expectRefused(await pay(id));
    await expectSafe();
  });

  it('two simultaneous payments of 400 € do not both pass', async () => {
    const ids = [];
    for (let index = 0; index < 2; index += 1) ids.push(await request(await buildUnsignedPayee(app.owner, '400'), 400));
    const replies = await Promise.all(ids.map((id) => pay(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    await expectSafe();
  });

  it('two simultaneous signatures of one person count once', async () => {
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 9000);
    const again = await app.signIn(other().admin);
    await Promise.all([signAsShown(other(), 'payout', id), signAsShown(again, 'payout', id)]);
    const clerk = await app.signInWith();
    expectRefused(await pay(id, clerk));
    await expectSafe();
  });
});

describe('signatures of imports', () => {
  const withTrack = async () => {
    const payee = await buildUnsignedPayee(app.owner, '0');
    await signDetails(app.owner, payee.billingId);
    return { ...payee, ...(await buildTrack(app.db, payee.accountId)) };
  };

  it('do not cover later batches of the file', async () => {
    const payee = await withTrack();
    const url = `/api/reporting/csv?date=${monthToMs('2025-03')}&import=fichier-signe`;
    const { importId } = (await mallory.post(`${url}&batch=0`, [{ isrc: payee.isrc, incomeOfStreams: 113 }])).data as {
      importId: number;
    };
    expect(await signAsShown(other(), 'import', importId)).toMatchObject({ data: { isComplete: true } });
    await mallory.post(`${url}&batch=1`, [{ isrc: payee.isrc, incomeOfStreams: 56_500 }]);
    expectRefused(await payOut(payee, 40_000));
    await expectSafe();
  });

  it('do not cover later postings of the month', async () => {
    const payee = await withTrack();
    await report('2025-04', [{ isrc: payee.isrc, incomeOfStreams: 113 }]);
    expect(await signAsShown(other(), 'month', '2025-04')).toMatchObject({ data: { isComplete: true } });
    await report('2025-04', [{ isrc: payee.isrc, incomeOfStreams: 56_501 }]);
    expectRefused(await payOut(payee, 40_000));
    await expectSafe();
  });

  it('do not cover income posted after their import is reversed', async () => {
    const payee = await withTrack();
    const importId = await report('2025-05', [{ isrc: payee.isrc, incomeOfStreams: 56_500 }]);
    await signAsShown(other(), 'import', importId);
    await mallory.post(`/api/imports/${importId}/reverse`, {});
    await report('2025-06', [{ isrc: payee.isrc, incomeOfStreams: 56_500 }]);
    expectRefused(await payOut(payee, 40_000));
    await expectSafe();
  });

  it('a statement validated by one admin and posted by another needs a second signature', async () => {
    const payee = await withTrack();
    await buildStatement(
      { owner: app.owner, ownerUrl: app.database.ownerUrl },
      [{ isrc: payee.isrc, month: '2024-05', amount: '3030.72' }],
      { isChecked: true },
    );
    const colleague = await app.signInWith();
    expect(await colleague.post('/api/reporting/automatic', { fromDate: monthToMs('2024-05') })).toMatchObject({
      status: 200,
    });
    expectRefused(await payOut(payee, 2000));
    await expectSafe();
  });

  it('income by a percentage, a referral, an ISRC, a rate or a reversed debit is unsigned', async () => {
    const payee = await withTrack();
    await report('2025-07', [{ isrc: payee.isrc, incomeOfStreams: 5650 }]);
    expectRefused(await payOut(payee, 3000));
    const referrer = await buildUnsignedPayee(app.owner, '0');
    await signDetails(app.owner, referrer.billingId);
    await mallory.post('/api/referrals/add', {
      referrerId: referrer.accountId,
      referredId: payee.accountId,
      percentile: 100,
    });
    await mallory.put('/api/exchange-rates', {
      month: monthToMs('2025-08'),
      currency: 'USD',
      rate: 0.01,
      confirmFar: true,
    });
    await report('2025-08', [{ isrc: payee.isrc, incomeOfStreams: 113 }]);
    expectRefused(await payOut(referrer, 5000));
    const debit = await report('2025-09', [{ isrc: payee.isrc, incomeOfStreams: -5650 }]);
    await mallory.post(`/api/imports/${debit}/reverse`, {});
    expectRefused(await payOut(payee, 2000));
    await expectSafe();
  });
});

describe('an installation without signatories', () => {
  it('has no signatures either after an upgrade or a restore', async () => {
    const payee = await buildUnsignedPayee(app.owner, '9000');
    await signMoney(app.owner, payee.accountId, '9000');
    await signDetails(app.owner, payee.billingId);
    const id = await request(payee, 2000);
    await signAsShown(other(), 'payout', id);
    const { rows } = await sql<{
      eur: string;
    }>`SELECT eur FROM signed_money(ARRAY[${payee.accountId}::bigint])`.execute(app.owner);
    expect(Number(rows[0]?.eur)).toBe(9000);
    await sql`SELECT forget_signatures()`.execute(app.owner);
    const after = await sql<{ eur: string }>`SELECT eur FROM signed_money(ARRAY[${payee.accountId}::bigint])`.execute(
      app.owner,
    );
    expect(Number(after.rows[0]?.eur)).toBe(0);
    expect(await pay(id)).toMatchObject({ status: 409, message: signatureMessages.nobody });
    await app.addSignatories(mallory.admin, other().admin);
    expectRefused(await pay(id));
    await expectSafe();
  });

  it('refuses a payment above the limit to any admin', async () => {
    await sql`SELECT forget_signatures()`.execute(app.owner);
    expectRefused(await steal(50_000));
    await expectSafe();
  });
});

describe('guarded settings', () => {
  it('wait for a second signature', async () => {
    const { version } = (await mallory.get('/api/settings')).data as { version: string };
    const reply = await mallory.put('/api/settings', { version, unsignedEur: 5000, payoutApprovalEur: 1_000_000 });
    expect(reply).toMatchObject({
      status: 200,
      data: {
        settings: { unsignedEur, payoutApprovalEur: 10_000 },
        proposals: [expect.any(Number), expect.any(Number)],
      },
    });
    expectRefused(await steal(3000));
    const { proposals } = reply.data as { proposals: number[] };
    for (const id of proposals) {
      expect(await signAsShown(other(), 'proposal', id)).toMatchObject({ data: { isComplete: true } });
    }
    expect(await steal(3000)).toMatchObject({ status: 200 });
  });

  it('an adjustment above the limit waits, and signing needs a recent sign-in or the password', async () => {
    const accountId = await buildAccount(app.db);
    const profile = (await mallory.get(`/api/profile/${accountId}/profile`)).data as object;
    const reply = await mallory.put(`/api/profile/${accountId}/profile`, {
      ...profile,
      income: 50_000,
      reason: 'Avance',
    });
    expect(reply).toMatchObject({ status: 200, data: { income: 0, pendingAdjustment: { amountEur: 50_000 } } });
    const { id } = (reply.data as { pendingAdjustment: { id: number } }).pendingAdjustment;
    await sql`UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE admin_id = ${other().admin.id}`.execute(
      app.owner,
    );
    expect(await signAsShown(other(), 'proposal', id)).toMatchObject({
      status: 422,
      errors: { password: signatureMessages.proof },
    });
    expect(await signAsShown(other(), 'proposal', id, { password: 'faux' })).toMatchObject({ status: 422 });
    expect(await signAsShown(other(), 'proposal', id, { password: testPassword })).toMatchObject({ status: 200 });
    expect((await mallory.get(`/api/profile/${accountId}/profile`)).data).toMatchObject({ income: 50_000 });
  });
});
