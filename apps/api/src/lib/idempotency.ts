import { hash } from 'node:crypto';
import { messages } from '@regie/contract/messages.ts';
import { sql } from 'kysely';
import { type Database, queryRow, type Trx } from './db.ts';
import { AppError } from './errors.ts';

const maxKeyLength = 200;

export interface IdempotentCall {
  adminId: number;
  key: string;
  /** Method, path and query. */
  scope: string;
  bodyHash: Buffer;
}

/** Undefined without the header. @throws AppError invalid_data when it is empty or longer than 200 characters */
export function readIdempotentCall(
  adminId: number,
  header: string | string[] | undefined,
  scope: string,
  rawBody: Buffer | undefined,
): IdempotentCall | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || header === '' || header.length > maxKeyLength) throw new AppError('invalid_data');
  return { adminId, key: header, scope, bodyHash: hash('sha256', rawBody ?? '', 'buffer') };
}

/**
 * Claims a key in the transaction of its effect. A second call with the key waits for the first, then gets its stored
 * answer, or does the work if the first failed.
 * @returns the answer to replay, or undefined when this call does the work
 * @throws AppError conflict when the key was used with another body
 */
export async function claimKey(trx: Trx, call: IdempotentCall): Promise<string | undefined> {
  const claimed = await queryRow(trx)`
    INSERT INTO idempotency_keys (admin_id, key, scope, body_hash)
    VALUES (${call.adminId}, ${call.key}, ${call.scope}, ${call.bodyHash}) ON CONFLICT DO NOTHING RETURNING key`;
  if (claimed) return undefined;
  const stored = await selectKey(trx, call);
  if (!stored?.response || !stored.bodyHash.equals(call.bodyHash)) {
    throw new AppError('conflict', messages.idempotencyConflict);
  }
  return stored.response;
}

/** Undefined while the call has not finished. @throws AppError conflict when the key was used with another body */
export async function findStoredAnswer(db: Database, call: IdempotentCall): Promise<string | undefined> {
  const stored = await selectKey(db, call);
  if (stored && !stored.bodyHash.equals(call.bodyHash)) throw new AppError('conflict', messages.idempotencyConflict);
  return stored?.response ?? undefined;
}

const selectKey = (db: Database | Trx, call: IdempotentCall) =>
  queryRow<{ bodyHash: Buffer; response: string | null }>(db)`
    SELECT body_hash, response FROM idempotency_keys
     WHERE admin_id = ${call.adminId} AND key = ${call.key} AND scope = ${call.scope}`;

export async function storeAnswer(trx: Trx, call: IdempotentCall, response: string): Promise<void> {
  await sql`
    UPDATE idempotency_keys SET response = ${response}
     WHERE admin_id = ${call.adminId} AND key = ${call.key} AND scope = ${call.scope}`.execute(trx);
}
