import type { FactorKind } from '@regie/contract/second-factors.ts';
import { type Expression, type SqlBool, sql } from 'kysely';
import { type Database, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { hashToken } from '#src/lib/secrets.ts';
import { normalCode } from './factors.rules.ts';

type Db = Database | Trx;

const now = sql<Date>`now()`;

export interface FactorRow {
  id: number;
  kind: FactorKind;
  name: string;
  totpSecret: Buffer | null;
  credentialId: string | null;
  publicKey: Buffer | null;
  signCount: number;
  transports: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** An admin's factors, oldest first. */
export const listFactors = (db: Db, adminId: number) => queryRows<FactorRow>(db)`
    SELECT id, kind, name, totp_secret, credential_id, public_key, sign_count, transports, created_at, last_used_at
      FROM second_factors WHERE admin_id = ${adminId} AND removed_at IS NULL ORDER BY id`;

export async function insertFactor(
  trx: Trx,
  factor: { adminId: number; name: string } & (
    | { kind: 'totp'; totpSecret: Buffer; lastStep: number }
    | { kind: 'passkey'; credentialId: string; publicKey: Buffer; signCount: number; transports: string[] }
  ),
): Promise<number> {
  const { id } = await trx.insertInto('secondFactors').values(factor).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Whether any factor, removed or not, has this credential. */
export async function isCredentialKnown(db: Db, credentialId: string): Promise<boolean> {
  const row = await db
    .selectFrom('secondFactors')
    .select('id')
    .where('credentialId', '=', credentialId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses up the code of that step; false when it or a later one was used, in any process. */
export async function useTotpStep(trx: Trx, id: number, step: number): Promise<boolean> {
  const { rows } = await sql`
    UPDATE second_factors SET last_step = ${step}, last_used_at = now()
     WHERE id = ${id} AND removed_at IS NULL AND (last_step IS NULL OR last_step < ${step}) RETURNING id`.execute(trx);
  return rows.length > 0;
}

export async function notePasskeyUse(trx: Trx, id: number, signCount: number): Promise<void> {
  await trx.updateTable('secondFactors').set({ signCount, lastUsedAt: now }).where('id', '=', id).execute();
}

/** Removes one factor of an admin, or all; returns their names. */
export async function removeFactors(trx: Trx, adminId: number, id?: number): Promise<string[]> {
  const query = trx
    .updateTable('secondFactors')
    .set({ removedAt: now })
    .where('adminId', '=', adminId)
    .where('removedAt', 'is', null);
  const rows = await (id === undefined ? query : query.where('id', '=', id)).returning('name').execute();
  return rows.map(({ name }) => name);
}

export async function countRecoveryCodes(db: Db, adminId: number): Promise<number> {
  const { n } = await db
    .selectFrom('recoveryCodes')
    .select((select) => select.fn.countAll<number>().as('n'))
    .where('adminId', '=', adminId)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return n;
}

export async function replaceRecoveryCodes(trx: Trx, adminId: number, codes: readonly string[]): Promise<void> {
  await trx.deleteFrom('recoveryCodes').where('adminId', '=', adminId).execute();
  if (codes.length === 0) return;
  const rows = codes.map((code) => ({ codeHash: hashToken(normalCode(code)), adminId }));
  await trx.insertInto('recoveryCodes').values(rows).execute();
}

/** Uses up a recovery code; of several concurrent calls exactly one gets true. */
export async function useRecoveryCode(trx: Trx, adminId: number, code: string): Promise<boolean> {
  const used = await trx
    .updateTable('recoveryCodes')
    .set({ usedAt: now })
    .where('codeHash', '=', hashToken(normalCode(code)))
    .where('adminId', '=', adminId)
    .where('usedAt', 'is', null)
    .returning('adminId')
    .executeTakeFirst();
  return used !== undefined;
}

export type Purpose = 'sign_in' | 'step_up' | 'add_totp' | 'add_passkey' | 'mail_code' | 'sign';

export interface ChallengeRow {
  adminId: number;
  challenge: string | null;
  totpSecret: Buffer | null;
}

const challengeMinutes = { sign_in: 5, step_up: 5, add_totp: 15, add_passkey: 5, mail_code: 10, sign: 5 };

export async function insertChallenge(
  trx: Trx,
  challenge: {
    tokenHash: Buffer;
    adminId: number;
    purpose: Purpose;
    challenge?: string | null;
    totpSecret?: Buffer;
  },
): Promise<void> {
  const minutes = challengeMinutes[challenge.purpose];
  await trx
    .insertInto('authChallenges')
    .values({ ...challenge, expiresAt: sql<Date>`now() + make_interval(mins => ${sql.lit(minutes)})` })
    .execute();
}

/** The valid challenge of a token. `useChallenge` ends it: of several concurrent calls exactly one gets the row. */
export function findChallenge(
  db: Db,
  by: { tokenHash: Buffer; purpose: Purpose; adminId?: number | undefined },
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('authChallenges as c')
    .innerJoin('admins as a', 'a.id', 'c.adminId')
    .select(['c.adminId', 'c.challenge', 'c.totpSecret'])
    .where('a.deletedAt', 'is', null)
    .where(isGood(by))
    .executeTakeFirst();
}

const isGood = (by: { tokenHash: Buffer; purpose: Purpose; adminId?: number | undefined }): Expression<SqlBool> =>
  sql<SqlBool>`c.token_hash = ${by.tokenHash} AND c.purpose = ${by.purpose} AND c.expires_at > now()
    AND ${by.adminId === undefined ? sql`true` : sql`c.admin_id = ${by.adminId}`}`;

export const useChallenge = (
  trx: Trx,
  by: { tokenHash: Buffer; purpose: Purpose; adminId?: number | undefined },
) => queryRow<ChallengeRow>(trx)`
    DELETE FROM auth_challenges c USING admins a WHERE a.id = c.admin_id AND a.deleted_at IS NULL AND ${isGood(by)}
    RETURNING c.admin_id, c.challenge, c.totp_secret`;

/** Deletes an admin's pending challenges, all or of one purpose. */
export async function dropChallenges(trx: Trx, adminId: number, purpose?: Purpose): Promise<void> {
  const query = trx.deleteFrom('authChallenges').where('adminId', '=', adminId);
  await (purpose === undefined ? query : query.where('purpose', '=', purpose)).execute();
}
