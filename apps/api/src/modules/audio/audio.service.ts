import { isDeepStrictEqual } from 'node:util';
import { audioChunkBytes, looksLikeWav, maxAudioBytes, maxFileName } from '@regie/contract/audio.ts';
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
import * as queries from './audio.queries.ts';
import { createHearing, type Hearing } from './hearing.ts';
import {
  findOwnSpool,
  inTurn,
  newSpoolName,
  nextTurn,
  openWhole,
  removeSpool,
  renameSpool,
  spoolBytes,
  startSpool,
  takeHearing,
  unhear,
  type WholeUpload,
  writeSpool,
} from './spool.ts';

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

const uploadName = (key: queries.UploadKey) => JSON.stringify(key);

interface Chunk {
  key: queries.UploadKey;
  start: number;
  length: number;
  upload: Upload;
}

/**
 * A chunk with what its headers say of it.
 * @throws AppError invalid_data for headers that are missing or unreadable, too_large, validation_failed
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

/** Verifies a whole file, hears what was not heard while it came, and stores it. */
async function storeAudio(
  whole: WholeUpload,
  heard: Hearing | undefined,
  key: queries.UploadKey,
  deps: Deps,
): Promise<queries.AudioFile> {
  const format = await readWav(key.sizeBytes, whole.readAt);
  if (!format) throw notAWav();
  let hearing = heard;
  if (hearing && isDeepStrictEqual(hearing.format, format)) {
    hearing.push(whole.lastChunk);
  } else {
    // Begun before a restart, or with more before its samples than its first chunk.
    hearing = createHearing(format);
    for await (const block of whole.blocks()) hearing.push(block);
  }
  const storageKey = newStorageKey('audio', 'wav');
  await (whole.head
    ? deps.storage.putFile(storageKey, { ...whole.head, isSettled: heard !== undefined }, whole.lastChunk)
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
    ...hearing.finish(),
  };
}

export interface PreparedChunk {
  chunk: Chunk;
  /** With the last chunk only. */
  stored?: StoredAudio;
  /** With a chunk in the middle, which is there and counted. */
  received?: UploadState;
  /** The file that the chunk was written to. */
  spoolName?: string;
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
  sent: Upload,
): Promise<PreparedChunk> {
  const chunk = readChunk(caller, trackId, request, sent);
  const { key, start, length } = chunk;
  const isLast = start + length === key.sizeBytes;
  // In the middle of a file, the statement that counts a chunk looks at this too: one question less for each of them.
  if (start === 0 || isLast) await requireEditableTrack(db, caller, trackId);
  try {
    // A file of another kind is told from its first bytes, not after a gigabyte of it.
    if (start === 0 && (length >= 12 || isLast) && !looksLikeWav(sent.bytes, key.sizeBytes)) throw notAWav();
    if (start !== 0 && !isLast) return await takeChunk(db, deps, caller, chunk);
    if (!isLast) return { chunk };
    // Once no chunk of it is being written, and none is written ahead of its count any more.
    const { upload, heard } = await inTurn(uploadName(key), async () => {
      const standing = await findStanding(db, deps, key);
      if (start !== 0 && start !== standing.received) throw standsElsewhere(standing.received);
      const prefix = start === 0 ? undefined : standing.upload;
      return { upload: prefix, heard: prefix && takeHearing(deps.uploadsDir, prefix.spoolName, start) };
    });
    await using whole = await openWhole(deps.uploadsDir, upload?.spoolName, start, sent.bytes);
    return { chunk, stored: { upload, file: await storeAudio(whole, heard, key, deps) } };
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') await dropUploads(db, deps, key);
    throw error;
  }
}

/** A chunk that begins an upload. */
async function beginUpload(trx: Trx, deps: Deps, prepared: PreparedChunk): Promise<void> {
  const { key, length, upload: sent } = prepared.chunk;
  const spoolName = newSpoolName();
  const { formerSpool } = await queries.beginUpload(trx, key, spoolName, length);
  prepared.spoolName = spoolName;
  const format = await guessWav(key.sizeBytes, sent.bytes);
  await startSpool(deps.uploadsDir, spoolName, uploadName(key), sent.pieces, format && createHearing(format));
  if (formerSpool !== undefined) await removeSpool(deps.uploadsDir, formerSpool);
}

/** How long a chunk that overtook the one before it waits for that one. */
const patienceMs = 1000;

/**
 * A chunk in the middle of a file. Two may be on their way at once: where the former has not been taken yet, this one
 * waits for it a moment.
 * @throws AppError conflict with `received`; not_found; forbidden
 */
async function takeChunk(db: Database, deps: Deps, caller: Caller, chunk: Chunk): Promise<PreparedChunk> {
  const name = uploadName(chunk.key);
  for (;;) {
    const taken = await inTurn(name, () => tryChunk(db, deps, caller, chunk));
    if (typeof taken !== 'number') return taken;
    const isNext = taken > 0 && taken < chunk.start && chunk.start <= taken + audioChunkBytes;
    if (!isNext || !(await nextTurn(name, patienceMs))) throw standsElsewhere(taken);
  }
}

/**
 * Counts a chunk by one statement and writes it. Chunks of one upload take turns in this process, so none is told where
 * the server stands while another is half written. What was counted and not written, for want of room or of
 * electricity, is sent again.
 * @returns where the server stands, if that is not where the chunk starts
 */
async function tryChunk(db: Database, deps: Deps, caller: Caller, chunk: Chunk): Promise<PreparedChunk | number> {
  const { key, start, length, upload: sent } = chunk;
  const statuses = editableStatuses(caller);
  const write = (name: string) => writeSpool(deps.uploadsDir, name, start, sent.pieces);
  // Where nobody else writes, both at once: bytes that are not counted do no harm.
  const own = findOwnSpool(deps.uploadsDir, uploadName(key), start);
  const written = own === undefined ? undefined : write(own);
  // A failure of both is told by the count.
  written?.catch(() => undefined);
  let spoolName: string | undefined;
  try {
    spoolName = await queries.countChunk(db, key, statuses, chunk);
  } finally {
    if (own !== undefined && spoolName !== own) {
      await written?.catch(() => undefined);
      unhear(deps.uploadsDir, own);
    }
  }
  if (spoolName === undefined) {
    await requireEditableTrack(db, caller, key.trackId);
    const { upload, received } = await findStanding(db, deps, key);
    if (upload && received === start && received < upload.received && (await shorten(db, deps, upload, received))) {
      spoolName = await queries.countChunk(db, key, statuses, chunk);
    }
    if (spoolName === undefined) return received;
  }
  if (!(await (own === spoolName ? written : write(spoolName)))) return spoolBytes(deps.uploadsDir, spoolName);
  return { chunk, spoolName, received: { received: start + length, size: key.sizeBytes, done: false } };
}

/**
 * Goes back to what an upload's file holds. The file gets another name, so that no process takes what it heard of the
 * former bytes for what will be there. False when the upload went on meanwhile.
 */
async function shorten(db: Database, deps: Deps, upload: queries.UploadRow, received: number): Promise<boolean> {
  const name = newSpoolName();
  if (!(await queries.recount(db, upload, received, name))) return false;
  await renameSpool(deps.uploadsDir, upload.spoolName, name);
  return true;
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
export async function applyChunk(trx: Trx, deps: Deps, caller: Caller, prepared: PreparedChunk): Promise<UploadState> {
  const { chunk, stored } = prepared;
  if (stored) return finishUpload(trx, deps, caller, chunk.key, stored);
  await beginUpload(trx, deps, prepared);
  return { received: chunk.start + chunk.length, size: chunk.key.sizeBytes, done: false };
}

/** The transaction of a chunk failed: it does not count, and a stored file is nobody's. */
export async function discardChunk(deps: Deps, { stored, spoolName }: PreparedChunk): Promise<void> {
  if (spoolName !== undefined) unhear(deps.uploadsDir, spoolName);
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

/** @throws AppError not_found; forbidden to who may not read the list of the track's release */
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

/** What a player draws of a track's file. @throws AppError not_found without one */
export async function getWaveform(db: Database | Trx, caller: Caller, trackId: number) {
  const audio = await findReadableAudio(db, caller, trackId);
  return { peaks: audio.peaks?.toString('base64') ?? null, durationMs: audio.durationMs };
}
