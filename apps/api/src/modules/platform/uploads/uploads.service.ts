import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid } from '#src/lib/errors.ts';
import type { Upload } from '#src/lib/route.ts';
import { newToken } from '#src/lib/secrets.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { openParts, type Part } from './parts.ts';
import { type Listener, Listeners, openWhole, removeSpool, spoolBytes, type WholeUpload, writeSpool } from './spool.ts';
import * as queries from './uploads.queries.ts';

export type { Listener, WholeUpload };
export type UploadRow = queries.UploadRow;
export type Move = queries.Move;
export type { Part };

/**
 * Chunks may reach any process; of several at one byte, one is accepted. In a folder, a chunk is counted in the row,
 * then written to a spool file; in a bucket, it is an object, counted once stored. The receiving module decides what
 * the file becomes.
 */
export interface UploadKind<L extends Listener> {
  kind: 'audio' | 'statement';
  field: string;
  messages: { wrongStart: string; tooLong: string; empty: string };
  listeners: Listeners<L>;
}

export const defineKind = <L extends Listener>(kind: Omit<UploadKind<L>, 'listeners'>): UploadKind<L> => ({
  ...kind,
  listeners: new Listeners(),
});

export interface Chunk {
  start: number;
  end: number;
  isLast: boolean;
  sent: Upload;
}

const wrongStart = <L extends Listener>({ messages }: UploadKind<L>, received: number) =>
  new AppError('conflict', messages.wrongStart, { data: { received } });

/** @throws invalid_data */
export function readBytes(text: unknown): number {
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) throw new AppError('invalid_data');
  return Number(text);
}

/** @throws invalid_data, validation_failed */
export function readChunk<L extends Listener>(
  { field, messages }: UploadKind<L>,
  sizeBytes: number,
  request: FastifyRequest,
  sent: Upload,
): Chunk {
  const start = readBytes(request.headers['x-file-start']);
  const length = sent.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const end = start + length;
  if (length === 0) throw invalid({ [field]: messages.empty });
  if (end > sizeBytes) throw invalid({ [field]: messages.tooLong });
  return { start, end, isLast: end === sizeBytes, sent };
}

export const { countChunk, countPart, findUpload } = queries;

/** What both row and file have: a failed write or power cut may take either. */
export const findReceived = (deps: Deps, upload: UploadRow | undefined): number =>
  !upload
    ? 0
    : deps.storage.isShared
      ? upload.received
      : Math.min(upload.received, spoolBytes(deps.uploadsDir, upload.spoolName));

export const beginUpload = (trx: Trx, upload: queries.NewUpload): Promise<UploadRow> =>
  queries.beginUpload(trx, { ...upload, spoolName: `${upload.kind}-${newToken()}` });

/** Anew, with the first chunk. */
export async function takeFirstChunk<L extends Listener>(
  db: Database,
  deps: Deps,
  { kind, chunk }: { kind: UploadKind<L>; chunk: Chunk },
  upload: queries.NewUpload,
  listener?: L,
): Promise<UploadRow> {
  let formerParts: string[] = [];
  const begun = await db.transaction().execute(async (trx) => {
    const former = await beginUpload(trx, upload);
    await removeSpool(deps.uploadsDir, former.spoolName);
    formerParts = await queries.deleteParts(trx, former.id);
    const spoolName = `${upload.kind}-${newToken()}`;
    const row = await queries.restartUpload(trx, former.id, { spoolName, received: chunk.end });
    // In the transaction, whose lock keeps others from starting.
    if (deps.storage.isShared) {
      await queries.insertPart(trx, row.id, await storePart(deps, chunk));
      kind.listeners.hear(spoolName, 0, chunk.sent.pieces, listener);
    } else await writeChunk(deps, kind, chunk, row, listener);
    return row;
  });
  await removeParts(deps, formerParts);
  return begun;
}

/** Longer than a write: a sender that counted more than the file has is gone. */
const writeTimeoutMs = 2000;

/**
 * Counts and writes a chunk at the current position, but the last one: the caller completes the upload.
 * @param of counts a chunk unless it is at another position
 * @param listener receives the upload from here
 * @throws conflict with `received`
 */
export async function takeChunk<L extends Listener>(
  deps: Deps,
  { kind, chunk }: { kind: UploadKind<L>; chunk: Chunk },
  of: {
    find: () => Promise<UploadRow | undefined>;
    count: (move: Move, part?: Part) => Promise<UploadRow | undefined>;
  },
  listener?: L,
): Promise<UploadRow> {
  const { start, end, isLast } = chunk;
  if (deps.storage.isShared) {
    const part = isLast ? undefined : await storePart(deps, chunk);
    const counted = part && (await of.count({ from: start, to: end }, part));
    const upload = counted ?? (await of.find());
    if (!upload || (!counted && !(isLast && upload.received === start))) {
      if (part) await removeParts(deps, [part.storageKey]);
      throw wrongStart(kind, upload?.received ?? 0);
    }
    if (part) kind.listeners.hear(upload.spoolName, start, chunk.sent.pieces, listener);
    return upload;
  }
  let counted = isLast ? undefined : await of.count({ from: start, to: end });
  if (!counted || spoolBytes(deps.uploadsDir, counted.spoolName) < start) {
    let upload = await of.find();
    const waitedUntil = Date.now() + writeTimeoutMs;
    while (!counted && upload && findReceived(deps, upload) < upload.received && Date.now() < waitedUntil) {
      await delay(20);
      upload = await of.find();
    }
    const received = findReceived(deps, upload);
    if (!upload || start !== received) throw wrongStart(kind, received);
    if (isLast) return upload;
    counted = await of.count({ from: upload.received, to: end });
    if (!counted) throw wrongStart(kind, received);
  }
  try {
    await writeChunk(deps, kind, chunk, counted, listener);
  } catch (error) {
    await of.count({ from: end, to: start });
    throw error;
  }
  return counted;
}

/** The nightly job removes what is never counted. */
async function storePart(deps: Deps, { start, sent }: Chunk): Promise<Part> {
  const storageKey = newStorageKey('upload', 'part');
  await deps.storage.put(storageKey, sent.bytes, sent.bytes.length);
  return { starts: start, storageKey };
}

async function removeParts(deps: Deps, keys: readonly string[]): Promise<void> {
  for (const key of keys) await deps.storage.remove(key);
}

async function writeChunk<L extends Listener>(
  deps: Deps,
  kind: UploadKind<L>,
  { start, sent }: Chunk,
  { spoolName }: UploadRow,
  listener?: L,
): Promise<void> {
  try {
    await writeSpool(deps.uploadsDir, spoolName, start, sent.pieces);
  } catch (error) {
    kind.listeners.discard(spoolName);
    const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw isGone ? wrongStart(kind, 0) : error;
  }
  kind.listeners.hear(spoolName, start, sent.pieces, listener);
}

/**
 * Bytes before `received` never change: no lock is held.
 * @throws conflict with `received` when another call ended it
 */
export async function completeUpload<L extends Listener, T>(
  db: Database,
  deps: Deps,
  { kind, chunk }: { kind: UploadKind<L>; chunk: Chunk },
  upload: UploadRow | undefined,
  store: (whole: WholeUpload<L>) => Promise<T>,
): Promise<T> {
  const name = upload?.spoolName ?? '';
  try {
    const heard = kind.listeners.take(name, chunk.start);
    const parts = upload && deps.storage.isShared ? await queries.listParts(db, upload.id) : undefined;
    await using whole = parts
      ? openParts(deps.storage, parts, chunk.start, chunk.sent.bytes, heard)
      : await openWhole(join(deps.uploadsDir, name), chunk.start, chunk.sent.bytes, heard);
    if (upload && parts) upload.parts = parts.map(({ storageKey }) => storageKey);
    return await store(whole);
  } catch (error) {
    const isEnded = upload && chunk.start > 0 && findReceived(deps, upload) === 0;
    throw isEnded && !(error instanceof AppError) ? wrongStart(kind, 0) : error;
  }
}

/** @throws conflict with `received` when it changed since */
export async function endUpload<L extends Listener>(
  trx: Trx,
  deps: Deps,
  kind: UploadKind<L>,
  upload: UploadRow,
): Promise<void> {
  if (!(await queries.endUpload(trx, upload))) {
    const { adminId, id } = upload;
    throw wrongStart(kind, findReceived(deps, await queries.findUpload(trx, { adminId, kind: kind.kind, id })));
  }
}

/** After the commit of `endUpload`. */
export async function removeReceived(deps: Deps, upload: UploadRow | undefined): Promise<void> {
  if (!upload) return;
  await removeSpool(deps.uploadsDir, upload.spoolName);
  await removeParts(deps, upload.parts ?? []);
}

/** @returns how many */
export async function dropUploads(db: Database, deps: Deps, name: queries.UploadName): Promise<number> {
  const deleted = await queries.deleteUploads(db, name);
  for (const { spoolName, parts } of deleted) {
    await removeSpool(deps.uploadsDir, spoolName);
    await removeParts(deps, parts);
  }
  return deleted.length;
}
