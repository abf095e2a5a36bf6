import type { StatementUpload } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import type { FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import type { Caller, Upload } from '#src/lib/route.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { discardHash, hashSpool, newSpoolName, removeSpool, spoolBytes, spoolPath, writeSpool } from './spool.ts';
import { findStatus } from './statements.queries.ts';
import * as queries from './uploads.queries.ts';

const wrongOffset = (received: number) =>
  new AppError('conflict', statementMessages.uploadStart, { data: { received } });

function adminOf(caller: Caller): number {
  if (caller.adminId === null) throw new AppError('unauthorized');
  return caller.adminId;
}

/** The received bytes that both the row and the file have. */
const findReceived = async (deps: Deps, upload: queries.UploadRow) =>
  Math.min(upload.received, await spoolBytes(deps.uploadsDir, upload.spoolName));

const describe = (upload: queries.UploadRow, received: number): StatementUpload => ({
  id: upload.id,
  received,
  size: upload.sizeBytes,
  statementId: null,
});

/**
 * Starts an upload, or resumes the caller's own with this name and size.
 * @throws AppError validation_failed when the statement it corrects is unknown
 */
export async function beginUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: { fileName: string; sizeBytes: number; replaces?: number | undefined },
): Promise<StatementUpload> {
  if (form.replaces !== undefined) await requireCorrectable(trx, form.replaces);
  const upload = await queries.beginUpload(trx, {
    adminId: adminOf(caller),
    fileName: form.fileName.normalize('NFC'),
    sizeBytes: form.sizeBytes,
    replaces: form.replaces ?? null,
    spoolName: newSpoolName(),
  });
  return describe(upload, await findReceived(deps, upload));
}

async function requireCorrectable(db: Database | Trx, id: number): Promise<void> {
  const status = await findStatus(db, id);
  if (status !== 'loaded' && status !== 'checked') throw invalid({ replaces: statementMessages.replacesGone });
}

export interface PreparedChunk {
  upload: queries.UploadRow;
  received: number;
  /** Set once the file is complete and stored, before its statement exists. */
  stored?: { sha256: Buffer; storageKey: string };
}

/** @throws AppError invalid_data */
function readStart(request: FastifyRequest): number {
  const text = request.headers['x-file-start'];
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw new AppError('invalid_data');
  return Number(text);
}

/**
 * Accepts a chunk at the current position; the upload's row is locked, so concurrent senders wait. The last chunk
 * completes the file, which is then hashed and stored outside any transaction.
 * @throws AppError not_found; conflict with `received`, or naming the statement with the same bytes
 */
export async function prepareChunk(
  db: Database,
  deps: Deps,
  caller: Caller,
  id: number,
  request: FastifyRequest,
  sent: Upload,
): Promise<PreparedChunk> {
  const start = readStart(request);
  const adminId = adminOf(caller);
  const length = sent.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { upload, received } = await db.transaction().execute(async (trx) => {
    const found = await queries.lockUpload(trx, id, adminId);
    if (!found) throw notFound();
    const standing = await findReceived(deps, found);
    if (start !== standing) throw wrongOffset(standing);
    const end = start + length;
    if (end > found.sizeBytes) throw invalid({ chunk: statementMessages.uploadStart });
    if (length === 0 && end < found.sizeBytes) throw invalid({ chunk: statementMessages.emptyChunk });
    if (length > 0) {
      try {
        await writeSpool(deps.uploadsDir, found.spoolName, start, sent.pieces);
        await queries.setReceived(trx, id, end);
      } catch (error) {
        discardHash(found.spoolName);
        throw error;
      }
    }
    return { upload: found, received: end };
  });
  if (received < upload.sizeBytes) return { upload, received };
  const sha256 = await hashSpool(deps.uploadsDir, upload.spoolName, upload.sizeBytes);
  try {
    await requireNew(db, sha256);
    if (upload.replaces !== null) await requireCorrectable(db, upload.replaces);
  } catch (error) {
    // A repeated upload would be refused too.
    await dropUpload(db, deps, upload);
    throw error;
  }
  const storageKey = newStorageKey('statement', 'data');
  const head = { path: spoolPath(deps.uploadsDir, upload.spoolName), sizeBytes: upload.sizeBytes, isSettled: true };
  await deps.storage.putFile(storageKey, head, Buffer.alloc(0));
  return { upload, received, stored: { sha256, storageKey } };
}

const frenchDate = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'short', timeZone: 'Europe/Paris' });

/** @throws AppError conflict naming the statement with the same bytes */
async function requireNew(db: Database | Trx, sha256: Buffer): Promise<void> {
  const same = await queries.findSame(db, sha256);
  if (!same) return;
  const by = same.firstName === null ? null : `${same.firstName} ${same.lastName ?? ''}`.trim();
  const sentence = statementMessages.sameBytes(same.fileName, frenchDate.format(same.createdAt), by);
  throw new AppError('conflict', sentence, { data: { statementId: same.id } });
}

async function dropUpload(db: Database | Trx, deps: Deps, upload: queries.UploadRow): Promise<void> {
  await queries.deleteUpload(db, upload.id, upload.adminId);
  await removeSpool(deps.uploadsDir, upload.spoolName);
}

export const settledChunk = ({ upload, received, stored }: PreparedChunk): StatementUpload | undefined =>
  stored ? undefined : describe(upload, received);

/**
 * Creates a statement from a complete file and queues its load.
 * @throws AppError conflict when another process was faster, or the same bytes arrived meanwhile
 */
export async function finishUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  { upload, stored }: PreparedChunk,
): Promise<StatementUpload> {
  if (!stored) throw new Error('the upload is incomplete');
  const adminId = adminOf(caller);
  const standing = await queries.lockUpload(trx, upload.id, adminId);
  if (standing?.spoolName !== upload.spoolName) throw conflict();
  const { fileName, sizeBytes, replaces } = upload;
  const statementId = await queries.insertStatement(trx, {
    ...stored,
    fileName,
    sizeBytes,
    createdBy: adminId,
    replaces,
  });
  if (statementId === undefined) {
    await requireNew(trx, stored.sha256);
    throw conflict();
  }
  await queries.deleteUpload(trx, upload.id, adminId);
  await writeAudit(trx, caller, {
    action: 'statement.upload',
    entityId: statementId,
    after: { fileName, sizeBytes, sha256: stored.sha256.toString('hex'), ...(replaces === null ? {} : { replaces }) },
  });
  await enqueue(trx, 'read_statement', { statementId });
  // Removed before the commit: if it fails, the file must be sent again.
  await removeSpool(deps.uploadsDir, upload.spoolName);
  return { id: upload.id, received: sizeBytes, size: sizeBytes, statementId };
}

/** The transaction failed: delete the stored file. */
export async function discardChunk(deps: Deps, { upload, stored }: PreparedChunk): Promise<void> {
  discardHash(upload.spoolName);
  if (stored) await deps.storage.remove(stored.storageKey);
}

/** @throws AppError not_found */
export async function cancelUpload(trx: Trx, deps: Deps, caller: Caller, id: number): Promise<void> {
  const spoolName = await queries.deleteUpload(trx, id, adminOf(caller));
  if (spoolName === undefined) throw notFound();
  await removeSpool(deps.uploadsDir, spoolName);
}
