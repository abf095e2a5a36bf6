import type { FactorKind } from '@regie/contract/second-factors.ts';
import { type Selectable, sql } from 'kysely';
import type { SecondFactors } from '#src/lib/db.generated.ts';
import { type Database, exists, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { hashToken } from '#src/lib/secrets.ts';
import { normalCode } from './factors.rules.ts';

const now = sql<Date>`now()`;

export interface FactorRow extends Selectable<SecondFactors> {
  kind: FactorKind;
}

export const listFactors = (db: Database, adminId: number) => queryRows<FactorRow>(db)`
    SELECT * FROM second_factors WHERE admin_id = ${adminId} AND removed_at IS NULL ORDER BY id`;

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

/** Also removed ones. */
export const isCredentialKnown = (db: Database, credentialId: string) => exists(db)`
    SELECT FROM second_factors WHERE credential_id = ${credentialId}`;

/** False when this or a later step was used, in any process. */
export async function useTotpStep(trx: Trx, id: number, step: number): Promise<boolean> {
  const used = await queryRow(trx)`
    UPDATE second_factors SET last_step = ${step}, last_used_at = now()
     WHERE id = ${id} AND removed_at IS NULL AND (last_step IS NULL OR last_step < ${step}) RETURNING id`;
  return used !== undefined;
}

export async function notePasskeyUse(trx: Trx, id: number, signCount: number): Promise<void> {
  await trx.updateTable('secondFactors').set({ signCount, lastUsedAt: now }).where('id', '=', id).execute();
}

/** One, or all; returns their names. */
export async function removeFactors(trx: Trx, adminId: number, id?: number): Promise<string[]> {
  const query = trx
    .updateTable('secondFactors')
    .set({ removedAt: now })
    .where('adminId', '=', adminId)
    .where('removedAt', 'is', null);
  const rows = await (id === undefined ? query : query.where('id', '=', id)).returning('name').execute();
  return rows.map(({ name }) => name);
}

export const countRecoveryCodes = (db: Database, adminId: number) => queryValue<number>(db)`
    SELECT count(*) FROM recovery_codes WHERE admin_id = ${adminId} AND used_at IS NULL`;

export async function replaceRecoveryCodes(trx: Trx, adminId: number, codes: readonly string[]): Promise<void> {
  await trx.deleteFrom('recoveryCodes').where('adminId', '=', adminId).execute();
  if (codes.length === 0) return;
  const rows = codes.map((code) => ({ codeHash: hashToken(normalCode(code)), adminId }));
  await trx.insertInto('recoveryCodes').values(rows).execute();
}

/** Of concurrent calls exactly one gets true. */
export async function useRecoveryCode(trx: Trx, adminId: number, code: string): Promise<boolean> {
  const used = await queryRow(trx)`
    UPDATE recovery_codes SET used_at = now()
     WHERE code_hash = ${hashToken(normalCode(code))} AND admin_id = ${adminId} AND used_at IS NULL RETURNING admin_id`;
  return used !== undefined;
}

export type Purpose = 'sign_in' | 'step_up' | 'add_totp' | 'add_passkey' | 'mail_code' | 'sign';

export interface ChallengeRow {
  adminId: number;
  challenge: string | null;
  totpSecret: Buffer | null;
}

interface ChallengeName {
  tokenHash: Buffer;
  purpose: Purpose;
  adminId?: number | undefined;
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

/** `useChallenge` ends it: of concurrent calls exactly one gets the row. */
export const findChallenge = (db: Database, by: ChallengeName) => queryRow<ChallengeRow>(db)`
    SELECT c.admin_id, c.challenge, c.totp_secret FROM auth_challenges c JOIN admins a ON a.id = c.admin_id
     WHERE a.deleted_at IS NULL AND ${isGood(by)}`;

const isGood = (by: ChallengeName) =>
  sql`c.token_hash = ${by.tokenHash} AND c.purpose = ${by.purpose} AND c.expires_at > now()
    AND ${by.adminId === undefined ? sql`true` : sql`c.admin_id = ${by.adminId}`}`;

export const useChallenge = (trx: Trx, by: ChallengeName) => queryRow<ChallengeRow>(trx)`
    DELETE FROM auth_challenges c USING admins a WHERE a.id = c.admin_id AND a.deleted_at IS NULL AND ${isGood(by)}
    RETURNING c.admin_id, c.challenge, c.totp_secret`;

/** All, or of one purpose. */
export async function dropChallenges(trx: Trx, adminId: number, purpose?: Purpose): Promise<void> {
  const query = trx.deleteFrom('authChallenges').where('adminId', '=', adminId);
  await (purpose === undefined ? query : query.where('purpose', '=', purpose)).execute();
}
