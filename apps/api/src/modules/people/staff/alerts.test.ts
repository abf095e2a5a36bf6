import { settingsMessages } from '@regie/contract/settings.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { nightAlert } from '#src/lib/audit.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';
import { buildPayee, credit } from '#test/payouts.ts';
import { reportFailedJobsJob } from './staff.jobs.ts';

const app = useApp();
let client: TestClient;

beforeAll(async () => {
  client = await app.signInWith();
  await app.buildAdmin({ capabilities: ['read_audit'], email: 'journal@regie.example' });
});
const alerts = async () =>
  (await app.runJobs()).filter(({ to, subject }) => to === 'journal@regie.example' && subject === 'Alerte de Régie');
const marked = async () =>
  ((await client.get('/api/journal?mark=alerts')).data as { action: string; after: unknown }[]).map(
    ({ action }) => action,
  );

it("mails the journal's readers when a large balance gets a first or another destination, not a small one", async () => {
  const bank = {
    ...{ owner: 'Awa', holderAddress: '1 rue', holderCity: 'Lyon', holderCountry: 'France', holderPostcode: '69001' },
    ...{ bankName: 'Banque', bankCountry: 'France', bankAddress: '1 quai', bankCity: 'Lyon', bankZipCode: '69001' },
    ...{ iban: 'FR1420041010050500013M02606', swift: 'PSSTFRPPXXX' },
  };
  const [small, large] = [await buildPayee(app.owner, '4000'), await buildPayee(app.owner, '5000.01')];
  await client.post(`/api/profile/${small.accountId}/billing/bank`, bank);
  expect(await alerts()).toEqual([]);
  await client.post(`/api/profile/${large.accountId}/billing/bank`, bank);
  const [letter] = await alerts();
  expect(letter?.text).toContain('5\u00a0000,01\u00a0€');
  expect(letter?.text).toContain('Par Camille Essai 1, ');
  expect(await marked()).toContain('billing.create');
  expect((await client.get('/api/home')).data).toMatchObject({ alerts: 1 });
  const unpaid = await buildAccount(app.owner);
  await credit(app.owner, unpaid, '7000');
  await client.post(`/api/profile/${unpaid}/billing/bank`, { ...bank, iban: 'FR7630006000011234567890189' });
  expect((await alerts())[0]?.text).toContain('7\u00a0000,00\u00a0€');
});

it('mails when a large balance gets another destination although it was all requested just before', async () => {
  const payee = await buildPayee(app.owner, '9000');
  const asked = { userId: payee.accountId, account: payee.billingId, amount: 9000 };
  expect((await client.post('/api/payouts/request', asked)).status).toBe(200);
  await alerts();
  // The pending payout goes to these details.
  const changed = await client.put(`/api/billing/${payee.billingId}/bank`, {
    ...{ owner: 'Awa', holderAddress: '1 rue', holderCity: 'Lyon', holderCountry: 'France', holderPostcode: '69001' },
    ...{ bankName: 'Banque', bankCountry: 'France', bankAddress: '1 quai', bankCity: 'Lyon', bankZipCode: '69001' },
    ...{ iban: 'FR7630006000011234567890189', swift: 'PSSTFRPPXXX' },
  });
  expect(changed.status).toBe(200);
  expect(await alerts()).toMatchObject([{ text: expect.stringContaining('9\u00a0000,00\u00a0€') }]);
});

it.each([{ payoutAlertEur: 999_999 }, { secondFactor: 'money' }])('changing %j raises an alert', async (change) => {
  const { version } = (await client.get('/api/settings')).data as { version: string };
  expect((await client.put('/api/settings', { version, ...change })).status).toBe(200);
  expect((await alerts())[0]?.text).toContain(settingsMessages.guardsChanged);
  await app.owner.deleteFrom('settings').where('key', '=', 'payoutAlertEur').execute();
  await app.owner
    .updateTable('settings')
    .set({ value: JSON.stringify('optional') })
    .where('key', '=', 'secondFactor')
    .execute();
});

it('deleting an admin raises an alert and notifies them', async () => {
  const { id, email } = await app.buildAdmin();
  await client.delete(`/api/manage-admins/admin/${id}`);
  const letters = await app.runJobs();
  expect(letters.map(({ to }) => to)).toEqual(expect.arrayContaining([email, 'journal@regie.example']));
});

it('an adjustment and a new admin raise alerts', async () => {
  const { accountId } = await buildPayee(app.owner, '1');
  const form = { fname: 'Awa', lname: 'www.voleur.fr', country: 'France', income: 20, reason: 'Geste' };
  await client.put(`/api/profile/${accountId}/profile`, form);
  const [letter] = await alerts();
  // Names do not become links in the letter.
  expect(letter?.text).toContain('19,00\u00a0€, compte d’Awa www. voleur. fr.');
  const admin = { fname: 'Inès', lname: 'Marchand', email: 'ines@regie.example', password: 'neuf curseurs jaunes' };
  await client.post('/api/manage-admins/admin', { ...admin, capabilities: [] });
  expect((await app.runJobs()).map(({ to }) => to)).toContain('journal@regie.example');
  expect(await marked()).toEqual(expect.arrayContaining(['account.adjust', 'admin.create']));
});

it.each([
  ['2026-01-10T21:30:00Z', true],
  ['2026-01-10T20:30:00Z', false],
  ['2026-07-10T03:30:00Z', true],
  ['2026-07-10T04:30:00Z', false],
])('a payment at %s counts as at night in Paris: %s', (at, isNight) => {
  expect(nightAlert('x', new Date(at)) !== undefined).toBe(isNight);
});

it('a failed job is reported once', async () => {
  await sql`SELECT graphile_worker.add_job('recount_duplicates', '{}'::json, max_attempts => 1)`.execute(app.owner);
  await sql`UPDATE graphile_worker._private_jobs SET attempts = 1, last_error = 'x' WHERE task_id =
    (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'recount_duplicates')`.execute(app.owner);
  for (let time = 0; time < 2; time++) await reportFailedJobsJob({}, { db: app.owner, log: app.deps.log });
  expect(await alerts()).toMatchObject([
    { text: expect.stringContaining('«\u00a0recount_duplicates\u00a0» a échoué 1 fois') },
  ]);
  expect((await marked()).filter((action) => action === 'job.fail')).toHaveLength(1);
});
