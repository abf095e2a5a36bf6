import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { buildPayee } from '#test/payouts.ts';

const app = useApp();
const gone = 'partie@regie.example';
let client: TestClient & { admin: TestAdmin };
let smtpUrl = '';

/** A mail server that refuses this mailbox permanently. */
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  logger: false,
  onRcptTo({ address }, _session, done) {
    if (address !== gone) return done();
    done(Object.assign(new Error('mailbox does not exist'), { responseCode: 550 }));
  },
  onData(stream, _session, done) {
    stream.on('end', () => done());
    stream.resume();
  },
});

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  smtpUrl = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  client = await app.signInWith();
});
afterAll(() => new Promise<void>((resolve) => void server.close(resolve)));

const refused = () => app.journal('mail.refuse');
const home = async () => (await client.get('/api/home')).data as { undeliveredMails: number; alerts: number };
/** Makes the next retry of every pending letter due now. */
const tryAgain = async () => {
  await sql`UPDATE graphile_worker._private_jobs SET run_at = now()`.execute(app.owner);
  await app.runJobs({ smtpUrl });
};

describe('a letter refused permanently by the mail server', () => {
  it('to a customer whose bank details change is journalled once with its recipient, and counted on home', {
    tags: ['slow'],
  }, async () => {
    const { accountId, billingId } = await buildPayee(app.owner, '1');
    await app.owner.updateTable('accounts').set({ email: gone }).where('id', '=', accountId).execute();
    await app.runJobs();
    const before = await home();
    const bank = {
      ...{ owner: 'Awa', holderAddress: '1 rue', holderCity: 'Lyon', holderCountry: 'France', holderPostcode: '69001' },
      ...{ bankName: 'Banque', bankCountry: 'France', bankAddress: '1 quai', bankCity: 'Lyon', bankZipCode: '69001' },
      ...{ iban: 'FR1420041010050500013M02606', swift: 'PSSTFRPPXXX' },
    };
    expect((await client.put(`/api/billing/${billingId}/bank`, bank)).status).toBe(200);
    await app.runJobs({ smtpUrl });
    expect(await refused()).toMatchObject([
      { adminId: null, after: { to: gone, subject: 'Vos coordonnées de paiement ont changé', reply: 550 } },
    ]);
    await tryAgain();
    expect(await refused()).toHaveLength(1);
    expect(await home()).toMatchObject({ undeliveredMails: before.undeliveredMails + 1, alerts: before.alerts + 1 });
  });

  it('to an admin whose capabilities change or who asks for a new password is journalled too', async () => {
    const admin = await app.buildAdmin({ capabilities: [], email: gone });
    const count = (await refused()).length;
    const rights = { fname: 'Camille', lname: 'Essai', email: gone, capabilities: [1] };
    expect((await client.put(`/api/manage-admins/admin/${admin.id}`, rights)).status).toBe(200);
    await (await app.visitor()).post('/api/auth/reset_password/request', { email: gone });
    await app.runJobs({ smtpUrl });
    const subjects = (await refused()).slice(count).map(({ after }) => (after as { subject: string }).subject);
    expect(subjects.sort()).toEqual(['Réinitialiser votre mot de passe Régie', 'Votre accès à Régie a changé']);
  });

  it('with an invitation is marked as not delivered', async () => {
    const email = gone;
    await app.owner.updateTable('admins').set({ email: 'autre@regie.example' }).where('email', '=', gone).execute();
    expect((await client.post('/api/manage-admins/invite', { email, capabilities: [] })).status).toBe(200);
    await app.runJobs({ smtpUrl });
    const { invitations } = (await client.get('/api/manage-admins')).data as { invitations: unknown[] };
    expect(invitations).toMatchObject([{ email, isUndelivered: true }]);
  });
});

it('a letter that the mail server may accept later is counted, but not journalled', async () => {
  const count = (await refused()).length;
  const { undeliveredMails } = await home();
  await (await app.visitor()).post('/api/auth/reset_password/request', { email: client.admin.email });
  expect((await client.post('/api/auth/factors/mail-code')).status).toBe(200);
  await app.runJobs({ smtpUrl: 'smtp://127.0.0.1:1' });
  expect(await refused()).toHaveLength(count);
  expect((await home()).undeliveredMails).toBe(undeliveredMails + 2);
});
