import { type WithIgnored, warnIgnored } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import { type ImportRow, maxImportRows, type ValidatedRow } from '@regie/contract/routes/row-import.ts';
import { fold } from '@regie/values/search-text.ts';
import { writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { invalid } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { journalMatches } from '#src/modules/income/unmatched/unmatched.service.ts';
import { lockEditableRelease } from './release-access.service.ts';
import * as queries from './row-import.queries.ts';
import { differs, fillingOf, fillingOfRelease, type ReadRow, readRow, sameBarcode } from './row-import.rules.ts';
import { nextPosition, refreshArtistName } from './tracks.queries.ts';

interface Target {
  id: number;
  accountId: number;
  barcode: string | null;
  coverAi: string | null;
}

interface Judgement {
  read: ReadRow;
  verdict: ValidatedRow['verdict'];
  message: string | null;
  column: keyof ImportRow | undefined;
  present: queries.PresentTrack | undefined;
}

const heldElsewhere = (what: string, holder: queries.Holder, accountId: number) =>
  holder.accountId === accountId
    ? messages.importOtherRelease(what, holder.releaseTitle)
    : messages.importOtherAccount(what);

async function judgeRows(db: Trx, release: Target, rows: readonly ImportRow[]): Promise<Judgement[]> {
  const reads = rows.map(readRow);
  const holders = await queries.findHolders(db, reads, release.accountId, release.id);
  const present = await queries.listPresentTracks(db, release.id);
  const byIsrc = new Map(present.map((track) => [track.isrc, track]));
  const byTitle = Map.groupBy(present, (track) => fold(track.title));
  const taken = new Set<queries.PresentTrack>();
  const rowOfIsrc = new Map<string, number>();
  let barcode = release.barcode;
  let coverAi: ReadRow['coverAi'] = null;
  let room = maxImportRows - present.length;

  const findConflict = (read: ReadRow): { column: keyof ImportRow; message: string } | undefined => {
    if (read.isrc !== null) {
      const [holder, earlier] = [holders.isrcs.get(read.isrc), rowOfIsrc.get(read.isrc)];
      const what = `L’ISRC ${read.isrc}`;
      if (holder) return { column: 'isrc', message: heldElsewhere(what, holder, release.accountId) };
      if (earlier !== undefined) return { column: 'isrc', message: messages.importTwice(what, earlier) };
    }
    if (read.barcode !== null) {
      const holder = holders.barcodes.get(read.barcode);
      if (barcode !== null && !sameBarcode(barcode, read.barcode)) {
        return { column: 'barcode', message: messages.importBarcodeDiffers(barcode) };
      }
      if (holder) {
        const what = `Le code-barres ${read.barcode}`;
        return { column: 'barcode', message: heldElsewhere(what, holder, release.accountId) };
      }
    }
    if (differs(coverAi, read.coverAi)) return { column: 'coverAi', message: messages.importCoverAi };
    return undefined;
  };
  /** By ISRC, else by title when one of both has no ISRC; a track matches once. */
  const findPresent = (read: ReadRow) => {
    const known = read.isrc === null ? undefined : byIsrc.get(read.isrc);
    if (known) return known;
    return byTitle
      .get(fold(read.title))
      ?.find((track) => !taken.has(track) && (track.isrc === null || read.isrc === null));
  };

  return reads.map((read, index): Judgement => {
    const refused = (
      verdict: 'invalid' | 'conflict',
      { column, message }: { column: keyof ImportRow; message: string },
    ) => ({
      read,
      verdict,
      message,
      column,
      present: undefined,
    });
    if (read.fault) return refused('invalid', read.fault);
    const conflict = findConflict(read);
    if (conflict) return refused('conflict', conflict);
    if (read.isrc !== null) rowOfIsrc.set(read.isrc, index + 1);
    barcode ??= read.barcode;
    coverAi ??= read.coverAi;
    const track = findPresent(read);
    if (track) {
      taken.add(track);
      const message = fillsSomething(read, track) ? messages.importCompletes : messages.importExists;
      return { read, verdict: 'exists', message, column: undefined, present: track };
    }
    if (room === 0) return refused('conflict', { column: 'titre', message: messages.importTooMany(maxImportRows) });
    room -= 1;
    return { read, verdict: 'new', message: read.warning ?? null, column: undefined, present: undefined };
  });
}

const fillsSomething = (read: ReadRow, track: queries.PresentTrack) => Object.keys(fillingOf(read, track)).length > 0;

const toWire = (judged: readonly Judgement[], trackIds: ReadonlyMap<Judgement, number>): ValidatedRow[] =>
  judged.map((row, index) => ({
    row: index + 1,
    verdict: row.verdict,
    message: row.message,
    title: row.read.title,
    artists: row.read.artists,
    isrc: row.read.isrc,
    barcode: row.read.barcode,
    recordingAi: row.read.recordingAi,
    compositionAi: row.read.compositionAi,
    coverAi: row.read.coverAi,
    trackId: row.present?.id ?? trackIds.get(row) ?? null,
  }));

/**
 * See product §34.5. Existing tracks only get empty fields filled; all or none. A dry run returns each row's verdict.
 * @throws not_found; forbidden; validation_failed with the refused rows (`3.isrc`, from 0)
 */
export async function importTracks(
  trx: Trx,
  caller: Caller,
  releaseId: number,
  rows: readonly WithIgnored<ImportRow>[],
  isDryRun: boolean,
) {
  const warnings = warnIgnored(rows);
  const release = await lockEditableRelease(trx, caller, releaseId);
  if (!isDryRun) await queries.lockImports(trx);
  const judged = await judgeRows(trx, release, rows);
  const added = judged.filter(({ verdict }) => verdict === 'new');
  const completed = judged.flatMap(({ read, present }) => {
    const filling = present && fillingOf(read, present);
    return filling && Object.keys(filling).length > 0 ? [{ id: present.id, ...filling }] : [];
  });
  const counts = { created: added.length, completed: completed.length };
  if (isDryRun) return { data: { ...counts, rows: toWire(judged, new Map()), filled: null }, warnings, message: '' };

  const refused = judged.flatMap(({ column, message }, index) =>
    column === undefined ? [] : [[`${index}.${column}`, message ?? messages.invalidData] as const],
  );
  if (refused.length > 0) {
    throw invalid({ ...Object.fromEntries(refused), global: messages.importRefused(refused.length) }, warnings);
  }
  const ids = await queries.insertTracks(
    trx,
    releaseId,
    await nextPosition(trx, releaseId),
    added.map(({ read }) => read),
  );
  const trackIds = new Map(added.map((row, index) => [row, ids[index] ?? 0]));
  await queries.fillTracks(trx, completed);
  await queries.insertArtists(trx, [
    ...added.map((row) => ({ trackId: trackIds.get(row) ?? 0, artists: row.read.artists })),
    ...completed.map(({ id, artists = [] }) => ({ trackId: id, artists })),
  ]);
  await refreshArtistName(trx, releaseId);
  const filling = fillingOfRelease(
    release,
    judged.map(({ read }) => read),
  );
  const isFilled = Object.keys(filling).length > 0;
  const updatedAt = new Date();
  if (isFilled) {
    await trx
      .updateTable('releases')
      .set({ ...filling, updatedAt })
      .where('id', '=', releaseId)
      .execute();
  }
  await writeAudit(trx, caller, {
    action: 'release.import_tracks',
    entityId: releaseId,
    ...(isFilled && { before: Object.fromEntries(Object.keys(filling).map((field) => [field, null])) }),
    after: {
      ...{ rows: rows.length, ...counts },
      ...filling,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  const artistsOf = (artists: ReadRow['artists']) => artists.map(({ fullname, role }) => `${fullname} (${role})`);
  await writeAudits(trx, caller, [
    ...added.map((row) => {
      const { title, isrc, artists, recordingAi, compositionAi } = row.read;
      return {
        action: 'track.create' as const,
        entityId: trackIds.get(row) ?? null,
        after: {
          ...{ libraryId: releaseId, title, isrc, artists: artistsOf(artists) },
          ...(recordingAi && { recordingAi }),
          ...(compositionAi && { compositionAi }),
        },
      };
    }),
    ...completed.map(({ id, artists, ...values }) => ({
      action: 'track.edit' as const,
      entityId: id,
      before: {
        ...Object.fromEntries(Object.keys(values).map((field) => [field, null])),
        ...(artists && { artists: [] }),
      },
      after: { ...values, ...(artists && { artists: artistsOf(artists) }) },
    })),
  ]);
  await journalMatches(trx, caller, [
    ...added.map((row) => ({ trackId: trackIds.get(row) ?? 0, isrc: row.read.isrc })),
    ...completed.flatMap(({ id, isrc }) => (isrc ? [{ trackId: id, isrc }] : [])),
  ]);
  const filled = isFilled
    ? { ...filling, updatedBefore: release.updatedAt.getTime(), updatedAt: updatedAt.getTime() }
    : null;
  return { data: { ...counts, rows: toWire(judged, trackIds), filled }, warnings };
}
