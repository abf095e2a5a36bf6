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

const writers = 8;

/** Stores files and inserts their rows. @returns ids by key */
export async function loadFiles(
  { trx, client }: Target,
  storage: Storage,
  files: readonly DemoFile[],
): Promise<Map<string, number>> {
  const waiting = files.values();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (const { storageKey, bytes } of waiting) await storage.put(storageKey, bytes, bytes.length);
    }),
  );
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
  return findFileIds(
    trx,
    files.map((file) => file.storageKey),
  );
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
  const covered = block.releases.flatMap((release, index) => (hasCover(release, index) ? [{ release, index }] : []));
  const keyOf = (index: number) => demoKey('cover', 'png', index);
  let ids: Map<string, number>;
  if (block.index === 0) {
    const coverOf = await drawCovers();
    ids = await loadFiles(
      target,
      storage,
      covered.map(({ release, index }) => ({
        storageKey: keyOf(index),
        kind: 'cover',
        originalName: `${release.title}.png`.replace(/[/\\]/g, '-'),
        contentType: 'image/png',
        bytes: coverOf(block.index, index),
        createdAt: '2026-11-01T09:00:00Z',
        columns: { width: coverSidePixels, height: coverSidePixels },
      })),
    );
  } else {
    ids = await findFileIds(
      target.trx,
      covered.map(({ index }) => keyOf(index)),
    );
  }
  const known = covered.filter(({ index }) => ids.has(keyOf(index)));
  await sql`
    UPDATE releases r SET cover_file_id = c.file_id
      FROM unnest(${known.map(({ index }) => at(releaseIds, index))}::bigint[],
                  ${known.map(({ index }) => ids.get(keyOf(index)) ?? 0)}::bigint[]) AS c (release_id, file_id)
     WHERE r.id = c.release_id`.execute(target.trx);
}
