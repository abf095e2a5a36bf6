import { factorMessages } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import { Secret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { type TestAdmin, type TestClient, testPassword, tokenIn, useApp } from '#test/app.ts';
import { addPasskey, addTotp } from '#test/factors.ts';
import { createPasskey } from '#test/passkey.ts';
import { codeOf } from '#test/totp.ts';
import { describeTotp, findTotpStep, newTotpSecret } from './factors.rules.ts';

const app = useApp();

interface Prompt {
  token: string;
  totp: boolean;
  recovery: boolean;
  passkey: { challenge: string } | null;
}

async function withTotp() {
  const client = await app.signInWith();
  return { client, admin: client.admin, ...(await addTotp(client)) };
}
async function withPasskey() {
  const client = await app.signInWith();
  return { client, admin: client.admin, passkey: await addPasskey(client) };
}

/** First step: the password. */
async function begin(admin: TestAdmin, password = testPassword): Promise<{ visitor: TestClient; prompt: Prompt }> {
  const visitor = await app.visitor();
  const reply = await visitor.post('/api/auth/signin', { email: admin.email, password });
  expect(reply).toMatchObject({ status: 200, data: { factor: { token: expect.any(String) } } });
  return { visitor, prompt: (reply.data as { factor: Prompt }).factor };
}
const finish = (visitor: TestClient, body: object) => visitor.post('/api/auth/signin/factor', body);
const isIn = async (client: TestClient) => (await client.check()).status === 200;

describe('signing in with a second factor', () => {
  it('the password alone opens no session', async () => {
    const { admin } = await withTotp();
    const { visitor, prompt } = await begin(admin);
    expect(prompt).toMatchObject({ totp: true, recovery: true, passkey: null });
    expect(visitor.cookies.has('regie')).toBe(false);
    expect(await isIn(visitor)).toBe(false);
  });

  it('the right code opens one session; neither the code nor the sign-in can be reused', async () => {
    const { admin, secret, usedCode } = await withTotp();
    const { visitor, prompt } = await begin(admin);
    const used = await finish(visitor, { token: prompt.token, code: usedCode });
    expect(used).toMatchObject({ status: 422, errors: { code: factorMessages.wrongCode } });
    const code = codeOf(secret, 1);
    expect(await finish(visitor, { token: prompt.token, code })).toMatchObject({ status: 200, data: {} });
    expect(await isIn(visitor)).toBe(true);
    const other = await begin(admin);
    expect(await finish(other.visitor, { token: other.prompt.token, code })).toMatchObject({ status: 422 });
    expect(await finish(other.visitor, { token: prompt.token, code })).toMatchObject({
      status: 422,
      errors: { global: factorMessages.expired },
    });
    expect(await app.journal('auth.factor_failed')).toContainEqual(expect.objectContaining({ adminId: admin.id }));
  });

  it('one of four concurrent sign-ins with one code succeeds', async () => {
    const { admin, secret } = await withTotp();
    const begun = [];
    for (let n = 0; n < 4; n += 1) begun.push(await begin(admin));
    const code = codeOf(secret, 1);
    const replies = await Promise.all(
      begun.map(({ visitor, prompt }) => finish(visitor, { token: prompt.token, code })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('refuses an answer after five minutes, and for another admin’s sign-in', async () => {
    const { admin, secret } = await withTotp();
    const { visitor, prompt } = await begin(admin);
    await sql`UPDATE auth_challenges SET expires_at = now() WHERE admin_id = ${admin.id}`.execute(app.owner);
    expect(await finish(visitor, { token: prompt.token, code: codeOf(secret, 1) })).toMatchObject({
      status: 422,
      errors: { global: factorMessages.expired },
    });
    const other = await withTotp();
    const theirs = await begin(other.admin);
    expect(await finish(visitor, { token: theirs.prompt.token, code: codeOf(secret, 1) })).toMatchObject({
      status: 422,
    });
  });

  it('answers 429 after five wrong codes, whichever sign-in and address they come from', async () => {
    const { admin, secret } = await withTotp();
    for (let n = 0; n < 5; n += 1) {
      const { visitor, prompt } = await begin(admin);
      const reply = await visitor.call('POST', '/api/auth/signin/factor', {
        body: { token: prompt.token, code: '000000' },
        address: `203.0.113.${n}`,
      });
      expect(reply.status).toBe(422);
    }
    const { visitor, prompt } = await begin(admin);
    const reply = await finish(visitor, { token: prompt.token, code: codeOf(secret, 1) });
    expect(reply).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('a code of two steps ago is not accepted', () => {
    const bytes = newTotpSecret();
    const { secret } = describeTotp(bytes, { email: 'awa@regie.example', house: 'Régie' });
    expect(findTotpStep(bytes, codeOf(secret))).toBeDefined();
    expect(findTotpStep(bytes, codeOf(secret, -2))).toBeUndefined();
  });

  it('a passkey must answer the challenge of this sign-in, not an earlier challenge', async () => {
    const { admin, passkey } = await withPasskey();
    const former = await begin(admin);
    const { visitor, prompt } = await begin(admin);
    expect(prompt).toMatchObject({ totp: false, passkey: { allowCredentials: [{ id: passkey.id }] } });
    const stale = passkey.sign(former.prompt.passkey?.challenge ?? '');
    expect(await finish(visitor, { token: prompt.token, passkey: stale })).toMatchObject({
      status: 422,
      errors: { global: factorMessages.wrongPasskey },
    });
    const elsewhere = passkey.sign(prompt.passkey?.challenge ?? '', { origin: 'https://ailleurs.example' });
    expect((await finish(visitor, { token: prompt.token, passkey: elsewhere })).status).toBe(422);
    const right = passkey.sign(prompt.passkey?.challenge ?? '');
    expect(await finish(visitor, { token: prompt.token, passkey: right })).toMatchObject({ status: 200 });
    expect(await isIn(visitor)).toBe(true);
  });

  it('a passkey of another person is refused', async () => {
    const { admin } = await withPasskey();
    const stranger = await withPasskey();
    const { visitor, prompt } = await begin(admin);
    const signed = stranger.passkey.sign(prompt.passkey?.challenge ?? '');
    expect((await finish(visitor, { token: prompt.token, passkey: signed })).status).toBe(422);
  });

  it('each recovery code works once, is stored as a hash, and its use is mailed', async () => {
    const { admin, recoveryCodes } = await withTotp();
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = ''] = recoveryCodes;
    const { visitor, prompt } = await begin(admin);
    await app.runJobs();
    const typed = code.toUpperCase().replaceAll('-', ' ');
    expect(await finish(visitor, { token: prompt.token, code: typed })).toMatchObject({ status: 200 });
    expect((await visitor.get('/api/auth/security')).data).toMatchObject({ recoveryCodesLeft: 9 });
    const mails = await app.runJobs();
    expect(mails).toContainEqual(
      expect.objectContaining({ to: admin.email, text: expect.stringContaining('Un de vos codes de secours a servi') }),
    );
    const again = await begin(admin);
    expect((await finish(again.visitor, { token: again.prompt.token, code })).status).toBe(422);
    const { rows } = await sql<{ text: string }>`SELECT r::text AS text FROM recovery_codes r`.execute(app.owner);
    expect(rows.some(({ text }) => text.includes(code))).toBe(false);
  });

  it('resetting the password does not replace the factor', async () => {
    const { admin } = await withTotp();
    const visitor = await app.visitor();
    await visitor.post('/api/auth/reset_password/request', { email: admin.email });
    const token = tokenIn((await app.runJobs()).find(({ text }) => text.includes('token=')));
    const password = 'neuf curseurs verts';
    const action = { token, password, password_confirmation: password };
    expect(await visitor.post('/api/auth/reset_password/action', action)).toMatchObject({ status: 200 });
    const again = await begin(admin, password);
    expect(again.prompt.totp).toBe(true);
    expect(await isIn(again.visitor)).toBe(false);
  });

  it('a wrong password is answered like that of an admin without a factor', async () => {
    const { admin } = await withTotp();
    const plain = await app.buildAdmin();
    const visitor = await app.visitor();
    const [first, second] = [
      await visitor.post('/api/auth/signin', { email: admin.email, password: 'dix curseurs verts' }),
      await visitor.post('/api/auth/signin', { email: plain.email, password: 'dix curseurs verts' }),
    ];
    expect({ ...first, headers: null }).toEqual({ ...second, headers: null });
  });

  it('opens a session at once for admins without a factor', async () => {
    const admin = await app.buildAdmin();
    const visitor = await app.visitor();
    const reply = await visitor.post('/api/auth/signin', { email: admin.email, password: testPassword });
    expect(reply.data).toEqual({});
    expect(await isIn(visitor)).toBe(true);
  });
});

describe('the factors of an admin', () => {
  it('the first factor asks for the password, and its secret is stored encrypted', async () => {
    const client = await app.signInWith([]);
    for (const start of ['totp', 'passkey']) {
      const url = `/api/auth/factors/${start}/start`;
      expect(await client.post(url, {})).toMatchObject({
        status: 422,
        errors: { password: factorMessages.presentPassword },
      });
      expect(await client.post(url, { password: 'dix curseurs verts' })).toMatchObject({
        status: 422,
        errors: { password: factorMessages.wrongPassword },
      });
    }
    const started = await client.post('/api/auth/factors/totp/start', { password: testPassword });
    const { token, secret, uri } = started.data as { token: string; secret: string; uri: string };
    expect(uri).toMatch(/^otpauth:\/\/totp\//);
    const wrong = await client.post('/api/auth/factors/totp', { token, name: 'Téléphone', code: '000000' });
    expect(wrong).toMatchObject({ status: 422, errors: { code: factorMessages.wrongCode } });
    await client.post('/api/auth/factors/totp', { token, name: 'Téléphone', code: codeOf(secret) });
    const { rows } = await sql<{ totpSecret: Buffer }>`
      SELECT totp_secret FROM second_factors WHERE admin_id = ${client.admin.id}`.execute(app.owner);
    expect(rows[0]?.totpSecret.includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(false);
    expect((await client.get('/api/auth/security')).data).toMatchObject({
      factors: [{ kind: 'totp', name: 'Téléphone' }],
      recoveryCodesLeft: 10,
      firstFactor: null,
    });
  });

  it('several are listed by name and removed separately; removing the last removes the recovery codes', async () => {
    const { client } = await withPasskey();
    const started = await client.post('/api/auth/factors/totp/start', {});
    const { token, secret } = started.data as { token: string; secret: string };
    const added = await client.post('/api/auth/factors/totp', { token, name: 'Téléphone', code: codeOf(secret) });
    expect(added.data).toEqual({ recoveryCodes: [] });
    const read = async () =>
      (await client.get('/api/auth/security')).data as {
        factors: { id: number; name: string }[];
        recoveryCodesLeft: number;
      };
    const { factors } = await read();
    expect(factors.map(({ name }) => name)).toEqual(['Clé bleue', 'Téléphone']);
    expect(await client.delete(`/api/auth/factors/${factors[0]?.id}`)).toMatchObject({ status: 200 });
    const { prompt } = await begin(client.admin);
    expect(prompt).toMatchObject({ totp: true, passkey: null });
    expect((await client.delete(`/api/auth/factors/${factors[0]?.id}`)).status).toBe(404);
    expect(await client.delete(`/api/auth/factors/${factors[1]?.id}`)).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ factors: [], recoveryCodesLeft: 0 });
    expect(await isIn(await app.signIn(client.admin))).toBe(true);
    expect(
      (await app.journal('admin.remove_factor')).filter(({ adminId }) => adminId === client.admin.id),
    ).toHaveLength(2);
  });

  it('a passkey is added once per challenge, and to one admin only', async () => {
    const client = await app.signInWith();
    const start = async (who: TestClient) => {
      const { data } = await who.post('/api/auth/factors/passkey/start', { password: testPassword });
      return data as { token: string; options: { challenge: string } };
    };
    const add = (who: TestClient, token: string, passkey: object) =>
      who.post('/api/auth/factors/passkey', { token, name: 'Clé bleue', passkey });
    const [former, begun] = [await start(client), await start(client)];
    const passkey = createPasskey();
    const stale = await add(client, begun.token, passkey.register(former.options.challenge));
    expect(stale).toMatchObject({ status: 422, errors: { global: factorMessages.wrongPasskey } });
    const made = passkey.register(begun.options.challenge);
    const stranger = await app.signInWith();
    expect((await add(stranger, begun.token, made)).status).toBe(422);
    expect((await add(client, begun.token, made)).status).toBe(200);
    expect((await add(client, begun.token, made)).status).toBe(422);
    const theirs = await start(stranger);
    expect((await add(stranger, theirs.token, passkey.register(theirs.options.challenge))).status).toBe(422);
  });

  it('cannot be removed by a colleague', async () => {
    const theirs = await withTotp();
    const { client } = await withTotp();
    const { factors } = (await theirs.client.get('/api/auth/security')).data as { factors: { id: number }[] };
    expect((await client.delete(`/api/auth/factors/${factors[0]?.id}`)).status).toBe(404);
  });

  it('new recovery codes invalidate the former ones', async () => {
    const { client, admin, recoveryCodes } = await withTotp();
    const renewed = await client.post('/api/auth/factors/recovery-codes');
    expect((renewed.data as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
    const { visitor, prompt } = await begin(admin);
    expect((await finish(visitor, { token: prompt.token, code: recoveryCodes[0] })).status).toBe(422);
  });

  it('adding one ends the other sessions and mailed links, but not this session, and is mailed', async () => {
    const client = await app.signInWith();
    const other = await app.signIn(client.admin);
    await other.post('/api/auth/reset_password/request', { email: client.admin.email });
    const token = tokenIn((await app.runJobs()).find(({ text }) => text.includes('token=')));
    const started = await client.post('/api/auth/factors/totp/start', { password: testPassword });
    const { token: begun, secret } = started.data as { token: string; secret: string };
    await client.post('/api/auth/factors/totp', { token: begun, name: 'Téléphone', code: codeOf(secret) });
    expect([await isIn(client), await isIn(other)]).toEqual([true, false]);
    const password = 'neuf curseurs verts';
    const action = { token, password, password_confirmation: password };
    expect((await (await app.visitor()).post('/api/auth/reset_password/action', action)).status).toBe(422);
    expect(await app.runJobs()).toContainEqual(
      expect.objectContaining({ to: client.admin.email, text: expect.stringMatching(/«.Téléphone.» a été ajouté/) }),
    );
  });

  it('a TOTP secret encrypted with another SESSION_SECRET accepts no code', async () => {
    const { admin, secret } = await withTotp();
    await sql`UPDATE second_factors SET totp_secret = set_byte(totp_secret, 3, 255 - get_byte(totp_secret, 3))
      WHERE admin_id = ${admin.id}`.execute(app.owner);
    const { visitor, prompt } = await begin(admin);
    expect((await finish(visitor, { token: prompt.token, code: codeOf(secret, 1) })).status).toBe(422);
  });
});

describe('a sign-in from a new device', () => {
  it('is mailed, except the first one and those from a known device', async () => {
    const admin = await app.buildAdmin();
    const signInFrom = async (address: string, agent: string) => {
      const visitor = await app.visitor();
      await visitor.call('POST', '/api/auth/signin', {
        body: { email: admin.email, password: testPassword },
        address,
        headers: { 'user-agent': agent },
      });
      return (await app.runJobs()).filter(({ to }) => to === admin.email);
    };
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const later = firefox.replaceAll('140', '141');
    const phone = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
    expect(await signInFrom('203.0.113.60', firefox)).toEqual([]);
    expect(await signInFrom('203.0.113.60', later)).toEqual([]);
    const [mail] = await signInFrom('203.0.113.61', phone);
    expect(mail?.text).toContain('Chrome, Android, adresse 203.0.113.61');
    expect(await signInFrom('203.0.113.61', phone)).toEqual([]);
  });
});
