import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { type Database, queryRows, type Trx } from '#src/lib/db.ts';
import type { Caller } from '#src/lib/route.ts';
import { isRecent, type Session } from '#src/lib/session.ts';

export type Subject = 'payout' | 'import' | 'billing' | 'proposal';

export interface Shown {
  subject: Subject;
  id: number;
  version: string;
  /** Of a payout, EUR. */
  unsignedEur?: string;
}

export interface Signature {
  id: number;
  subjectId: number;
  adminId: number;
  name: string;
  at: Date;
  /** Open for this version, open for a former one, or used last. */
  state: 'valid' | 'former' | 'used';
}

const isPresent = (column: string) =>
  sql<boolean>`EXISTS (SELECT FROM signatories g JOIN admins ga ON ga.id = g.admin_id AND ga.deleted_at IS NULL
                        WHERE g.admin_id = ${sql.ref(column)} AND g.removed_at IS NULL)`;

/** In the order of joining. */
export const listSignatories = (db: Database) => queryRows<{ id: number; name: string; email: string }>(db)`
    SELECT a.id, a.first_name || ' ' || a.last_name AS name, a.email::text AS email
      FROM signatories g JOIN admins a ON a.id = g.admin_id AND a.deleted_at IS NULL
     WHERE g.removed_at IS NULL ORDER BY g.id`;

export const isSignatory = async (db: Database, adminId: number | null): Promise<boolean> =>
  adminId !== null && (await listSignatories(db)).some(({ id }) => id === adminId);

/** Serialises all that counts signatories or signatures. */
export async function lockSignatures(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(72430, 0)`.execute(trx);
}

/**
 * A factor of Régie used within ten minutes; where factors are optional and none exists, a password sign-in within ten
 * minutes. A provider proves nothing here.
 */
export function isProven(session: Session | undefined): boolean {
  if (!session) return false;
  if (session.hasFactor) return isRecent(session.ownFactorAt);
  return session.factorPolicy === 'optional' && !session.provider && isRecent(session.signedInAt);
}

/** Undefined in an empty set, where nothing can be signed. */
export const countNeeded = (signatories: readonly unknown[]): 1 | 2 | undefined =>
  signatories.length === 0 ? undefined : signatories.length === 1 ? 1 : 2;

/** SHA-256 in stored order. */
export const digestShown = (shown: readonly (Omit<Shown, 'subject'> & { subject: string })[]): Buffer =>
  createHash('sha256')
    .update(shown.map((one) => `${one.subject} ${one.id} ${one.version} ${one.unsignedEur ?? '0.00'}\n`).join(''))
    .digest();

export const toChallenge = (nonce: string, digest: Buffer): string =>
  createHash('sha256').update(nonce).update(digest).digest('base64url');

const shownRows = (shown: readonly Shown[]) => sql`
  unnest(${shown.map(({ subject }) => subject)}::text[], ${shown.map(({ id }) => id)}::bigint[],
         ${shown.map(({ version }) => version)}::text[], ${shown.map(({ unsignedEur }) => unsignedEur ?? '0')}::numeric[])
    AS w (subject, subject_id, version, unsigned_eur)`;

/**
 * Open signatures of present signatories, and those used last. One that saw less than a payout's unsigned part is of a
 * former version. All of `shown` have one kind.
 */
export async function readSignatures(db: Database, shown: readonly Shown[]): Promise<Signature[]> {
  if (shown.length === 0) return [];
  return queryRows<Signature>(db)`
    SELECT s.id, s.subject_id, s.admin_id, ${adminName('s.admin_id')} AS name, s.at,
           CASE WHEN s.used_at IS NOT NULL THEN 'used'
                WHEN s.version = w.version COLLATE "C" AND s.unsigned_eur >= w.unsigned_eur THEN 'valid' ELSE 'former' END AS state
      FROM ${shownRows(shown)} JOIN signatures s USING (subject, subject_id)
     WHERE s.withdrawn_at IS NULL AND CASE WHEN s.used_at IS NULL THEN ${isPresent('s.admin_id')} ELSE s.used_at = (
             SELECT max(u.used_at) FROM signatures u WHERE u.subject = s.subject AND u.subject_id = s.subject_id) END
     ORDER BY s.id`;
}

export async function findSignatures(db: Database, shown: readonly Shown[]): Promise<Map<number, Signature[]>> {
  const valid = (await readSignatures(db, shown)).filter(({ state }) => state === 'valid');
  return Map.groupBy(valid, ({ subjectId }) => subjectId);
}

export const countSigners = (signatures: readonly Signature[] | undefined): number =>
  new Set(signatures?.map(({ adminId }) => adminId)).size;

/** Replaces the signatory's former ones. */
export async function addSignatures(
  trx: Trx,
  adminId: number,
  shown: readonly Shown[],
  assertionId: number | null = null,
): Promise<void> {
  await endSignatures(trx, { shown, adminId });
  await sql`
    INSERT INTO signatures (subject, subject_id, version, unsigned_eur, admin_id, assertion_id)
    SELECT w.subject, w.subject_id, w.version, w.unsigned_eur, ${adminId}, ${assertionId}
      FROM ${shownRows(shown)}`.execute(trx);
}

/** Paying, exporting, posting or proposing signs, for a proven signatory. */
export async function signByAct(trx: Trx, caller: Caller, shown: readonly Shown[]): Promise<void> {
  if (shown.length === 0 || caller.adminId === null || !isProven(caller.session)) return;
  if (await isSignatory(trx, caller.adminId)) await addSignatures(trx, caller.adminId, shown);
}

/**
 * Uses complete signatures, once. The caller holds `lockSignatures`, unless nobody else sees the version.
 * @returns the ids of complete subjects
 */
export async function useSignatures(trx: Trx, shown: readonly Shown[]): Promise<Set<number>> {
  const needed = countNeeded(await listSignatories(trx));
  if (needed === undefined || shown.length === 0) return new Set();
  const present = await findSignatures(trx, shown);
  const complete = [...present].filter(([, signatures]) => countSigners(signatures) >= needed);
  await sql`
    UPDATE signatures SET used_at = now(), is_sole = ${needed === 1}
     WHERE id = ANY(${complete.flatMap(([, signatures]) => signatures.map(({ id }) => id))}::bigint[])`.execute(trx);
  return new Set(complete.map(([id]) => id));
}

/** Of subjects, of a signatory, or both. @returns whether there were any */
export async function endSignatures(
  trx: Trx,
  { shown, adminId = null }: { shown?: readonly Pick<Shown, 'subject' | 'id'>[]; adminId?: number | null },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE signatures SET withdrawn_at = now()
     WHERE withdrawn_at IS NULL AND used_at IS NULL AND admin_id = coalesce(${adminId}::bigint, admin_id)
       AND (${shown === undefined} OR (subject, subject_id) IN (
         SELECT * FROM unnest(${shown?.map(({ subject }) => subject) ?? []}::text[], ${shown?.map(({ id }) => id) ?? []}::bigint[])))`.execute(
    trx,
  );
  return numAffectedRows > 0n;
}

/* Payouts `p`, bank and PayPal details `b` */

/** SQL: as frozen, else as the details are now. */
export const payoutDestination = sql`
  CASE WHEN p.beneficiary IS NULL THEN destination_hash(b.type, b.iban, b.swift, b.email::text)
       ELSE destination_hash(p.beneficiary ->> 'type', p.beneficiary ->> 'iban', p.beneficiary ->> 'swift', p.beneficiary ->> 'email') END`;

/** The details' last change. */
export const billingVersion = sql<string>`floor(extract(epoch FROM coalesce(b.changed_at, b.created_at)) * 1000)::bigint::text`;

/** SQL: signed as they are now. */
export const isBillingSigned = sql<boolean>`EXISTS (
  SELECT FROM signatures s WHERE s.subject = 'billing' AND s.subject_id = b.id AND s.used_at IS NOT NULL AND s.version = ${billingVersion})`;

/** SQL: changed or added details wait 72 hours unless signed (product §35.6); first ones do not. */
export const isBillingWaiting = sql<boolean>`(
  b.changed_at IS NOT NULL AND b.changed_at > now() - interval '72 hours' AND NOT ${isBillingSigned})`;

/** SQL: null for details that do not wait. */
export const blockedUntil = sql<Date | null>`CASE WHEN ${isBillingWaiting} THEN b.changed_at + interval '72 hours' END`;
