import { createHash } from 'node:crypto';
import { messages } from '@regie/contract/messages.ts';
import type { StatementUpload } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import type { FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { adminOf, type Caller, type Upload } from '#src/lib/route.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import * as uploads from '#src/modules/platform/uploads/uploads.service.ts';
import * as queries from './statement-upload.queries.ts';
import { endStatement, findStatus } from './statements.queries.ts';

type Hasher = uploads.Listener & { finish: () => Buffer };

function createHasher(): Hasher {
  const hash = createHash('sha256');
  return {
    position: 0,
    push(bytes) {
      hash.update(bytes);
      this.position += bytes.length;
    },
    finish: () => hash.digest(),
  };
}

export const kind = uploads.defineKind<Hasher>({
  kind: 'statement',
  field: 'chunk',
  messages: {
    wrongStart: messages.uploadStart,
    tooLong: messages.uploadStart,
    empty: statementMessages.emptyChunk,
  },
});

const describe = (upload: uploads.UploadRow, received: number): StatementUpload => ({
  id: upload.id,
  received,
  size: upload.sizeBytes,
  statementId: null,
});

/**
 * Resumes the caller's own upload of this name and size. @throws AppError validation_failed for an unknown statement
 */
export async function beginUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  form: { fileName: string; sizeBytes: number; replaces?: number | undefined },
): Promise<StatementUpload> {
  if (form.replaces !== undefined) await requireCorrectable(trx, form.replaces);
  const upload = await uploads.beginUpload(trx, {
    adminId: adminOf(caller),
    kind: kind.kind,
    trackId: null,
    fileName: form.fileName.normalize('NFC'),
    sizeBytes: form.sizeBytes,
    replaces: form.replaces ?? null,
  });
  return describe(upload, uploads.findReceived(deps, upload));
}

async function requireCorrectable(db: Database | Trx, id: number): Promise<void> {
  const status = await findStatus(db, id);
  if (status !== 'loaded' && status !== 'checked' && status !== 'refused')
    throw invalid({ replaces: statementMessages.replacesGone });
}

export interface PreparedChunk {
  upload: uploads.UploadRow;
  received: number;
  /** Set once the file is complete and stored. */
  stored?: { sha256: Buffer; storageKey: string };
}

/**
 * The last chunk completes the file, which is hashed and stored before the call's transaction.
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
  const name = { adminId: adminOf(caller), kind: kind.kind, id };
  const found = orNotFound(await uploads.findUpload(db, name));
  const chunk = uploads.readChunk(kind, found.sizeBytes, request, sent);
  const first = chunk.start === 0 ? createHasher() : undefined;
  const of = {
    find: () => uploads.findUpload(db, name),
    count: (move: uploads.Move, part?: uploads.Part) => uploads.countChunk(db, name, move, part),
  };
  const upload = await uploads.takeChunk(deps, { kind, chunk }, of, first);
  if (!chunk.isLast) return { upload, received: chunk.end };
  const stored = await uploads.completeUpload(db, deps, { kind, chunk }, upload, async (whole) => {
    const sha256 = (await whole.play(whole.heard ?? createHasher())).finish();
    try {
      await requireNew(db, sha256);
      if (upload.replaces !== null) await requireCorrectable(db, upload.replaces);
    } catch (error) {
      // A repeated upload would be refused too.
      await uploads.dropUploads(db, deps, name);
      throw error;
    }
    const storageKey = newStorageKey('statement', 'data');
    await whole.store(deps.storage, storageKey);
    return { sha256, storageKey };
  });
  return { upload, received: chunk.end, stored };
}

const frenchDate = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'short', timeZone: 'Europe/Paris' });

/** @throws AppError conflict naming the statement with the same bytes */
async function requireNew(db: Database | Trx, sha256: Buffer): Promise<void> {
  const same = await queries.findSame(db, sha256);
  if (!same) return;
  const sentence = statementMessages.sameBytes(same.fileName, frenchDate.format(same.createdAt), same.author);
  throw new AppError('conflict', sentence, { data: { statementId: same.id } });
}

export const settledChunk = ({ upload, received, stored }: PreparedChunk): StatementUpload | undefined =>
  stored ? undefined : describe(upload, received);

/** @throws AppError conflict when another process was faster, or the same bytes arrived meanwhile */
export async function finishUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  { upload, stored }: PreparedChunk,
): Promise<StatementUpload> {
  if (!stored) throw new Error('the upload is incomplete');
  await uploads.endUpload(trx, deps, kind, upload);
  const { fileName, sizeBytes, replaces, adminId: createdBy } = upload;
  const statementId = await queries.insertStatement(trx, { ...stored, fileName, sizeBytes, createdBy, replaces });
  if (statementId === undefined) {
    await requireNew(trx, stored.sha256);
    throw conflict();
  }
  await writeAudit(trx, caller, {
    action: 'statement.upload',
    entityId: statementId,
    after: { fileName, sizeBytes, sha256: stored.sha256.toString('hex'), ...(replaces === null ? {} : { replaces }) },
  });
  // A refused file has no income: its correction takes its place at once.
  if (replaces !== null && (await findStatus(trx, replaces)) === 'refused') {
    await endStatement(trx, replaces, { status: 'replaced', adminId: createdBy });
    await writeAudit(trx, caller, {
      action: 'statement.replace',
      entityId: replaces,
      before: { status: 'refused' },
      after: { status: 'replaced', by: statementId },
    });
  }
  await enqueue(trx, 'read_statement', { statementId });
  return { id: upload.id, received: sizeBytes, size: sizeBytes, statementId };
}

/** After a failed transaction. */
export async function discardChunk(deps: Deps, { stored }: PreparedChunk): Promise<void> {
  if (stored) await deps.storage.remove(stored.storageKey);
}

/** @throws AppError not_found */
export async function cancelUpload(trx: Trx, deps: Deps, caller: Caller, id: number): Promise<void> {
  const name = { adminId: adminOf(caller), kind: kind.kind, id };
  if ((await uploads.dropUploads(trx, deps, name)) === 0) throw notFound();
}
