import { isDeepStrictEqual } from 'node:util';
import { looksLikeWav, maxAudioBytes, maxFileName } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import type { FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid, notFound } from '#src/lib/errors.ts';
import type { FileAnswer } from '#src/lib/file-answer.ts';
import type { Caller, Upload } from '#src/lib/route.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { guessWav, readWav } from '#src/lib/wav.ts';
import {
  describeAudio,
  editableStatuses,
  requireEdit,
  requireRead,
  statusOf,
} from '#src/modules/releases/releases.service.ts';
import { lockEditableTrack } from '#src/modules/releases/tracks.service.ts';
import { type AudioAnalysis, createAnalysis } from './analysis.ts';
import * as queries from './audio.queries.ts';
import {
  discardAnalysis,
  findOwnSpool,
  inTurn,
  newSpoolName,
  openWhole,
  removeSpool,
  renameSpool,
  resumeAnalysis,
  spoolBytes,
  startSpool,
  type WholeUpload,
  writeSpool,
} from './spool.ts';

const notAWav = () => invalid({ track: messages.audioFormat });
const wrongOffset = (received: number) => new AppError('conflict', messages.uploadStart, { data: { received } });

function adminOf(caller: Caller): number {
  if (caller.adminId === null) throw new AppError('unauthorized');
  return caller.adminId;
}

/** @throws AppError not_found; forbidden unless the caller may change releases in the track's status */
async function requireEditableTrack(db: Database | Trx, caller: Caller, trackId: number): Promise<void> {
  const status = await queries.findTrackStatus(db, trackId);
  if (status === undefined) throw notFound();
  requireEdit(caller, statusOf({ status }));
}

const header = (request: FastifyRequest, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** @throws AppError invalid_data unless the text is all digits */
function readBytes(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AppError('invalid_data');
  return Number(text);
}

/** The file name without folders; only shown, never used as a path. */
function readFileName(name: string): string {
  const own = name.normalize('NFC').split(/[/\\]/).at(-1)?.trim() ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (own === '' || own.length > maxFileName || /[\u0000-\u001f\u007f]/.test(own) || !own.isWellFormed()) {
    throw invalid({ name: messages.fileName });
  }
  return own;
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new AppError('invalid_data');
  }
}

/** The file a call names, in its headers or query; missing parts are undefined. */
function readNamed(request: FastifyRequest, query: { name?: string | undefined; size?: string | undefined }) {
  const encoded = header(request, 'x-file-name');
  const name = encoded === undefined ? query.name : decodeName(encoded);
  const size = header(request, 'x-file-size') ?? query.size;
  return {
    fileName: name === undefined ? undefined : readFileName(name),
    sizeBytes: size === undefined ? undefined : readBytes(size),
  };
}

const uploadName = (key: queries.UploadKey) => JSON.stringify(key);

interface Chunk {
  key: queries.UploadKey;
  start: number;
  length: number;
  upload: Upload;
}

/**
 * Parses a chunk and its headers.
 * @throws AppError invalid_data for missing or invalid headers, too_large, validation_failed
 */
function readChunk(caller: Caller, trackId: number, request: FastifyRequest, upload: Upload): Chunk {
  const { fileName, sizeBytes } = readNamed(request, {});
  const startText = header(request, 'x-file-start');
  if (fileName === undefined || sizeBytes === undefined || startText === undefined) throw new AppError('invalid_data');
  const start = readBytes(startText);
  if (sizeBytes > maxAudioBytes) throw new AppError('too_large', messages.audioTooLarge);
  if (sizeBytes === 0 || !/\.wav$/i.test(fileName)) throw notAWav();
  const length = upload.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length === 0) throw invalid({ track: messages.emptyInput });
  if (start + length > sizeBytes) throw invalid({ track: messages.uploadTooLong });
  return { key: { adminId: adminOf(caller), trackId, fileName, sizeBytes }, start, length, upload };
}

interface UploadPosition {
  upload: queries.UploadRow | undefined;
  received: number;
}

/** The received bytes that both the row and the file have. */
async function findPosition(db: Database | Trx, deps: Deps, key: queries.UploadKey): Promise<UploadPosition> {
  const upload = await queries.findUpload(db, key);
  if (!upload) return { upload, received: 0 };
  return { upload, received: Math.min(upload.received, await spoolBytes(deps.uploadsDir, upload.spoolName)) };
}

/** Deletes uploads and their files. */
async function dropUploads(db: Database | Trx, deps: Deps, of: Parameters<typeof queries.deleteUploads>[1]) {
  for (const spool of await queries.deleteUploads(db, of)) await removeSpool(deps.uploadsDir, spool);
}

/** A complete, verified and stored file without a track. */
interface StoredAudio {
  upload: queries.UploadRow | undefined;
  file: queries.AudioFile;
}

/** Verifies and stores a complete file, analysing the part not analysed during the upload. */
async function storeAudio(
  whole: WholeUpload,
  resumed: AudioAnalysis | undefined,
  key: queries.UploadKey,
  deps: Deps,
): Promise<queries.AudioFile> {
  const format = await readWav(key.sizeBytes, whole.readAt);
  if (!format) throw notAWav();
  let analysis = resumed;
  if (analysis && isDeepStrictEqual(analysis.format, format)) {
    analysis.push(whole.lastChunk);
  } else {
    // No analysis exists: the server restarted, or the samples start after the first chunk.
    analysis = createAnalysis(format);
    for await (const block of whole.blocks()) analysis.push(block);
  }
  const storageKey = newStorageKey('audio', 'wav');
  await (whole.head
    ? deps.storage.putFile(storageKey, { ...whole.head, isSettled: resumed !== undefined }, whole.lastChunk)
    : deps.storage.put(storageKey, whole.lastChunk, key.sizeBytes));
  const frames = format.dataBytes / (format.bytesPerSample * format.channels);
  return {
    storageKey,
    originalName: key.fileName,
    sizeBytes: key.sizeBytes,
    durationMs: Math.round((frames * 1000) / format.sampleRateHz),
    sampleRateHz: format.sampleRateHz,
    bitDepth: format.bitDepth,
    channels: format.channels,
    ...analysis.finish(),
  };
}

export interface PreparedChunk {
  chunk: Chunk;
  /** Set for the last chunk. */
  stored?: StoredAudio;
  /** Set for a middle chunk, after it is counted and written. */
  received?: UploadState;
  /** The file with the chunk. */
  spoolName?: string;
}

/**
 * Handles a chunk before its transaction. The last one completes the file, which is verified and stored here. Bytes
 * before the current position never change, and the last chunk is never written to the file, so concurrent chunks
 * cannot change a file during verification.
 * @throws AppError not_found; forbidden; conflict with `received`; validation_failed, which deletes the upload
 */
export async function prepareChunk(
  db: Database,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  sent: Upload,
): Promise<PreparedChunk> {
  const chunk = readChunk(caller, trackId, request, sent);
  const { key, start, length } = chunk;
  const isLast = start + length === key.sizeBytes;
  // For middle chunks, the counting statement checks this too, which saves a query.
  if (start === 0 || isLast) await requireEditableTrack(db, caller, trackId);
  try {
    // Refuse other file types at the first bytes, not after a gigabyte.
    if (start === 0 && (length >= 12 || isLast) && !looksLikeWav(sent.bytes, key.sizeBytes)) throw notAWav();
    if (start !== 0 && !isLast) return await takeChunk(db, deps, caller, chunk);
    if (!isLast) return { chunk };
    // After all running chunk writes, so that the file is not ahead of its count.
    const { upload, resumed } = await inTurn(uploadName(key), async () => {
      const standing = await findPosition(db, deps, key);
      if (start !== 0 && start !== standing.received) throw wrongOffset(standing.received);
      const prefix = start === 0 ? undefined : standing.upload;
      return { upload: prefix, resumed: prefix && resumeAnalysis(deps.uploadsDir, prefix.spoolName, start) };
    });
    await using whole = await openWhole(deps.uploadsDir, upload?.spoolName, start, sent.bytes);
    return { chunk, stored: { upload, file: await storeAudio(whole, resumed, key, deps) } };
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') await dropUploads(db, deps, key);
    throw error;
  }
}

/** Handles the first chunk. */
async function beginUpload(trx: Trx, deps: Deps, prepared: PreparedChunk): Promise<void> {
  const { key, length, upload: sent } = prepared.chunk;
  const spoolName = newSpoolName();
  const { formerSpool } = await queries.beginUpload(trx, key, spoolName, length);
  prepared.spoolName = spoolName;
  const format = await guessWav(key.sizeBytes, sent.bytes);
  await startSpool(deps.uploadsDir, spoolName, uploadName(key), sent.pieces, format && createAnalysis(format));
  if (formerSpool !== undefined) await removeSpool(deps.uploadsDir, formerSpool);
}

/** Handles a middle chunk. @throws AppError conflict with `received`; not_found; forbidden */
async function takeChunk(db: Database, deps: Deps, caller: Caller, chunk: Chunk): Promise<PreparedChunk> {
  const taken = await inTurn(uploadName(chunk.key), () => tryChunk(db, deps, caller, chunk));
  if (typeof taken === 'number') throw wrongOffset(taken);
  return taken;
}

/**
 * Counts a chunk in one statement and writes it. Chunks of an upload run one after the other in this process, so that
 * no answer reports a half-written chunk. Bytes counted but lost (full disk, power failure) are sent again. @returns
 * the current position when the chunk does not start there
 */
async function tryChunk(db: Database, deps: Deps, caller: Caller, chunk: Chunk): Promise<PreparedChunk | number> {
  const { key, start, length, upload: sent } = chunk;
  const statuses = editableStatuses(caller);
  const write = (name: string) => writeSpool(deps.uploadsDir, name, start, sent.pieces);
  // With a single writer both can run at once: uncounted bytes are harmless.
  const own = findOwnSpool(deps.uploadsDir, uploadName(key), start);
  const written = own === undefined ? undefined : write(own);
  // If both fail, the count reports the error.
  written?.catch(() => undefined);
  let spoolName: string | undefined;
  try {
    spoolName = await queries.countChunk(db, key, statuses, chunk);
  } finally {
    if (own !== undefined && spoolName !== own) {
      await written?.catch(() => undefined);
      discardAnalysis(deps.uploadsDir, own);
    }
  }
  if (spoolName === undefined) {
    await requireEditableTrack(db, caller, key.trackId);
    const { upload, received } = await findPosition(db, deps, key);
    if (upload && received === start && received < upload.received && (await shorten(db, deps, upload, received))) {
      spoolName = await queries.countChunk(db, key, statuses, chunk);
    }
    if (spoolName === undefined) return received;
  }
  if (!(await (own === spoolName ? written : write(spoolName)))) return spoolBytes(deps.uploadsDir, spoolName);
  return { chunk, spoolName, received: { received: start + length, size: key.sizeBytes, done: false } };
}

/**
 * Reduces the received count to the file's size. Renames the file, so that no process uses its analysis of the lost
 * bytes. False when the upload has changed since.
 */
async function shorten(db: Database, deps: Deps, upload: queries.UploadRow, received: number): Promise<boolean> {
  const name = newSpoolName();
  if (!(await queries.recount(db, upload, received, name))) return false;
  await renameSpool(deps.uploadsDir, upload.spoolName, name);
  return true;
}

/** Sets the track's new file; the former one goes to the bin in the same transaction (product §34.12). */
async function finishUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  key: queries.UploadKey,
  { upload, file }: StoredAudio,
): Promise<UploadState> {
  const track = await lockEditableTrack(trx, caller, key.trackId);
  if (upload && !(await queries.endUpload(trx, upload))) {
    throw wrongOffset((await findPosition(trx, deps, key)).received);
  }
  const before = await queries.findAudio(trx, key.trackId);
  await queries.replaceAudio(trx, key.trackId, track.audioFileId, { ...file, createdBy: key.adminId });
  const journalled = (of: { originalName: string; sizeBytes: number; sha256: Buffer }) => ({
    audio: of.originalName,
    sizeBytes: of.sizeBytes,
    sha256: of.sha256.toString('hex'),
  });
  await writeAudit(trx, caller, {
    action: 'track.audio',
    entityId: key.trackId,
    before: before ? journalled(before) : null,
    after: journalled(file),
  });
  if (upload) await removeSpool(deps.uploadsDir, upload.spoolName);
  else await dropUploads(trx, deps, key);
  return {
    received: key.sizeBytes,
    size: key.sizeBytes,
    done: true,
    audioDetails: describeAudio({ id: key.trackId, ...file }),
  };
}

/** Applies a prepared chunk in the call's transaction. @throws AppError conflict with `received` */
export async function applyChunk(trx: Trx, deps: Deps, caller: Caller, prepared: PreparedChunk): Promise<UploadState> {
  const { chunk, stored } = prepared;
  if (stored) return finishUpload(trx, deps, caller, chunk.key, stored);
  await beginUpload(trx, deps, prepared);
  return { received: chunk.start + chunk.length, size: chunk.key.sizeBytes, done: false };
}

/** After a failed transaction: the chunk does not count, and a stored file is deleted. */
export async function discardChunk(deps: Deps, { stored, spoolName }: PreparedChunk): Promise<void> {
  if (spoolName !== undefined) discardAnalysis(deps.uploadsDir, spoolName);
  if (stored) await deps.storage.remove(stored.file.storageKey);
}

/**
 * The position of the named upload, or else of the caller's latest to this track. A completed upload whose file is the
 * track's is done: its last response may have been lost.
 * @throws AppError not_found; forbidden; invalid_data
 */
export async function getUploadState(
  db: Database | Trx,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  query: { name?: string | undefined; size?: string | undefined },
): Promise<UploadState> {
  const named = readNamed(request, query);
  await requireEditableTrack(db, caller, trackId);
  const adminId = adminOf(caller);
  const isNamed = named.fileName !== undefined && named.sizeBytes !== undefined;
  const latest = isNamed ? undefined : await queries.findLatestUpload(db, adminId, trackId);
  const fileName = named.fileName ?? latest?.fileName;
  const sizeBytes = named.sizeBytes ?? latest?.sizeBytes ?? 0;
  if (fileName === undefined) return { received: 0, size: sizeBytes, done: false };
  const { upload, received } = await findPosition(db, deps, { adminId, trackId, fileName, sizeBytes });
  if (upload) return { received, size: sizeBytes, done: false };
  const present = await queries.findAudio(db, trackId);
  const isDone = present?.createdBy === adminId && present.originalName === fileName && present.sizeBytes === sizeBytes;
  return isDone
    ? { received: sizeBytes, size: sizeBytes, done: true, audioDetails: describeAudio({ ...present, id: trackId }) }
    : { received: 0, size: sizeBytes, done: false };
}

/** Cancels the caller's uploads to a track. @throws AppError not_found; forbidden; invalid_data */
export async function cancelUploads(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  query: { name?: string | undefined; size?: string | undefined },
): Promise<void> {
  const named = readNamed(request, query);
  await requireEditableTrack(trx, caller, trackId);
  await dropUploads(trx, deps, { adminId: adminOf(caller), trackId, ...named });
}

/** @throws AppError not_found; forbidden without the capability to read the release's list */
async function findReadableAudio(db: Database | Trx, caller: Caller, trackId: number) {
  const audio = await queries.findAudio(db, trackId);
  if (!audio) throw notFound();
  requireRead(caller, statusOf(audio));
  return audio;
}

/** A track's file. @throws AppError not_found without one */
export async function getAudioFile(db: Database, deps: Deps, caller: Caller, trackId: number): Promise<FileAnswer> {
  const audio = await findReadableAudio(db, caller, trackId);
  const name = [audio.artistName, audio.title].filter(Boolean).join(' - ').slice(0, 180);
  return {
    content: (range) => deps.storage.open(audio.storageKey, range),
    sizeBytes: audio.sizeBytes,
    contentType: audio.contentType,
    etag: `"${audio.sha256.toString('hex')}"`,
    fileName: `${name}.wav`,
  };
}

/** The waveform of a track's file. @throws AppError not_found without one */
export async function getWaveform(db: Database | Trx, caller: Caller, trackId: number) {
  const audio = await findReadableAudio(db, caller, trackId);
  return { peaks: audio.peaks?.toString('base64') ?? null, durationMs: audio.durationMs };
}
