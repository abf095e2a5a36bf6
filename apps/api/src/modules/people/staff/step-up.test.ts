import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messages } from '@regie/contract/messages.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { factorMessages, type SecondFactorPolicy } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestClient, testPassword, useApp } from '#test/app.ts';
import { addPasskey, addTotp } from '#test/factors.ts';
import { codeOf } from '#test/totp.ts';

const app = useApp();

const setPolicy = (policy: SecondFactorPolicy) =>
  sql`UPDATE settings SET value = ${JSON.stringify(policy)}::jsonb WHERE key = 'secondFactor'`.execute(app.owner);
afterEach(() => setPolicy('optional'));

type Row = (typeof routeTable)[number];
const nameOf = ({ method, path }: Row) => `${method} ${path}`;
const isOwn = ({ path }: Row) => path.startsWith('/auth/');
const guarded = routeTable.filter(({ stepUp }) => stepUp);
const cases = guarded.map((row): [string, Row] => [nameOf(row), row]);
/** Sends an invalid body for an unknown record. */
const attempt = (client: TestClient, row: Row) =>
  client.call(row.method, `/api${row.path.replaceAll(/:\w+/g, '2147483000')}?date=never`, {
    ...(row.method === 'GET' ? {} : { body: { email: 7 } }),
  });
const age = (client: { admin: { id: number } }, minutes: number) =>
  sql`UPDATE sessions SET factor_at = now() - make_interval(mins => ${minutes}) WHERE admin_id = ${client.admin.id}`.execute(
    app.owner,
  );

/** The envelope says what to do, also to a client that only shows `global`. */
const refusal = (message: string, name: string) => ({
  ...{ status: 403, code: 'forbidden', data: null, message },
  errors: { global: message, [name]: message },
});
const missing = refusal(factorMessages.missing, 'secondFactor');
const tooOld = refusal(factorMessages.stepUp, 'stepUp');

it('calls that need a recent second factor are those that docs/product.md lists', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../../../../../docs/product.md'), 'utf8');
  const [, rule = ''] = /^- \*\*31\.25\*\* (.*?)^- /ms.exec(page) ?? [];
  const listed = [...rule.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, call]) => call);
  expect(listed.sort()).toEqual(guarded.map(nameOf).sort());
});

describe('with a second factor', () => {
  it('each of these calls asks for the factor after ten minutes, before it checks the body', {
    tags: ['slow'],
  }, async () => {
    const client = await app.signInWith();
    await addTotp(client);
    for (const [name, row] of cases) {
      await age(client, 11);
      expect(await attempt(client, row), name).toMatchObject(tooOld);
      await age(client, 9);
      expect((await attempt(client, row)).errors.stepUp, name).toBeUndefined();
    }
  });

  it('other calls do not ask for the factor', { tags: ['slow'] }, async () => {
    const client = await app.signInWith();
    await addTotp(client);
    await age(client, 11);
    for (const row of routeTable.filter(({ stepUp, path }) => !stepUp && path !== '/auth/signout')) {
      expect((await attempt(client, row)).errors.stepUp, nameOf(row)).toBeUndefined();
    }
  });

  it('the right code allows these calls in its session only', async () => {
    const client = await app.signInWith();
    const { secret } = await addTotp(client);
    const body = { email: 'invite@regie.example', capabilities: [] };
    await age(client, 11);
    expect(await client.post('/api/manage-admins/invite', body)).toMatchObject(tooOld);
    const { data } = await client.post('/api/auth/step-up/start');
    const { token } = data as { token: string };
    const wrong = await client.post('/api/auth/step-up', { token, code: '000000' });
    expect(wrong).toMatchObject({ status: 422, errors: { code: factorMessages.wrongCode } });
    // Another session of the same admin, older.
    await sql`INSERT INTO sessions (token_hash, admin_id) VALUES (sha256('other'), ${client.admin.id})`.execute(
      app.owner,
    );
    expect(await client.post('/api/auth/step-up', { token, code: codeOf(secret, 1) })).toMatchObject({ status: 200 });
    expect(await client.post('/api/manage-admins/invite', body)).toMatchObject({ status: 200 });
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM sessions WHERE admin_id = ${client.admin.id} AND factor_at > now() - interval '1 minute'`.execute(
      app.owner,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('a passkey works too; a confirmation started by another admin does not', async () => {
    const client = await app.signInWith();
    const passkey = await addPasskey(client);
    const other = await app.signInWith();
    await addPasskey(other);
    await age(client, 11);
    const start = async (who: TestClient) =>
      (await who.post('/api/auth/step-up/start')).data as { token: string; passkey: { challenge: string } };
    const theirs = await start(other);
    const foreign = { token: theirs.token, passkey: passkey.sign(theirs.passkey.challenge) };
    expect((await client.post('/api/auth/step-up', foreign)).status).toBe(422);
    const own = await start(client);
    const right = { token: own.token, passkey: passkey.sign(own.passkey.challenge) };
    expect(await client.post('/api/auth/step-up', right)).toMatchObject({ status: 200 });
    expect((await client.post('/api/auth/step-up', right)).status).toBe(422);
    expect((await client.post('/api/auth/factors/recovery-codes')).status).toBe(200);
  });

  it('a challenge of one session cannot be answered in another session of the same admin', async () => {
    const first = await app.signInWith();
    const passkey = await addPasskey(first);
    const second = await app.visitor();
    const reply = await second.post('/api/auth/signin', { email: first.admin.email, password: testPassword });
    const { factor } = reply.data as { factor: { token: string; passkey: { challenge: string } } };
    const signed = { token: factor.token, passkey: passkey.sign(factor.passkey.challenge) };
    await second.post('/api/auth/signin/factor', signed);
    await second.check();
    const { data } = await first.post('/api/auth/step-up/start');
    const asked = data as { token: string; passkey: { challenge: string } };
    const answer = { token: asked.token, passkey: passkey.sign(asked.passkey.challenge) };
    const expired = { status: 422, errors: { global: factorMessages.expired } };
    expect(await second.post('/api/auth/step-up', answer)).toMatchObject(expired);
    expect(await first.post('/api/auth/step-up', answer)).toMatchObject({ status: 200 });
    const started = (await first.post('/api/auth/factors/totp/start', {})).data as { token: string; secret: string };
    const added = { token: started.token, name: 'Téléphone', code: codeOf(started.secret) };
    expect(await second.post('/api/auth/factors/totp', added)).toMatchObject(expired);
    expect(await first.post('/api/auth/factors/totp', added)).toMatchObject({ status: 200 });
  });

  it('signing in with the factor counts as using it', async () => {
    const first = await app.signInWith();
    const { secret } = await addTotp(first);
    const client = await app.visitor();
    const reply = await client.post('/api/auth/signin', { email: first.admin.email, password: testPassword });
    const { factor } = reply.data as { factor: { token: string } };
    await client.post('/api/auth/signin/factor', { token: factor.token, code: codeOf(secret, 1) });
    await client.check();
    expect((await client.post('/api/auth/factors/recovery-codes')).status).toBe(200);
  });
});

describe('without a second factor', () => {
  it('when optional, nothing is refused', async () => {
    const client = await app.signInWith();
    for (const [name, row] of cases) {
      expect((await attempt(client, row)).errors, name).not.toHaveProperty('secondFactor');
    }
  });

  it('when required for money, only these calls are refused', { tags: ['slow'] }, async () => {
    await setPolicy('money');
    const client = await app.signInWith();
    expect((await client.check()).data).not.toHaveProperty('needsFactor');
    for (const row of routeTable.filter(({ path }) => path !== '/auth/signout')) {
      const reply = await attempt(client, row);
      if (row.stepUp && !isOwn(row)) expect(reply, nameOf(row)).toMatchObject(missing);
      else expect(reply.errors, nameOf(row)).not.toHaveProperty('secondFactor');
    }
  });

  it('when required of everybody, every call but adding a factor and signing out is refused', async () => {
    await setPolicy('all');
    const client = await app.signInWith();
    expect((await client.check()).data).toMatchObject({ needsFactor: true });
    for (const row of routeTable.filter((one) => one.capability !== 'public')) {
      const reply = await attempt(client, row);
      if (isOwn(row)) expect(reply.errors, nameOf(row)).not.toHaveProperty('secondFactor');
      else expect(reply, nameOf(row)).toMatchObject(missing);
    }
    expect((await client.get('/api/auth/signout')).status).toBe(200);
  });

  it('a missing capability is reported first', async () => {
    await setPolicy('money');
    const client = await app.signInWith([]);
    expect(await client.put('/api/settings', {})).toMatchObject({ status: 403, message: messages.forbidden });
  });

  it('when required, adding the first factor needs a mailed code in addition to the password', async () => {
    await setPolicy('money');
    const client = await app.signInWith();
    await app.runJobs();
    expect((await client.get('/api/auth/security')).data).toMatchObject({ firstFactor: { needsMailCode: true } });
    const start = (given: object) => client.post('/api/auth/factors/totp/start', given);
    expect((await start({ password: testPassword })).errors).toEqual({ mailCode: factorMessages.mailCodeRequired });
    expect(await client.post('/api/auth/factors/mail-code')).toMatchObject({ status: 200 });
    const [mail] = await app.runJobs();
    expect(mail?.to).toBe(client.admin.email);
    const mailCode = /^\d{8}$/m.exec(mail?.text ?? '')?.[0] ?? '';
    const wrong = await start({ password: testPassword, mailCode: mailCode === '00000000' ? '11111111' : '00000000' });
    expect(wrong.errors).toEqual({ mailCode: factorMessages.wrongMailCode });
    const { rows } = await sql<{ minutes: number }>`
      SELECT (extract(epoch FROM expires_at - now()) / 60)::float AS minutes FROM auth_challenges
       WHERE admin_id = ${client.admin.id} AND purpose = 'mail_code'`.execute(app.owner);
    expect(rows[0]?.minutes).toBeLessThanOrEqual(10);
    await addTotp(client, { password: testPassword, mailCode });
    expect((await client.put('/api/settings', {})).status).toBe(422);
  });

  it('a mailed code is refused once it has expired, and after five wrong codes', async () => {
    await setPolicy('money');
    const client = await app.signInWith();
    const start = (mailCode: string) =>
      client.post('/api/auth/factors/totp/start', { password: testPassword, mailCode });
    const mailedCode = async () => {
      await app.runJobs();
      await client.post('/api/auth/factors/mail-code');
      return /^\d{8}$/m.exec((await app.runJobs())[0]?.text ?? '')?.[0] ?? '';
    };
    const late = await mailedCode();
    await sql`UPDATE auth_challenges SET expires_at = now() WHERE purpose = 'mail_code'`.execute(app.owner);
    expect((await start(late)).errors).toEqual({ mailCode: factorMessages.wrongMailCode });
    const mailCode = await mailedCode();
    const wrong = mailCode === '00000000' ? '11111111' : '00000000';
    for (let n = 1; n < 5; n += 1) expect((await start(wrong)).status).toBe(422);
    expect(await start(mailCode)).toMatchObject({ status: 429, code: 'too_many_requests' });
  });
});

describe('a profile', () => {
  const form = { fname: 'Awa', lname: 'Diallo', country: 'France' };
  const full = {
    ...{ ...form, email: 'awa@exemple.fr', state: 'ENABLED', role: 'CUSTOMER', income: 0 },
    ...{ libraryIncomePercentile: 80, youtubeChannelIncomePercentile: 70 },
  };
  const guardedChanges = [
    { email: 'autre@exemple.fr' },
    { state: 'HOLD' },
    { role: 'LABEL' },
    { income: 12 },
    { libraryIncomePercentile: 81 },
    { youtubeChannelIncomePercentile: 71 },
  ];

  it.each(guardedChanges)('asks for the factor to change %o, and is not changed', async (change) => {
    const client = await app.signInWith();
    const { id } = (await client.post('/api/profile/new', full)).data as { id: number };
    const url = `/api/profile/${id}/profile`;
    await setPolicy('money');
    expect(await client.put(url, { ...full, ...change, city: 'Nantes' })).toMatchObject(missing);
    expect((await client.get(url)).data).toMatchObject({ ...full, city: null });
    // What moves no money and opens no door is saved with all specified fields.
    expect(await client.put(url, { ...full, city: 'Nantes', memo: 'Rappeler' })).toMatchObject({ status: 200 });
    await setPolicy('optional');
    await addTotp(client);
    await age(client, 11);
    expect(await client.put(url, { ...full, ...change })).toMatchObject(tooOld);
    expect(await client.put(url, { ...full, memo: 'Rappelé' })).toMatchObject({ status: 200 });
    await age(client, 9);
    expect(await client.put(url, { ...full, ...change })).toMatchObject({ status: 200, data: change });
  });

  it('asks for the factor when created with a balance or other shares', async () => {
    await setPolicy('money');
    const client = await app.signInWith();
    for (const change of [{ income: 12 }, { libraryIncomePercentile: 81 }, { youtubeChannelIncomePercentile: 71 }]) {
      expect(await client.post('/api/profile/new', { ...form, ...change })).toMatchObject(missing);
    }
    const shares = (await client.get('/api/profile/new')).data as object;
    expect(await client.post('/api/profile/new', { ...form, ...shares, income: 0 })).toMatchObject({ status: 200 });
  });
});

describe('the setting secondFactor', () => {
  it('is "money" in a new installation', async () => {
    await sql`DELETE FROM settings WHERE key = 'secondFactor'`.execute(app.owner);
    const client = await app.signInWith();
    expect((await client.get('/api/auth/security')).data).toMatchObject({ policy: 'money' });
    await sql`INSERT INTO settings (key, value) VALUES ('secondFactor', '"optional"')`.execute(app.owner);
  });

  it('can be changed by admins with edit_admins only', async () => {
    const change = async (client: TestClient) => {
      const { version } = (await client.get('/api/settings')).data as { version: string };
      return client.put('/api/settings', { version, secondFactor: 'money' });
    };
    expect(await change(await app.signInWith(['manage_settings']))).toMatchObject({
      status: 403,
      message: factorMessages.policyNeedsEditAdmins,
    });
    expect(await change(await app.signInWith(['manage_settings', 'edit_admins']))).toMatchObject({ status: 200 });
  });

  it('can be set to everybody only by an admin with a factor', async () => {
    const client = await app.signInWith(['manage_settings', 'edit_admins']);
    const change = async () => {
      const { version } = (await client.get('/api/settings')).data as { version: string };
      return client.put('/api/settings', { version, secondFactor: 'all' });
    };
    expect(await change()).toMatchObject({ status: 422, errors: { secondFactor: factorMessages.ownFactorFirst } });
    await addTotp(client);
    expect(await change()).toMatchObject({ status: 200 });
    await sql`DELETE FROM settings WHERE key = 'secondFactor'`.execute(app.owner);
    await setPolicy('optional');
  });
});

it('checking a statement needs the factor', async () => {
  await setPolicy('money');
  const colleague = await app.signInWith(['edit_reports']);
  expect(await colleague.post('/api/reporting/statements/2147483000/check', { note: 'Lu' })).toMatchObject(missing);
  expect(await colleague.post('/api/reporting/automatic', {})).toMatchObject(missing);
});
