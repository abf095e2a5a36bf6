import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { looksLikeWav, maxAudioBytes, maxFileName } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import type { FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid, notFound } from '#src/lib/errors.ts';
import type { FileAnswer } from '#src/lib/file-answer.ts';
import type { Caller } from '#src/lib/route.ts';
import { newToken } from '#src/lib/secrets.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { createListener, readWav } from '#src/lib/wav.ts';
import { describeAudio, editableStatuses, requireEdit, statusOf } from '#src/modules/releases/releases.service.ts';
import { lockEditableTrack } from '#src/modules/releases/tracks.service.ts';
import * as queries from './audio.queries.ts';
import { openWhole, removeSpool, spoolBytes, startSpool, type WholeUpload, writeSpool } from './spool.ts';

const notAWav = () => invalid({ track: messages.audioFormat });
const standsElsewhere = (received: number) => new AppError('conflict', messages.uploadStart, { data: { received } });

function adminOf(caller: Caller): number {
  if (caller.adminId === null) throw new AppError('unauthorized');
  return caller.adminId;
}

/** @throws AppError not_found; forbidden unless the caller may change the track's release as it is now */
async function requireEditableTrack(db: Database | Trx, caller: Caller, trackId: number): Promise<void> {
  const status = await queries.findTrackStatus(db, trackId);
  if (status === undefined) throw notFound();
  requireEdit(caller, statusOf({ status }));
}

const header = (request: FastifyRequest, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** @throws AppError invalid_data for anything but digits */
function readBytes(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AppError('invalid_data');
  return Number(text);
}

/** The name of a file without the folders before it; what it is stored under has nothing to do with it. */
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

/** Which file a call is about, by its headers or its query; a part that is not told is undefined. */
function readNamed(request: FastifyRequest, query: { name?: string | undefined; size?: string | undefined }) {
  const encoded = header(request, 'x-file-name');
  const name = encoded === undefined ? query.name : decodeName(encoded);
  const size = header(request, 'x-file-size') ?? query.size;
  return {
    fileName: name === undefined ? undefined : readFileName(name),
    sizeBytes: size === undefined ? undefined : readBytes(size),
  };
}

interface Chunk {
  key: queries.UploadKey;
  start: number;
  bytes: Buffer;
}

/**
 * A chunk with what its headers say of it.
 * @throws AppError invalid_data for headers that are missing or unreadable, too_large, validation_failed
 */
function readChunk(caller: Caller, trackId: number, request: FastifyRequest, bytes: Buffer): Chunk {
  const { fileName, sizeBytes } = readNamed(request, {});
  const startText = header(request, 'x-file-start');
  if (fileName === undefined || sizeBytes === undefined || startText === undefined) throw new AppError('invalid_data');
  const start = readBytes(startText);
  if (sizeBytes > maxAudioBytes) throw new AppError('too_large', messages.audioTooLarge);
  if (sizeBytes === 0 || !/\.wav$/i.test(fileName)) throw notAWav();
  if (bytes.length === 0) throw invalid({ track: messages.emptyInput });
  if (start + bytes.length > sizeBytes) throw invalid({ track: messages.uploadTooLong });
  return { key: { adminId: adminOf(caller), trackId, fileName, sizeBytes }, start, bytes };
}

interface Standing {
  upload: queries.UploadRow | undefined;
  received: number;
}

/** Where the server stands with an upload: what is counted and really there. */
async function findStanding(db: Database | Trx, deps: Deps, key: queries.UploadKey): Promise<Standing> {
  const upload = await queries.findUpload(db, key);
  if (!upload) return { upload, received: 0 };
  return { upload, received: Math.min(upload.received, await spoolBytes(deps.uploadsDir, upload.spoolName)) };
}

/** Ends uploads and removes what they had brought. */
async function dropUploads(db: Database | Trx, deps: Deps, of: Parameters<typeof queries.deleteUploads>[1]) {
  for (const spool of await queries.deleteUploads(db, of)) await removeSpool(deps.uploadsDir, spool);
}

/** A whole file, verified and stored, that no track has yet. */
interface StoredAudio {
  upload: queries.UploadRow | undefined;
  file: queries.AudioFile;
}

/** Listens to a verified file while it goes to the storage: its bytes are read once. */
async function storeAudio(whole: WholeUpload, key: queries.UploadKey, deps: Deps): Promise<queries.AudioFile> {
  const found = await readWav(key.sizeBytes, whole.readAt);
  if (!found) throw notAWav();
  const format = found;
  const hash = createHash('sha256');
  const listener = createListener(format);
  const dataEnd = format.dataStart + format.dataBytes;
  async function* listening() {
    let position = 0;
    for await (const block of whole.blocks()) {
      hash.update(block);
      const from = Math.max(0, format.dataStart - position);
      const to = Math.min(block.length, dataEnd - position);
      if (from < to) listener.push(block.subarray(from, to));
      position += block.length;
      yield block;
    }
  }
  const storageKey = newStorageKey('audio', 'wav');
  await deps.storage.put(storageKey, Readable.from(listening(), { objectMode: false }), key.sizeBytes);
  const frames = format.dataBytes / (format.bytesPerSample * format.channels);
  return {
    storageKey,
    originalName: key.fileName,
    sizeBytes: key.sizeBytes,
    sha256: hash.digest(),
    durationMs: Math.round((frames * 1000) / format.sampleRateHz),
    sampleRateHz: format.sampleRateHz,
    bitDepth: format.bitDepth,
    channels: format.channels,
    ...listener.finish(),
  };
}

export interface PreparedChunk {
  chunk: Chunk;
  /** With the last chunk only. */
  stored: StoredAudio | undefined;
}

/**
 * Looks at a chunk before its transaction. The last one makes the file whole: it is verified and stored here. What the
 * upload's file holds up to where the server stands never changes, and the last chunk never gets there, so nothing
 * sent at the same time can change a file that is being verified.
 * @throws AppError not_found; forbidden; conflict with `received`; validation_failed, and then nothing of it is left
 */
export async function prepareChunk(
  db: Database,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  bytes: Buffer,
): Promise<PreparedChunk> {
  const chunk = readChunk(caller, trackId, request, bytes);
  const { key, start } = chunk;
  const isLast = start + bytes.length === key.sizeBytes;
  // In the middle of a file, the statement that counts a chunk looks at this too: one question less for each of them.
  if (start === 0 || isLast) await requireEditableTrack(db, caller, trackId);
  try {
    // A file of another kind is told from its first bytes, not after a gigabyte of it.
    if (start === 0 && (bytes.length >= 12 || isLast) && !looksLikeWav(bytes, key.sizeBytes)) throw notAWav();
    if (!isLast) return { chunk, stored: undefined };
    const { upload, received } = await findStanding(db, deps, key);
    if (start !== 0 && start !== received) throw standsElsewhere(received);
    const prefix = start === 0 ? undefined : upload;
    await using whole = await openWhole(deps.uploadsDir, prefix?.spoolName, start, bytes);
    return { chunk, stored: { upload: prefix, file: await storeAudio(whole, key, deps) } };
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') await dropUploads(db, deps, key);
    throw error;
  }
}

/** A chunk that begins an upload, or one that goes on where the server stands. */
async function receiveChunk(trx: Trx, deps: Deps, caller: Caller, { key, start, bytes }: Chunk): Promise<void> {
  if (start === 0) {
    const spoolName = `audio-${newToken()}`;
    const { formerSpool } = await queries.beginUpload(trx, key, spoolName, bytes.length);
    await startSpool(deps.uploadsDir, spoolName, bytes);
    if (formerSpool !== undefined) await removeSpool(deps.uploadsDir, formerSpool);
    return;
  }
  const statuses = editableStatuses(caller);
  let spoolName = await queries.countChunk(trx, key, statuses, start, { start, length: bytes.length });
  if (spoolName === undefined) {
    await requireEditableTrack(trx, caller, key.trackId);
    const { upload, received } = await findStanding(trx, deps, key);
    // A power cut took bytes that had been counted: from there on.
    const isShort = upload !== undefined && received === start && received < upload.received;
    if (isShort) {
      spoolName = await queries.countChunk(trx, key, statuses, upload.received, { start, length: bytes.length });
    }
    if (spoolName === undefined) throw standsElsewhere(received);
  }
  if (!(await writeSpool(deps.uploadsDir, spoolName, start, bytes))) {
    throw standsElsewhere(await spoolBytes(deps.uploadsDir, spoolName));
  }
}

/** Gives a track its new file; the former one goes to the bin in the same step (decisions §4). */
async function finishUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  key: queries.UploadKey,
  { upload, file }: StoredAudio,
): Promise<UploadState> {
  const track = await lockEditableTrack(trx, caller, key.trackId);
  if (upload && !(await queries.endUpload(trx, upload))) {
    throw standsElsewhere((await findStanding(trx, deps, key)).received);
  }
  const before = await queries.findAudio(trx, key.trackId);
  await queries.replaceAudio(trx, key.trackId, track.audioFileId, { ...file, createdBy: key.adminId });
  const tell = (of: { originalName: string; sizeBytes: number; sha256: Buffer }) => ({
    audio: of.originalName,
    sizeBytes: of.sizeBytes,
    sha256: of.sha256.toString('hex'),
  });
  await writeAudit(trx, caller, {
    action: 'track.audio',
    entity: 'track',
    entityId: key.trackId,
    before: before ? tell(before) : null,
    after: tell(file),
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

/** Takes a prepared chunk in the call's transaction. @throws AppError conflict with `received` */
export async function applyChunk(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  { chunk, stored }: PreparedChunk,
): Promise<UploadState> {
  if (stored) return finishUpload(trx, deps, caller, chunk.key, stored);
  await receiveChunk(trx, deps, caller, chunk);
  return { received: chunk.start + chunk.bytes.length, size: chunk.key.sizeBytes, done: false };
}

/** The transaction of a last chunk failed: the stored file is nobody's. */
export async function discardChunk(deps: Deps, { stored }: PreparedChunk): Promise<void> {
  if (stored) await deps.storage.remove(stored.file.storageKey);
}

/**
 * Where the server stands with the upload that a call names, else with the caller's latest to this track. One that
 * has ended as the track's present file is done: its last answer may have been lost on the way.
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
  const { upload, received } = await findStanding(db, deps, { adminId, trackId, fileName, sizeBytes });
  if (upload) return { received, size: sizeBytes, done: false };
  const present = await queries.findAudio(db, trackId);
  const isDone = present?.createdBy === adminId && present.originalName === fileName && present.sizeBytes === sizeBytes;
  return isDone
    ? { received: sizeBytes, size: sizeBytes, done: true, audioDetails: describeAudio({ ...present, id: trackId }) }
    : { received: 0, size: sizeBytes, done: false };
}

/** Gives up uploads of the caller to a track. @throws AppError not_found; forbidden; invalid_data */
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

/** A track's file. @throws AppError not_found without one */
export async function getAudioFile(db: Database, deps: Deps, trackId: number): Promise<FileAnswer> {
  const audio = await queries.findAudio(db, trackId);
  if (!audio) throw notFound();
  const name = [audio.artistName, audio.title].filter(Boolean).join(' - ').slice(0, 180);
  return {
    content: (range) => deps.storage.open(audio.storageKey, range),
    sizeBytes: audio.sizeBytes,
    contentType: audio.contentType,
    etag: `"${audio.sha256.toString('hex')}"`,
    fileName: `${name}.wav`,
  };
}

/** What a player draws of a track's file. @throws AppError not_found without one */
export async function getWaveform(db: Database | Trx, trackId: number) {
  const audio = await queries.findAudio(db, trackId);
  if (!audio) throw notFound();
  return { peaks: audio.peaks?.toString('base64') ?? null, durationMs: audio.durationMs };
}
