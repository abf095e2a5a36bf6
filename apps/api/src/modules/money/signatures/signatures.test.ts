import type { PayoutDetail } from '@regie/contract/routes/payouts.ts';
import type { Signable, SignableDetail } from '@regie/contract/routes/signatures.ts';
import { type SignatureSubject, signatureMessages } from '@regie/contract/signatures.ts';
import { monthToMs } from '@regie/values/month.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { buildTrack } from '#test/factories.ts';
import { buildPayee, buildUnsignedPayee, credit, readBalance, signDetails } from '#test/payouts.ts';

const app = useApp();
type Person = TestClient & { admin: TestAdmin };
let camille: Person;
let hovig: Person;
let julien: Person;

/** A house of three signatories who have signed and paid nothing. */
beforeEach(async () => {
  await app.owner.deleteFrom('signatures').execute();
  await app.owner.deleteFrom('signedParts').execute();
  await app.owner.deleteFrom('payoutMoves').execute();
  await app.owner.deleteFrom('proposals').execute();
  await app.owner.deleteFrom('signatories').execute();
  [camille, hovig, julien] = [await app.signInWith(), await app.signInWith(), await app.signInWith()];
  await app.addSignatories(camille.admin, hovig.admin, julien.admin);
});

type Payee = { accountId: number; billingId: number };
async function request({ accountId, billingId }: Payee, amount: number, by: TestClient = camille): Promise<number> {
  const reply = await by.post('/api/payouts/request', { userId: accountId, account: billingId, amount });
  expect(reply).toMatchObject({ status: 200 });
  return (reply.data as { payoutId: number }).payoutId;
}
const pay = (id: number, by: TestClient = camille) => by.put(`/api/payouts/edit/${id}`, { status: 'PAID' });
const listed = async (by: TestClient) =>
  ((await by.get('/api/signatures')).data as { items: Signable[] }).items.map(({ subject, id }) => `${subject} ${id}`);
const shown = async (by: TestClient, subject: SignatureSubject, id: string | number) =>
  (await by.get(`/api/signatures/${subject}/${id}`)).data as SignableDetail | null;
const payout = async (id: number, by: TestClient = camille) => ({
  ...((await by.get(`/api/payouts/payout/${id}`)).data as PayoutDetail),
  signing: (await shown(by, 'payout', id))?.signing,
});

describe('a payout of unsigned money', () => {
  it('to a new account is paid within the limit without signature, and then listed to be signed', {
    tags: ['slow'],
  }, async () => {
    const payee = await buildUnsignedPayee(app.owner, '25');
    const id = await request(payee, 10);
    expect(await payout(id)).toMatchObject({ unsignedEur: 10, isNewDestination: true, needsSignatures: false });
    // Signing is possible, and the page shows the origin of its unsigned money.
    expect(await shown(hovig, 'payout', id)).toMatchObject({
      unsignedEur: 10,
      origins: [{ amountEur: 10 }],
      signing: { reasons: ['offered'] },
    });
    // A credit after its request is not what it pays.
    const { origins } = (await shown(hovig, 'payout', id)) ?? {};
    await credit(app.owner, payee.accountId, '7');
    expect((await shown(hovig, 'payout', id))?.origins).toEqual(origins);
    expect(await listed(hovig)).toEqual([]);
    expect(await pay(id)).toMatchObject({ status: 200 });
    expect(await listed(hovig)).toEqual(['payments all']);
    expect(await shown(hovig, 'payments', 'all')).toMatchObject({
      amountEur: 10,
      payments: [
        { amountEur: 10, unsignedEur: 10, isNewDestination: true, note: expect.stringMatching(/^•••• \d{4}$/) },
      ],
      // Of the 25 € that nobody signed, what is paid.
      origins: [{ label: expect.stringMatching(/^Régularisation/), amountEur: 10 }],
      signing: { needed: 2, reasons: ['offered'], canSign: true, signers: [expect.any(String), expect.any(String)] },
    });
    expect(await signAsShown(hovig, 'payments', 'all')).toMatchObject({ status: 200, data: { isComplete: true } });
    expect(await listed(hovig)).toEqual([]);
    // A payment made before signatures were recorded has nothing to sign.
    await app.owner.deleteFrom('payoutMoves').execute();
    expect(await shown(hovig, 'payout', id)).toBeNull();
  });

  it('above the limit waits for a second signatory, whichever admin pays', async () => {
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 900);
    expect(await payout(id)).toMatchObject({
      needsSignatures: true,
      signing: { needed: 2, reasons: ['unsigned', 'destination'], signatures: [], canSign: true },
    });
    expect(await pay(id)).toMatchObject({ status: 409, message: signatureMessages.missing(1) });
    expect(await signAsShown(hovig, 'payout', id)).toMatchObject({ status: 200, data: { isComplete: false } });
    expect(await signAsShown(hovig, 'payout', id)).toMatchObject({ status: 409, message: signatureMessages.signed });
    // Hovig's own payment is not a second signature.
    expect(await pay(id, hovig)).toMatchObject({ status: 409 });
    expect(await pay(id)).toMatchObject({ status: 200 });
    expect(await readBalance(app.owner, `payout:${id}`)).toBe('0.000000');
    expect(await listed(julien)).toEqual([]);
    // Its page tells who signed it.
    expect(await shown(julien, 'payout', id)).toMatchObject({
      amountEur: 900,
      signing: { end: 'done', signatures: [{ isOwn: false }, { isOwn: false }], canSign: false, signers: [] },
    });
    expect(await signAsShown(julien, 'payout', id)).toMatchObject({ status: 409, message: signatureMessages.nothing });
  });

  it('is paid by an admin who is no signatory once two have signed', async () => {
    const clerk = await app.signInWith(['edit_pending_payout', 'read_pending_payout']);
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 900);
    await signAsShown(hovig, 'payout', id);
    expect(await pay(id, clerk)).toMatchObject({ status: 409 });
    expect(await payout(id)).toMatchObject({ needsSignatures: true });
    await signAsShown(julien, 'payout', id);
    expect(await payout(id)).toMatchObject({ needsSignatures: false });
    expect(await pay(id, clerk)).toMatchObject({ status: 200 });
  });

  it('adds to all earlier unsigned payouts of the house, including undone ones', async () => {
    const first = await request(await buildUnsignedPayee(app.owner, '400'), 400);
    expect(await pay(first)).toMatchObject({ status: 200 });
    await camille.put(`/api/payouts/edit/${first}`, { status: 'PENDING' });
    const second = await request(await buildUnsignedPayee(app.owner, '200'), 101);
    expect(await pay(second)).toMatchObject({ status: 409 });
    await camille.delete(`/api/payouts/edit/${second}`);
    const third = await request(await buildUnsignedPayee(app.owner, '200'), 100);
    expect(await pay(third)).toMatchObject({ status: 200 });
  });
});

describe('signed money', () => {
  it('is credited by a signed import, and is paid without further signatures', { tags: ['slow'] }, async () => {
    const payee = await buildUnsignedPayee(app.owner, '0');
    await signDetails(app.owner, payee.billingId);
    const { isrc } = await buildTrack(app.db, payee.accountId);
    const month = monthToMs('2025-03');
    const rows = [{ isrc, numOfStreams: 1, incomeOfStreams: 2825 }];
    const { importId } = (await camille.post(`/api/reporting/csv?date=${month}`, rows)).data as { importId: number };
    const id = await request(payee, 2000);
    expect(await payout(id)).toMatchObject({ unsignedEur: 2000, isNewDestination: false, needsSignatures: true });
    expect(await shown(hovig, 'month', '2025-03')).toMatchObject({
      amountEur: 2000,
      credits: [{ userId: payee.accountId, amountEur: 2000 }],
      // Posting signed it.
      signing: { signatures: [{ name: expect.stringContaining('Camille') }], reasons: ['offered'] },
    });
    expect(await signAsShown(hovig, 'import', importId)).toMatchObject({ status: 200, data: { isComplete: true } });
    expect(await payout(id)).toMatchObject({ unsignedEur: 0, needsSignatures: false });
    expect(await pay(id)).toMatchObject({ status: 200 });
    // The payment used it up: what comes back is unsigned.
    await camille.put(`/api/payouts/edit/${id}`, { status: 'CANCEL', reason: 'Compte clos' });
    expect(await payout(await request(payee, 2000))).toMatchObject({ unsignedEur: 2000, needsSignatures: true });
    expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
  });

  it('excludes the amount paid under signatures before its import was signed', async () => {
    const payee = await buildUnsignedPayee(app.owner, '0');
    await signDetails(app.owner, payee.billingId);
    const { isrc } = await buildTrack(app.db, payee.accountId);
    const send = async (month: string, usd: number) =>
      (
        (await camille.post(`/api/reporting/csv?date=${monthToMs(month)}`, [{ isrc, incomeOfStreams: usd }])).data as {
          importId: number;
        }
      ).importId;
    const first = await send('2025-03', 1412.5);
    const paid = await request(payee, 1000);
    await signAsShown(hovig, 'payout', paid);
    await pay(paid);
    await signAsShown(hovig, 'import', first);
    await send('2025-04', 1412.5);
    expect(await payout(await request(payee, 1000))).toMatchObject({ unsignedEur: 1000 });
  });
});

describe('changed details', () => {
  it('are signed together with a payment to them, which is then not blocked', async () => {
    const payee = await buildPayee(app.owner, '9000');
    const changed = { iban: 'FR7630006000011234567890189', changedAt: new Date() };
    await app.owner.updateTable('billingAccounts').set(changed).where('id', '=', payee.billingId).execute();
    const id = await request(payee, 900);
    expect(await shown(hovig, 'payout', id)).toMatchObject({ signing: { reasons: ['destination', 'billing'] } });
    await signAsShown(hovig, 'payout', id);
    expect(await pay(id)).toMatchObject({ status: 409, message: expect.stringContaining('72') });
    expect(await signAsShown(julien, 'payout', id)).toMatchObject({ status: 200 });
    expect(await shown(camille, 'billing', payee.billingId)).toMatchObject({ signing: { end: 'done' } });
    expect(await pay(id)).toMatchObject({ status: 200 });
  });

  it('show the whole destination, and whether it was paid to or signed before', async () => {
    const { accountId, billingId } = await buildPayee(app.owner, '900');
    await app.owner
      .updateTable('billingAccounts')
      .set({ iban: 'FR7630006000011234567890189', bankAddress: '2, place du Marché', changedAt: new Date() })
      .where('id', '=', billingId)
      .execute();
    expect(await shown(hovig, 'billing', billingId)).toMatchObject({
      label: expect.stringMatching(/•••• 0189$/),
      payments: [
        { userId: accountId, amountEur: 900, note: expect.stringMatching(/^•••• 0189/), isNewDestination: true },
      ],
    });
    expect(JSON.stringify(await shown(hovig, 'billing', billingId))).not.toContain('FR7630006000011234567890189');
  });
});

describe('a batch', () => {
  it('is signed at once, with a signature for each payout', { tags: ['slow'] }, async () => {
    const payees = [];
    for (let index = 0; index < 3; index += 1) payees.push(await buildUnsignedPayee(app.owner, '2000'));
    const ids = [];
    for (const payee of payees) ids.push(await request(payee, 2000));
    const { id } = (await camille.post('/api/payouts/batches', { payouts: ids, confirmWarnings: true })).data as {
      id: number;
    };
    const batch = async () => shown(camille, 'batch', id);
    expect(await batch()).toMatchObject({ signing: { reasons: ['unsigned', 'destination'], signatures: [] } });
    await signAsShown(hovig, 'batch', id);
    expect(await batch()).toMatchObject({ signing: { signatures: [{ name: expect.any(String), isOwn: false }] } });
    await camille.delete(`/api/payouts/edit/${ids[0]}`);
    expect(await batch()).toMatchObject({ payments: [{}, {}], signing: { signatures: [{ isOwn: false }] } });
    // Its payouts may be signed by different pairs.
    await signAsShown(camille, 'payout', ids[1] ?? 0);
    await signAsShown(julien, 'payout', ids[2] ?? 0);
    expect(await batch()).toMatchObject({
      signing: { count: 2, canSign: false, former: [{ isPart: true }, { isPart: true }] },
    });
    await app.owner
      .insertInto('settings')
      .values({
        key: 'house',
        value: JSON.stringify({ name: 'Maison', iban: 'FR1420041010050500013M02606', bic: 'PSSTFRPPXXX' }),
      })
      .execute();
    expect(await camille.post(`/api/payouts/batches/${id}/export`)).toMatchObject({ status: 200 });
    expect((await camille.get(`/api/payouts/batches/${id}`)).data).toMatchObject({
      state: 'exported',
      sepaSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await listed(julien)).not.toContain('payments all');
    expect(await batch()).toMatchObject({ signing: { end: 'done', signatures: [{}, {}, {}] } });
  });
});

describe('a house with one signatory', () => {
  it('needs one signature, which is marked as the only one', async () => {
    await app.owner.deleteFrom('signatories').where('adminId', 'in', [hovig.admin.id, julien.admin.id]).execute();
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 900);
    expect(await payout(id)).toMatchObject({ signing: { needed: 1 } });
    expect(await pay(id, hovig)).toMatchObject({ status: 409 });
    expect(await pay(id)).toMatchObject({ status: 200 });
    const rows = await app.owner.selectFrom('signatures').select('isSole').where('subjectId', '=', id).execute();
    expect(rows).toEqual([{ isSole: true }]);
  });

  it('refuses payments that need a signature once it has no signatory', async () => {
    await app.owner.deleteFrom('signatories').execute();
    const id = await request(await buildUnsignedPayee(app.owner, '9000'), 900);
    expect(await pay(id)).toMatchObject({ status: 409, message: signatureMessages.nobody });
    const signed = await request(await buildPayee(app.owner, '900'), 900);
    expect(await pay(signed)).toMatchObject({ status: 200 });
  });
});

describe('payments of 24 hours without signature', () => {
  it('may reach the limit; a payment above it waits for signatures', async () => {
    expect(await pay(await request(await buildPayee(app.owner, '9900'), 9900))).toMatchObject({ status: 200 });
    const id = await request(await buildPayee(app.owner, '101'), 101);
    expect(await payout(id)).toMatchObject({ unsignedEur: 0, signing: { reasons: ['amount'] } });
    expect(await pay(id)).toMatchObject({ status: 409 });
    await signAsShown(hovig, 'payout', id);
    expect(await pay(id)).toMatchObject({ status: 200 });
  });
});

describe('a signature of a record that changed afterwards', () => {
  it('is shown as a former signature, and does not count', async () => {
    const payee = await buildUnsignedPayee(app.owner, '9000');
    const id = await request(payee, 900);
    await signAsShown(hovig, 'payout', id);
    const changed = { iban: 'FR7630006000011234567890189' };
    await app.owner.updateTable('billingAccounts').set(changed).where('id', '=', payee.billingId).execute();
    expect((await payout(id)).signing).toMatchObject({
      count: 0,
      signatures: [],
      former: [{ isOwn: false, isPart: false }],
    });
    expect((await payout(id)).signing?.signers).toHaveLength(3);
  });
});

describe('a proposed change that ended', () => {
  it('shows at its URL that it was signed or dropped', async () => {
    const propose = async (unsignedEur: number) => {
      const { version } = (await camille.get('/api/settings')).data as { version: string };
      await camille.put('/api/settings', { version, unsignedEur });
      return ((await camille.get('/api/settings')).data as { proposals: number[] }).proposals[0] ?? 0;
    };
    const signed = await propose(600);
    expect(await signAsShown(hovig, 'proposal', signed)).toMatchObject({ data: { isComplete: true } });
    expect(await shown(julien, 'proposal', signed)).toMatchObject({ signing: { end: 'done', signatures: [{}, {}] } });
    const dropped = await propose(700);
    await camille.delete(`/api/signatures/proposal/${dropped}`);
    expect(await shown(julien, 'proposal', dropped)).toMatchObject({ signing: { end: 'dropped', signatures: [] } });
    expect(await camille.delete(`/api/signatures/proposal/${dropped}`)).toMatchObject({ status: 409 });
  });
});
