import { isDeepStrictEqual } from 'node:util';
import { looksLikeWav, maxAudioBytes, maxFileName } from '@regie/contract/audio.ts';
import { messages } from '@regie/contract/messages.ts';
import type { UploadState } from '@regie/contract/routes/audio.ts';
import type { FastifyRequest } from 'fastify';
import { writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, invalid, orNotFound } from '#src/lib/errors.ts';
import type { FileAnswer } from '#src/lib/file-answer.ts';
import { adminOf, type Caller, type Upload } from '#src/lib/route.ts';
import { newStorageKey } from '#src/lib/storage.ts';
import { guessWav, readWav } from '#src/lib/wav.ts';
import {
  editableStatuses,
  requireEdit,
  requireRead,
  statusOf,
} from '#src/modules/catalogue/releases/release-access.service.ts';
import { describeAudio } from '#src/modules/catalogue/releases/release-views.service.ts';
import { lockEditableTrack } from '#src/modules/catalogue/releases/tracks.service.ts';
import * as uploads from '#src/modules/platform/uploads/uploads.service.ts';
import { type AudioAnalysis, createAnalysis } from './analysis.ts';
import * as queries from './audio.queries.ts';

const kind = uploads.defineKind<AudioAnalysis>({
  kind: 'audio',
  field: 'track',
  messages: { wrongStart: messages.uploadStart, tooLong: messages.uploadTooLong, empty: messages.emptyInput },
});

const notAWav = () => invalid({ track: messages.audioFormat });

/** @throws not_found; forbidden */
async function requireEditableTrack(db: Database, caller: Caller, trackId: number): Promise<void> {
  requireEdit(caller, statusOf(orNotFound(await queries.findTrackStatus(db, trackId))));
}

const header = (request: FastifyRequest, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Without folders; shown, never used as a path. */
function readFileName(name: string): string {
  const base = name.normalize('NFC').split(/[/\\]/).at(-1)?.trim() ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (base === '' || base.length > maxFileName || /[\u0000-\u001f\u007f]/.test(base) || !base.isWellFormed()) {
    throw invalid({ name: messages.fileName });
  }
  return base;
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new AppError('invalid_data');
  }
}

/** The file in headers or query, as far as it is given. */
function readNamed(request: FastifyRequest, query: { name?: string | undefined; size?: string | undefined }) {
  const encoded = header(request, 'x-file-name');
  const name = encoded === undefined ? query.name : decodeName(encoded);
  const size = header(request, 'x-file-size') ?? query.size;
  return {
    ...(name === undefined ? {} : { fileName: readFileName(name) }),
    ...(size === undefined ? {} : { sizeBytes: uploads.readBytes(size) }),
  };
}

interface UploadKey {
  adminId: number;
  kind: string;
  trackId: number;
  fileName: string;
  sizeBytes: number;
}

export interface PreparedChunk {
  key: UploadKey;
  received: number;
  /** A verified and stored file without a track. */
  stored?: { upload: uploads.UploadRow | undefined; file: queries.AudioFile };
}

/** Analyses the part not analysed during the upload. */
async function storeAudio(
  whole: uploads.WholeUpload<AudioAnalysis>,
  key: UploadKey,
  deps: Deps,
): Promise<queries.AudioFile> {
  const format = await readWav(key.sizeBytes, whole.readAt);
  if (!format) throw notAWav();
  // None after a restart, or if the samples start after the first chunk.
  const { heard } = whole;
  const analysis = await whole.play(heard && isDeepStrictEqual(heard.format, format) ? heard : createAnalysis(format));
  const storageKey = newStorageKey('audio', 'wav');
  await whole.store(deps.storage, storageKey);
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

/**
 * The last chunk completes the file, which is stored before the call's transaction.
 * @throws invalid_data, too_large, not_found, forbidden; conflict with `received`; validation_failed, which deletes the
 * upload
 */
export async function prepareChunk(
  db: Database,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  sent: Upload,
): Promise<PreparedChunk> {
  const { fileName, sizeBytes } = readNamed(request, {});
  if (fileName === undefined || sizeBytes === undefined) throw new AppError('invalid_data');
  if (sizeBytes > maxAudioBytes) throw new AppError('too_large', messages.audioTooLarge);
  if (sizeBytes === 0 || !/\.wav$/i.test(fileName)) throw notAWav();
  const chunk = uploads.readChunk(kind, sizeBytes, request, sent);
  const { start, end, isLast } = chunk;
  const key = { adminId: adminOf(caller), kind: kind.kind, trackId, fileName, sizeBytes };
  // Counting a later chunk tests this too.
  if (start === 0) await requireEditableTrack(db, caller, trackId);
  try {
    // Other file types are refused at the first bytes, not after a gigabyte.
    if (start === 0 && (end >= 12 || isLast) && !looksLikeWav(sent.bytes, sizeBytes)) throw notAWav();
    let upload: uploads.UploadRow | undefined;
    if (start > 0) {
      upload = await uploads.takeChunk(
        deps,
        { kind, chunk },
        {
          find: async () => {
            await requireEditableTrack(db, caller, trackId);
            return uploads.findUpload(db, key);
          },
          count: (move, part) => queries.countChunk(db, key, editableStatuses(caller), move, part),
        },
      );
    } else if (!isLast) {
      const format = await guessWav(sizeBytes, sent.bytes);
      const analysis = format && createAnalysis(format);
      upload = await uploads.takeFirstChunk(db, deps, { kind, chunk }, { ...key, replaces: null }, analysis);
    }
    if (!isLast) return { key, received: end };
    const file = await uploads.completeUpload(db, deps, { kind, chunk }, upload, (whole) =>
      storeAudio(whole, key, deps),
    );
    return { key, received: end, stored: { upload, file } };
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') await uploads.dropUploads(db, deps, key);
    throw error;
  }
}

export const settledChunk = ({ key, received, stored }: PreparedChunk): UploadState | undefined =>
  stored ? undefined : { received, size: key.sizeBytes, done: false };

/** The former file goes to the bin (product §34.12). @throws conflict with `received` */
export async function finishUpload(
  trx: Trx,
  deps: Deps,
  caller: Caller,
  { key, stored }: PreparedChunk,
): Promise<UploadState> {
  if (!stored) throw new Error('the upload is incomplete');
  const { upload, file } = stored;
  const track = await lockEditableTrack(trx, caller, key.trackId);
  if (upload) await uploads.endUpload(trx, deps, kind, upload);
  else await uploads.dropUploads(trx, deps, key);
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
  return {
    received: key.sizeBytes,
    size: key.sizeBytes,
    done: true,
    audioDetails: describeAudio({ id: key.trackId, ...file }),
  };
}

export async function discardChunk(deps: Deps, { stored }: PreparedChunk): Promise<void> {
  if (stored) await deps.storage.remove(stored.file.storageKey);
}

/**
 * The position of the named upload, or the caller's latest to the track. One whose file is the track's is done: its
 * response may have been lost.
 * @throws not_found; forbidden; invalid_data
 */
export async function getUploadState(
  db: Database,
  deps: Deps,
  caller: Caller,
  trackId: number,
  request: FastifyRequest,
  query: { name?: string | undefined; size?: string | undefined },
): Promise<UploadState> {
  const named = readNamed(request, query);
  await requireEditableTrack(db, caller, trackId);
  const adminId = adminOf(caller);
  const upload = await uploads.findUpload(db, { adminId, kind: kind.kind, trackId, ...named });
  if (upload) return { received: uploads.findReceived(deps, upload), size: upload.sizeBytes, done: false };
  const { fileName, sizeBytes = 0 } = named;
  const present = await queries.findAudio(db, trackId);
  const isDone = present?.createdBy === adminId && present.originalName === fileName && present.sizeBytes === sizeBytes;
  return isDone
    ? { received: sizeBytes, size: sizeBytes, done: true, audioDetails: describeAudio({ ...present, id: trackId }) }
    : { received: 0, size: sizeBytes, done: false };
}

/** @throws not_found; forbidden; invalid_data */
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
  await uploads.dropUploads(trx, deps, { adminId: adminOf(caller), kind: kind.kind, trackId, ...named });
}

/** @throws not_found; forbidden */
async function findReadableAudio(db: Database, caller: Caller, trackId: number) {
  const audio = orNotFound(await queries.findAudio(db, trackId));
  requireRead(caller, statusOf(audio));
  return audio;
}

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

export async function getWaveform(db: Database, caller: Caller, trackId: number) {
  const audio = await findReadableAudio(db, caller, trackId);
  return { peaks: audio.peaks?.toString('base64') ?? null, durationMs: audio.durationMs };
}
