import type { AiContribution } from '@regie/contract/releases.ts';
import { sql } from 'kysely';
import { writeAudits } from '#src/lib/audit.ts';
import { queryRows, type Trx } from '#src/lib/db.ts';
import type { Caller } from '#src/lib/route.ts';
import { editableStatuses, lockEditableRelease } from './release-access.service.ts';

interface Declaration {
  userId?: number | undefined;
  libraryId?: number | undefined;
  recordingAi: AiContribution | null;
  compositionAi: AiContribution | null;
  coverAi: AiContribution | null;
}

/**
 * Declares the part of AI of one release, or of an account's releases that the caller may edit. What is declared stays,
 * and so does what the declaration leaves open; a release without a cover declares none.
 * @returns how many tracks and covers it has declared
 * @throws not_found; forbidden for a release
 */
export async function declareAi(trx: Trx, caller: Caller, declaration: Declaration) {
  const { userId, libraryId, recordingAi, compositionAi, coverAi } = declaration;
  if (libraryId !== undefined) await lockEditableRelease(trx, caller, libraryId);
  const releases = await queryRows<{ id: number }>(trx)`
    SELECT id FROM releases
     WHERE ${libraryId === undefined ? sql`account_id = ${userId}` : sql`id = ${libraryId}`}
       AND status = ANY(${editableStatuses(caller)}::text[]) AND deleted_at IS NULL
     ORDER BY id FOR UPDATE`;
  const ids = releases.map(({ id }) => id);
  const covers = await queryRows<{ releaseId: number }>(trx)`
    UPDATE releases SET cover_ai = ${coverAi}::text, updated_at = now()
     WHERE id = ANY(${ids}::bigint[]) AND cover_ai IS NULL AND ${coverAi}::text IS NOT NULL AND cover_file_id IS NOT NULL
    RETURNING id AS release_id`;
  const tracks = await queryRows<{ releaseId: number }>(trx)`
    UPDATE tracks SET recording_ai = coalesce(recording_ai, ${recordingAi}::text),
                      composition_ai = coalesce(composition_ai, ${compositionAi}::text), updated_at = now()
     WHERE release_id = ANY(${ids}::bigint[]) AND deleted_at IS NULL
       AND (recording_ai IS NULL AND ${recordingAi}::text IS NOT NULL
         OR composition_ai IS NULL AND ${compositionAi}::text IS NOT NULL)
    RETURNING release_id`;
  const tracksOf = Map.groupBy(tracks, ({ releaseId }) => releaseId);
  const withCover = new Set(covers.map(({ releaseId }) => releaseId));
  await writeAudits(
    trx,
    caller,
    ids
      .filter((id) => withCover.has(id) || tracksOf.has(id))
      .map((id) => ({
        action: 'release.declare_ai',
        entityId: id,
        after: {
          ...(tracksOf.has(id) && { recordingAi, compositionAi, tracks: tracksOf.get(id)?.length }),
          ...(withCover.has(id) && { coverAi }),
        },
      })),
  );
  return { tracks: tracks.length, covers: covers.length };
}
