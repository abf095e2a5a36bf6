import { createHash } from 'node:crypto';
import { type CoverWidth, coverSidePixels, coverWidths, readPictureHead } from '@regie/contract/covers.ts';
import { messages } from '@regie/contract/messages.ts';
import { writeAudit } from '#src/lib/audit.ts';
import { findCoverKey, thumbnailKey } from '#src/lib/cover-keys.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import type { FileAnswer } from '#src/lib/file-answer.ts';
import type { Caller, Upload } from '#src/lib/route.ts';
import { newStorageKey, StorageMissing } from '#src/lib/storage.ts';
import {
  findEditableRelease,
  lockEditableRelease,
  requireReadableRelease,
} from '#src/modules/catalogue/releases/release-access.service.ts';
import { toCoverDetails } from '#src/modules/catalogue/releases/release-views.service.ts';
import { checkCoverHead, makePictures } from './covers.pictures.ts';
import * as queries from './covers.queries.ts';
import { RecentBytes } from './recent-bytes.ts';

export interface StoredCover {
  storageKey: string;
  contentType: string;
  originalName: string;
  sizeBytes: number;
  sha256: Buffer;
}

const maxNameLength = 255;

/** For display only. */
function shownName(fileName: string, extension: string): string {
  const name = (fileName.split(/[\\/]/).at(-1) ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed();
  return [...name].slice(0, maxNameLength).join('') || `pochette.${extension}`;
}

/** Checks and stores the file and its pictures (product §34.11). @throws validation_failed; not_found; forbidden */
export async function storeCover(
  { db, storage }: Deps,
  caller: Caller,
  releaseId: number,
  { bytes, fileName }: Upload,
): Promise<StoredCover> {
  checkCoverHead(bytes);
  const type = readPictureHead(bytes)?.type;
  if (!type) throw invalid({ cover: messages.coverFormat });
  // Rights before decoding.
  await findEditableRelease(db as Trx, caller, releaseId);
  const extension = type === 'png' ? 'png' : 'jpg';
  const storageKey = newStorageKey('cover', extension);
  const pictures = await makePictures(bytes, coverWidths);
  const cover = {
    storageKey,
    contentType: `image/${type}`,
    originalName: shownName(fileName, extension),
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest(),
  };
  const puts = await Promise.allSettled([
    storage.put(storageKey, bytes, bytes.length),
    ...[...pictures].map(([width, picture]) => storage.put(thumbnailKey(storageKey, width), picture, picture.length)),
  ]);
  const failed = puts.find((put) => put.status === 'rejected');
  if (failed) {
    await discardCover({ storage }, cover);
    throw failed.reason;
  }
  return cover;
}

export async function discardCover({ storage }: Pick<Deps, 'storage'>, { storageKey }: StoredCover): Promise<void> {
  await Promise.all([
    storage.remove(storageKey),
    ...coverWidths.map((width) => storage.remove(thumbnailKey(storageKey, width))),
  ]);
}

/** The former cover goes to the bin. @throws not_found; forbidden */
export async function replaceCover(
  trx: Trx,
  caller: Caller,
  releaseId: number,
  cover: StoredCover,
): Promise<{ coverDetails: string }> {
  const release = await lockEditableRelease(trx, caller, releaseId);
  const former = release.coverFileId === null ? undefined : await queries.findFile(trx, release.coverFileId);
  const fileId = await queries.replaceCover(
    trx,
    { id: releaseId, coverFileId: release.coverFileId },
    { ...cover, side: coverSidePixels, createdBy: caller.adminId },
  );
  const journalled = (file: { id: number; originalName: string; sha256: Buffer }) => ({
    coverFileId: file.id,
    file: file.originalName,
    sha256: file.sha256.toString('hex'),
  });
  await writeAudit(trx, caller, {
    action: 'release.cover',
    entityId: releaseId,
    before: former ? journalled(former) : null,
    after: journalled({ id: fileId, ...cover }),
  });
  return {
    coverDetails: toCoverDetails({
      coverKey: cover.storageKey,
      coverOwner: release.coverOwner,
      coverYear: release.coverYear,
    }),
  };
}

/** The nightly job reports a missing object too. */
function refuseMissing(error: unknown, { log }: Deps, storageKey: string): never {
  if (!(error instanceof StorageMissing)) throw error;
  log.warn({ storageKey }, 'a file is missing from storage');
  throw notFound();
}

/** The upload, named `artist - title`. @throws not_found; forbidden */
export async function getCover(deps: Deps, db: Database, caller: Caller, releaseId: number): Promise<FileAnswer> {
  await requireReadableRelease(db as Trx, caller, releaseId);
  const cover = orNotFound(await queries.findCover(db, releaseId));
  const extension = cover.contentType === 'image/png' ? 'png' : 'jpg';
  const name = [cover.artistName, cover.title].filter(Boolean).join(' - ');
  return {
    content: (range) =>
      deps.storage
        .open(cover.storageKey, range)
        .catch((error: unknown) => refuseMissing(error, deps, cover.storageKey)),
    sizeBytes: cover.sizeBytes,
    contentType: cover.contentType,
    etag: `"${cover.sha256.toString('hex')}"`,
    fileName: `${[...name.replace(/[\p{Cc}\\/:*?"<>|]/gu, '_').toWellFormed()].slice(0, 150).join('')}.${extension}`,
  };
}

const cacheBytes = 64 * 1024 * 1024;
const recent = new RecentBytes(cacheBytes);
const pendingReads = new Map<string, Promise<Buffer>>();
const immutable = 'private, max-age=31536000, immutable';

/**
 * From memory, storage, or made from the original (demo covers, a restored backup). The key is user input: it must be a
 * cover's.
 */
export async function getPicture(deps: Deps, db: Database, key: string, width: CoverWidth): Promise<FileAnswer> {
  const storageKey = findCoverKey(key);
  if (storageKey === undefined) throw notFound();
  const pictureKey = thumbnailKey(storageKey, width);
  const content = recent.get(pictureKey) ?? (await readPicture(deps, db, storageKey, width));
  return {
    content,
    sizeBytes: content.length,
    contentType: 'image/webp',
    etag: `"${key}-${width}"`,
    cacheControl: immutable,
  };
}

async function readPicture(deps: Deps, db: Database, storageKey: string, width: CoverWidth): Promise<Buffer> {
  if (!(await queries.isCover(db, storageKey))) throw notFound();
  const pictureKey = thumbnailKey(storageKey, width);
  // Concurrent requests share one read.
  let reading = pendingReads.get(pictureKey);
  if (!reading) {
    reading = readOrMake(deps, storageKey, width).finally(() => pendingReads.delete(pictureKey));
    pendingReads.set(pictureKey, reading);
  }
  const picture = await reading;
  recent.set(pictureKey, picture);
  return picture;
}

async function readOrMake({ storage, ...deps }: Deps, storageKey: string, width: CoverWidth): Promise<Buffer> {
  const pictureKey = thumbnailKey(storageKey, width);
  const readAll = async (key: string) => Buffer.concat(await (await storage.open(key)).toArray());
  const stored = await readAll(pictureKey).catch((error: unknown) => {
    if (error instanceof StorageMissing) return undefined;
    throw error;
  });
  if (stored) return stored;
  const original = await readAll(storageKey).catch((error: unknown) =>
    refuseMissing(error, { storage, ...deps }, storageKey),
  );
  const picture = (await makePictures(original, [width])).get(width) ?? Buffer.alloc(0);
  await storage.put(pictureKey, picture, picture.length);
  return picture;
}
