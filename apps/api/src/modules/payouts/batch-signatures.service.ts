import { createHash, randomBytes } from 'node:crypto';
import { payoutMessages } from '@regie/contract/payouts.ts';
import { factorMessages, type PasskeyAssertion, type PasskeyRequest } from '@regie/contract/second-factors.ts';
import { sql } from 'kysely';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import {
  askPasskey,
  checkPasskeySignature,
  type PasskeySignature,
  relyingParty,
  takeChallenge,
  usePasskey,
} from '#src/modules/auth/factors.service.ts';

type Db = Database | Trx;

export interface BatchSignature {
  token: string;
  passkey: PasskeyAssertion;
}

const nonceBytes = 32;

/**
 * The signed content of a batch: SHA-256 over each payout's amount, fee and destination. The digest includes the BIC;
 * old signatures cover the account number only (`withBic`).
 */
async function digestBatch(db: Db, batchId: number, withBic = true): Promise<Buffer> {
  const there = (column: 'iban' | 'swift') =>
    sql`CASE WHEN p.beneficiary IS NULL THEN ${sql.ref(`b.${column}`)} ELSE p.beneficiary ->> ${sql.lit(column)} END`;
  const { rows } = await sql<{ line: string }>`
    SELECT format('batch %s %s', id, message_id) AS line FROM payout_batches WHERE id = ${batchId}
    UNION ALL
    (SELECT format('%s %s %s %s', p.id, p.amount_eur, p.fee_eur,
              coalesce((${there('iban')}) || CASE WHEN ${withBic}::boolean THEN ' ' || coalesce(${there('swift')}, '') ELSE '' END,
                CASE WHEN p.beneficiary IS NULL THEN b.email::text ELSE p.beneficiary ->> 'email' END))
       FROM payouts p JOIN billing_accounts b ON b.id = p.billing_account_id
      WHERE p.batch_id = ${batchId} ORDER BY p.id)`.execute(db);
  return createHash('sha256')
    .update(rows.map(({ line }) => `${line}\n`).join(''))
    .digest();
}

const toChallenge = (nonce: string, digest: Buffer) =>
  createHash('sha256').update(nonce).update(digest).digest('base64url');

/**
 * Returns the challenge to sign a batch in its current state; null for admins without a passkey.
 * @throws AppError not_found
 */
export async function startBatchApproval(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  batchId: number,
): Promise<{ token: string; passkey: PasskeyRequest } | null> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  const batch = await trx.selectFrom('payoutBatches').select('id').where('id', '=', batchId).executeTakeFirst();
  if (!batch) throw notFound();
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const digest = await digestBatch(trx, batchId);
  const challenge = toChallenge(nonce, digest);
  const kept = `${nonce} ${digest.toString('hex')}`;
  return askPasskey(trx, deps, { adminId: caller.adminId, purpose: 'approve_batch', challenge, kept });
}

/**
 * Stores the signature of an approver who has a passkey; other approvers need none.
 * @throws AppError validation_failed without a signature; conflict when the batch changed since the challenge was
 * issued
 */
export async function signBatchApproval(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  batchId: number,
  given: BatchSignature | undefined,
): Promise<void> {
  if (caller.adminId === null) throw new AppError('unauthorized');
  const { adminId } = caller;
  const { rows } = await sql`
    SELECT FROM second_factors WHERE admin_id = ${adminId} AND kind = 'passkey' AND removed_at IS NULL`.execute(trx);
  if (rows.length === 0) return;
  if (!given) throw invalid({ passkey: payoutMessages.batchUnsigned });
  const kept = await takeChallenge(trx, { token: given.token, purpose: 'approve_batch', adminId });
  const [nonce = '', seen] = kept.split(' ');
  const digest = await digestBatch(trx, batchId);
  if (seen !== digest.toString('hex')) throw conflict(payoutMessages.batchChanged);
  const expected = { adminId, challenge: toChallenge(nonce, digest) };
  const factor = await usePasskey(trx, deps, expected, given.passkey);
  if (!factor?.publicKey) throw invalid({ passkey: factorMessages.wrongPasskey });
  const { id: party, origin } = relyingParty(deps);
  const { response } = given.passkey;
  await trx
    .insertInto('payoutBatchSignatures')
    .values({
      batchId,
      adminId,
      digest,
      nonce,
      origin,
      relyingParty: party,
      credentialId: given.passkey.id,
      publicKey: factor.publicKey,
      clientData: response.clientDataJSON,
      authenticatorData: response.authenticatorData,
      signature: response.signature,
    })
    .execute();
}

interface SignedApproval extends PasskeySignature {
  id: number;
  batchId: number;
  digest: Buffer;
  nonce: string;
  isKeyKnown: boolean;
  /** Whether this is the batch's current approval. */
  isCurrent: boolean;
}

/** Invalid approval signatures, one line each. */
export async function findSignatureFaults(db: Db): Promise<string[]> {
  const { rows: unsigned } = await sql<{ id: number }>`
    SELECT b.id FROM payout_batches b
     WHERE b.approved_by IS NOT NULL
       AND EXISTS (SELECT FROM second_factors f WHERE f.admin_id = b.approved_by AND f.kind = 'passkey'
                      AND f.created_at < b.approved_at AND (f.removed_at IS NULL OR f.removed_at > b.approved_at))
       AND NOT EXISTS (SELECT FROM payout_batch_signatures s
                        WHERE s.batch_id = b.id AND s.admin_id = b.approved_by AND s.signed_at = b.approved_at)
     ORDER BY b.id`.execute(db);
  const { rows } = await sql<SignedApproval>`
    SELECT s.*, EXISTS (SELECT FROM second_factors f WHERE f.admin_id = s.admin_id AND f.credential_id = s.credential_id
                           AND f.public_key = s.public_key) AS is_key_known,
           coalesce(b.approved_by = s.admin_id AND b.approved_at = s.signed_at, false) AS is_current
      FROM payout_batch_signatures s JOIN payout_batches b ON b.id = s.batch_id ORDER BY s.id`.execute(db);
  const faults = unsigned.map(({ id }) => `batch ${id}: its approver had a passkey and the approval is not signed`);
  for (const row of rows) {
    const fault = await findFault(db, row);
    if (fault !== undefined) faults.push(`batch ${row.batchId}: ${fault}`);
  }
  return faults;
}

async function findFault(db: Db, row: SignedApproval): Promise<string | undefined> {
  if (!row.isKeyKnown) return 'signed with a key that its approver never had';
  const isSigned = await checkPasskeySignature({
    ...row,
    challenge: toChallenge(row.nonce, row.digest),
  });
  if (!isSigned) return 'its signature is not right';
  // The server builds the digest, so new signatures never use the old form.
  const isSame = async (withBic: boolean) => row.digest.equals(await digestBatch(db, row.batchId, withBic));
  if (row.isCurrent && !(await isSame(true)) && !(await isSame(false))) {
    return 'it holds something else than what was signed';
  }
  return undefined;
}
