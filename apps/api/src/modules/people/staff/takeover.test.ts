import { type Capability, getCapability } from '@regie/contract/capabilities.ts';
import { factorMessages } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, testPassword, tokenIn, useApp } from '#test/app.ts';
import { codeOf } from '#test/totp.ts';

/** A takeover of an admin's account, or of its capabilities, is always notified (issue 13, H4). */
const app = useApp();
const newPassword = 'neuf curseurs verts';
let boss: TestClient & { admin: TestAdmin };
let addresses = 0;

beforeEach(async () => {
  boss = await app.signInWith();
  await app.runJobs();
});

interface Change {
  email?: string;
  password?: string;
  presentPassword?: string;
  capabilities?: readonly Capability[];
}
const edit = (by: TestClient, { id, email, capabilities }: TestAdmin, change: Change) =>
  by.put(`/api/manage-admins/admin/${id}`, {
    fname: 'Camille',
    // Nobody else has this name.
    lname: `Essai n° ${id}`,
    email,
    ...change,
    capabilities: (change.capabilities ?? capabilities).map((name) => getCapability(name).id),
  });
const newAddress = () => {
  addresses += 1;
  return `autre${addresses}@regie.example`;
};

/** An admin with a session, a mailed reset link and a sent invitation. */
async function withLinks() {
  const admin = await app.buildAdmin({ capabilities: ['edit_admins', 'read_tools'] });
  const client = await app.signIn(admin);
  await client.post('/api/auth/reset_password/request', { email: admin.email });
  await client.post('/api/manage-admins/invite', { email: newAddress(), capabilities: [] });
  const mails = await app.runJobs();
  const [reset, invitation] = ['reset-password-action', 'signup'].map((page) =>
    tokenIn(mails.find(({ text }) => text.includes(`/${page}?`))),
  );
  return { admin, client, reset, invitation };
}

async function expectLinksDead({ reset, invitation }: { reset: string | undefined; invitation: string | undefined }) {
  const visitor = await app.visitor();
  const action = { token: reset, password: newPassword, password_confirmation: newPassword };
  expect((await visitor.post('/api/auth/reset_password/action', action)).status).toBe(422);
  expect((await visitor.get(`/api/auth/invitation?token=${invitation}`)).status).toBe(404);
}

describe('a change by another admin ends sessions and links, and is notified', () => {
  it('of the e-mail, to the old and the new address', async () => {
    const { admin, client, ...links } = await withLinks();
    const email = newAddress();
    expect((await edit(boss, admin, { email })).status).toBe(200);
    expect((await client.check()).status).toBe(401);
    await expectLinksDead(links);
    const mails = await app.runJobs();
    expect(mails.map(({ to }) => to).sort()).toEqual([admin.email, email].sort());
    for (const { text } of mails) expect(text).toContain(`est maintenant ${email}`);
  });

  it('of capabilities, named in the letter with their granter', async () => {
    const { admin, client, ...links } = await withLinks();
    expect((await edit(boss, admin, { capabilities: ['edit_admins', 'edit_pending_payout'] })).status).toBe(200);
    expect((await client.check()).status).toBe(401);
    await expectLinksDead(links);
    const [mail, ...others] = await app.runJobs();
    expect(others).toEqual([]);
    expect(mail?.to).toBe(admin.email);
    expect(mail?.text).toContain(getCapability('edit_pending_payout').label);
    expect(mail?.text).toContain(getCapability('read_tools').label);
    expect(mail?.text).toMatch(/a été fait par Camille Essai \d+\./);
  });

  it('of the password and e-mail at once, to both addresses', async () => {
    const { admin, client, ...links } = await withLinks();
    const email = newAddress();
    expect((await edit(boss, admin, { email, password: newPassword })).status).toBe(200);
    expect((await client.check()).status).toBe(401);
    await expectLinksDead(links);
    const told = (await app.runJobs()).filter(({ subject }) => subject.includes('mot de passe'));
    expect(told.map(({ to }) => to).sort()).toEqual([admin.email, email].sort());
  });

  it('a password reset by link ends the other links too', async () => {
    const { admin, client, reset, invitation } = await withLinks();
    const visitor = await app.visitor();
    const action = { token: reset, password: newPassword, password_confirmation: newPassword };
    expect((await visitor.post('/api/auth/reset_password/action', action)).status).toBe(200);
    expect((await client.check()).status).toBe(401);
    await expectLinksDead({ reset, invitation });
    expect(await app.runJobs()).toMatchObject([{ to: admin.email }]);
  });

  it('a changed name ends no session and is not notified', async () => {
    const { admin, client } = await withLinks();
    expect((await edit(boss, admin, {})).status).toBe(200);
    expect((await client.check()).status).toBe(200);
    expect(await app.runJobs()).toEqual([]);
  });
});

/** When the admin signed in, or used a second factor in their sessions. */
const setAge = (admin: TestAdmin, column: 'created_at' | 'factor_at', minutes: number) =>
  sql`UPDATE sessions SET ${sql.ref(column)} = now() - make_interval(mins => ${minutes}) WHERE admin_id = ${admin.id}`.execute(
    app.owner,
  );

describe('an admin’s change of their e-mail or password', () => {
  it.each([
    ['signing in', 'created_at'],
    ['using a second factor', 'factor_at'],
  ] as const)('needs no present password within ten minutes of %s', async (_, column) => {
    const admin = await app.buildAdmin();
    const client = await app.signIn(admin);
    await setAge(admin, 'created_at', 11);
    await setAge(admin, column, 9);
    const change = { email: `${column}@regie.example`, password: newPassword };
    expect(await edit(client, admin, change)).toMatchObject({ status: 200 });
    await app.runJobs();
    await app.signIn({ ...admin, email: change.email }, newPassword);
    // A present password is checked whenever it is sent.
    const wrong = { ...change, password: testPassword, presentPassword: testPassword };
    expect((await edit(client, admin, wrong)).errors).toEqual({ presentPassword: factorMessages.wrongPassword });
  });

  it.each([{ email: 'propre@regie.example' }, { password: newPassword }])(
    'to %o asks for the present password, and ends the other sessions',
    async (change) => {
      const admin = await app.buildAdmin();
      const [client, other] = [await app.signIn(admin), await app.signIn(admin)];
      const required = { status: 422, errors: { presentPassword: factorMessages.presentPassword } };
      expect(await edit(client, admin, { ...change, presentPassword: '' })).toMatchObject(required);
      await setAge(admin, 'created_at', 11);
      expect(await edit(client, admin, change)).toMatchObject(required);
      expect(await edit(client, admin, { ...change, presentPassword: newPassword })).toMatchObject({
        status: 422,
        errors: { presentPassword: factorMessages.wrongPassword },
      });
      expect(await edit(client, admin, { ...change, presentPassword: testPassword })).toMatchObject({ status: 200 });
      expect([(await client.check()).status, (await other.check()).status]).toEqual([200, 401]);
      expect((await app.runJobs()).map(({ to }) => to)).toContain(admin.email);
    },
  );

  it('needs the present password, but no capability', async () => {
    const admin = await app.buildAdmin({ capabilities: [] });
    const [client, other] = [await app.signIn(admin), await app.signIn(admin)];
    const body = { presentPassword: newPassword, password: newPassword, password_confirmation: newPassword };
    expect(await client.put('/api/auth/password', body)).toMatchObject({
      status: 422,
      errors: { presentPassword: factorMessages.wrongPassword },
    });
    expect((await client.put('/api/auth/password', { ...body, presentPassword: testPassword })).status).toBe(200);
    expect([(await client.check()).status, (await other.check()).status]).toEqual([200, 401]);
    await app.signIn(admin, newPassword);
    expect(await app.runJobs()).toMatchObject([{ to: admin.email, subject: 'Votre mot de passe Régie a changé' }]);
    expect(await app.journal('auth.change_password')).toContainEqual(expect.objectContaining({ adminId: admin.id }));
  });

  it('is limited, so that the password cannot be guessed from an open session', async () => {
    const client = await app.signInWith([]);
    const attempt = (presentPassword: string) =>
      client.put('/api/auth/password', { presentPassword, password: newPassword, password_confirmation: newPassword });
    for (let n = 0; n < 5; n += 1) expect((await attempt(`curseur ${n}`)).status).toBe(422);
    expect((await attempt(testPassword)).status).toBe(429);
  });
});

it('the letter about a new second factor contains no link from its name', async () => {
  const victim = await app.signInWith();
  await app.runJobs();
  const started = await victim.post('/api/auth/factors/totp/start', { password: testPassword });
  const { token, secret } = started.data as { token: string; secret: string };
  const name = 'annulez sur https://regie.evil.example/annuler';
  const added = await victim.post('/api/auth/factors/totp', { token, name, code: codeOf(secret) });
  expect(added).toMatchObject({ status: 200 });
  const letters = (await app.runJobs()).filter(({ to }) => to === victim.admin.email);
  expect(letters.length).toBeGreaterThan(0);
  for (const { text } of letters) expect(text).not.toMatch(/:\/\/|evil\.example/);
});
