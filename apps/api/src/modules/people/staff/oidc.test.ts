import { generateKeyPairSync } from 'node:crypto';
import { type Capability, capabilityNames, getCapability } from '@regie/contract/capabilities.ts';
import { capabilityPresets } from '@regie/contract/capability-presets.ts';
import { type ProviderFailure, providerFailures, providerMessages } from '@regie/contract/identity-provider.ts';
import { factorMessages, type SecondFactorPolicy } from '@regie/contract/second-factors.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createOidc } from '#src/lib/oidc.ts';
import { type Reply, type TestAdmin, type TestClient, testPassword, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { addTotp } from '#test/factors.ts';
import { ProviderBrowser, type ProviderPerson, startProvider, type TestProvider } from '#test/identity-provider.ts';
import { testOrigin } from '#test/origin.ts';
import { codeOf } from '#test/totp.ts';

const app = useApp();
const label = 'Compte Fadeurs';
let provider: TestProvider;
let people = 0;
const logged: string[] = [];

beforeAll(async () => {
  provider = await startProvider();
  await provider.serve(testOrigin);
  app.deps.oidc = connect();
});
afterAll(() => provider.stop());
afterEach(async () => {
  provider.instead = undefined;
  app.deps.isLocalSignInClosed = false;
  await setPolicy('optional');
});

const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
const connect = () =>
  createOidc(
    {
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      label,
      rolesClaim: 'roles',
      presets: [
        { role: 'direction', preset: 'all' },
        { role: 'compta', preset: 'accounting' },
        { role: 'catalogue', preset: 'catalogue' },
      ],
    },
    { publicUrl: testOrigin, log },
  );

const setPolicy = (policy: SecondFactorPolicy) =>
  sql`UPDATE settings SET value = ${JSON.stringify(policy)}::jsonb WHERE key = 'secondFactor'`.execute(app.owner);

function hire(person: Partial<ProviderPerson> = {}): ProviderPerson {
  people += 1;
  const hired = {
    sub: `personne-${people}`,
    email: `personne${people}@fadeurs.example`,
    email_verified: true,
    given_name: 'Inès',
    family_name: 'Moreau',
    roles: ['compta'],
    ...person,
  };
  provider.people.set(hired.sub, hired);
  return hired;
}

/** Signs in at the provider in a browser and returns the final redirect. */
async function signInAtProvider(
  person: ProviderPerson,
  { client, browser = new ProviderBrowser(), from = '/api/auth/oidc/start?origin=%2Fhome' }: Partial<Visit> = {},
): Promise<{ client: TestClient; browser: ProviderBrowser; address: string; callback: string }> {
  const visitor = client ?? (await app.visitor());
  const started = await visitor.get(from);
  expect(started.status, started.message).toBe(303);
  const callback = await browser.visit(String(started.headers.location), person.sub);
  const address = await comeBack(visitor, callback);
  await visitor.check();
  return { client: visitor, browser, address, callback };
}
interface Visit {
  client: TestClient;
  browser: ProviderBrowser;
  from: string;
}
/** Runs `work` with the clocks of provider and app set back. */
async function ago<T>(minutes: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - minutes * 60_000 });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
const comeBack = async (client: TestClient, callback: string) => {
  const { pathname, search } = new URL(callback);
  const reply = await client.get(`${pathname}${search}`);
  expect(reply.status, reply.message).toBe(303);
  return String(reply.headers.location);
};
const failureAt = (failure: ProviderFailure) => `/signin?failure=${failure}&origin=%2Fhome`;
const isSignedIn = async (client: TestClient) => (await client.check()).status === 200;
async function expectRefused(person: ProviderPerson, failure: ProviderFailure): Promise<void> {
  const { client, address } = await signInAtProvider(person);
  expect(address).toBe(failureAt(failure));
  expect(await isSignedIn(client)).toBe(false);
}

const capabilitiesOf = async (client: TestClient) =>
  ((await client.check()).data as { userCapabilities: Capability[] }).userCapabilities;
async function adminOf({ email }: { email: string }): Promise<TestAdmin> {
  const { id } = await app.db
    .selectFrom('admins')
    .select('id')
    .where('email', '=', email)
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return { id, email, capabilities: [] };
}
/** Backdates the session's last confirmation and the factor's last use. */
const ageSession = ({ id }: TestAdmin, minutes: number) =>
  sql`UPDATE sessions SET factor_at = factor_at - make_interval(mins => ${minutes}),
       provider_confirmed_at = provider_confirmed_at - make_interval(mins => ${minutes}) WHERE admin_id = ${id}`.execute(
    app.owner,
  );
const confirmation = '/api/auth/oidc/confirm?origin=%2Fpayouts%2Fpending';
const missing = (reply: Reply) => reply.errors.provider === providerMessages.confirm;

describe('signing in', () => {
  it('creates an admin for a person with mapped roles, with the capabilities of all their roles', async () => {
    const person = hire({ roles: ['compta', 'catalogue', 'stagiaire'] });
    const { client, address } = await signInAtProvider(person);
    expect(address).toBe('/home');
    const expected = new Set<Capability>([...capabilityPresets.accounting, ...capabilityPresets.catalogue]);
    expect(await capabilitiesOf(client)).toEqual(capabilityNames.filter((name) => expected.has(name)));
    expect((await client.check()).data).toMatchObject({
      user: { fname: 'Inès', lname: 'Moreau', email: person.email },
    });
    const { id } = await adminOf(person);
    expect(await app.journal('auth.provider_signup')).toContainEqual(
      expect.objectContaining({ adminId: null, entityId: String(id) }),
    );
    expect((await app.journal('auth.signin')).at(-1)).toMatchObject({ adminId: id, after: { provider: label } });
    expect((await client.check()).data).toMatchObject({ provider: label });
  });

  it('finds the admin by identity, even when the address at the provider changed', async () => {
    const person = hire();
    await signInAtProvider(person);
    const { id } = await adminOf(person);
    provider.people.set(person.sub, { ...person, email: 'autre-nom@fadeurs.example' });
    const { client } = await signInAtProvider(person);
    expect((await client.check()).data).toMatchObject({ user: { id, email: person.email } });
  });

  it('accepts one role as a text, and missing or overlong names', async () => {
    const person = hire({ roles: 'catalogue', given_name: '', family_name: 'x'.repeat(60) });
    const { client } = await signInAtProvider(person);
    expect(await capabilitiesOf(client)).toEqual(
      capabilityNames.filter((name) => capabilityPresets.catalogue.includes(name)),
    );
    expect((await client.check()).data).toMatchObject({
      user: { fname: person.email.split('@')[0], lname: 'x'.repeat(40) },
    });
  });

  it('creates one admin for two concurrent first sign-ins', async () => {
    const person = hire();
    const both = await Promise.all([signInAtProvider(person), signInAtProvider(person)]);
    for (const { client } of both) expect(await isSignedIn(client)).toBe(true);
    const { rows } = await sql`SELECT FROM admins WHERE email = ${person.email}`.execute(app.owner);
    expect(rows).toHaveLength(1);
  });

  it('redirects only to paths of this site', async () => {
    const { address } = await signInAtProvider(hire(), {
      from: '/api/auth/oidc/start?origin=%2F%2Fvoleur.example%2Fx',
    });
    expect(address).toBe('/');
  });

  it.each(['cross-site', 'same-site'])(
    'a link of another site redirects to the sign-in page, not to the provider (%s)',
    async (site) => {
      const client = await app.visitor();
      const reply = await client.call('GET', '/api/auth/oidc/start?origin=%2Fpayouts', {
        headers: { 'sec-fetch-site': site },
      });
      expect([reply.status, reply.headers.location]).toEqual([303, '/signin?origin=%2Fpayouts']);
    },
  );

  it('uses PKCE, state and nonce, and hides the proofs from the browser', async () => {
    const client = await app.visitor();
    const reply = await client.get('/api/auth/oidc/start');
    const { origin, searchParams } = new URL(String(reply.headers.location));
    expect(origin).toBe(provider.issuer);
    expect(searchParams.get('redirect_uri')).toBe(`${testOrigin}/api/auth/oidc/callback`);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(searchParams.get(name)?.length).toBeGreaterThan(40);
    const cookie = reply.cookies.find(({ name }) => name === 'regie-oidc');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', maxAge: 900 });
    expect(Buffer.from(cookie?.value ?? '', 'base64url').toString('latin1')).not.toContain('verifier');
  });

  it('returns the ways to sign in without secrets', async () => {
    const visitor = await app.visitor();
    expect((await visitor.get('/api/auth/ways')).data).toEqual({ password: true, provider: label });
    const { client } = await signInAtProvider(hire());
    const answers = [await visitor.check(), await client.check(), await client.get('/api/auth/security')];
    for (const { bytes } of answers) expect(bytes.toString()).not.toContain(provider.clientSecret);
  });
});

describe('sign-in fails with a message for', () => {
  it('an unverified address', async () => {
    await expectRefused(hire({ email_verified: false }), 'email_unverified');
    const { email_verified: _, ...unknown } = hire();
    provider.people.set(unknown.sub, unknown);
    await expectRefused(unknown, 'email_unverified');
  });

  it('no role, or no mapped role', async () => {
    await expectRefused(hire({ roles: [] }), 'no_role');
    await expectRefused(hire({ roles: ['stagiaire', 'compta '] }), 'no_role');
    const stranger = hire({ roles: ['stagiaire'] });
    await expectRefused(stranger, 'no_role');
    const { rows } = await sql`SELECT FROM admins WHERE email = ${stranger.email}`.execute(app.owner);
    expect(rows).toHaveLength(0);
  });

  it('a cancelled or refused sign-in', async () => {
    const visitor = await app.visitor();
    const started = await visitor.get('/api/auth/oidc/start?origin=%2Fhome');
    const callback = await new ProviderBrowser().visit(String(started.headers.location), 'personne-inconnue');
    expect(await comeBack(visitor, callback)).toBe(failureAt('denied'));
    expect((await app.journal('auth.signin_failed')).at(-1)).toMatchObject({ after: { provider: 'denied' } });
  });

  it("a state that is not this browser's", async () => {
    const person = hire();
    const [mine, theirs] = [await app.visitor(), await app.visitor()];
    await mine.get('/api/auth/oidc/start?origin=%2Fhome');
    const started = await theirs.get('/api/auth/oidc/start?origin=%2Fhome');
    const callback = await new ProviderBrowser().visit(String(started.headers.location), person.sub);
    expect(await comeBack(mine, callback)).toBe(failureAt('expired'));
    expect(await isSignedIn(mine)).toBe(false);
  });

  it('a repeated answer, in the same browser or one with its cookie', async () => {
    const person = hire();
    const visitor = await app.visitor();
    const started = await visitor.get('/api/auth/oidc/start?origin=%2Fhome');
    const kept = new Map(visitor.cookies);
    const callback = await new ProviderBrowser().visit(String(started.headers.location), person.sub);
    expect(await comeBack(visitor, callback)).toBe('/home');
    await visitor.get('/api/auth/signout');
    expect(await comeBack(visitor, callback)).toBe('/signin?failure=expired');
    visitor.cookies = kept;
    expect(await comeBack(visitor, callback)).toBe(failureAt('unverifiable'));
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('a modified or expired cookie', async () => {
    const person = hire();
    const visitor = await app.visitor();
    const started = await visitor.get('/api/auth/oidc/start?origin=%2Fhome');
    const callback = await new ProviderBrowser().visit(String(started.headers.location), person.sub);
    const sealed = visitor.cookies.get('regie-oidc') ?? '';
    for (const modified of [`${sealed.slice(0, -4)}AAAA`, sealed.slice(0, 12)]) {
      visitor.cookies.set('regie-oidc', modified);
      expect(await comeBack(visitor, callback)).toBe('/signin?failure=expired');
    }
    const late = await app.visitor();
    const { headers } = await ago(16, () => late.get('/api/auth/oidc/start?origin=%2Fhome'));
    const lateCallback = await new ProviderBrowser().visit(String(headers.location), person.sub);
    expect(late.cookies.has('regie-oidc')).toBe(true);
    expect(await comeBack(late, lateCallback)).toBe('/signin?failure=expired');
  });

  it('a provider that is down before the redirect', async () => {
    const away = createOidc(
      { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'y', label, rolesClaim: 'roles', presets: [] },
      { publicUrl: testOrigin, log: app.deps.log },
    );
    const present = app.deps.oidc;
    app.deps.oidc = away;
    try {
      const visitor = await app.visitor();
      const reply = await visitor.get('/api/auth/oidc/start?origin=%2Fhome');
      expect(reply.headers.location).toBe(failureAt('unreachable'));
    } finally {
      if (present) app.deps.oidc = present;
    }
  });

  it('a provider that stops or hangs between redirect and answer', { tags: ['slow'] }, async () => {
    const person = hire();
    for (const instead of [
      (_: unknown, response: { destroy: () => void }) => response.destroy(),
      (_: unknown, response: { writeHead: (status: number) => { end: () => void } }) => response.writeHead(502).end(),
      () => undefined,
    ]) {
      provider.instead = undefined;
      const visitor = await app.visitor();
      const started = await visitor.get('/api/auth/oidc/start?origin=%2Fhome');
      const callback = await new ProviderBrowser().visit(String(started.headers.location), person.sub);
      provider.instead = instead;
      const before = Date.now();
      expect(await comeBack(visitor, callback)).toBe(failureAt('unreachable'));
      expect(Date.now() - before).toBeLessThan(20_000);
      expect(await isSignedIn(visitor)).toBe(false);
    }
  });

  it("an answer signed with other keys than the provider's", async () => {
    // A client that has not fetched the keys yet.
    app.deps.oidc = connect();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    provider.instead = (request, response, goOn) => {
      if (request.url !== '/jwks') return goOn();
      const key = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key] }));
    };
    await expectRefused(hire(), 'unverifiable');
    app.deps.oidc = connect();
  });

  it('each failure has its own message, and the log contains no code, token, state or secret', async () => {
    for (const sentence of Object.values(providerFailures)) expect(sentence).toMatch(/^[A-ZÀ-Ü].{30,}/);
    const visitor = await app.visitor();
    const started = await visitor.get('/api/auth/oidc/start');
    const callback = await new ProviderBrowser().visit(String(started.headers.location), hire().sub);
    provider.instead = (_, response) => response.destroy();
    await comeBack(visitor, callback);
    const { searchParams } = new URL(callback);
    const text = logged.join('\n');
    expect(text).toContain('"reason":"unreachable"');
    for (const secret of [provider.clientSecret, searchParams.get('code') ?? '', searchParams.get('state') ?? '']) {
      expect(secret.length).toBeGreaterThan(20);
      expect(text).not.toContain(secret);
    }
    expect(text).not.toContain('fadeurs.example');
  });
});

describe('an existing admin', () => {
  it('is linked once by the verified address; their sessions end, and they and the journal’s readers are notified', async () => {
    const reader = await app.buildAdmin({ capabilities: ['read_audit'] });
    // Their roles give the same capabilities, so the sessions end because of the link.
    const admin = await app.buildAdmin({ capabilities: capabilityPresets.catalogue });
    const before = await app.signIn(admin);
    await app.runJobs();
    const person = hire({ email: admin.email, roles: ['catalogue'] });
    const { client, address } = await signInAtProvider(person);
    expect(address).toBe('/home');
    expect((await client.check()).data).toMatchObject({ user: { id: admin.id } });
    expect(await isSignedIn(before)).toBe(false);
    expect((await app.journal('admin.link_identity')).at(-1)).toMatchObject({
      entityId: String(admin.id),
      after: { issuer: provider.issuer, alert: 'admin' },
    });
    const mails = await app.runJobs();
    expect(mails.filter(({ to }) => to === admin.email).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(new RegExp(`se connecte maintenant avec «\\s${label}`)),
    );
    expect(mails.filter(({ to }) => to === reader.email)).toHaveLength(1);
  });

  it('is not linked to a second person with the same address', async () => {
    const admin = await app.buildAdmin();
    await signInAtProvider(hire({ email: admin.email }));
    await expectRefused(hire({ email: admin.email }), 'taken');
  });

  it('is not linked by an unverified address, or without a role', async () => {
    const admin = await app.buildAdmin();
    const own = await app.signIn(admin);
    await expectRefused(hire({ email: admin.email, email_verified: false }), 'email_unverified');
    await expectRefused(hire({ email: admin.email, roles: [] }), 'no_role');
    expect(await isSignedIn(own)).toBe(true);
  });

  it('is not linked as a signatory without a factor here, and the provider alone never signs', async () => {
    const bare = await app.buildAdmin();
    const other = await app.signInWith();
    const linked = hire({ roles: ['direction'], amr: ['mfa'] });
    const { client } = await signInAtProvider(linked);
    await app.addSignatories(bare, other.admin, await adminOf(linked));
    await expectRefused(hire({ email: bare.email, roles: ['direction'] }), 'signatory');
    const { id: puppet } = await app.buildAdmin();
    expect(await other.post(`/api/manage-admins/admin/${puppet}/signatory`)).toMatchObject({ data: { isDone: false } });
    const { id } = await app.db.selectFrom('proposals').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
    const reply = await signAsShown(client, 'proposal', id);
    expect(reply).toMatchObject({ status: 403, message: signatureMessages.proofFactor });
    await app.owner.deleteFrom('signatories').execute();
  });

  it('with a second factor here must use it before being linked, even with a factor at the provider', async () => {
    const own = await app.signInWith();
    const { secret } = await addTotp(own);
    const person = hire({ email: own.admin.email, amr: ['mfa'] });
    const { client, address } = await signInAtProvider(person);
    expect(address).toBe('/signin?second=oui&origin=%2Fhome');
    expect(await isSignedIn(client)).toBe(false);
    expect(await isSignedIn(own)).toBe(true);
    const asked = await client.post('/api/auth/oidc/factor');
    const { token } = asked.data as { token: string };
    expect((await client.post('/api/auth/signin/factor', { token, code: '000000' })).status).toBe(422);
    expect((await app.journal('admin.link_identity')).some(({ entityId }) => entityId === String(own.admin.id))).toBe(
      false,
    );
    expect((await client.post('/api/auth/signin/factor', { token, code: codeOf(secret, 1) })).status).toBe(200);
    expect(await isSignedIn(client)).toBe(true);
    expect((await app.journal('admin.link_identity')).at(-1)).toMatchObject({ entityId: String(own.admin.id) });

    // Once linked, the provider's factor suffices to sign in; step-up asks for the one here.
    const again = await signInAtProvider(person);
    expect(again.address).toBe('/home');
    const reply = await again.client.post('/api/auth/factors/recovery-codes');
    expect(reply.errors).toMatchObject({ stepUp: factorMessages.stepUp });
    // Without a factor at the provider, the one here is asked again.
    provider.people.set(person.sub, { ...person, amr: ['pwd'] });
    expect((await signInAtProvider(person)).address).toContain('second=oui');
  });

  it('must complete the second step in this browser, after coming from the provider', async () => {
    const visitor = await app.visitor();
    expect((await visitor.post('/api/auth/oidc/factor')).errors.global).toBe(factorMessages.expired);
  });

  it('is not linked when they abandon the second step and sign in by password', async () => {
    const own = await app.signInWith();
    const { secret } = await addTotp(own);
    const { client } = await signInAtProvider(hire({ email: own.admin.email }));
    await client.post('/api/auth/oidc/factor');
    const begun = await client.post('/api/auth/signin', { email: own.admin.email, password: testPassword });
    const { factor } = begun.data as { factor: { token: string } };
    const code = codeOf(secret, 1);
    expect((await client.post('/api/auth/signin/factor', { token: factor.token, code })).status).toBe(200);
    expect((await client.check()).data).not.toHaveProperty('provider');
    expect(await isSignedIn(own)).toBe(true);
  });

  it('cannot use a password once linked, and gets an explanation instead of a reset link', async () => {
    const admin = await app.buildAdmin({ capabilities: ['read_tools'] });
    await signInAtProvider(hire({ email: admin.email }));
    await app.runJobs();
    const visitor = await app.visitor();
    const reply = await visitor.post('/api/auth/signin', { email: admin.email, password: testPassword });
    expect(reply).toMatchObject({ status: 401, message: providerMessages.linked(label) });
    expect((await visitor.post('/api/auth/signin', { email: admin.email, password: 'faux faux' })).status).toBe(401);
    await visitor.post('/api/auth/reset_password/request', { email: admin.email });
    const [mail, ...more] = await app.runJobs();
    expect(more).toEqual([]);
    expect(mail?.text).toContain(label);
    expect(mail?.text).not.toContain('token=');
  });

  it('does not return by signing in after being deleted, only when an admin adds them again', async () => {
    const boss = await app.signInWith();
    const person = hire();
    const { client } = await signInAtProvider(person);
    expect((await boss.delete(`/api/manage-admins/admin/${(await adminOf(person)).id}`)).status).toBe(200);
    expect(await isSignedIn(client)).toBe(false);
    await expectRefused(person, 'deleted');
    const never = await app.buildAdmin({ email: `jamais${people}@fadeurs.example` });
    expect((await boss.delete(`/api/manage-admins/admin/${never.id}`)).status).toBe(200);
    await expectRefused(hire({ email: never.email }), 'deleted');
    await app.buildAdmin({ email: person.email });
    expect((await signInAtProvider(person)).address).toBe('/home');
  });
});

describe('capabilities follow the roles', () => {
  it('at each sign-in they are granted and removed, journalled and notified; other sessions end', {
    tags: ['slow'],
  }, async () => {
    const person = hire({ roles: ['compta'] });
    const first = await signInAtProvider(person);
    const admin = await adminOf(person);
    await app.runJobs();
    provider.people.set(person.sub, { ...person, roles: ['catalogue'] });
    const { client } = await signInAtProvider(person);
    expect(await isSignedIn(first.client)).toBe(false);
    const expected = capabilityNames.filter((name) => capabilityPresets.catalogue.includes(name));
    expect(await capabilitiesOf(client)).toEqual(expected);
    const [entry] = (await app.journal('admin.follow_provider')).filter(
      ({ entityId }) => entityId === String(admin.id),
    );
    expect(entry).toMatchObject({ adminId: null, after: { capabilities: expected } });
    const letters = (await app.runJobs()).filter(({ to, subject }) => to === person.email && subject.includes('accès'));
    expect(letters).toHaveLength(1);
    expect(letters[0]?.text).toContain(getCapability('edit_tools').label);
    expect(letters[0]?.text).toContain(getCapability('edit_pending_payout').label);
    await signInAtProvider(person);
    expect(
      (await app.journal('admin.follow_provider')).filter(({ entityId }) => entityId === String(admin.id)),
    ).toHaveLength(1);
  });

  it('without a role, sign-in is refused; sessions end and capabilities are removed', async () => {
    const person = hire();
    const { client } = await signInAtProvider(person);
    const { id } = await adminOf(person);
    provider.people.set(person.sub, { ...person, roles: [] });
    await expectRefused(person, 'no_role');
    expect(await isSignedIn(client)).toBe(false);
    const { rows } = await sql`SELECT FROM admin_capabilities WHERE admin_id = ${id}`.execute(app.owner);
    expect(rows).toHaveLength(0);
    provider.people.set(person.sub, person);
    const back = await signInAtProvider(person);
    expect(back.address).toBe('/home');
    const { signIns } = (await back.client.get('/api/auth/security')).data as { signIns: { result: string }[] };
    expect(signIns.map(({ result }) => result)).toEqual(['signed_in', 'provider_refused', 'signed_in']);
  });
});

it('provider sessions end after 12 hours, so that a lost role takes effect the same day', async () => {
  const person = hire();
  const { client } = await signInAtProvider(person);
  const { id } = await adminOf(person);
  const open = (hours: number) =>
    sql`UPDATE sessions SET created_at = now() - make_interval(hours => ${hours}) WHERE admin_id = ${id}`.execute(
      app.owner,
    );
  await open(11);
  expect(await isSignedIn(client)).toBe(true);
  await open(13);
  expect(await isSignedIn(client)).toBe(false);
});

it('the capabilities of a linked admin cannot be reduced by another admin', async () => {
  const boss = await app.signInWith();
  const person = hire({ roles: ['direction'] });
  await signInAtProvider(person);
  const { id } = await adminOf(person);
  const form = { fname: 'Inès', lname: 'Moreau', email: person.email };
  const change = (names: readonly Capability[]) =>
    boss.put(`/api/manage-admins/admin/${id}`, { ...form, capabilities: names.map((name) => getCapability(name).id) });
  expect((await change(['read_tools'])).errors).toEqual({ capabilities: providerMessages.rolesElsewhere(label) });
  expect((await change(capabilityNames)).status).toBe(200);
});

it('failed sign-ins of one address are journalled up to a limit', async () => {
  const visitor = await app.visitor();
  const before = (await app.journal('auth.signin_failed')).length;
  for (let n = 0; n < 40; n += 1) {
    const reply = await visitor.call('GET', '/api/auth/oidc/callback?code=x&state=y', { address: '203.0.113.9' });
    expect(reply.headers.location).toBe('/signin?failure=expired');
  }
  expect((await app.journal('auth.signin_failed')).length - before).toBe(30);
});

describe('the second factor', () => {
  const settings = (client: TestClient) => client.put('/api/settings', {});

  it.each([{ amr: ['pwd', 'otp'] }, { amr: ['hwk'] }, { acr: 'phr' }])(
    'of the provider (%o) counts for the session, and for ten minutes where a recent one is required',
    async (claims) => {
      await setPolicy('all');
      const person = hire({ roles: ['direction'], ...claims });
      const { client, browser } = await signInAtProvider(person);
      expect((await client.check()).data).not.toHaveProperty('needsFactor');
      expect((await settings(client)).status).toBe(422);
      await ageSession(await adminOf(person), 11);
      expect(await settings(client)).toMatchObject({ status: 403, errors: { provider: providerMessages.confirm } });
      expect((await client.get('/api/home')).status).toBe(200);
      const again = await signInAtProvider(person, { client, browser, from: confirmation });
      expect(again.address).toBe('/payouts/pending');
      expect(browser.signIns).toBe(2);
      expect((await settings(client)).status).toBe(422);
      expect((await app.journal('auth.confirm_identity')).at(-1)).toMatchObject({ after: { hasFactor: true } });
    },
  );

  it('counts from the authentication at the provider, not from the redirect', async () => {
    const person = hire({ roles: ['direction'], amr: ['mfa'] });
    const browser = new ProviderBrowser();
    await ago(2, () => signInAtProvider(person, { browser }));
    const { client: second } = await signInAtProvider(person, { browser });
    expect(browser.signIns).toBe(1);
    expect(await isSignedIn(second)).toBe(true);
    const { rows } = await sql<{ s: number }>`
      SELECT extract(epoch FROM created_at - factor_at)::float8 AS s FROM sessions WHERE admin_id = ${(await adminOf(person)).id} ORDER BY id`.execute(
      app.owner,
    );
    expect(rows.map(({ s }) => Math.round(s / 60))).toEqual([2, 2]);
  });

  it('without a factor at the provider, the label’s setting applies', async () => {
    await setPolicy('money');
    const person = hire({ roles: ['direction'], amr: ['pwd'] });
    const { client } = await signInAtProvider(person);
    expect(await settings(client)).toMatchObject({ status: 403, errors: { secondFactor: factorMessages.missing } });
    await setPolicy('optional');
    expect((await settings(client)).status).toBe(422);
  });

  it('the first factor in Régie needs a new provider sign-in instead of a password, and the mailed code', {
    tags: ['slow'],
  }, async () => {
    await setPolicy('money');
    const person = hire({ roles: ['direction'] });
    const { client, browser } = await signInAtProvider(person);
    expect((await client.get('/api/auth/security')).data).toMatchObject({
      firstFactor: { needsMailCode: true, needsPassword: false },
    });
    await app.runJobs();
    await client.post('/api/auth/factors/mail-code');
    const mailCode = /^\d{8}$/m.exec((await app.runJobs())[0]?.text ?? '')?.[0] ?? '';
    expect(missing(await client.post('/api/auth/factors/totp/start', { mailCode, password: testPassword }))).toBe(true);
    await signInAtProvider(person, { client, browser, from: confirmation });
    expect((await client.post('/api/auth/factors/totp/start', {})).errors).toEqual({
      mailCode: factorMessages.mailCodeRequired,
    });
    await addTotp(client, { mailCode });
    expect((await settings(client)).status).toBe(422);
    await ageSession(await adminOf(person), 11);
    expect((await settings(client)).errors).toMatchObject({ stepUp: factorMessages.stepUp });
  });
});

describe('confirming at the provider', () => {
  it('requires a new sign-in, and refuses an old sign-in presented as new', async () => {
    const person = hire({ roles: ['direction'], amr: ['mfa'] });
    const browser = new ProviderBrowser();
    const { client } = await ago(2, () => signInAtProvider(person, { browser }));
    await ageSession(await adminOf(person), 11);
    const started = await client.get(confirmation);
    const address = new URL(String(started.headers.location));
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
    // The user removes the demand: the provider answers for its existing session.
    address.searchParams.delete('prompt');
    address.searchParams.delete('max_age');
    const callback = await browser.visit(address.href, person.sub);
    expect(browser.signIns).toBe(1);
    expect(await comeBack(client, callback)).toBe('/account/security?failure=unverifiable');
    expect((await client.put('/api/settings', {})).errors).toMatchObject({ provider: providerMessages.confirm });
  });

  it('must be by the person signed in here', async () => {
    const person = hire({ amr: ['mfa'] });
    const { client } = await signInAtProvider(person);
    const other = hire({ amr: ['mfa'] });
    await signInAtProvider(other);
    const { address } = await signInAtProvider(other, { client, from: confirmation });
    expect(address).toBe('/account/security?failure=other_person');
    expect(await isSignedIn(client)).toBe(true);
  });

  it('is refused to password sessions, and to pages of other sites', async () => {
    expect((await (await app.signInWith()).get(confirmation)).status).toBe(403);
    const { client } = await signInAtProvider(hire());
    const reply = await client.call('GET', confirmation, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(reply.status).toBe(403);
  });

  it('replaces the password when an admin changes their e-mail; they have no password to change', async () => {
    const person = hire({ roles: ['direction'] });
    const { client, browser } = await signInAtProvider(person);
    const { id } = await adminOf(person);
    const change = {
      fname: 'Inès',
      lname: 'Moreau',
      email: 'ines@fadeurs.example',
      capabilities: capabilityNames.map((name) => getCapability(name).id),
    };
    expect(missing(await client.put(`/api/manage-admins/admin/${id}`, change))).toBe(true);
    await signInAtProvider(person, { client, browser, from: confirmation });
    expect(
      (await client.put(`/api/manage-admins/admin/${id}`, { ...change, password: 'neuf curseurs verts' })).errors,
    ).toEqual({
      password: providerMessages.noPassword(label),
    });
    expect((await client.put(`/api/manage-admins/admin/${id}`, change)).status).toBe(200);
    const own = { presentPassword: 'x', password: 'neuf curseurs verts', password_confirmation: 'neuf curseurs verts' };
    expect(await client.put('/api/auth/password', own)).toMatchObject({
      status: 409,
      message: providerMessages.linked(label),
    });
  });

  it('by an admin without a role ends their sessions', async () => {
    const person = hire();
    const { client, browser } = await signInAtProvider(person);
    provider.people.set(person.sub, { ...person, roles: [] });
    const { address } = await signInAtProvider(person, { client, browser, from: confirmation });
    expect(address).toBe('/signin?failure=no_role&origin=%2Fpayouts%2Fpending');
    expect(await isSignedIn(client)).toBe(false);
  });
});

describe('password sign-in disabled', () => {
  it('refuses password, link, reset, sign-up and invitation, but not the provider', async () => {
    const boss = await app.signInWith();
    app.deps.isLocalSignInClosed = true;
    const visitor = await app.visitor();
    expect((await visitor.get('/api/auth/ways')).data).toEqual({ password: false, provider: label });
    const both = { password: 'neuf curseurs verts', password_confirmation: 'neuf curseurs verts', token: 'x' };
    const closed = { status: 403, message: providerMessages.localClosed };
    const { email } = boss.admin;
    expect(await visitor.post('/api/auth/signin', { email, password: testPassword })).toMatchObject(closed);
    expect(await visitor.post('/api/auth/reset_password/request', { email })).toMatchObject(closed);
    expect(await visitor.post('/api/auth/reset_password/action', both)).toMatchObject(closed);
    const form = { ...both, fname: 'Camille', lname: 'Essai' };
    expect(await visitor.post('/api/auth/signup', form)).toMatchObject(closed);
    const invitation = { email: 'invite@fadeurs.example', capabilities: [] };
    expect(await boss.post('/api/manage-admins/invite', invitation)).toMatchObject(closed);
    expect((await signInAtProvider(hire())).address).toBe('/home');
  });

  it('refuses a second step started with a password before', async () => {
    const own = await app.signInWith();
    const { secret } = await addTotp(own);
    const visitor = await app.visitor();
    const begun = await visitor.post('/api/auth/signin', { email: own.admin.email, password: testPassword });
    const { factor } = begun.data as { factor: { token: string } };
    app.deps.isLocalSignInClosed = true;
    const reply = await visitor.post('/api/auth/signin/factor', { token: factor.token, code: codeOf(secret, 1) });
    expect(reply).toMatchObject({ status: 403, message: providerMessages.localClosed });
  });
});

describe('without a provider', () => {
  it('has no provider calls, refuses provider sessions, and accepts passwords again', async () => {
    const admin = await app.buildAdmin({ capabilities: ['read_tools'] });
    const { client } = await signInAtProvider(hire({ email: admin.email }));
    const present = app.deps.oidc;
    delete app.deps.oidc;
    try {
      const visitor = await app.visitor();
      expect((await visitor.get('/api/auth/oidc/start')).status).toBe(404);
      expect((await visitor.get('/api/auth/oidc/callback?code=x&state=y')).status).toBe(404);
      expect((await visitor.get('/api/auth/ways')).data).toEqual({ password: true, provider: null });
      expect(await isSignedIn(client)).toBe(false);
      await app.signIn(admin);
    } finally {
      if (present) app.deps.oidc = present;
    }
  });
});
