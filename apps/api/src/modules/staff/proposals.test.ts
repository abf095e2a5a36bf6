import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildPayee } from '#test/payouts.ts';

const app = useApp();
let proposer: TestClient & { admin: TestAdmin };
let payer: TestAdmin;
let bookkeeper: TestAdmin;

beforeAll(async () => {
  proposer = await app.signInWith();
  payer = await app.buildAdmin({ capabilities: ['edit_pending_payout'], email: 'payeur@regie.example' });
  bookkeeper = await app.buildAdmin({ capabilities: ['manage_profiles'], email: 'comptable@regie.example' });
  // Has both capabilities, but is dependent on the proposer.
  const dependent = await app.buildAdmin({ email: 'marionnette@regie.example' });
  await app.owner.updateTable('admins').set({ createdBy: proposer.admin.id }).where('id', '=', dependent.id).execute();
});

const mailed = async () =>
  (await app.runJobs()).filter(({ subject }) => subject === 'Une décision vous attend dans Régie');
const bank = {
  ...{ owner: 'Awa', holderAddress: '1 rue', holderCity: 'Lyon', holderCountry: 'France', holderPostcode: '69001' },
  ...{ bankName: 'Banque', bankCountry: 'France', bankAddress: '1 quai', bankCity: 'Lyon', bankZipCode: '69001' },
  ...{ iban: 'FR1420041010050500013M02606', swift: 'PSSTFRPPXXX' },
};

describe('mails the admins who may decide, and nobody else', () => {
  it('about a change of a guarded setting', async () => {
    const { version } = (await proposer.get('/api/settings')).data as { version: string };
    await app.runJobs();
    await proposer.put('/api/settings', { version, payoutApprovalEur: 50_000 });
    const letters = await mailed();
    expect(letters.map(({ to }) => to)).toEqual([payer.email]);
    expect(letters[0]?.text).toContain('Réglages');
    // The same proposal again is not a new one.
    await proposer.put('/api/settings', { version, payoutApprovalEur: 50_000 });
    expect(await mailed()).toEqual([]);
  });

  it('about a pending adjustment, not one applied at once', async () => {
    const { accountId } = await buildPayee(app.owner, '1');
    const form = { fname: 'Awa', lname: 'www.voleur.fr', country: 'France', reason: 'Geste' };
    await app.runJobs();
    await proposer.put(`/api/profile/${accountId}/profile`, { ...form, income: 2 });
    expect(await mailed()).toEqual([]);
    await proposer.put(`/api/profile/${accountId}/profile`, { ...form, income: 9000 });
    const letters = await mailed();
    expect(letters.map(({ to }) => to)).toEqual([bookkeeper.email]);
    expect(letters[0]?.text).toContain('www. voleur. fr');
    expect(letters[0]?.text).toContain('8\u00a0998,00\u00a0€');
  });

  it('about an added or changed destination', async () => {
    const { accountId, billingId } = await buildPayee(app.owner, '1');
    await app.runJobs();
    await proposer.post(`/api/profile/${accountId}/billing/bank`, bank);
    expect((await mailed()).map(({ to }) => to)).toEqual([bookkeeper.email]);
    await proposer.put(`/api/billing/${billingId}/bank`, bank);
    const letters = await mailed();
    expect(letters.map(({ to }) => to)).toEqual([bookkeeper.email]);
    expect(letters[0]?.text).toContain('2606');
    expect(letters[0]?.text).not.toContain(bank.iban);
  });
});
