import { type WithIgnored, warnIgnored } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import type { ProfileImportRow, ProfileLibrary } from '@regie/contract/routes/accounts.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { invalid, notFound } from '#src/lib/errors.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import type { Caller } from '#src/lib/route.ts';
import { journalMatches } from '#src/modules/income/unmatched/unmatched.service.ts';
import { isUsable } from '#src/modules/people/accounts/accounts.service.ts';
import { toWireStatus } from './releases.rules.ts';
import * as rowQueries from './row-import.queries.ts';
import { differs, fillingOf, type ReadRow, readRow, sameBarcode } from './row-import.rules.ts';
import { nextPosition, refreshArtistName } from './tracks.queries.ts';

interface LibraryRow {
  id: number;
  title: string;
  barcode: string | null;
  status: string;
  tracks: ProfileLibrary['tracks'];
}

/** See product §23.2. */
export async function listProfileReleases(db: Trx, accountId: number, query: ListQuery<'id'>) {
  if (!(await isUsable(db, accountId))) throw notFound();
  const page = keyset(query, { id: { expression: sql`r.id`, type: 'bigint' } }, sql`r.id`);
  const { rows, meta } = await readPage<LibraryRow>(db, page, {
    columns: sql`r.id, r.title, r.barcode, r.status, coalesce((
      SELECT json_agg(json_build_object('id', t.id, 'title', t.title, 'isrc', t.isrc, 'artists', coalesce((
               SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
                 FROM track_credits c JOIN people p ON p.id = c.person_id
                WHERE c.track_id = t.id AND c.kind = 'artist'), '')) ORDER BY t.position, t.id)
        FROM tracks t WHERE t.release_id = r.id AND t.deleted_at IS NULL), '[]') AS tracks`,
    from: sql`releases r`,
    row: 'r',
    where: [sql`r.account_id = ${accountId}`, sql`r.deleted_at IS NULL`],
  });
  return { data: rows.map((row) => ({ ...row, status: toWireStatus(row.status) })), meta };
}

interface Group {
  title: string;
  barcode: string | null;
  releaseId: number | undefined;
  coverAi: ReadRow['coverAi'];
  reads: { read: ReadRow; trackId: number | undefined }[];
}

interface Plan {
  groups: Group[];
  refused: { row: number; message: string }[];
}

/** Assigns rows to releases, or refuses them (product §34.5). */
async function plan(db: Trx, accountId: number, rows: readonly ProfileImportRow[]): Promise<Plan> {
  const reads = rows.map((row) => readRow(row));
  const held = await rowQueries.findHolders(db, reads, accountId);
  const refused: Plan['refused'] = [];
  const rowOfIsrc = new Map<string, number>();
  const groups = new Map<string, Group>();
  const trackOf = (read: ReadRow) => (read.isrc === null ? undefined : held.isrcs.get(read.isrc));
  const releaseOf = (read: ReadRow) => (read.barcode === null ? undefined : held.barcodes.get(read.barcode));
  const findRefusal = (read: ReadRow): string | undefined => {
    if (read.fault) return read.fault.message;
    const [track, release] = [trackOf(read), releaseOf(read)];
    const earlier = read.isrc === null ? undefined : rowOfIsrc.get(read.isrc);
    if (earlier !== undefined) return messages.importTwice(`L’ISRC ${read.isrc}`, earlier);
    if (track && track.accountId !== accountId) return messages.importOtherAccount(`L’ISRC ${read.isrc}`);
    if (release && release.accountId !== accountId) {
      return messages.importOtherAccount(`Le code-barres ${read.barcode}`);
    }
    if (read.barcode !== null && differs(groups.get(read.barcode)?.coverAi ?? null, read.coverAi))
      return messages.importCoverAi;
    const isElsewhere = track?.releaseBarcode && read.barcode && !sameBarcode(track.releaseBarcode, read.barcode);
    return isElsewhere ? messages.importIsrcBarcode(read.isrc ?? '', track.releaseBarcode ?? '') : undefined;
  };
  for (const [index, read] of reads.entries()) {
    const row = index + 1;
    const message = findRefusal(read);
    if (message !== undefined) {
      refused.push({ row, message });
      continue;
    }
    if (read.isrc !== null) rowOfIsrc.set(read.isrc, row);
    const [track, release] = [trackOf(read), releaseOf(read)];
    const key = read.barcode ?? `row ${row}`;
    const group = groups.get(key) ?? {
      title: rows[index]?.album.trim() || read.title,
      barcode: read.barcode,
      releaseId: release?.releaseId,
      coverAi: null,
      reads: [],
    };
    // A known track determines the release.
    group.releaseId ??= track?.releaseId;
    group.coverAi ??= read.coverAi;
    group.reads.push({ read, trackId: track?.trackId });
    groups.set(key, group);
  }
  return { groups: [...groups.values()], refused };
}

const maxTitle = 500;

/** An existing release only gets empty fields filled. */
async function openRelease(trx: Trx, caller: Caller, accountId: number, group: Group) {
  if (group.releaseId !== undefined) {
    const { numAffectedRows } = await sql`
      UPDATE releases SET barcode = coalesce(barcode, ${group.barcode}::text),
                          cover_ai = coalesce(cover_ai, ${group.coverAi}::text), updated_at = ${new Date()}
       WHERE id = ${group.releaseId}
         AND (barcode IS NULL AND ${group.barcode}::text IS NOT NULL
           OR cover_ai IS NULL AND ${group.coverAi}::text IS NOT NULL)`.execute(trx);
    return { releaseId: group.releaseId, filled: Number(numAffectedRows ?? 0) };
  }
  const { id } = await trx
    .insertInto('releases')
    .values({
      accountId,
      title: group.title.slice(0, maxTitle),
      barcode: group.barcode,
      coverAi: group.coverAi,
      status: 'pending',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'release.create',
    entityId: id,
    after: {
      ...{ userId: accountId, title: group.title, barcode: group.barcode, tracks: group.reads.length },
      ...(group.coverAi && { coverAi: group.coverAi }),
    },
  });
  return { releaseId: id, filled: 0 };
}

/** Existing tracks only get empty fields filled. */
async function writeGroup(trx: Trx, caller: Caller, accountId: number, group: Group) {
  const { releaseId, filled } = await openRelease(trx, caller, accountId, group);
  const present = await rowQueries.listPresentTracks(trx, releaseId);
  const free = new Map(
    present.filter((track) => track.isrc === null).map((track) => [track.title.toLowerCase(), track]),
  );
  const tracksById = new Map(present.map((track) => [track.id, track]));
  const added = [];
  const completed = [];
  for (const { read, trackId } of group.reads) {
    const named = trackId === undefined ? free.get(read.title.toLowerCase()) : undefined;
    if (named) free.delete(named.title.toLowerCase());
    const id = trackId ?? named?.id;
    if (id === undefined) added.push(read);
    else {
      const present = tracksById.get(id);
      const filling = present ? fillingOf(read, present) : {};
      if (Object.keys(filling).length > 0) completed.push({ id, ...filling });
    }
  }
  const ids = await rowQueries.insertTracks(trx, releaseId, await nextPosition(trx, releaseId), added);
  await rowQueries.fillTracks(trx, completed);
  const credits = [
    ...added.map((read, index) => ({ trackId: ids[index] ?? 0, artists: read.artists })),
    ...completed.map(({ id, artists = [] }) => ({ trackId: id, artists })),
  ].filter(({ artists }) => artists.length > 0);
  await rowQueries.insertArtists(trx, credits);
  if (credits.length > 0) await refreshArtistName(trx, releaseId);
  return {
    created: added.length,
    completed: completed.length + filled,
    isrcs: [
      ...added.map(({ isrc }, index) => ({ trackId: ids[index] ?? 0, isrc })),
      ...completed.flatMap(({ id, isrc }) => (isrc ? [{ trackId: id, isrc }] : [])),
    ],
  };
}

const summary = ({ groups, refused }: Plan) => {
  const added = groups.filter((group) => group.releaseId === undefined);
  return {
    releases: added.length,
    refused,
    added: added.map((group) => ({ title: group.title, barcode: group.barcode, tracks: group.reads.length })),
  };
};

/**
 * All or none; a dry run writes nothing.
 * @throws not_found; validation_failed with the refused rows (`releases.3`, from 0)
 */
export async function importProfileReleases(
  trx: Trx,
  caller: Caller,
  accountId: number,
  form: { user: string; releases: readonly WithIgnored<ProfileImportRow>[] },
  isDryRun: boolean,
) {
  const warnings = warnIgnored(form.releases);
  if (!(await isUsable(trx, accountId))) throw notFound();
  if (Number(form.user) !== accountId) throw invalid({ user: messages.importUserDiffers });
  if (!isDryRun) await rowQueries.lockImports(trx);
  const planned = await plan(trx, accountId, form.releases);
  const counts = summary(planned);
  const knownTracks = planned.groups
    .flatMap(({ reads }) => reads)
    .filter(({ trackId }) => trackId !== undefined).length;
  const sound = form.releases.length - planned.refused.length;
  if (isDryRun) {
    const data = { ...counts, created: sound - knownTracks, completed: 0, unchanged: knownTracks };
    return { data, warnings, message: '' };
  }
  if (planned.refused.length > 0) {
    const errors = planned.refused.map(({ row, message }) => [`releases.${row - 1}`, message]);
    throw invalid({ ...Object.fromEntries(errors), global: messages.importRefused(planned.refused.length) }, warnings);
  }
  const totals = { created: 0, completed: 0 };
  const given = [];
  for (const group of planned.groups) {
    const { created, completed, isrcs } = await writeGroup(trx, caller, accountId, group);
    given.push(...isrcs);
    totals.created += created;
    totals.completed += completed;
  }
  await journalMatches(trx, caller, given);
  await writeAudit(trx, caller, {
    action: 'account.import_releases',
    entityId: accountId,
    after: {
      rows: form.releases.length,
      releases: counts.releases,
      ...totals,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  const unchanged = Math.max(0, sound - totals.created - totals.completed);
  return { data: { ...counts, ...totals, unchanged }, warnings };
}
