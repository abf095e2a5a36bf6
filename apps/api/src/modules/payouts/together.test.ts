import { payoutMessages } from '@regie/contract/payouts.ts';
import type { AutomaticReport } from '@regie/contract/routes/months.ts';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { factorMessages } from '@regie/contract/second-factors.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { linkIdentity } from '#src/modules/staff/identities.service.ts';
import { describeVouching, vouchOnServer } from '#src/modules/staff/vouching.service.ts';
import { type TestAdmin, type TestClient, testPassword, useApp } from '#test/app.ts';
import { actAsShown } from '#test/as-shown.ts';
import { untilBlocked } from '#test/blocked.ts';
import { buildRelease, buildTrack } from '#test/factories.ts';
import { addTotp } from '#test/factors.ts';
import { buildPayee, credit, readBalance } from '#test/payouts.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
type Staff = TestClient & { admin: TestAdmin };
/** Three admins who are independent of each other. */
let insider: Staff;
let second: Staff;
let third: Staff;
const refused = { status: 409, message: payoutMessages.approvalMissing };

beforeAll(async () => {
  [insider, second, third] = [await app.signInWith(), await app.signInWith(), await app.signInWith()];
});
beforeEach(async () => {
  await sql`UPDATE payout_moves SET at = at - interval '25 hours'`.execute(app.owner);
});

async function request(payee: Payee, amount: number, by: TestClient = third): Promise<number> {
  const reply = await by.post('/api/payouts/request', { userId: payee.accountId, account: payee.billingId, amount });
  if (reply.status !== 200) throw new Error(`request refused: ${reply.status} ${JSON.stringify(reply.errors)}`);
  return (reply.data as { payoutId: number }).payoutId;
}
const pay = (id: number, by: TestClient) => by.put(`/api/payouts/edit/${id}`, { status: 'PAID' });
const readCents = async (payee: Payee) =>
  Math.floor(Number(await readBalance(app.owner, `account:${payee.accountId}`)) * 100) / 100;
type Payee = Awaited<ReturnType<typeof buildPayee>>;

/** An admin with all rights, added by another one long ago. */
async function buildDependentAdmin(by: Staff, name: string): Promise<Staff> {
  const admins = (await by.get('/api/manage-admins')).data as { capabilities: { id: number }[] };
  const email = `${name}@regie.example`;
  const reply = await by.post('/api/manage-admins/admin', {
    ...{ fname: 'Double', lname: name, email, password: testPassword },
    capabilities: admins.capabilities.map(({ id }) => id),
  });
  const { id } = reply.data as { id: number };
  await sql`UPDATE admins SET created_at = created_at - interval '30 days' WHERE id = ${id}`.execute(app.owner);
  const admin = { id, email, capabilities: [] };
  return Object.assign(await app.signIn(admin), { admin });
}
const byHand = async (payee: Payee, incomeOfStreams: number, by: Staff) => {
  const { id: trackId } = await buildTrack(app.owner, payee.accountId);
  const reply = await by.post('/api/reporting/create', {
    ...{ trackId, userId: payee.accountId, fromDate: monthToMs('2025-06'), numOfStreams: 1, incomeOfStreams },
    ...{ numOfDownloads: 0, incomeOfDownloads: 0, numOfYoutube: 0, incomeOfYoutube: 0 },
  });
  expect(reply).toMatchObject({ status: 200 });
};
const adjust = async (payee: Payee, income: number, by: Staff) =>
  expect(
    await by.put(`/api/profile/${payee.accountId}/profile`, {
      ...{ fname: 'Awa', lname: 'Diallo', country: 'France', income, reason: 'Geste commercial' },
      incomeSeen: await readCents(payee),
    }),
  ).toMatchObject({ status: 200 });

it('gives two accounts of one person a shared 24-hour limit', async () => {
  const dependent = await buildDependentAdmin(insider, 'moitie');
  const payee = await buildPayee(app.owner, '50000');
  expect((await pay(await request(payee, 9000), dependent)).status).toBe(200);
  expect(await pay(await request(payee, 9000), insider)).toMatchObject(refused);
  // Another person has their own limit.
  expect((await pay(await request(payee, 9000), second)).status).toBe(200);
});

it("counts a payout of one account as a review of the other's money only when it was approved", async () => {
  const dependent = await buildDependentAdmin(insider, 'paire');
  const payee = await buildPayee(app.owner, '500');
  const form = { fname: 'Awa', lname: 'Diallo', country: 'France', libraryIncomePercentile: 75 };
  expect((await insider.put(`/api/profile/${payee.accountId}/profile`, form)).status).toBe(200);
  const seen = await request(payee, 100);
  expect(await pay(seen, dependent)).toMatchObject(refused);
  expect((await actAsShown(second, `/api/payouts/payout/${seen}`, 'approve')).status).toBe(200);
  expect((await pay(seen, dependent)).status).toBe(200);
  expect((await pay(await request(payee, 100), dependent)).status).toBe(200);
  expect(await pay(await request(payee, 100), insider)).toMatchObject(refused);
  expect(await pay(await request(payee, 100), dependent)).toMatchObject(refused);
});

it('counts a batch once when one account exports it and the other marks it paid', async () => {
  const dependent = await buildDependentAdmin(insider, 'relais');
  const payee = await buildPayee(app.owner, '50000', { type: 'paypal' });
  const id = await request(payee, 9000);
  const made = await dependent.post('/api/payouts/batches', { payouts: [id], confirmWarnings: true });
  const { id: batch } = made.data as { id: number };
  expect((await dependent.post(`/api/payouts/batches/${batch}/export`, {})).status).toBe(200);
  expect((await insider.post(`/api/payouts/batches/${batch}/pay`, {})).status).toBe(200);
  expect((await pay(await request(payee, 900), insider)).status).toBe(200);
  expect(await pay(await request(payee, 200), dependent)).toMatchObject(refused);
});

it('does not count a payout requested before the income came as a review of it', async () => {
  const payee = await buildPayee(app.owner, '1500');
  const former = await request(payee, 1500);
  await byHand(payee, 2000, insider);
  expect((await pay(former, second)).status).toBe(200);
  const id = await request(payee, await readCents(payee));
  expect(await pay(id, insider)).toMatchObject(refused);
  expect((await pay(id, second)).status).toBe(200);
});

it('does not count such a payout as a review of an adjustment', async () => {
  const payee = await buildPayee(app.owner, '240');
  const former = await request(payee, 240);
  await adjust(payee, 240, insider);
  expect((await pay(former, second)).status).toBe(200);
  const id = await request(payee, 240);
  expect(await pay(id, insider)).toMatchObject(refused);
  expect((await pay(id, second)).status).toBe(200);
});

it('allows what two accounts of one person brought once, not once for each', async () => {
  const dependent = await buildDependentAdmin(insider, 'jumelle');
  const payee = await buildPayee(app.owner, '0.01');
  await byHand(payee, 2000, insider);
  await byHand(payee, 2000, dependent);
  const half = Math.floor((await readCents(payee)) / 2);
  expect((await pay(await request(payee, half), second)).status).toBe(200);
  const rest = await request(payee, half);
  expect(await pay(rest, insider)).toMatchObject(refused);
  expect(await pay(rest, dependent)).toMatchObject(refused);
  expect((await pay(rest, second)).status).toBe(200);
});

const load = (month: string, isrc: string, amount = '2000') =>
  buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [{ isrc, month, amount }]);
const check = async (id: number, by: Staff) =>
  expect(
    await actAsShown(by, `/api/reporting/statements/${id}`, 'check', {
      ...{ note: 'Lu', confirmRates: true, confirmDuplicates: true },
    }),
  ).toMatchObject({ status: 200 });

it('posts a month only as its dry run showed it, without statements validated since', async () => {
  const [payee, other] = [await buildPayee(app.owner, '0.01'), await buildPayee(app.owner, '0.01')];
  const [{ isrc }, { isrc: usual }] = [
    await buildTrack(app.owner, payee.accountId),
    await buildTrack(app.owner, other.accountId),
  ];
  await check(await load('2022-01', usual), third);
  const forged = await load('2022-01', isrc);
  const asked = { fromDate: monthToMs('2022-01'), confirmRates: true };
  const shown = await second.post('/api/reporting/automatic', { ...asked, dryRun: true });
  const { version } = shown.data as AutomaticReport;
  await check(forged, insider);
  const posted = await second.post('/api/reporting/automatic', { ...asked, dryRun: false, version });
  expect(posted).toMatchObject({ status: 409 });
  expect(await readBalance(app.owner, `account:${payee.accountId}`)).toBe('0.010000');
});

it('posts a month only at the rates its dry run showed', async () => {
  const payee = await buildPayee(app.owner, '0.01');
  const { isrc } = await buildTrack(app.owner, payee.accountId);
  const statement = await load('2022-02', isrc);
  await check(statement, third);
  const asked = { fromDate: monthToMs('2022-02'), confirmRates: true };
  const shown = await second.post('/api/reporting/automatic', { ...asked, dryRun: true });
  const { version } = shown.data as { version: string };
  const posting = await app.owner.transaction().execute(async (trx) => {
    await sql`SELECT FROM statements WHERE id = ${statement} FOR UPDATE`.execute(trx);
    const waiting = second.post('/api/reporting/automatic', { ...asked, dryRun: false, version });
    await untilBlocked(trx, 1);
    const rate = { month: monthToMs('2022-02'), currency: 'USD', rate: 0.5, confirmFar: true };
    expect((await insider.put('/api/exchange-rates', rate)).status).toBe(200);
    return { waiting };
  });
  const posted = await posting.waiting;
  await app.owner.deleteFrom('exchangeRates').where('month', '=', '2022-02-01').execute();
  expect(posted).toMatchObject({ status: 409 });
});

it('raises one alert for a file of reports above the setting', async () => {
  const payee = await buildPayee(app.owner, '0.01');
  const { isrc } = await buildTrack(app.owner, payee.accountId);
  const alerts = async () =>
    (await app.runJobs()).filter(({ subject, to }) => subject === 'Alerte de Régie' && to === second.admin.email);
  await alerts();
  const send = (income: number, query: string) =>
    insider.post(`/api/reporting/csv?date=${monthToMs('2025-05')}${query}`, [
      { isrc, numOfStreams: 1, incomeOfStreams: income },
    ]);
  expect((await send(500, '')).status).toBe(200);
  expect(await alerts()).toEqual([]);
  expect((await send(2000, '')).status).toBe(200);
  expect(await alerts()).toMatchObject([
    { text: expect.stringMatching(/^L’import \d+ est d’un montant élevé\u00a0: [\d\s]+,\d\d\u00a0€\./) },
  ]);
  expect((await app.journal('import.batch')).at(-1)?.after).toMatchObject({ batch: 0, alert: 'import' });
  const slices = `&import=${'1a'.repeat(32)}`;
  for (let batch = 0; batch < 4; batch++) expect((await send(400, `${slices}&batch=${batch}`)).status).toBe(200);
  expect(await alerts()).toHaveLength(1);
  const whole = `&import=${'1b'.repeat(32)}&batches=2`;
  for (let batch = 0; batch < 2; batch++) expect((await send(400, `${whole}&batch=${batch}`)).status).toBe(200);
  expect(await alerts()).toHaveLength(1);
});

const readAdmin = async (id: number, by: TestClient) =>
  ((await by.get('/api/manage-admins?limit=500')).data as { admins: Admin[] }).admins.find((admin) => admin.id === id);
const setPassword = async (admin: TestAdmin, by: Staff) => {
  const { capabilities } = (await by.get('/api/manage-admins')).data as { capabilities: { id: number }[] };
  const form = { fname: 'Double', lname: 'Recrue', email: admin.email, password: 'une autre clé de dix mots' };
  const edited = { ...form, capabilities: capabilities.map(({ id }) => id) };
  expect((await by.put(`/api/manage-admins/admin/${admin.id}`, edited)).status).toBe(200);
};

it('vouches for the state the page showed, not for a password set since', async () => {
  const colleague = await buildDependentAdmin(third, 'recrue');
  const url = `/api/manage-admins/admin/${colleague.admin.id}/vouch`;
  const shown = await readAdmin(colleague.admin.id, second);
  await setPassword(colleague.admin, insider);
  const vouched = await second.post(url, { version: shown?.version });
  expect((await readAdmin(colleague.admin.id, second))?.dependsOn).not.toEqual([]);
  expect(vouched).toMatchObject({ status: 409 });
  expect(await second.post(url, {})).toMatchObject({ status: 422 });
  const again = await readAdmin(colleague.admin.id, second);
  expect((await second.post(url, { version: again?.version })).status).toBe(200);
});

it('counts a second factor reset during the vouching as later than the vouching', async () => {
  const colleague = await buildDependentAdmin(third, 'perdue');
  await addTotp(colleague);
  // The admin is independent already: only the reset creates a link.
  await vouchOnServer(app.owner, colleague.admin.email);
  expect((await insider.post(`/api/manage-admins/admin/${colleague.admin.id}/factor-lift`)).status).toBe(200);
  await sql`UPDATE factor_lifts SET due_at = now() - interval '1 second' WHERE admin_id = ${colleague.admin.id}`.execute(
    app.owner,
  );
  await sql`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now()`.execute(app.owner);
  // The reset job starts while somebody vouches, and waits for them.
  const { both } = await app.owner.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(7243, 3)`.execute(trx);
    const vouching = vouchOnServer(app.owner, colleague.admin.email);
    await untilBlocked(trx, 1);
    const running = app.runJobs();
    await untilBlocked(trx, 2);
    return { both: Promise.all([running, vouching]) };
  });
  await both;
  const { rows } = await sql<{ isLifted: boolean }>`
    SELECT is_lifted FROM factor_lifts WHERE admin_id = ${colleague.admin.id}`.execute(app.owner);
  expect(rows).toEqual([{ isLifted: true }]);
  expect((await readAdmin(colleague.admin.id, second))?.dependsOn).toEqual(['Camille Essai 1']);
});

it('counts a provider sign-in linked during the vouching as later than the vouching', async () => {
  const colleague = await app.buildAdmin({ email: 'fournisseur@regie.example' });
  await app.owner.transaction().execute(async (trx) => {
    await sql`SELECT now()`.execute(trx);
    await vouchOnServer(app.owner, colleague.email);
    const provider = { issuer: 'https://fournisseur.example', label: 'Fournisseur' };
    await linkIdentity(trx, { adminId: null, requestId: null }, provider, { adminId: colleague.id, subject: 'a1' });
  });
  expect((await readAdmin(colleague.id, second))?.dependsOn).toEqual(['qui gère le service de connexion']);
});

it('vouches on the server only for the state shown there', async () => {
  const colleague = await buildDependentAdmin(third, 'serveur');
  const { dependsOn, version } = await describeVouching(app.owner, colleague.admin.email);
  expect(dependsOn).toEqual(['Camille Essai 3']);
  await setPassword(colleague.admin, insider);
  await expect(vouchOnServer(app.owner, colleague.admin.email, version)).rejects.toMatchObject({ code: 'conflict' });
  const again = await describeVouching(app.owner, colleague.admin.email);
  await vouchOnServer(app.owner, colleague.admin.email, again.version);
  expect((await readAdmin(colleague.admin.id, second))?.dependsOn).toEqual([]);
});

it('a stolen password does not help when the colleague removes their own second factor', async () => {
  const [thief, colleague] = [await app.signInWith(), await app.signInWith()];
  await addTotp(thief);
  await sql`INSERT INTO settings (key, value) VALUES ('secondFactor', '"money"')
            ON CONFLICT (key) DO UPDATE SET value = excluded.value`.execute(app.owner);
  const payee = await buildPayee(app.owner, '30000');
  const id = await request(payee, 20_000, thief);
  const { version } = (await thief.get('/api/settings')).data as { version: string };
  await thief.put('/api/settings', { version, secondFactor: 'optional' });
  const stolen = await app.signIn(colleague.admin);
  const approved = await actAsShown(stolen, `/api/payouts/payout/${id}`, 'approve');
  const paid = await pay(id, thief);
  await sql`UPDATE settings SET value = '"optional"' WHERE key = 'secondFactor'`.execute(app.owner);
  expect([approved.status, paid.status]).not.toEqual([200, 200]);
});

it('the password of a colleague without a second factor cannot set an ISRC that income waits for', async () => {
  const colleague = await app.signInWith(['read_delivered_libraries', 'edit_delivered_libraries']);
  await sql`INSERT INTO settings (key, value) VALUES ('secondFactor', '"money"')
            ON CONFLICT (key) DO UPDATE SET value = excluded.value`.execute(app.owner);
  const payee = await buildPayee(app.owner, '0.01');
  const releaseId = await buildRelease(app.owner, payee.accountId);
  const track = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
  const form = {
    ...{ title: 'Aubade', genre: 'Country/Folk', noVoice: true, recordingOwnerName: 'Anaïs Verdier' },
    ...{ yearOfRegistration: 2024, libraryId: releaseId, artists: [], contributors: [], musicians: [] },
  };
  await load('2022-06', 'FRTOG2600002');
  const stolen = await app.signIn(colleague.admin);
  const give = (isrc: string) => stolen.put(`/api/tracks/${track.id}/edit`, { ...form, isrc });
  const [known, unknown] = [await give('FRTOG2600002'), await give('FRTOG2600003')];
  await sql`UPDATE settings SET value = '"optional"' WHERE key = 'secondFactor'`.execute(app.owner);
  expect(known).toMatchObject({ status: 403, errors: { secondFactor: factorMessages.missing } });
  expect(unknown.status).toBe(200);
});

it('an admin who joined this week cannot validate for others', async () => {
  const newcomer = await buildDependentAdmin(second, 'semaine');
  await vouchOnServer(app.owner, newcomer.admin.email);
  await sql`UPDATE admins SET created_at = now() - interval '2 days' WHERE id = ${newcomer.admin.id}`.execute(
    app.owner,
  );
  const payee = await buildPayee(app.owner, '0.01');
  const statement = await load('2022-03', (await buildTrack(app.owner, payee.accountId)).isrc);
  await check(statement, newcomer);
  const asked = { fromDate: monthToMs('2022-03'), confirmRates: true };
  const shown = await insider.post('/api/reporting/automatic', { ...asked, dryRun: true });
  const { version } = shown.data as { version: string };
  expect(await insider.post('/api/reporting/automatic', { ...asked, dryRun: false, version })).toMatchObject({
    status: 200,
  });
  const id = await request(payee, 1300);
  expect(await pay(id, insider)).toMatchObject(refused);
});

it('counts an ISRC set while a whole file is posted as set before', async () => {
  const payee = await buildPayee(app.owner, '0.01');
  const releaseId = await buildRelease(app.owner, payee.accountId);
  const track = await buildTrack(app.owner, payee.accountId, { isrc: null, releaseId });
  const isrc = 'FRTOG2600001';
  const other = await buildTrack(app.owner, payee.accountId);
  const rows = [
    { isrc, numOfStreams: 1, incomeOfStreams: 2000 },
    { isrc: other.isrc, numOfStreams: 1, incomeOfStreams: 1 },
  ];
  // The ISRC is known: a file mentioned it.
  expect((await second.post(`/api/reporting/csv?date=${monthToMs('2022-04')}`, rows)).status).toBe(200);
  const file = `/api/reporting/csv?date=${monthToMs('2022-05')}&import=${'2c'.repeat(32)}&batches=2`;
  await app.owner.updateTable('tracks').set({ isrc }).where('id', '=', track.id).execute();
  expect((await second.post(`${file}&batch=0`, rows)).status).toBe(200);
  await app.owner.updateTable('tracks').set({ isrc: null }).where('id', '=', track.id).execute();
  const { last } = await app.owner.transaction().execute(async (trx) => {
    await sql`LOCK TABLE import_staged_rows IN ACCESS EXCLUSIVE MODE`.execute(trx);
    const sent = second.post(`${file}&batch=1`, [{ isrc: other.isrc, numOfStreams: 1, incomeOfStreams: 1 }]);
    await untilBlocked(trx, 1);
    const given = await insider.put(`/api/tools/track/${track.id}/isrc`, { isrc });
    expect(given.status).toBe(200);
    return { last: sent };
  });
  expect(await last).toMatchObject({ status: 200, data: { isPosted: true } });
  const id = await request(payee, 1300);
  expect(await pay(id, insider)).toMatchObject(refused);
});

it('a payout requested while a file is posted contains none of its income', async () => {
  const payee = await buildPayee(app.owner, '1500');
  const { isrc } = await buildTrack(app.owner, payee.accountId);
  const file = `/api/reporting/csv?date=${monthToMs('2022-07')}&import=${'3d'.repeat(32)}&batches=2`;
  expect((await insider.post(`${file}&batch=0`, [{ isrc, numOfStreams: 1, incomeOfStreams: 2000 }])).status).toBe(200);
  const { last, former } = await app.owner.transaction().execute(async (trx) => {
    await sql`LOCK TABLE import_staged_rows IN ACCESS EXCLUSIVE MODE`.execute(trx);
    const sent = insider.post(`${file}&batch=1`, [{ isrc, numOfStreams: 1, incomeOfStreams: 1 }]);
    await untilBlocked(trx, 1);
    return { last: sent, former: await request(payee, 1500) };
  });
  expect(await last).toMatchObject({ status: 200, data: { isPosted: true } });
  expect((await pay(former, second)).status).toBe(200);
  expect(await pay(await request(payee, await readCents(payee)), insider)).toMatchObject(refused);
});

it('clears income that other admins paid out', async () => {
  const payee = await buildPayee(app.owner, '0.01');
  await byHand(payee, 2000, insider);
  expect((await pay(await request(payee, await readCents(payee)), second)).status).toBe(200);
  await credit(app.owner, payee.accountId, '600');
  expect((await pay(await request(payee, 600), insider)).status).toBe(200);
});
