import { type TestClient, testPassword } from './app.ts';
import { createPasskey, type Passkey } from './passkey.ts';
import { codeOf } from './totp.ts';

export interface AddedTotp {
  secret: string;
  /** The code used to add it. */
  usedCode: string;
  recoveryCodes: string[];
}

/** Adds an authenticator app to a signed-in admin. */
export async function addTotp(client: TestClient, given: object = { password: testPassword }): Promise<AddedTotp> {
  const started = await client.post('/api/auth/factors/totp/start', given);
  if (started.status !== 200) throw new Error(`no secret: ${started.status} ${started.message}`);
  const { token, secret } = started.data as { token: string; secret: string };
  const usedCode = codeOf(secret);
  const added = await client.post('/api/auth/factors/totp', { token, name: 'Téléphone', code: usedCode });
  if (added.status !== 200) throw new Error(`no factor: ${added.status} ${added.message}`);
  const { recoveryCodes } = added.data as { recoveryCodes: string[] };
  return { secret, usedCode, recoveryCodes };
}

/** Adds a passkey to a signed-in admin. */
export async function addPasskey(client: TestClient): Promise<Passkey> {
  const passkey = createPasskey();
  const started = await client.post('/api/auth/factors/passkey/start', { password: testPassword });
  const { token, options } = started.data as { token: string; options: { challenge: string } };
  const body = { token, name: 'Clé bleue', passkey: passkey.register(options.challenge) };
  const added = await client.post('/api/auth/factors/passkey', body);
  if (added.status !== 200) throw new Error(`no passkey: ${added.status} ${added.message}`);
  return passkey;
}
