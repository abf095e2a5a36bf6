import { type APIRequestContext, request } from '@playwright/test';
import { hashPassword } from '@regie/api/lib/passwords.ts';
import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import { findRunningPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { Client } from 'pg';
import { Api } from './api.ts';
import type { Login } from './test.ts';

/** Queries the app's database, as its owner. */
async function withDatabase<Result>(dataDir: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const server = await findRunningPostgres(dataDir);
  if (!server) throw new Error('the app under test has no database of its own');
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const query = (dataDir: string, text: string, values: unknown[]) =>
  withDatabase(dataDir, async (client) => (await client.query(text, values)).rows);

/** An independent admin: added by nobody, a month ago. */
export async function addIndependentAdmin(
  dataDir: string,
  fname: string,
  capabilities: readonly Capability[] = capabilityNames,
): Promise<Login & { name: string }> {
  const mark = crypto.randomUUID().slice(0, 8);
  const login = { email: `${mark}@equipe.example`, password: `Fader-${mark}` };
  const lname = `Essai-${mark}`;
  await query(
    dataDir,
    `WITH added AS (
       INSERT INTO admins (first_name, last_name, email, password_hash, created_at)
       VALUES ($1, $2, $3, $4, now() - interval '30 days') RETURNING id)
     INSERT INTO admin_capabilities (admin_id, capability) SELECT id, unnest($5::text[]) FROM added`,
    [fname, lname, login.email, await hashPassword(login.password), capabilities],
  );
  return { ...login, name: `${fname} ${lname}` };
}

/** Bookkeepers create data, so that other admins can pay it without a second person. */
export type Bookkeepers = { first: Api; second: Api };

/** Two independent ones in the app at `baseURL`, while `use` runs. */
export async function withBookkeepers<Result>(
  dataDir: string,
  baseURL: string,
  use: (bookkeepers: Bookkeepers) => Promise<Result>,
): Promise<Result> {
  const contexts: APIRequestContext[] = [];
  const open = async (fname: string) => {
    const context = await request.newContext({ baseURL });
    contexts.push(context);
    const own = new Api(context);
    await own.signIn(await addIndependentAdmin(dataDir, fname, ['manage_profiles']));
    return own;
  };
  try {
    return await use({ first: await open('Colette'), second: await open('Bastien') });
  } finally {
    for (const context of contexts) await context.dispose();
  }
}

/** Backdates the last use of the admin's second factor by a quarter of an hour. */
export async function backdateSecondFactor(dataDir: string, email: string): Promise<void> {
  await query(
    dataDir,
    `UPDATE sessions SET factor_at = now() - interval '15 minutes'
      WHERE admin_id = (SELECT id FROM admins WHERE email = $1)`,
    [email],
  );
}

/** Backdates the admin's creation by a month. */
export async function backdateAdmin(dataDir: string, id: number): Promise<void> {
  await query(dataDir, "UPDATE admins SET created_at = created_at - interval '30 days' WHERE id = $1", [id]);
}

/** What was paid until now no longer counts towards the limits of 24 hours. */
export async function backdatePayments(dataDir: string): Promise<void> {
  await query(dataDir, "UPDATE payout_moves SET at = at - interval '2 days'", []);
}

/** Makes an added colleague independent: added a month ago, and vouched for on the server. */
export async function makeIndependent<Added extends { id: number }>(dataDir: string, added: Added): Promise<Added> {
  await backdateAdmin(dataDir, added.id);
  await query(dataDir, 'INSERT INTO admin_vouches (admin_id) VALUES ($1)', [added.id]);
  return added;
}
