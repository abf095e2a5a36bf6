import { createHash } from 'node:crypto';
import { coverSidePixels } from '@regie/contract/covers.ts';
import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import type { Storage } from '#src/lib/storage.ts';
import type { DemoBlock, DemoRelease } from './catalogue.ts';
import { type CopyValue, copyRows } from './copy-rows.ts';
import { drawCovers } from './demo-covers.ts';
import type { Target } from './load-catalogue.ts';
import { at } from './random.ts';

/** A file for the storage and the table `files`. */
export interface DemoFile {
  storageKey: string;
  kind: 'cover' | 'audio';
  originalName: string;
  contentType: string;
  bytes: Buffer;
  createdAt: string;
  /** Further columns of `files` for its kind. */
  columns: Record<string, CopyValue>;
}

/** A deterministic key, so that an interrupted start leaves nothing behind. */
export function demoKey(
  kind: DemoFile['kind'] | 'statement',
  extension: string,
  ...parts: (string | number)[]
): string {
  const name = createHash('sha256')
    .update(`demo/${kind}/${parts.join('/')}`)
    .digest('hex')
    .slice(0, 32);
  return `${kind}/${name.slice(0, 2)}/${name}.${extension}`;
}

/** Stores files and inserts their rows. @returns ids by key */
export async function loadFiles(
  { trx, client }: Target,
  storage: Storage,
  files: readonly DemoFile[],
): Promise<Map<string, number>> {
  for (const { storageKey, bytes } of files) await storage.put(storageKey, bytes, bytes.length);
  await copyRows(
    client,
    'files',
    files.map(({ bytes, columns, ...file }) => ({
      ...file,
      sizeBytes: bytes.length,
      sha256: `\\x${createHash('sha256').update(bytes).digest('hex')}`,
      ...columns,
    })),
  );
  const keys = files.map(({ storageKey }) => storageKey);
  return findFileIds(trx, keys);
}

/** The ids of files by key. */
export async function findFileIds(trx: Trx, keys: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: number; storageKey: string }>`
    SELECT id, storage_key FROM files WHERE storage_key = ANY(${keys}::text[])`.execute(trx);
  return new Map(rows.map((row) => [row.storageKey, row.id]));
}

/** Nearly all releases have a cover; each list has some without, for quality control. */
function hasCover(release: DemoRelease, index: number): boolean {
  if (release.isDeleted) return false;
  if (release.status === 'draft' || release.status === 'cancelled') return index % 2 === 0;
  if (release.status === 'pending' || release.status === 'opened') return index % 5 !== 3;
  return release.status !== 'paid' || index % 9 !== 4;
}

/**
 * Sets the covers of a block's releases. Only the first block has its own files; the others, used for measurements,
 * share them.
 */
export async function loadCovers(
  target: Target,
  storage: Storage,
  block: DemoBlock,
  releaseIds: readonly number[],
): Promise<void> {
  const covered = block.releases.flatMap((release, index) =>
    hasCover(release, index) ? [{ index, title: release.title, storageKey: demoKey('cover', 'png', index) }] : [],
  );
  const coverOf = block.index === 0 ? await drawCovers() : undefined;
  const files = covered.flatMap(({ index, title, storageKey }): DemoFile[] =>
    coverOf
      ? [
          {
            storageKey,
            kind: 'cover',
            originalName: `${title}.png`.replace(/[/\\]/g, '-'),
            contentType: 'image/png',
            bytes: coverOf(block.index, index),
            createdAt: '2026-11-01T09:00:00Z',
            columns: { width: coverSidePixels, height: coverSidePixels },
          },
        ]
      : [],
  );
  const keys = covered.map(({ storageKey }) => storageKey);
  const ids = coverOf ? await loadFiles(target, storage, files) : await findFileIds(target.trx, keys);
  const stored = covered.filter(({ storageKey }) => ids.has(storageKey));
  await sql`
    UPDATE releases r SET cover_file_id = c.file_id
      FROM unnest(${stored.map(({ index }) => at(releaseIds, index))}::bigint[],
                  ${stored.map(({ storageKey }) => ids.get(storageKey) ?? 0)}::bigint[]) AS c (release_id, file_id)
     WHERE r.id = c.release_id`.execute(target.trx);
}
