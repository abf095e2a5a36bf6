import { messages } from '@regie/contract/messages.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { hashPassword } from '#src/lib/passwords.ts';
import { hashToken, newToken } from '#src/lib/secrets.ts';
import { type TestAdmin, testPassword, tokenIn, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';
import { testOrigin } from '#test/origin.ts';
import { networkOf, signInDelayMs } from './auth.throttle.ts';

const app = useApp();
const newPassword = 'neuf curseurs verts';
const sessionsOf = async (admin: TestAdmin) =>
  (await app.db.selectFrom('sessions').select('tokenHash').where('adminId', '=', admin.id).execute()).length;

async function requestReset(email: string): Promise<string> {
  const visitor = await app.visitor();
  expect(await visitor.post('/api/auth/reset_password/request', { email })).toMatchObject({ status: 200 });
  const mail = (await app.runJobs()).find(({ text }) => text.includes('token='));
  return tokenIn(mail);
}
const action = (token: string, password = newPassword) => ({ token, password, password_confirmation: password });

describe('session check', () => {
  it('answers 401 with a csrf token when signed out, the same token for the same browser', async () => {
    const visitor = await app.visitor();
    const again = await visitor.get('/api/auth/check');
    expect(again).toMatchObject({ status: 401, code: 'unauthorized', message: messages.unauthorized, data: null });
    expect(again.csrf).toMatch(/^[\w-]{43}$/);
    expect(again.csrf).toBe(visitor.csrf);
  });

  it('returns the signed-in admin and their capabilities', async () => {
    const client = await app.signInWith(['read_tools', 'edit_tools']);
    const { data, status, csrf } = await client.check();
    expect(status).toBe(200);
    expect(csrf).toMatch(/^[\w-]{43}$/);
    expect(data).toEqual({
      location: 'am',
      currency: 'USD',
      sidebar: { favourites: [], opened: [] },
      cash: 0,
      invoices: false,
      reports: [],
      userCapabilities: ['read_tools', 'edit_tools'],
      hasFactor: false,
      user: {
        id: client.admin.id,
        fname: 'Camille',
        lname: expect.stringMatching(/^Essai/),
        email: client.admin.email,
      },
    });
  });

  it('returns the last 12 report months and pending invoices to admins who may see them', async () => {
    const accountId = await buildAccount(app.db);
    await app.owner.insertInto('orders').values({ accountId, plan: 'label', planPrice: '10' }).execute();
    await sql`
      WITH months AS (SELECT generate_series('2023-01-01'::date, '2024-03-01', '1 month')::date AS month),
      i AS (INSERT INTO imports (type, kind, month, to_date, rate, terms_version)
        SELECT 'youtube', 'single', month, (month + interval '1 month - 1 day')::date, 1, 1 FROM months
        RETURNING id, month)
      INSERT INTO reports (type, month, import_id, account_id, percentile, gross_eur, account_eur, referrals_eur,
        platform_eur, reversed_at)
      SELECT 'youtube', month, id, ${accountId}, 70, 0, 0, 0, 0,
        CASE WHEN month = '2024-03-01' THEN now() END FROM i`.execute(app.owner);
    const months = Array.from({ length: 12 }, (_, index) => `2023-${String(index + 1).padStart(2, '0')}`);
    const expected = ['2024-02', '2024-01', ...months.slice(2).reverse()].map(monthToMs);
    const both = await (await app.signInWith(['read_reports', 'manage_profiles'])).check();
    expect(both.data).toMatchObject({ invoices: true, reports: expected });
    const neither = await (await app.signInWith(['read_tools'])).check();
    expect(neither.data).toMatchObject({ invoices: false, reports: [] });
  });
});

describe('signing in and out', () => {
  it('opens a session with a new token, ends the former one and journals it', async () => {
    const admin = await app.buildAdmin();
    const client = await app.signIn(admin);
    const former = client.cookies.get('regie');
    await client.post('/api/auth/signin', { email: admin.email.toUpperCase(), password: testPassword });
    expect(client.cookies.get('regie')).not.toBe(former);
    expect(await sessionsOf(admin)).toBe(1);
    const entries = (await app.journal('auth.signin')).filter((row) => row.adminId === admin.id);
    expect(entries).toHaveLength(2);
  });

  it('sets an HttpOnly, SameSite=Lax cookie and stores only its hash', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    const reply = await visitor.post('/api/auth/signin', { email: admin.email, password: testPassword });
    const [cookie] = reply.cookies.filter(({ name }) => name === 'regie');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    const rows = await app.db.selectFrom('sessions').select('tokenHash').where('adminId', '=', admin.id).execute();
    expect(rows).toEqual([{ tokenHash: hashToken(cookie?.value ?? '') }]);
  });

  it('sets Secure cookies when PUBLIC_URL is https', async () => {
    const cookies = { isSecure: true, secret: app.deps.cookies.secret };
    const deps = { ...app.deps, cookies, publicUrl: 'https://regie.example' };
    const server = await buildApp({ deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
    const check = await server.inject('/api/auth/check');
    expect(check.cookies).toMatchObject([{ name: '__Host-regie-anonymous', secure: true, path: '/' }]);
    expect(check.headers['strict-transport-security']).toMatch(/^max-age=\d{8,}; includeSubDomains$/);
    const admin = await app.buildAdmin();
    const reply = await server.inject({
      method: 'POST',
      url: '/api/auth/signin',
      headers: { 'x-csrf-token': check.json<{ csrf: string }>().csrf, origin: 'https://regie.example' },
      cookies: Object.fromEntries(check.cookies.map(({ name, value }) => [name, value])),
      payload: { email: admin.email, password: testPassword },
    });
    expect(reply.cookies.find(({ name }) => name === '__Host-regie')).toMatchObject({ secure: true, httpOnly: true });
    await server.close();
  });

  it('answers a wrong password and an unknown e-mail equally, and journals neither address', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    const known = await visitor.post('/api/auth/signin', { email: admin.email, password: newPassword });
    const unknown = await visitor.post('/api/auth/signin', { email: 'personne@regie.example', password: newPassword });
    expect(known).toMatchObject({ status: 401, code: 'unauthorized', message: messages.badCredentials });
    expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null });
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(known.headers));
    const entries = (await app.journal('auth.signin_failed')).slice(-2);
    expect(entries.map((row) => row.entityId)).toEqual([String(admin.id), null]);
    expect(JSON.stringify(entries)).not.toContain('@');
  });

  it('takes the same time for known and unknown e-mails', { tags: ['slow'] }, async () => {
    // Measures CPU time: wall time on a busy machine says nothing about the work.
    const costs: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
    const visitor = await app.visitor();
    const passwordHash = await hashPassword(testPassword);
    for (let round = 0; round < 15; round += 1) {
      const admin = await app.buildAdmin();
      await app.db.updateTable('admins').set({ passwordHash }).where('id', '=', admin.id).execute();
      for (const kind of ['known', 'unknown'] as const) {
        const email = kind === 'known' ? admin.email : `inconnu${round}@regie.example`;
        const before = process.cpuUsage();
        await visitor.call('POST', '/api/auth/signin', {
          body: { email, password: newPassword },
          address: `198.51.100.${round}`,
        });
        const { user, system } = process.cpuUsage(before);
        costs[kind].push(user + system);
      }
    }
    const ratio = Math.min(...costs.unknown) / Math.min(...costs.known);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  it('ends the session on sign-out, unless another site caused the request', async () => {
    const client = await app.signInWith(['read_tools']);
    for (const site of ['cross-site', 'same-site']) {
      const refused = await client.call('GET', '/api/auth/signout', { headers: { 'sec-fetch-site': site } });
      expect(refused).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect((await client.check()).status).toBe(200);
    expect((await client.get('/api/auth/signout')).status).toBe(200);
    expect((await client.check()).status).toBe(401);
    expect(await sessionsOf(client.admin)).toBe(0);
    expect(await app.journal('auth.signout')).toContainEqual(expect.objectContaining({ adminId: client.admin.id }));
  });

  it('ends a session after 12 idle hours and after 7 days', async () => {
    const idle = await app.signInWith(['read_tools']);
    const old = await app.signInWith(['read_tools']);
    const age = (admin: TestAdmin, seen: string, created: string) =>
      sql`UPDATE sessions SET last_seen_at = now() - ${seen}::interval, created_at = now() - ${created}::interval
        WHERE admin_id = ${admin.id}`.execute(app.db);
    await age(idle.admin, '11:59', '1 day');
    await age(old.admin, '0', '6 days 23:59');
    expect([(await idle.check()).status, (await old.check()).status]).toEqual([200, 200]);
    await age(idle.admin, '12:01', '1 day');
    await age(old.admin, '0', '7 days 00:01');
    expect([(await idle.check()).status, (await old.check()).status]).toEqual([401, 401]);
  });

  it('applies a change of capabilities from the next request', async () => {
    const client = await app.signInWith(['read_audit']);
    expect((await client.get('/api/journal')).status).toBe(200);
    await app.db.deleteFrom('adminCapabilities').where('adminId', '=', client.admin.id).execute();
    expect((await client.get('/api/journal')).status).toBe(403);
  });
});

describe('throttling', () => {
  const attempt = async (email: string, password: string, address: string) => {
    const visitor = await app.visitor();
    return visitor.call('POST', '/api/auth/signin', { body: { email, password }, address });
  };

  it('refuses an account from one address after five failures, concurrent or not, and from that address only', async () => {
    const admin = await app.buildAdmin();
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => attempt(admin.email, newPassword, '203.0.113.1')),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
    const refused = await attempt(admin.email, testPassword, '203.0.113.1');
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' });
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect((await attempt(admin.email, testPassword, '203.0.113.2')).status).toBe(200);
  });

  it('counts an unknown e-mail equally', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await attempt('nul@regie.example', newPassword, '203.0.113.3')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('does not count successful sign-ins, even concurrent ones', async () => {
    const admin = await app.buildAdmin();
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => attempt(admin.email, testPassword, '203.0.113.4')),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });

  it('refuses an address after fifty failures on any accounts', { tags: ['slow'] }, async () => {
    const visitor = await app.visitor();
    const statuses = await Promise.all(
      Array.from({ length: 51 }, async (_, index) => {
        const body = { email: `autre${index}@regie.example`, password: newPassword };
        return (await visitor.call('POST', '/api/auth/signin', { body, address: '2001:db8:1:2::5' })).status;
      }),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    const neighbour = await attempt('autre@regie.example', newPassword, '2001:db8:1:2:ffff::9');
    expect(neighbour.status).toBe(429);
    expect((await attempt('autre@regie.example', newPassword, '2001:db8:1:3::9')).status).toBe(401);
  });

  it('slows an account attacked from many addresses without locking it', { tags: ['slow'] }, async () => {
    const admin = await app.buildAdmin();
    for (let n = 0; n < 6; n += 1) await attempt(admin.email, newPassword, `192.0.2.${n}`);
    const start = performance.now();
    expect((await attempt(admin.email, testPassword, '192.0.2.99')).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(signInDelayMs(6) - 5);
    expect([0, 4, 5, 6, 7, 20, 10_000].map(signInDelayMs)).toEqual([0, 0, 250, 500, 1000, 4000, 4000]);
  });

  it('admits a known device with the right password while its account and address are attacked', {
    tags: ['slow'],
  }, async () => {
    const admin = await app.buildAdmin();
    const other = await app.buildAdmin();
    const address = '203.0.113.50';
    const device = await app.signIn(admin);
    const cookie = device.cookies.get('regie-device') ?? '';
    const attackers = [
      ...Array.from({ length: 5 }, () => admin.email),
      ...Array.from({ length: 50 }, (_, n) => `x${n}@y.fr`),
    ];
    await Promise.all(attackers.map((email) => attempt(email, newPassword, address)));
    expect((await attempt(admin.email, testPassword, address)).status).toBe(429);

    const from = async (email: string, password: string, value = cookie) => {
      const visitor = await app.visitor();
      visitor.cookies.set('regie-device', value);
      return visitor.call('POST', '/api/auth/signin', { body: { email, password }, address });
    };
    expect((await from(admin.email, testPassword)).status).toBe(200);
    expect(
      (
        await from(
          admin.email,
          testPassword,
          cookie.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')),
        )
      ).status,
    ).toBe(429);
    expect((await from(other.email, testPassword)).status).toBe(429);
    // Its own failures count, at every address.
    for (let n = 0; n < 5; n += 1) expect((await from(admin.email, newPassword)).status).toBe(401);
    expect((await from(admin.email, testPassword)).status).toBe(429);
  });

  it("uses the socket's address, and X-Forwarded-For only behind a configured proxy", { tags: ['slow'] }, async () => {
    const behindProxy = await buildApp({
      deps: app.deps,
      trustProxy: ['10.0.0.1'],
      webDir: undefined,
      metricsToken: undefined,
    });
    const visitor = await app.visitor();
    const statuses = async (server: FastifyInstance, remoteAddress: string) => {
      const admin = await app.buildAdmin();
      const seen: number[] = [];
      for (let n = 0; n < 6; n += 1) {
        const reply = await server.inject({
          method: 'POST',
          url: '/api/auth/signin',
          remoteAddress,
          cookies: Object.fromEntries(visitor.cookies),
          headers: { 'x-csrf-token': visitor.csrf ?? '', 'x-forwarded-for': `198.18.0.${n}` },
          payload: { email: admin.email, password: newPassword },
        });
        seen.push(reply.statusCode);
      }
      return seen;
    };
    expect(await statuses(app.app, '10.0.0.1')).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await statuses(behindProxy, '10.0.0.2')).toEqual([401, 401, 401, 401, 401, 429]);
    await sql`DELETE FROM rate_limits`.execute(app.db);
    expect(await statuses(behindProxy, '10.0.0.1')).toEqual([401, 401, 401, 401, 401, 401]);
    await behindProxy.close();
  });

  it('stores no address or e-mail in clear text', async () => {
    await attempt('clair@regie.example', newPassword, '203.0.113.77');
    const { rows } = await sql<{ key: string }>`SELECT key FROM rate_limits`.execute(app.db);
    expect(rows.length).toBeGreaterThan(0);
    for (const { key } of rows) expect(key).toMatch(/^\w+:[\w-]{43}$/);
  });

  it('counts an IPv6 /64 network as one address', () => {
    expect(networkOf('2001:0DB8:0:1::1')).toBe('2001:db8:0:1');
    expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0');
    expect(networkOf('::1')).toBe('0:0:0:0');
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0');
    expect(networkOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
  });
});

describe('password reset', () => {
  it('mails a link, changes the password, ends the sessions, notifies the admin and journals it', async () => {
    const admin = await app.buildAdmin();
    const signedIn = await app.signIn(admin);
    const token = await requestReset(admin.email.toUpperCase());
    expect(token.length).toBeGreaterThanOrEqual(43);
    const stored = await app.db
      .selectFrom('passwordResets')
      .select(['tokenHash', sql<number>`extract(epoch FROM expires_at - now())::int`.as('seconds')])
      .where('adminId', '=', admin.id)
      .execute();
    expect(stored.map((row) => row.tokenHash)).toEqual([hashToken(token)]);
    expect(stored[0]?.seconds).toBeGreaterThan(3500);
    expect(stored[0]?.seconds).toBeLessThanOrEqual(3600);

    const visitor = await app.visitor();
    const open = () => visitor.get(`/api/auth/reset_password/action?token=${token}`);
    expect(await open()).toMatchObject({ status: 200, data: {} });
    expect(await visitor.post('/api/auth/reset_password/action', action(token))).toMatchObject({ status: 200 });
    expect(await open()).toMatchObject({ status: 404, message: messages.tokenUsed });
    expect((await signedIn.check()).status).toBe(401);
    await expect(app.signIn(admin)).rejects.toThrow(/401/);
    await app.signIn(admin, newPassword);
    expect(await app.runJobs()).toMatchObject([{ to: admin.email, subject: 'Votre mot de passe Régie a changé' }]);
    expect(await app.journal('auth.password_reset')).toContainEqual(
      expect.objectContaining({ adminId: admin.id, entityId: String(admin.id), before: null, after: null }),
    );
    expect((await visitor.post('/api/auth/reset_password/action', action(token))).errors).toEqual({
      global: messages.tokenUsed,
    });
  });

  it('answers known and unknown addresses equally, with equal work, and mails only known addresses', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    const known = await visitor.post('/api/auth/reset_password/request', { email: admin.email });
    const unknown = await visitor.post('/api/auth/reset_password/request', { email: 'fantome@regie.example' });
    expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null });
    const { rows } = await sql<{ task: string }>`
      SELECT task_identifier AS task FROM graphile_worker.jobs ORDER BY id`.execute(app.owner);
    expect(rows).toEqual([{ task: 'send_password_reset' }, { task: 'send_password_reset' }]);
    const mails = await app.runJobs();
    expect(mails).toMatchObject([{ to: admin.email, subject: 'Réinitialiser votre mot de passe Régie' }]);
    expect(mails[0]?.text).toContain(`${testOrigin}/reset-password-action?token=`);
  });

  it('stores no token in the job table', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    await visitor.post('/api/auth/reset_password/request', { email: admin.email });
    const { rows } = await sql<{ payload: object }>`
      SELECT payload FROM graphile_worker._private_jobs`.execute(app.owner);
    expect(rows.map((row) => Object.keys(row.payload).sort())).toEqual([['email', 'requestedAt']]);
    await app.runJobs();
    const left = await sql`SELECT 1 FROM graphile_worker._private_jobs`.execute(app.owner);
    expect(left.rows).toEqual([]);
  });

  it('accepts one of twenty concurrent uses of a link', { tags: ['slow'] }, async () => {
    const admin = await app.buildAdmin();
    const token = await requestReset(admin.email);
    const visitor = await app.visitor();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        visitor.post('/api/auth/reset_password/action', action(token, `${newPassword} ${index}`)),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(19);
    await app.signIn(admin, `${newPassword} ${replies.findIndex(({ status }) => status === 200)}`);
    await app.runJobs();
  });

  it('refuses expired links, older links after a change, and those of a deleted admin', {
    tags: ['slow'],
  }, async () => {
    const expired = await app.buildAdmin();
    const expiredToken = await requestReset(expired.email);
    await sql`UPDATE password_resets SET expires_at = now() WHERE admin_id = ${expired.id}`.execute(app.db);
    const twice = await app.buildAdmin();
    const first = await requestReset(twice.email);
    const second = await requestReset(twice.email);
    const deleted = await app.buildAdmin();
    const deletedToken = await requestReset(deleted.email);
    await sql`UPDATE admins SET deleted_at = now() WHERE id = ${deleted.id}`.execute(app.db);

    const visitor = await app.visitor();
    const use = async (token: string) => (await visitor.post('/api/auth/reset_password/action', action(token))).status;
    expect(await use(expiredToken)).toBe(422);
    expect(await use(deletedToken)).toBe(422);
    expect(await use(second)).toBe(200);
    expect(await use(first)).toBe(422);
    await app.runJobs();
  });

  it.each([
    [{ password: 'Motdepasse123', password_confirmation: 'Motdepasse123' }, { password: messages.passwordTooCommon }],
    [{ password: 'court', password_confirmation: 'court' }, { password: messages.passwordTooShort }],
    [{ password: 'x'.repeat(129), password_confirmation: 'x'.repeat(129) }, { password: messages.passwordTooLong }],
    [{ password_confirmation: 'autre chose' }, { password_confirmation: messages.passwordConfirmation }],
    [{ token: undefined }, { token: messages.unauthorized }],
  ])('refuses %o, and the link is still usable', async (change, errors) => {
    const admin = await app.buildAdmin();
    const token = newToken();
    const expiresAt = new Date(Date.now() + 60_000);
    await app.db
      .insertInto('passwordResets')
      .values({ adminId: admin.id, tokenHash: hashToken(token), expiresAt })
      .execute();
    const visitor = await app.visitor();
    const reply = await visitor.post('/api/auth/reset_password/action', { ...action(token), ...change });
    expect(reply).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(reply.errors).toMatchObject(errors);
    expect((await visitor.post('/api/auth/reset_password/action', action(token))).status).toBe(200);
    await app.runJobs();
  });

  it('sends at most five letters an hour to one address, without revealing it', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    const replies = [];
    for (let n = 0; n < 6; n += 1) {
      const options = { body: { email: admin.email }, address: `192.0.2.${100 + n}` };
      replies.push(await visitor.call('POST', '/api/auth/reset_password/request', options));
    }
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await app.runJobs()).toHaveLength(5);
  });
});

describe('sign-up by invitation', () => {
  async function invite(
    inviter: TestAdmin,
    capabilities: string[],
  ): Promise<{ id: number; email: string; token: string }> {
    const token = newToken();
    const email = `invite-${token.slice(0, 8).toLowerCase()}@regie.example`;
    const expiresAt = new Date(Date.now() + 60_000);
    const { id } = await app.db
      .insertInto('invitations')
      .values({ tokenHash: hashToken(token), email, capabilities, invitedBy: inviter.id, expiresAt })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, email, token };
  }
  const form = (token: string) => ({ fname: 'Maëlle', lname: 'Le Goff', ...action(token) });
  const rightsOf = async (email: string) =>
    (
      await app.db
        .selectFrom('admins as a')
        .leftJoin('adminCapabilities as c', 'c.adminId', 'a.id')
        .select('c.capability')
        .where('a.email', '=', email)
        .orderBy('c.capability')
        .execute()
    ).map((row) => row.capability);

  it("creates the invitation's account under its e-mail, and journals it", async () => {
    const inviter = await app.buildAdmin();
    const { email, token, id } = await invite(inviter, ['edit_tools', 'read_tools']);
    const visitor = await app.visitor();
    expect((await visitor.get(`/api/auth/invitation?token=${token}`)).data).toEqual({ email });
    const reply = await visitor.post('/api/auth/signup', { ...form(token), email: 'autre@regie.example' });
    expect(reply).toMatchObject({ status: 200, data: {} });
    expect(await rightsOf(email)).toEqual(['edit_tools', 'read_tools']);
    const used = await app.db.selectFrom('invitations').select('usedBy').where('id', '=', id).executeTakeFirstOrThrow();
    expect(await app.journal('auth.signup')).toContainEqual(
      expect.objectContaining({
        adminId: inviter.id,
        entityId: String(used.usedBy),
        after: { fname: 'Maëlle', lname: 'Le Goff', email, capabilities: ['read_tools', 'edit_tools'], alert: 'admin' },
      }),
    );
    await app.signIn({ id: used.usedBy ?? 0, email, capabilities: [] }, newPassword);
    expect((await visitor.get(`/api/auth/invitation?token=${token}`)).status).toBe(404);
  });

  it('grants only the capabilities the inviter still has', async () => {
    const inviter = await app.buildAdmin({ capabilities: ['edit_admins', 'read_tools', 'read_audit'] });
    const { email, token } = await invite(inviter, ['read_audit', 'read_tools']);
    await app.db
      .deleteFrom('adminCapabilities')
      .where('adminId', '=', inviter.id)
      .where('capability', '=', 'read_audit')
      .execute();
    const visitor = await app.visitor();
    const named = { ...form(token), fname: 'Ly', lname: 'Bâ' };
    expect((await visitor.post('/api/auth/signup', named)).status).toBe(200);
    expect(await rightsOf(email)).toEqual(['read_tools']);
  });

  it.each([
    ['was deleted', (id: number) => sql`UPDATE admins SET deleted_at = now() WHERE id = ${id}`],
    [
      'holds none of it',
      (id: number) => sql`DELETE FROM admin_capabilities WHERE admin_id = ${id} AND capability = 'read_tools'`,
    ],
    [
      'may not add admins',
      (id: number) => sql`DELETE FROM admin_capabilities WHERE admin_id = ${id} AND capability = 'edit_admins'`,
    ],
  ])('is refused when the inviter %s', async (_case, arrange) => {
    const inviter = await app.buildAdmin({ capabilities: ['edit_admins', 'read_tools'] });
    const { email, token } = await invite(inviter, ['read_tools']);
    await arrange(inviter.id).execute(app.db);
    const visitor = await app.visitor();
    expect(await visitor.post('/api/auth/signup', form(token))).toMatchObject({ status: 422 });
    expect(await rightsOf(email)).toEqual([]);
  });

  it('accepts one of twenty concurrent uses', async () => {
    const { email, token } = await invite(await app.buildAdmin(), ['read_tools']);
    const visitor = await app.visitor();
    const replies = await Promise.all(Array.from({ length: 20 }, () => visitor.post('/api/auth/signup', form(token))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(19);
    expect(await rightsOf(email)).toEqual(['read_tools']);
  });

  it('refuses short names, common passwords and expired invitations', async () => {
    const { token, id } = await invite(await app.buildAdmin(), ['read_tools']);
    const visitor = await app.visitor();
    const bad = await visitor.post('/api/auth/signup', { ...form(token), fname: 'A' });
    expect(bad.errors).toEqual({ fname: messages.nameRequired });
    const common = await visitor.post('/api/auth/signup', { ...form(token), ...action(token, 'azerty123') });
    expect(common.errors).toEqual({ password: messages.passwordTooCommon });
    await sql`UPDATE invitations SET expires_at = now() WHERE id = ${id}`.execute(app.db);
    expect((await visitor.post('/api/auth/signup', form(token))).errors).toEqual({ global: messages.tokenUsed });
  });
});
