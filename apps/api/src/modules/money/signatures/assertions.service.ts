import { factorMessages, type PasskeyAssertion } from '@regie/contract/second-factors.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { type Database, queryRows, type Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { readPayments } from '#src/modules/money/signing/signed-money.service.ts';
import { digestShown, toChallenge } from '#src/modules/money/signing/signing.service.ts';
import * as factors from '#src/modules/people/staff/factors.service.ts';

/**
 * Stores what the admin's passkey signed.
 * @returns its id; null without a passkey
 * @throws validation_failed; conflict when something else was shown
 */
export async function keepAssertion(
  trx: Trx,
  deps: Deps,
  adminId: number,
  digest: Buffer,
  { token, passkey }: { token?: string | undefined; passkey?: PasskeyAssertion | undefined },
): Promise<number | null> {
  if (!(await factors.hasPasskey(trx, adminId))) return null;
  if (!passkey || token === undefined) throw invalid({ passkey: signatureMessages.unsignedPasskey });
  const [nonce = '', seen] = (await factors.takeKept(trx, adminId, token)).split(' ');
  if (seen !== digest.toString('hex')) throw conflict(signatureMessages.changed);
  const factor = await factors.usePasskey(trx, deps, { adminId, challenge: toChallenge(nonce, digest) }, passkey);
  if (!factor?.publicKey) throw invalid({ passkey: factorMessages.wrongPasskey });
  const { id: relying, origin } = factors.relyingParty(deps);
  const { clientDataJSON: clientData, authenticatorData, signature } = passkey.response;
  const { id } = await trx
    .insertInto('signatureAssertions')
    .values({
      ...{ adminId, digest, nonce, origin, relyingParty: relying, credentialId: passkey.id },
      ...{ publicKey: factor.publicKey, clientData, authenticatorData, signature },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

interface Assertion extends factors.PasskeySignature {
  id: number;
  digest: Buffer;
  nonce: string;
  isKeyKnown: boolean;
  /** None for approvals from before signatures. */
  shown: { subject: string; id: number; version: string; unsignedEur: string }[];
}

/** Faults of passkey signatures, and payments that differ from what was signed. */
export async function findSignatureFaults(db: Database): Promise<string[]> {
  const rows = await queryRows<Assertion>(db)`
    SELECT a.*, EXISTS (SELECT FROM second_factors f WHERE f.admin_id = a.admin_id AND f.credential_id = a.credential_id
                           AND f.public_key = a.public_key) AS is_key_known,
           coalesce((SELECT json_agg(json_build_object('subject', s.subject, 'id', s.subject_id, 'version', s.version,
                                                       'unsignedEur', s.unsigned_eur::text) ORDER BY s.id)
                       FROM signatures s WHERE s.assertion_id = a.id), '[]') AS shown
      FROM signature_assertions a ORDER BY a.id`;
  const faults: string[] = [];
  for (const row of rows) {
    const isSame = row.shown.length === 0 || digestShown(row.shown).equals(row.digest);
    const fault = !row.isKeyKnown
      ? 'signed with a key that its signatory never had'
      : !(await factors.checkPasskeySignature({ ...row, challenge: toChallenge(row.nonce, row.digest) }))
        ? 'its signature is not right'
        : isSame
          ? undefined
          : 'its signatures name something else than what was signed';
    if (fault !== undefined) faults.push(`passkey signature ${row.id}: ${fault}`);
  }
  return [...faults, ...(await findChangedPayments(db))];
}

/** Sent payouts that differ from what their used signatures name. */
async function findChangedPayments(db: Database): Promise<string[]> {
  const rows = await queryRows<{ id: number; version: string }>(db)`
    SELECT DISTINCT ON (s.subject_id) s.subject_id AS id, s.version FROM signatures s
      JOIN payouts p ON p.id = s.subject_id AND p.deleted_at IS NULL AND (p.state = 'paid' OR p.exported_at IS NOT NULL)
     WHERE s.subject = 'payout' AND s.used_at IS NOT NULL ORDER BY s.subject_id, s.used_at DESC, s.id DESC`;
  const faults: string[] = [];
  for (let first = 0; first < rows.length; first += pieceSize) {
    const piece = new Map(rows.slice(first, first + pieceSize).map(({ id, version }) => [id, version]));
    for (const { id, version } of await readPayments(db, [...piece.keys()])) {
      if (piece.get(id) !== version) faults.push(`payout ${id}: it is not what was signed`);
    }
  }
  return faults;
}

const pieceSize = 5000;
