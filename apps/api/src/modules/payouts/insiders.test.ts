import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { BatchDetail, Payout, PayoutDetail, Preflight, RequestOptions } from '@regie/contract/routes/payouts.ts';
import type { SettingProposal } from '@regie/contract/routes/settings.ts';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { vouchOnServer } from '#src/modules/staff/vouching.service.ts';
import { type TestAdmin, type TestClient, type TestMail, testPassword, useApp } from '#test/app.ts';
import { actAsShown, postMonthAsShown, vouchAsShown } from '#test/as-shown.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';
import { addTotp } from '#test/factors.ts';
import { buildBilling, buildPayee, credit, readBalance } from '#test/payouts.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
type Staff = TestClient & { admin: TestAdmin };
/** Three admins who are independent of each other. */
let insider: Staff;
let second: Staff;
let third: Staff;
const refused = { status: 409, message: payoutMessages.approvalMissing };
const refusedConfirmation = { status: 403, message: messages.billingOwnChange };

beforeAll(async () => {
  [insider, second, third] = [await app.signInWith(), await app.signInWith(), await app.signInWith()];
});

const bank = (iban: string, bankCountry = 'France') => ({
  owner: 'Awa Diallo',
  holderAddress: '12 rue de la Loge',
  holderCity: 'Marseille',
  holderCountry: 'France',
  holderPostcode: '13002',
  bankName: 'Banque du Port',
  bankCountry,
  bankAddress: '1 quai du Port',
  bankCity: 'Marseille',
  bankZipCode: '13002',
  iban,
  swift: bankCountry === 'France' ? 'PSSTFRPPXXX' : 'COBADEFFXXX',
});
const otherIban = 'DE89370400440532013000';

async function request(userId: number, account: number, amount: number, by: TestClient = insider): Promise<number> {
  const reply = await by.post('/api/payouts/request', { userId, account, amount });
  if (reply.status !== 200) throw new Error(`request refused: ${reply.status} ${reply.message}`);
  return (reply.data as { payoutId: number }).payoutId;
}
/** The house can export bank files. */
async function setHouseBank(): Promise<void> {
  await app.owner
    .insertInto('settings')
    .values({
      key: 'house',
      value: JSON.stringify({ ...defaultSettings.house, iban: 'FR7630006000011234567890189', bic: 'AGRIFRPP' }),
    })
    .onConflict((existing) => existing.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute();
}
/** Why a second admin is due when this admin pays. */
const causesFor = async (by: TestClient, id: number) =>
  ((await by.get(`/api/payouts/payout/${id}`)).data as PayoutDetail).approvalCauses;
const pay = (id: number, by: TestClient) => by.put(`/api/payouts/edit/${id}`, { status: 'PAID' });
const approve = (id: number, by: TestClient) => actAsShown(by, `/api/payouts/payout/${id}`, 'approve');
const readPayout = async (id: number) => (await insider.get(`/api/payouts/payout/${id}`)).data as Payout;
const addBank = async (accountId: number, iban: string, by: TestClient = insider) => {
  const reply = await by.post(
    `/api/profile/${accountId}/billing/bank`,
    bank(iban, iban.startsWith('DE') ? 'Allemagne' : 'France'),
  );
  if (reply.status !== 200) throw new Error(`bank refused: ${reply.status} ${JSON.stringify(reply.errors)}`);
  return (reply.data as { id: number }).id;
};

/** An admin with all rights, added by another one long ago. */
async function buildDependentAdmin(by: Staff, name: string): Promise<Staff> {
  const admins = (await by.get('/api/manage-admins')).data as { capabilities: { id: number }[] };
  const email = `${name}@regie.example`;
  const reply = await by.post('/api/manage-admins/admin', {
    fname: 'Double',
    lname: name,
    email,
    password: testPassword,
    capabilities: admins.capabilities.map(({ id }) => id),
  });
  const { id } = reply.data as { id: number };
  await sql`UPDATE admins SET created_at = created_at - interval '30 days' WHERE id = ${id}`.execute(app.owner);
  const admin = { id, email, capabilities: [] };
  return Object.assign(await app.signIn(admin), { admin });
}
const adminRow = async (id: number, by: TestClient) =>
  ((await by.get('/api/manage-admins?limit=500')).data as { admins: Admin[] }).admins.find((admin) => admin.id === id);

const lettersToCustomer = (letters: readonly TestMail[]) =>
  letters.filter(({ to }) => to.endsWith('@exemple.fr')).map(({ to, subject }) => [to, subject]);

describe('a customer paid three times to one account', () => {
  let userId: number;
  let usual: number;
  beforeAll(async () => {
    userId = await buildAccount(app.owner, { lastName: 'Ravel' });
    await app.owner.updateTable('accounts').set({ email: 'ravel@exemple.fr' }).where('id', '=', userId).execute();
    await credit(app.owner, userId, '500');
    usual = await buildBilling(app.owner, userId);
    for (let time = 0; time < 3; time++) {
      const id = await request(userId, usual, 50, second);
      expect((await pay(id, second)).status).toBe(200);
    }
  });

  it('is not paid to an account that an insider adds, and is told about it', async () => {
    await app.runJobs();
    const added = await addBank(userId, otherIban);
    expect(lettersToCustomer(await app.runJobs())).toEqual([
      ['ravel@exemple.fr', 'Vos coordonnées de paiement ont changé'],
    ]);
    // A deleted small payout does not make an account the usual one.
    const bait = await request(userId, added, 0.61);
    expect(await readPayout(bait)).toMatchObject({ isRecentlyChanged: true });
    expect((await insider.delete(`/api/payouts/edit/${bait}`)).status).toBe(200);
    const options = (await insider.get(`/api/payouts/request/${userId}`)).data as RequestOptions;
    expect(options.accounts[0]).toMatchObject({ id: usual, isRecentlyChanged: false });
    const { data } = await insider.post('/api/payouts/request-balances', { users: [userId] });
    const [{ payoutId } = { payoutId: 0 }] = (data as { requested: { payoutId: number }[] }).requested;
    const paidTo = await app.owner
      .selectFrom('payouts')
      .select('billingAccountId')
      .where('id', '=', payoutId)
      .executeTakeFirst();
    expect(paidTo).toEqual({ billingAccountId: usual });
    await insider.delete(`/api/payouts/edit/${payoutId}`);

    const toAdded = await request(userId, added, 100);
    const found = (await insider.post('/api/payouts/batches/preflight', { payouts: [toAdded] })).data as Preflight;
    expect(found.rows[0]?.problems).toEqual(expect.arrayContaining(['recently_changed', 'never_paid']));
    expect(await pay(toAdded, insider)).toMatchObject({ status: 409, message: payoutMessages.recentlyChanged });
    expect(await actAsShown(insider, `/api/billing/${added}`, 'confirm')).toMatchObject(refusedConfirmation);
    // After the waiting period, the admin who added the account cannot pay to it alone.
    await sql`UPDATE billing_accounts SET changed_at = changed_at - interval '73 hours' WHERE id = ${added}`.execute(
      app.owner,
    );
    expect(await pay(toAdded, insider)).toMatchObject(refused);
    expect(await causesFor(insider, toAdded)).toEqual(['billing']);
    expect((await approve(toAdded, second)).status).toBe(200);
    expect((await pay(toAdded, insider)).status).toBe(200);
  });

  it('is told at the former e-mail address when an insider changes the address first', async () => {
    const { fname, lname, country } = (await insider.get(`/api/profile/${userId}/profile`)).data as Profile;
    const form = { fname, lname, country: country ?? 'France', email: 'voleur@exemple.fr' };
    expect((await insider.put(`/api/profile/${userId}/profile`, form)).status).toBe(200);
    await app.runJobs();
    await addBank(userId, 'FR7630006000011234567890189');
    const recipients = lettersToCustomer(await app.runJobs()).map(([to]) => to);
    expect(recipients.sort()).toEqual(['ravel@exemple.fr', 'voleur@exemple.fr']);
  });
});

it('does not count a returned payment when choosing the usual account', async () => {
  const { accountId, billingId } = await buildPayee(app.owner, '300');
  const paid = await request(accountId, billingId, 50, second);
  await pay(paid, second);
  const other = await buildBilling(app.owner, accountId);
  const returned = await request(accountId, other, 50, second);
  expect((await pay(returned, second)).status).toBe(200);
  await second.put(`/api/payouts/edit/${returned}`, { status: 'CANCEL', reason: 'Compte clôturé' });
  const options = (await insider.get(`/api/payouts/request/${accountId}`)).data as RequestOptions;
  expect(options.accounts[0]).toMatchObject({ id: billingId });
});

it('has to choose between several accounts that were never paid', async () => {
  const { accountId } = await buildPayee(app.owner, '300');
  await buildBilling(app.owner, accountId, { type: 'paypal' });
  expect((await insider.post('/api/payouts/request-balances', { users: [accountId] })).data).toMatchObject({
    requested: [],
    skipped: [{ userId: accountId, reason: payoutMessages.severalAccounts }],
  });
});

describe('two accounts of one person', () => {
  it('do not count as two people, whichever of them acts', async () => {
    const dependent = await buildDependentAdmin(insider, 'marionnette');
    const { accountId, billingId } = await buildPayee(app.owner, '300000');
    const refusedApproval = { status: 403, message: payoutMessages.approverDepends };
    for (const [mover, approver] of [
      [insider, dependent],
      [dependent, insider],
    ] as const) {
      const id = await request(accountId, billingId, 20_000, mover);
      expect(await approve(id, approver)).toMatchObject(refusedApproval);
      expect(await pay(id, mover)).toMatchObject(refused);
      expect((await approve(id, second)).status).toBe(200);
      // It does not replace the approval in force either.
      expect(await approve(id, approver)).toMatchObject(refusedApproval);
      expect((await pay(id, mover)).status).toBe(200);
    }
    const batched = await request(accountId, billingId, 20_000);
    const made = await dependent.post('/api/payouts/batches', { payouts: [batched], confirmWarnings: true });
    const { id: batch } = made.data as { id: number };
    expect(await actAsShown(insider, `/api/payouts/batches/${batch}`, 'approve')).toMatchObject({ status: 403 });
    expect((await actAsShown(second, `/api/payouts/batches/${batch}`, 'approve')).status).toBe(200);
  });

  it('do not approve for each other when a third admin created both', async () => {
    const [left, right] = [await buildDependentAdmin(insider, 'gauche'), await buildDependentAdmin(insider, 'droite')];
    const deep = await buildDependentAdmin(left, 'profonde');
    const { accountId, billingId } = await buildPayee(app.owner, '300000');
    const id = await request(accountId, billingId, 20_000);
    for (const [mover, approver] of [
      [left, right],
      [right, left],
      [deep, right],
      [right, deep],
    ] as const) {
      await approve(id, approver);
      expect(await pay(id, mover)).toMatchObject(refused);
    }
  });

  it('cannot confirm bank details, adjustments or settings for each other', async () => {
    const dependent = await buildDependentAdmin(insider, 'complice');
    const { accountId } = await buildPayee(app.owner, '300');
    const added = await addBank(accountId, otherIban, dependent);
    expect(await actAsShown(insider, `/api/billing/${added}`, 'confirm')).toMatchObject(refusedConfirmation);
    expect((await actAsShown(second, `/api/billing/${added}`, 'confirm')).status).toBe(200);

    await adjust(accountId, 900, dependent);
    expect(await insider.post(`/api/profile/${accountId}/adjustment/approve`, { amountEur: 600 })).toMatchObject({
      status: 403,
      message: payoutMessages.approverDepends,
    });

    const { version } = (await dependent.get('/api/settings')).data as { version: string };
    await dependent.put('/api/settings', { version, payoutHouseApprovalEur: 1_000_000, adjustmentApprovalEur: null });
    for (const [key, value] of [
      ['payoutHouseApprovalEur', 1_000_000],
      ['adjustmentApprovalEur', null],
    ] as const) {
      const url = `/api/settings/proposals/${key}`;
      expect(await insider.post(`${url}/approve`, { value })).toMatchObject({ status: 403 });
      expect((await insider.delete(url)).status).toBe(200);
    }
  });
});

describe('an admin who was added', () => {
  it('is independent of their creator once a third admin vouches, and everybody is notified', async () => {
    await app.runJobs();
    const colleague = await buildDependentAdmin(insider, 'collegue');
    expect(
      (await app.runJobs()).filter(({ subject }) => subject === 'Un nouvel administrateur').map(({ to }) => to),
    ).toEqual(expect.arrayContaining([insider.admin.email, second.admin.email, third.admin.email]));
    const { accountId, billingId } = await buildPayee(app.owner, '100000');
    const id = await request(accountId, billingId, 20_000);
    expect((await approve(id, colleague)).status).toBe(403);
    expect(await pay(id, insider)).toMatchObject(refused);

    expect(await adminRow(colleague.admin.id, insider)).toMatchObject({
      canVouch: false,
      dependsOn: ['Camille Essai 1'],
    });
    const vouch = (by: Staff) => vouchAsShown(by, colleague.admin.id);
    for (const by of [insider, colleague, await buildDependentAdmin(insider, 'autre')]) {
      expect(await vouch(by)).toMatchObject({ status: 403 });
    }
    expect(await adminRow(colleague.admin.id, second)).toMatchObject({ canVouch: true });
    expect((await vouch(second)).status).toBe(200);
    expect(await adminRow(colleague.admin.id, second)).toMatchObject({ canVouch: false, dependsOn: [] });
    expect(await vouch(second)).toMatchObject({ status: 409 });
    expect((await app.runJobs()).filter(({ text }) => text.includes('se porte garant')).length).toBeGreaterThan(2);
    expect((await approve(id, colleague)).status).toBe(200);
    expect((await pay(id, insider)).status).toBe(200);

    // An admin who sets the password afterwards can act as that admin again.
    const edit = {
      fname: 'Double',
      lname: 'collegue',
      email: colleague.admin.email,
      password: 'une autre clé de dix mots',
    };
    const { capabilities } = (await insider.get('/api/manage-admins')).data as { capabilities: { id: number }[] };
    const rights = { ...edit, capabilities: capabilities.map((one) => one.id) };
    expect((await insider.put(`/api/manage-admins/admin/${colleague.admin.id}`, rights)).status).toBe(200);
    const again = await request(accountId, billingId, 20_000);
    const signedIn = await app.signIn(colleague.admin, 'une autre clé de dix mots');
    expect((await approve(again, signedIn)).status).toBe(403);
    expect(await pay(again, insider)).toMatchObject(refused);
    await vouchOnServer(app.owner, colleague.admin.email);
    expect((await approve(again, signedIn)).status).toBe(200);
    expect((await pay(again, insider)).status).toBe(200);
  });

  it('cannot approve anything during the first seven days', async () => {
    const newcomer = await buildDependentAdmin(insider, 'nouvelle');
    await vouchOnServer(app.owner, newcomer.admin.email);
    const age = (days: number) =>
      sql`UPDATE admins SET created_at = now() - make_interval(days => ${days}) WHERE id = ${newcomer.admin.id}`.execute(
        app.owner,
      );
    await age(6);
    const { accountId, billingId } = await buildPayee(app.owner, '100000');
    const id = await request(accountId, billingId, 20_000);
    expect((await approve(id, newcomer)).status).toBe(403);
    expect(await pay(id, insider)).toMatchObject(refused);
    await age(8);
    expect((await approve(id, newcomer)).status).toBe(200);
    expect((await pay(id, insider)).status).toBe(200);
  });
});

const adjust = (id: number, income: number, by: TestClient, reason: string | null = 'Geste commercial') =>
  by.put(`/api/profile/${id}/profile`, { fname: 'Awa', lname: 'Diallo', country: 'France', income, reason });

describe('money credited by one admin', () => {
  // Ignore earlier moves, so that no limit applies.
  beforeEach(async () => {
    await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
  });

  it('needs a second person above the setting, at once or in parts', async () => {
    const created = await insider.post('/api/profile/new', {
      fname: 'Awa',
      lname: 'Diallo',
      country: 'France',
      income: 9999.99,
      reason: 'Reprise',
    });
    const { id } = created.data as { id: number };
    const profile = (await insider.get(`/api/profile/${id}/profile`)).data as Profile;
    expect(profile).toMatchObject({
      income: 0,
      pendingAdjustment: { amountEur: 9999.99, reason: 'Reprise', proposedBy: 'Camille Essai 1', canApprove: false },
    });
    const url = `/api/profile/${id}/adjustment`;
    expect(await insider.post(`${url}/approve`, { amountEur: 9999.99 })).toMatchObject({ status: 403 });
    expect((await second.post(`${url}/approve`, { amountEur: 1 })).status).toBe(409);
    expect((await second.post(`${url}/approve`, { amountEur: 9999.99 })).status).toBe(200);
    expect(await readBalance(app.owner, `account:${id}`)).toBe('9999.990000');
    expect((await second.post(`${url}/approve`, { amountEur: 9999.99 })).status).toBe(404);
    // The admin who made the account and its money cannot pay it alone; two others review it.
    const billing = await addBank(id, otherIban);
    const payout = await request(id, billing, 100);
    expect(await pay(payout, insider)).toMatchObject(refused);
    expect((await approve(payout, third)).status).toBe(200);
    expect((await pay(payout, insider)).status).toBe(200);

    const { accountId } = await buildPayee(app.owner, '0.01');
    for (const income of [200, 400, 500]) expect((await adjust(accountId, income, insider)).status).toBe(200);
    expect(await readBalance(app.owner, `account:${accountId}`)).toBe('500.000000');
    expect((await adjust(accountId, 501, insider)).status).toBe(200);
    expect(await readBalance(app.owner, `account:${accountId}`)).toBe('500.000000');
    expect((await insider.delete(`/api/profile/${accountId}/adjustment`)).status).toBe(200);
    expect((await insider.delete(`/api/profile/${accountId}/adjustment`)).status).toBe(404);
  });

  it('cannot be paid by the same admin alone after an adjustment, a manual report or a CSV file', async () => {
    const adjusted = await buildPayee(app.owner, '0.01');
    await adjust(adjusted.accountId, 300, insider);
    const one = await request(adjusted.accountId, adjusted.billingId, 300);
    expect(await pay(one, insider)).toMatchObject(refused);
    expect(await causesFor(insider, one)).toEqual(['balance']);
    expect(await causesFor(second, one)).toEqual([]);
    expect((await pay(one, second)).status).toBe(200);

    const reported = await buildPayee(app.owner, '0.01');
    const { id: trackId } = await buildTrack(app.owner, reported.accountId);
    const report = await insider.post('/api/reporting/create', {
      trackId,
      userId: reported.accountId,
      fromDate: monthToMs('2025-01'),
      numOfStreams: 1,
      incomeOfStreams: 2000,
      numOfDownloads: 0,
      incomeOfDownloads: 0,
      numOfYoutube: 0,
      incomeOfYoutube: 0,
    });
    expect(report).toMatchObject({ status: 200 });
    const other = await request(reported.accountId, reported.billingId, 600);
    expect(await pay(other, insider)).toMatchObject(refused);
    expect((await pay(other, second)).status).toBe(200);

    const imported = await buildPayee(app.owner, '0.01');
    const { isrc } = await buildTrack(app.owner, imported.accountId);
    const file = await insider.post(`/api/reporting/csv?date=${monthToMs('2025-01')}`, [
      { isrc, numOfStreams: 1, incomeOfStreams: 2000 },
    ]);
    expect(file).toMatchObject({ status: 200, data: { saved: 1 } });
    const ofFile = await request(imported.accountId, imported.billingId, 600);
    expect(await pay(ofFile, insider)).toMatchObject(refused);
    expect((await pay(ofFile, second)).status).toBe(200);
  });

  const build = (month: string, isrc: string, options?: { isChecked: boolean }) =>
    buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [{ isrc, month, amount: '2000' }], options);
  const postMonth = async (month: string) => {
    const fromDate = monthToMs(month);
    const reply = await postMonthAsShown(second, { fromDate, confirmRates: true });
    expect([month, reply.status]).toEqual([month, 200]);
  };

  it('cannot be paid by the same admin alone after validating and posting the statement', async () => {
    const post = async (month: string, validator: Staff) => {
      const payee = await buildPayee(app.owner, '0.01');
      const id = await build(month, (await buildTrack(app.owner, payee.accountId)).isrc);
      const checked = await actAsShown(validator, `/api/reporting/statements/${id}`, 'check', {
        note: 'Lu',
        confirmRates: true,
      });
      expect(checked).toMatchObject({ status: 200 });
      await postMonth(month);
      return request(payee.accountId, payee.billingId, 600, third);
    };
    const alone = await post('2024-02', second);
    expect(await pay(alone, second)).toMatchObject(refused);
    expect((await pay(alone, third)).status).toBe(200);
    const dependent = await buildDependentAdmin(second, 'valideuse');
    const ofDependent = await post('2024-03', dependent);
    for (const by of [dependent, second]) expect(await pay(ofDependent, by)).toMatchObject(refused);
    // One admin validated and another posted, so two people reviewed it.
    expect((await pay(await post('2024-04', third), second)).status).toBe(200);
  });

  const trackForm = (libraryId: number, isrc: string) => ({
    ...{ title: 'Aubade', isrc, genre: 'Country/Folk', noVoice: true, recordingOwnerName: 'Anaïs Verdier' },
    ...{ yearOfRegistration: 2024, libraryId, artists: [], contributors: [], musicians: [] },
  });
  type Take = (
    isrc: string,
    track: { id: number; releaseId: number; userId: number },
  ) => ReturnType<TestClient['post']>;
  it.each<[string, string, Take]>([
    [
      'attributing it',
      '2024-05',
      (isrc, { id }) => insider.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: id }),
    ],
    ['a new track', '2024-06', (isrc, { releaseId }) => insider.post('/api/tracks/add', trackForm(releaseId, isrc))],
    [
      'an edited track',
      '2024-07',
      (isrc, { id, releaseId }) => insider.put(`/api/tracks/${id}/edit`, trackForm(releaseId, isrc)),
    ],
    ['an ISRC typed in', '2024-08', (isrc, { id }) => insider.put(`/api/tools/track/${id}/isrc`, { isrc })],
    ['ISRCs from a file', '2024-09', (isrc, { id }) => insider.put('/api/tools/bulk/isrc', [{ id: String(id), isrc }])],
    [
      'imported rows',
      '2024-10',
      (isrc, { releaseId }) =>
        insider.post(`/api/release/${releaseId}/tracks/import`, [{ titre: 'Aubade', isrc, artiste: 'Anaïs Verdier' }]),
    ],
    [
      'releases imported to the profile',
      '2024-12',
      (isrc, { userId }) =>
        insider.post(`/api/profile/${userId}/libraries`, {
          user: String(userId),
          releases: [{ titre: 'Aubade', artistes: 'Anaïs Verdier', barcode: '', isrc, album: '' }],
        }),
    ],
  ])('cannot be paid by the same admin alone after %s attributes waiting income', async (how, month, take) => {
    const payee = await buildPayee(app.owner, '0.01');
    const releaseId = await buildRelease(app.owner, payee.accountId);
    const track = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
    const isrc = `FRWAI${month.replace('-', '').padStart(7, '0')}`;
    await build(month, isrc, { isChecked: true });
    const taken = await take(isrc, { id: track.id, releaseId, userId: payee.accountId });
    expect([how, taken.status, taken.errors]).toEqual([how, 200, {}]);
    await postMonth(month);
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect((await pay(id, third)).status).toBe(200);
  });

  it('counts a file posted in parts for the admins who sent those rows only', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const { isrc } = await buildTrack(app.owner, payee.accountId);
    const send = (by: Staff, batch: number, income: number) =>
      by.post(`/api/reporting/csv?date=${monthToMs('2025-05')}&import=${'ab'.repeat(32)}&batch=${batch}`, [
        { isrc, numOfStreams: 1, incomeOfStreams: income },
      ]);
    expect((await send(second, 0, 1)).status).toBe(200);
    expect((await send(insider, 1, 2000)).status).toBe(200);
    const id = await request(payee.accountId, payee.billingId, 600);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect((await pay(id, second)).status).toBe(200);
  });

  const sendPart = (by: Staff, file: string, batch: number, isrc: string | null, income: number) =>
    by.post(`/api/reporting/csv?date=${monthToMs('2025-05')}&import=${file}&batch=${batch}&batches=2`, [
      { isrc, numOfStreams: 1, incomeOfStreams: income },
    ]);

  it('counts a file posted whole for every admin who sent a part, and refuses more rows than announced', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const { isrc } = await buildTrack(app.owner, payee.accountId);
    const file = 'cd'.repeat(32);
    expect((await sendPart(insider, file, 0, isrc, 2000)).status).toBe(200);
    expect(await sendPart(second, file, 2, isrc, 1)).toMatchObject({ status: 409 });
    expect(await sendPart(second, file, 1, isrc, 1)).toMatchObject({ status: 200, data: { isPosted: true } });
    const id = await request(payee.accountId, payee.billingId, 600);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect(await pay(id, second)).toMatchObject(refused);
    expect((await pay(id, third)).status).toBe(200);
  });

  it('counts a truncated file for the admin who posts it as well', async () => {
    const dependent = await buildDependentAdmin(insider, 'envoi');
    const settings = await app.owner
      .selectFrom('settings')
      .select('value')
      .where('key', '=', 'adjustmentApprovalEur')
      .executeTakeFirst();
    const limit = Number(settings?.value ?? defaultSettings.adjustmentApprovalEur);
    const cutShort = async (eur: number, poster: Staff) => {
      const payee = await buildPayee(app.owner, '0.01');
      const { isrc } = await buildTrack(app.owner, payee.accountId);
      // 80% of an amount in dollars at 1.13.
      const usd = (eur * 1.13) / 0.8;
      const { data } = await sendPart(dependent, `${payee.accountId}`.padStart(64, 'e'), 0, isrc, usd);
      const { importId } = data as { importId: number };
      expect(await poster.post(`/api/imports/${importId}/post`, { rows: 1 })).toMatchObject({ status: 200 });
      return request(payee.accountId, payee.billingId, Math.floor(eur * 0.9));
    };
    const large = await cutShort(limit * 1.1, second);
    expect(await pay(large, second)).toMatchObject(refused);
    expect(await pay(large, insider)).toMatchObject(refused);
    expect((await pay(large, third)).status).toBe(200);
  });

  const byHand = (userId: number, trackId: number, incomeOfStreams: number, by: Staff = insider) =>
    by.post('/api/reporting/create', {
      ...{ trackId, userId, fromDate: monthToMs('2025-06'), numOfStreams: 1, incomeOfStreams, again: true },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    });

  it('still counts after it is reversed, or offset by a correction', async () => {
    const payee = await buildPayee(app.owner, '4000');
    const { id: trackId } = await buildTrack(app.owner, payee.accountId);
    const first = (await byHand(payee.accountId, trackId, 3000)).data as { id: number };
    const id = await request(payee.accountId, payee.billingId, 3000);
    expect((await insider.delete(`/api/reporting/delete/${first.id}`)).status).toBe(200);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect((await byHand(payee.accountId, trackId, 3000)).status).toBe(200);
    expect((await byHand(payee.accountId, trackId, -2900)).status).toBe(200);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect((await pay(id, second)).status).toBe(200);
  });

  it('adds up across parts, accounts of the same person and ways of crediting', async () => {
    const dependent = await buildDependentAdmin(insider, 'tranche');
    const payee = await buildPayee(app.owner, '0.01');
    const { id: trackId } = await buildTrack(app.owner, payee.accountId);
    for (const by of [insider, dependent]) expect((await byHand(payee.accountId, trackId, 500, by)).status).toBe(200);
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect(await pay(id, dependent)).toMatchObject(refused);
    expect((await pay(id, third)).status).toBe(200);
  });

  it('cannot be paid by the admin who set the rate of a month that others load and post', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const { isrc } = await buildTrack(app.owner, payee.accountId);
    const rate = { month: monthToMs('2024-11'), currency: 'USD', rate: 0.5, confirmFar: true };
    expect((await insider.put('/api/exchange-rates', rate)).status).toBe(200);
    const id = await build('2024-11', isrc);
    expect(
      await actAsShown(third, `/api/reporting/statements/${id}`, 'check', { note: 'Lu', confirmRates: true }),
    ).toMatchObject({ status: 200 });
    await postMonth('2024-11');
    const wanted = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(wanted, insider)).toMatchObject(refused);
    expect(await causesFor(insider, wanted)).toEqual(['rate']);
    expect((await pay(wanted, third)).status).toBe(200);
    await app.owner.deleteFrom('exchangeRates').where('month', '=', '2024-11-01').execute();
  });

  it('cannot be paid by the admin who moved an ISRC from another account’s track, and raises an alert', async () => {
    const [victim, payee] = [await buildAccount(app.owner), await buildPayee(app.owner, '600')];
    const [theirs, taker] = [await buildTrack(app.owner, victim), await buildTrack(app.owner, payee.accountId)];
    await app.runJobs();
    for (const [id, isrc] of [
      [theirs.id, 'FRTAK2600001'],
      [taker.id, theirs.isrc],
    ] as const) {
      expect((await insider.put('/api/tools/bulk/isrc', [{ id: String(id), isrc }])).data).toEqual([]);
    }
    expect((await app.runJobs()).filter(({ text }) => text.includes(theirs.isrc)).length).toBeGreaterThan(0);
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect(await causesFor(insider, id)).toEqual(['isrc']);
    expect((await pay(id, third)).status).toBe(200);
  });

  it('cannot be paid by the admin who changed its percentages', async () => {
    const payee = await buildPayee(app.owner, '600');
    const form = { fname: 'Awa', lname: 'Diallo', country: 'France', libraryIncomePercentile: 100 };
    expect((await insider.put(`/api/profile/${payee.accountId}/profile`, form)).status).toBe(200);
    const id = await request(payee.accountId, payee.billingId, 600);
    expect(await pay(id, insider)).toMatchObject(refused);
    expect(await causesFor(insider, id)).toEqual(['percentages']);
    expect((await pay(id, second)).status).toBe(200);
  });

  it('cannot be paid alone by the admin who made the referral it comes from', async () => {
    const [referrer, referred] = [await buildPayee(app.owner, '0.01'), await buildAccount(app.owner)];
    const { id: trackId } = await buildTrack(app.owner, referred);
    const added = await second.post('/api/referrals/add', {
      referrerId: referrer.accountId,
      referredId: referred,
      percentile: 100,
    });
    expect(added).toMatchObject({ status: 200 });
    await insider.post('/api/reporting/create', {
      ...{ trackId, userId: referred, fromDate: monthToMs('2025-01'), numOfStreams: 1, incomeOfStreams: 2000 },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    });
    const id = await request(referrer.accountId, referrer.billingId, 600);
    // One person made the referral, the other credited the income.
    expect(await pay(id, insider)).toMatchObject(refused);
    expect(await pay(id, second)).toMatchObject(refused);
    expect(await causesFor(insider, id)).toEqual(['income']);
    expect(await causesFor(second, id)).toEqual(['referral']);
    expect((await pay(id, third)).status).toBe(200);
  });

  it.each(['return', 'reopen', 'delete'] as const)(
    'by undoing a payment (%s) is not paid out again by them alone',
    async (what) => {
      const payee = await buildPayee(app.owner, '100');
      const first = await request(payee.accountId, payee.billingId, 100);
      expect(await pay(first, insider)).toMatchObject({ status: 200 });
      // Within 10 minutes it would only be taken back.
      await sql`UPDATE payouts SET paid_at = paid_at - interval '11 minutes' WHERE id = ${first}`.execute(app.owner);
      const undone =
        what === 'delete'
          ? await insider.delete(`/api/payouts/edit/${first}`)
          : await insider.put(`/api/payouts/edit/${first}`, {
              status: what === 'return' ? 'CANCEL' : 'PENDING',
              reason: 'Compte clos',
            });
      expect(undone).toMatchObject({ status: 200 });
      const again = what === 'reopen' ? first : await request(payee.accountId, payee.billingId, 100);
      expect(await pay(again, insider)).toMatchObject(refused);
      expect(await causesFor(insider, again)).toEqual(['payout']);
      expect(await pay(again, second)).toMatchObject({ status: 200 });
    },
  );

  it('keeps its approval when the payer takes the payment back within 10 minutes, and only then', async () => {
    await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
    const { accountId, billingId } = await buildPayee(app.owner, '30000');
    const [payer, colleague] = [await app.signInWith(), await app.signInWith()];
    const id = await request(accountId, billingId, 12_000);
    expect((await approve(id, second)).status).toBe(200);
    const before = await readPayout(id);
    const takeBack = (by: Staff) => by.put(`/api/payouts/edit/${id}`, { status: 'PENDING' });
    expect((await pay(id, payer)).status).toBe(200);
    expect(await app.signInWith(['read_paid_payout']).then(takeBack)).toMatchObject({ status: 403 });
    expect((await takeBack(payer)).status).toBe(200);
    expect(await readPayout(id)).toEqual(before);
    expect(await app.journal('payout.take_back')).toMatchObject([
      { entityId: String(id), adminId: payer.admin.id, before: { state: 'PAID' }, after: { state: 'PENDING' } },
    ]);
    // What was taken back counts in no sum of 24 hours.
    const small = await request(accountId, billingId, 6000);
    expect((await pay(small, payer)).status).toBe(200);
    expect((await payer.put(`/api/payouts/edit/${small}`, { status: 'PENDING' })).status).toBe(200);
    expect((await pay(small, payer)).status).toBe(200);
    expect((await pay(id, payer)).status).toBe(200);
    expect((await takeBack(colleague)).status).toBe(200);
    expect(await readPayout(id)).toMatchObject({ approvedBy: null });
    expect(await pay(id, payer)).toMatchObject(refused);
    expect(await causesFor(colleague, id)).toContain('payout');
  });

  it('cannot be paid to changed details because another admin marked a payment to the former number paid', async () => {
    const payee = await buildPayee(app.owner, '100');
    const first = await request(payee.accountId, payee.billingId, 5);
    const made = await insider.post('/api/payouts/batches', { payouts: [first], confirmWarnings: true });
    expect(made).toMatchObject({ status: 200 });
    const batchId = (made.data as { id: number }).id;
    await setHouseBank();
    expect(await insider.post(`/api/payouts/batches/${batchId}/export`, {})).toMatchObject({ status: 200 });
    expect((await insider.put(`/api/billing/${payee.billingId}/bank`, bank(otherIban, 'Allemagne'))).status).toBe(200);
    expect((await second.post(`/api/payouts/batches/${batchId}/pay`, {})).status).toBe(200);
    await sql`UPDATE billing_accounts SET changed_at = changed_at - interval '73 hours' WHERE id = ${payee.billingId}`.execute(
      app.owner,
    );
    const later = await request(payee.accountId, payee.billingId, 50);
    expect(await readPayout(later)).toMatchObject({ isNeverPaid: true });
    expect(await pay(later, insider)).toMatchObject(refused);
    await app.owner.deleteFrom('settings').where('key', '=', 'house').execute();
  });

  it('cannot be paid because another admin paid a small part to the same destination', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    await adjust(payee.accountId, 490, insider);
    const bait = await request(payee.accountId, payee.billingId, 1);
    expect((await pay(bait, second)).status).toBe(200);
    const whole = await request(payee.accountId, payee.billingId, 489);
    expect(await pay(whole, insider)).toMatchObject(refused);
    expect((await pay(whole, second)).status).toBe(200);
    await credit(app.owner, payee.accountId, '489');
    const next = await request(payee.accountId, payee.billingId, 489);
    expect((await pay(next, insider)).status).toBe(200);
  });

  it('is capped by the daily limit however it is split', async () => {
    await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
    const { accountId, billingId } = await buildPayee(app.owner, '100000');
    const movers = [await app.signInWith(), await app.signInWith(), await app.signInWith()];
    const [first, next, last] = movers as [Staff, Staff, Staff];
    for (const mover of [first, next]) {
      expect((await pay(await request(accountId, billingId, 9000), mover)).status).toBe(200);
    }
    const id = await request(accountId, billingId, 9000);
    expect(await pay(id, last)).toMatchObject(refused);
    expect((await approve(id, second)).status).toBe(200);
    expect((await pay(id, last)).status).toBe(200);
    // Amounts approved by a second person do not count.
    expect((await pay(await request(accountId, billingId, 1000), last)).status).toBe(200);
  });
});

describe("the label's own bank account", () => {
  it('needs a second person to change it, once there is one', async () => {
    const read = async () =>
      (await insider.get('/api/settings')).data as { version: string; settings: { house: object } };
    const save = async (house: object) => {
      const { version, settings } = await read();
      return insider.put('/api/settings', { version, house: { ...settings.house, ...house } });
    };
    expect((await save({ iban: 'FR1420041010050500013M02606', bic: '' })).status).toBe(200);
    expect((await read()).settings.house).toMatchObject({ iban: 'FR1420041010050500013M02606' });
    await app.runJobs();
    expect((await save({ iban: otherIban, city: 'Lyon' })).status).toBe(200);
    expect((await read()).settings.house).toMatchObject({ iban: 'FR1420041010050500013M02606', city: 'Lyon' });
    const proposals = (await second.get('/api/settings/proposals')).data as SettingProposal[];
    const value = { iban: otherIban, bic: '' };
    expect(proposals).toMatchObject([{ key: 'houseBank', value, canApprove: true }]);
    const url = '/api/settings/proposals/houseBank/approve';
    expect(await insider.post(url, { value })).toMatchObject({ status: 403 });
    expect((await second.post(url, { value })).status).toBe(200);
    expect((await read()).settings.house).toMatchObject({ iban: otherIban });
    const letters = (await app.runJobs()).filter(({ subject }) => subject === 'Le compte bancaire de la maison change');
    expect(letters.map(({ to }) => to)).toEqual(expect.arrayContaining([second.admin.email, third.admin.email]));
    expect(JSON.stringify(await app.journal('settings.approve'))).not.toContain(otherIban);
  });
});

describe('findings of the second attack', () => {
  beforeEach(async () => {
    await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
  });
  const report = (userId: number, trackId: number, incomeOfStreams: number, by: Staff = insider) =>
    by.post('/api/reporting/create', {
      ...{ trackId, userId, fromDate: monthToMs('2025-07'), numOfStreams: 1, incomeOfStreams, again: true },
      ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
    });
  const postMonth = async (month: string, by: Staff) => {
    const reply = await postMonthAsShown(by, { fromDate: monthToMs(month), confirmRates: true });
    expect([month, reply.status, reply.errors]).toEqual([month, 200, {}]);
  };
  const load = (month: string, isrc: string, amount = '2000') =>
    buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [{ isrc, month, amount }]);
  const check = async (id: number, by: Staff) =>
    expect(
      await actAsShown(by, `/api/reporting/statements/${id}`, 'check', {
        note: 'Lu',
        confirmRates: true,
        confirmDuplicates: true,
      }),
    ).toMatchObject({ status: 200 });
  const trackForm = (libraryId: number, isrc: string | null) => ({
    ...{ title: 'Aubade', isrc, genre: 'Country/Folk', noVoice: true, recordingOwnerName: 'Anaïs Verdier' },
    ...{ yearOfRegistration: 2024, libraryId, artists: [], contributors: [], musicians: [] },
  });

  it('money they credited is not paid in parts as large as a payout of another admin', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const { id: trackId } = await buildTrack(app.owner, payee.accountId);
    expect((await report(payee.accountId, trackId, 9000)).status).toBe(200);
    const seen = await request(payee.accountId, payee.billingId, 900);
    expect((await pay(seen, second)).status).toBe(200);
    const answers: number[] = [];
    for (let slice = 0; slice < 5; slice++) {
      const id = await request(payee.accountId, payee.billingId, 900);
      answers.push((await pay(id, insider)).status);
    }
    expect(answers).toEqual([409, 409, 409, 409, 409]);
  });

  it('money they credited is cleared once another admin pays it', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const { id: trackId } = await buildTrack(app.owner, payee.accountId);
    expect((await report(payee.accountId, trackId, 2000)).status).toBe(200);
    const balance = Number(await readBalance(app.owner, `account:${payee.accountId}`));
    const seen = await request(payee.accountId, payee.billingId, Math.floor(balance));
    expect(await pay(seen, insider)).toMatchObject(refused);
    expect((await pay(seen, second)).status).toBe(200);
    await credit(app.owner, payee.accountId, '600');
    const id = await request(payee.accountId, payee.billingId, 600);
    expect((await pay(id, insider)).status).toBe(200);
  });

  it.each<[string, string, 'before' | 'after']>([
    ['before its income comes', '2023-02', 'before'],
    ['while its income waits as doubled', '2023-01', 'after'],
  ])(
    'an ISRC that another account’s track has too, and loses %s, is taken by whoever sees to that',
    async (_, month, when) => {
      const [victim, payee] = [await buildAccount(app.owner), await buildPayee(app.owner, '0.01')];
      const [releaseOfVictim, releaseOfPayee] = [
        await buildRelease(app.owner, victim),
        await buildRelease(app.owner, payee.accountId),
      ];
      const theirs = await buildTrack(app.owner, victim, { releaseId: releaseOfVictim });
      const taker = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId: releaseOfPayee });
      // Both tracks have the ISRC first, then one.
      expect((await insider.put(`/api/tracks/${taker.id}/edit`, trackForm(releaseOfPayee, theirs.isrc))).status).toBe(
        200,
      );
      const early = when === 'after' ? await load(month, theirs.isrc) : undefined;
      const other = `FRTAK26${month.replace('-', '').slice(1)}`;
      expect((await insider.put(`/api/tracks/${theirs.id}/edit`, trackForm(releaseOfVictim, other))).status).toBe(200);
      await check(early ?? (await load(month, theirs.isrc)), third);
      await postMonth(month, second);
      const id = await request(payee.accountId, payee.billingId, 600, third);
      expect(await pay(id, insider)).toMatchObject(refused);
    },
  );

  it('counts income as theirs when it was paid to another account, reversed and posted again to theirs', async () => {
    const [victim, payee] = [await buildAccount(app.owner), await buildPayee(app.owner, '0.01')];
    const [releaseOfVictim, releaseOfPayee] = [
      await buildRelease(app.owner, victim),
      await buildRelease(app.owner, payee.accountId),
    ];
    const theirs = await buildTrack(app.owner, victim, { releaseId: releaseOfVictim });
    const taker = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId: releaseOfPayee });
    await check(await load('2022-12', theirs.isrc), third);
    await postMonth('2022-12', second);
    expect(Number(await readBalance(app.owner, `account:${victim}`))).toBeGreaterThan(1000);
    expect((await insider.put(`/api/tracks/${taker.id}/edit`, trackForm(releaseOfPayee, theirs.isrc))).status).toBe(
      200,
    );
    expect(
      (await insider.put(`/api/tracks/${theirs.id}/edit`, trackForm(releaseOfVictim, 'FRTAK2600003'))).status,
    ).toBe(200);
    expect((await insider.delete(`/api/reporting/deleteByMonth?date=${monthToMs('2022-12')}`)).status).toBe(200);
    await postMonth('2022-12', insider);
    expect(await readBalance(app.owner, `account:${victim}`)).toBe('0.000000');
    const id = await request(payee.accountId, payee.billingId, 1300);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts waiting income as theirs when they delete its statement before giving its ISRC to a track', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const releaseId = await buildRelease(app.owner, payee.accountId);
    const track = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
    const isrc = 'FRWAI2600001';
    const first = await load('2023-03', isrc);
    expect((await insider.get(`/api/reporting/unmatched/${isrc}`)).status).toBe(200);
    expect((await insider.delete(`/api/reporting/statements/${first}`)).status).toBe(200);
    expect((await insider.put(`/api/tracks/${track.id}/edit`, trackForm(releaseId, isrc))).status).toBe(200);
    // The same file again; two other admins validate and post it.
    await app.runJobs();
    const again = await load('2023-03', isrc);
    await check(again, third);
    await postMonth('2023-03', second);
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts rows without a track as theirs when they set the ISRC before the file comes again', async () => {
    const payee = await buildPayee(app.owner, '0.01');
    const releaseId = await buildRelease(app.owner, payee.accountId);
    const track = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
    const isrc = 'FRWAI2600002';
    const send = () =>
      second.post(`/api/reporting/csv?date=${monthToMs('2023-07')}`, [
        { isrc, numOfStreams: 1, incomeOfStreams: 2000 },
      ]);
    expect(await send()).toMatchObject({ status: 200, data: { saved: 0, unsavedISRC: [isrc] } });
    expect((await insider.put(`/api/tracks/${track.id}/edit`, trackForm(releaseId, isrc))).status).toBe(200);
    expect(await send()).toMatchObject({ status: 200, data: { saved: 1 } });
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts income that a colleague attributed as theirs when they redirect it to another account', async () => {
    const [victim, payee] = [await buildAccount(app.owner), await buildPayee(app.owner, '0.01')];
    const theirs = await buildTrack(app.owner, victim);
    const releaseId = await buildRelease(app.owner, payee.accountId);
    const taker = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
    const isrc = 'FRWAI2600003';
    const former = await load('2023-08', isrc, '10');
    expect((await third.put(`/api/reporting/unmatched/${isrc}/track`, { trackId: theirs.id })).status).toBe(200);
    await check(former, third);
    await postMonth('2023-08', second);
    // Nothing waits now; the insider can redirect the income of the next month.
    expect((await insider.put(`/api/tracks/${taker.id}/edit`, trackForm(releaseId, isrc))).status).toBe(200);
    expect((await insider.delete(`/api/reporting/unmatched/${isrc}/track`)).status).toBe(200);
    await check(await load('2023-09', isrc), third);
    await postMonth('2023-09', second);
    const id = await request(payee.accountId, payee.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts a correction that somebody posted and they reverse as money they credited', async () => {
    const payee = await buildPayee(app.owner, '3000');
    const { id: trackId } = await buildTrack(app.owner, payee.accountId);
    const correction = (await report(payee.accountId, trackId, -3500, second)).data as { id: number };
    const balance = Number(await readBalance(app.owner, `account:${payee.accountId}`));
    expect(balance).toBeLessThan(1000);
    expect((await insider.delete(`/api/reporting/delete/${correction.id}`)).status).toBe(200);
    const id = await request(payee.accountId, payee.billingId, 3000);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts an import with corrections that they reverse as money they credited', async () => {
    const payee = await buildPayee(app.owner, '3000');
    const { isrc } = await buildTrack(app.owner, payee.accountId);
    const file = await second.post(`/api/reporting/csv?date=${monthToMs('2025-08')}`, [
      { isrc, numOfStreams: 1, incomeOfStreams: -3500 },
    ]);
    expect(file).toMatchObject({ status: 200, data: { saved: 1 } });
    const { importId } = file.data as { importId: number };
    expect((await insider.post(`/api/imports/${importId}/reverse`)).status).toBe(200);
    const id = await request(payee.accountId, payee.billingId, 3000);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it.each<
    [
      string,
      string,
      (isrc: string, referred: number, trackId: number, releaseId: number) => Promise<{ status: number }>,
    ]
  >([
    [
      'attributing income to it',
      '2023-04',
      (isrc, _, trackId) => insider.put(`/api/reporting/unmatched/${isrc}/track`, { trackId }),
    ],
    [
      'giving its track an ISRC that waited',
      '2023-05',
      (isrc, _, trackId, releaseId) => insider.put(`/api/tracks/${trackId}/edit`, trackForm(releaseId, isrc)),
    ],
  ])('counts what an account earns through an account they credited: %s', async (how, month, act) => {
    const [referrer, referred] = [await buildPayee(app.owner, '0.01'), await buildAccount(app.owner)];
    const releaseId = await buildRelease(app.owner, referred);
    const track = await buildTrack(app.owner, referred, { isrc: null, releaseId });
    expect(
      await second.post('/api/referrals/add', { referrerId: referrer.accountId, referredId: referred, percentile: 50 }),
    ).toMatchObject({ status: 200 });
    const isrc = `FRREF${month.replace('-', '').padStart(7, '0')}`;
    const statement = await load(month, isrc, '4000');
    expect([how, (await act(isrc, referred, track.id, releaseId)).status]).toEqual([how, 200]);
    await check(statement, third);
    await postMonth(month, second);
    const id = await request(referrer.accountId, referrer.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts what an account earns through an account whose percentages they changed', async () => {
    const [referrer, referred] = [
      await buildPayee(app.owner, '0.01'),
      await buildAccount(app.owner, { libraryPercentile: '10' }),
    ];
    const track = await buildTrack(app.owner, referred);
    expect(
      await second.post('/api/referrals/add', {
        referrerId: referrer.accountId,
        referredId: referred,
        percentile: 100,
      }),
    ).toMatchObject({ status: 200 });
    const form = { fname: 'Awa', lname: 'Diallo', country: 'France', libraryIncomePercentile: 100 };
    expect((await insider.put(`/api/profile/${referred}/profile`, form)).status).toBe(200);
    const statement = await load('2023-06', track.isrc, '2000');
    await check(statement, third);
    await postMonth('2023-06', second);
    const id = await request(referrer.accountId, referrer.billingId, 600, third);
    expect(await pay(id, insider)).toMatchObject(refused);
  });

  it('counts a payout that was paid, reopened and exported again in the sum of the day', async () => {
    const [first, next] = [await buildPayee(app.owner, '9000'), await buildPayee(app.owner, '9000')];
    const id = await request(first.accountId, first.billingId, 9000, second);
    expect((await pay(id, insider)).status).toBe(200);
    await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
    // Another admin reopens it the next day.
    expect((await second.put(`/api/payouts/edit/${id}`, { status: 'PENDING' })).status).toBe(200);
    await setHouseBank();
    const made = await insider.post('/api/payouts/batches', { payouts: [id], confirmWarnings: true });
    const { id: batch } = made.data as { id: number };
    expect((await insider.post(`/api/payouts/batches/${batch}/export`, {})).status).toBe(200);
    await app.owner.deleteFrom('settings').where('key', '=', 'house').execute();
    const other = await request(next.accountId, next.billingId, 9000, second);
    expect(await pay(other, insider)).toMatchObject(refused);
  });

  it('treats a number that is not an IBAN as another destination at another bank', async () => {
    const payee = await buildPayee(app.owner, '500', {
      ...{ iban: '000123456789', swift: 'CHASUS33XXX', bankCountry: 'États-Unis' },
    });
    const first = await request(payee.accountId, payee.billingId, 50, second);
    expect((await pay(first, second)).status).toBe(200);
    const form = { ...bank('000123456789', 'États-Unis'), swift: 'BOFAUS3NXXX', bankName: 'Une autre banque' };
    const edited = await insider.put(`/api/billing/${payee.billingId}/bank`, form);
    expect([edited.status, edited.errors]).toEqual([200, {}]);
    const id = await request(payee.accountId, payee.billingId, 400);
    expect(await readPayout(id)).toMatchObject({ isRecentlyChanged: true, isNeverPaid: true });
  });

  it('does not accept the password of a colleague without a second factor to validate what they post and pay', async () => {
    const [thief, colleague] = [await app.signInWith(), await app.signInWith(['edit_reports'])];
    await addTotp(thief);
    await sql`UPDATE settings SET value = '"money"' WHERE key = 'secondFactor'`.execute(app.owner);
    const payee = await buildPayee(app.owner, '0.01');
    const statement = await load('2022-11', (await buildTrack(app.owner, payee.accountId)).isrc);
    const stolen = await app.signIn(colleague.admin);
    const checked = await actAsShown(stolen, `/api/reporting/statements/${statement}`, 'check', {
      ...{ note: 'Lu', confirmRates: true, confirmDuplicates: true },
    });
    const posted = await postMonthAsShown(thief, { fromDate: monthToMs('2022-11'), confirmRates: true });
    const id = await request(payee.accountId, payee.billingId, 1300, thief).catch(() => 0);
    const paid = await pay(id, thief);
    await sql`UPDATE settings SET value = '"optional"' WHERE key = 'secondFactor'`.execute(app.owner);
    expect([checked.status, posted.status, paid.status]).not.toEqual([200, 200, 200]);
  });

  it('does not accept the password of a colleague without a second factor to import what they pay', async () => {
    const [thief, colleague] = [await app.signInWith(), await app.signInWith(['edit_reports'])];
    await addTotp(thief);
    await sql`UPDATE settings SET value = '"money"' WHERE key = 'secondFactor'`.execute(app.owner);
    const payee = await buildPayee(app.owner, '0.01');
    const { isrc } = await buildTrack(app.owner, payee.accountId);
    const stolen = await app.signIn(colleague.admin);
    const sent = await stolen.post(`/api/reporting/csv?date=${monthToMs('2022-10')}`, [
      { isrc, numOfStreams: 1, incomeOfStreams: 9000 },
    ]);
    const id = await request(payee.accountId, payee.billingId, 6000, thief).catch(() => 0);
    const paid = await pay(id, thief);
    await sql`UPDATE settings SET value = '"optional"' WHERE key = 'secondFactor'`.execute(app.owner);
    expect([sent.status, paid.status]).not.toEqual([200, 200]);
  });

  it('ties an approval to the destination its page showed, not to a later one', async () => {
    const { accountId, billingId } = await buildPayee(app.owner, '240000');
    const id = await request(accountId, billingId, 200_000);
    const shown = (await second.get(`/api/payouts/payout/${id}`)).data as PayoutDetail;
    expect((await insider.put(`/api/billing/${billingId}/bank`, bank(otherIban, 'Allemagne'))).status).toBe(200);
    const url = `/api/payouts/payout/${id}/approve`;
    const approved = await second.post(url, { version: shown.version });
    expect(approved).toMatchObject({ status: 409, message: payoutMessages.payoutChanged });
    expect(await second.post(url, {})).toMatchObject({ status: 422, errors: { version: messages.unseen('version') } });
    await sql`UPDATE billing_accounts SET changed_at = changed_at - interval '73 hours' WHERE id = ${billingId}`.execute(
      app.owner,
    );
    const paid = await pay(id, insider);
    expect(paid).toMatchObject(refused);
    expect((await approve(id, second)).status).toBe(200);
  });

  it('ties a batch approval to the destinations its page showed', async () => {
    const { accountId, billingId } = await buildPayee(app.owner, '240000', { type: 'paypal' });
    const id = await request(accountId, billingId, 200_000);
    const made = await insider.post('/api/payouts/batches', { payouts: [id], confirmWarnings: true });
    const { id: batch } = made.data as { id: number };
    const shown = (await second.get(`/api/payouts/batches/${batch}`)).data as BatchDetail;
    const { owner, holderAddress, holderCity, holderCountry, holderPostcode } = bank(otherIban);
    const holder = { owner, holderAddress, holderCity, holderCountry, holderPostcode };
    const edited = await insider.put(`/api/billing/${billingId}/paypal`, { ...holder, email: 'voleur@exemple.fr' });
    expect([edited.status, edited.errors]).toEqual([200, {}]);
    const approved = await second.post(`/api/payouts/batches/${batch}/approve`, { version: shown.version });
    expect(approved).toMatchObject({ status: 409, message: payoutMessages.batchChanged });
    await sql`UPDATE billing_accounts SET changed_at = changed_at - interval '73 hours' WHERE id = ${billingId}`.execute(
      app.owner,
    );
    const exported = await insider.post(`/api/payouts/batches/${batch}/export`, {});
    expect(exported).toMatchObject({ status: 409 });
    expect((await actAsShown(second, `/api/payouts/batches/${batch}`, 'approve')).status).toBe(200);
  });

  it('makes an admin depend on who changes their password while somebody vouches for them', async () => {
    const dependent = await buildDependentAdmin(insider, 'pressee');
    const { capabilities } = (await insider.get('/api/manage-admins')).data as { capabilities: { id: number }[] };
    const password = 'une autre clé de dix mots';
    const shown = await adminRow(dependent.admin.id, second);
    // Another staff change is open: the insider's waits, started but not committed.
    const taken = await app.owner.transaction().execute(async (trx) => {
      await sql`SELECT pg_advisory_xact_lock(7243, 3)`.execute(trx);
      const edit = insider.put(`/api/manage-admins/admin/${dependent.admin.id}`, {
        ...{ fname: 'Double', lname: 'pressee', email: dependent.admin.email, password },
        capabilities: capabilities.map(({ id }) => id),
      });
      await untilBlocked(trx, 1);
      const vouched = second.post(`/api/manage-admins/admin/${dependent.admin.id}/vouch`, { version: shown?.version });
      const wait = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1500));
      const isEarly = await Promise.race([vouched.then(() => true), wait]);
      return { edit, vouched, isEarly };
    });
    expect((await taken.edit).status).toBe(200);
    // Vouching waits for the change and does not cover it.
    expect([taken.isEarly, (await taken.vouched).status]).toEqual([false, 409]);
    expect((await adminRow(dependent.admin.id, second))?.dependsOn).toEqual(['Camille Essai 1']);
  });
});
