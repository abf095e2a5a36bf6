import { request } from '@playwright/test';
import { createDatabase } from '@regie/api/lib/db.ts';
import { hashPassword } from '@regie/api/lib/passwords.ts';
import { credit, signDetails, signMoney } from '@regie/api/test/payouts.ts';
import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import { findRunningPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { Client } from 'pg';
import { Api } from './api.ts';
import type { Login } from './test.ts';

/** Queries the app's database, as its owner. */
async function withDatabase<Result>(dataDir: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const url = await findRunningPostgres(dataDir);
  if (!url) throw new Error('the app under test has no database of its own');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const query = (dataDir: string, text: string, values: unknown[]) =>
  withDatabase(dataDir, async (client) => (await client.query(text, values)).rows);

/** An admin added by nobody, a month ago. */
export async function addColleague(
  dataDir: string,
  fname: string,
  capabilities: readonly Capability[] = capabilityNames,
): Promise<Login & { id: number; name: string }> {
  const mark = crypto.randomUUID().slice(0, 8);
  const login = { email: `${mark}@equipe.example`, password: `Fader-${mark}` };
  const lname = `Essai-${mark}`;
  const [added] = await query(
    dataDir,
    `WITH added AS (
       INSERT INTO admins (first_name, last_name, email, password_hash, created_at)
       VALUES ($1, $2, $3, $4, now() - interval '30 days') RETURNING id),
     granted AS (INSERT INTO admin_capabilities (admin_id, capability) SELECT id, unnest($5::text[]) FROM added)
     SELECT id::int FROM added`,
    [fname, lname, login.email, await hashPassword(login.password), capabilities],
  );
  return { ...login, id: added.id, name: `${fname} ${lname}` };
}

/** Such an admin in the set of signatories. */
export async function addSignatory(...given: Parameters<typeof addColleague>): ReturnType<typeof addColleague> {
  const added = await addColleague(...given);
  await query(given[0], 'INSERT INTO signatories (admin_id) VALUES ($1)', [added.id]);
  return added;
}

/** Leaves the first signatory of the demo alone in the set. */
export async function removeOtherSignatories(dataDir: string, email: string): Promise<void> {
  await query(
    dataDir,
    'UPDATE signatories SET removed_at = now() WHERE removed_at IS NULL AND admin_id <> (SELECT id FROM admins WHERE email = $1)',
    [email],
  );
}

/** Gives an admin of the demo a known password. */
export async function choosePassword(dataDir: string, email: string): Promise<Login> {
  const password = `Fader-${crypto.randomUUID().slice(0, 8)}`;
  await query(dataDir, 'UPDATE admins SET password_hash = $2 WHERE email = $1', [email, await hashPassword(password)]);
  return { email, password };
}

/** Creates data, with money and details that two signatures cover: other admins can pay it. */
export type Bookkeeper = {
  own: Api;
  sign: (account: { id: number; billingId: number }, incomeEur: number) => Promise<void>;
};

/** One in the app at `baseURL`, while `use` runs. */
export async function withBookkeeper<Result>(
  dataDir: string,
  baseURL: string,
  use: (bookkeeper: Bookkeeper) => Promise<Result>,
): Promise<Result> {
  const context = await request.newContext({ baseURL });
  const own = new Api(context);
  await own.signIn(await addColleague(dataDir, 'Colette', ['manage_profiles']));
  const url = await findRunningPostgres(dataDir);
  if (!url) throw new Error('the app under test has no database of its own');
  const db = createDatabase(url, { max: 1 });
  const sign: Bookkeeper['sign'] = async ({ id, billingId }, incomeEur) => {
    if (incomeEur !== 0) await credit(db, id, String(incomeEur));
    await signMoney(db, id, String(incomeEur));
    await signDetails(db, billingId);
  };
  try {
    return await use({ own, sign });
  } finally {
    await context.dispose();
    await db.destroy();
  }
}

/** Backdates the last use of the admin's second factor by a quarter of an hour. */
export async function backdateSecondFactor(dataDir: string, email: string): Promise<void> {
  await query(
    dataDir,
    `UPDATE sessions SET factor_at = now() - interval '15 minutes', own_factor_at = now() - interval '15 minutes'
      WHERE admin_id = (SELECT id FROM admins WHERE email = $1)`,
    [email],
  );
}

/** What was paid until now no longer counts towards the limits of payments without signature. */
export async function backdatePayments(dataDir: string): Promise<void> {
  await query(dataDir, "UPDATE payout_moves SET at = at - interval '2 days', signed_at = now()", []);
}

/**
 * Enables every account, with an address of its own and a movement of this month; one address is `refused`.
 * @returns how many
 */
export const makeAccountsReachable = (dataDir: string, refused: string): Promise<number> =>
  withDatabase(dataDir, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `UPDATE accounts SET state = 'enabled', email = CASE WHEN id = (SELECT min(id) FROM accounts) THEN $1 ELSE 'client' || id || '@exemple.fr' END
        WHERE erased_at IS NULL RETURNING id::int`,
      [refused],
    );
    const db = createDatabase((await findRunningPostgres(dataDir)) ?? '', { max: 1 });
    for (const { id } of rows) await credit(db, id, '1.5');
    await db.destroy();
    return rows.length;
  });
