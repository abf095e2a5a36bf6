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
import { type ReadRow, readRow, sameBarcode } from './row-import.rules.ts';
import { nextPosition, refreshArtistName } from './tracks.queries.ts';

interface Target {
  id: number;
  accountId: number;
  barcode: string | null;
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

const fillsIsrc = (read: ReadRow, track: queries.PresentTrack) => track.isrc === null && read.isrc !== null;
const fillsArtists = (read: ReadRow, track: queries.PresentTrack) => !track.hasArtist && read.artists.length > 0;
const fillsSomething = (read: ReadRow, track: queries.PresentTrack) =>
  fillsIsrc(read, track) || fillsArtists(read, track);

const toWire = (judged: readonly Judgement[], trackIds: ReadonlyMap<Judgement, number>): ValidatedRow[] =>
  judged.map((row, index) => ({
    row: index + 1,
    verdict: row.verdict,
    message: row.message,
    title: row.read.title,
    artists: row.read.artists,
    isrc: row.read.isrc,
    barcode: row.read.barcode,
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
  const completed = judged.filter(({ read, present }) => present !== undefined && fillsSomething(read, present));
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
  const isrcs = completed.flatMap(({ read, present }) =>
    present && fillsIsrc(read, present) && read.isrc !== null ? [{ id: present.id, isrc: read.isrc }] : [],
  );
  await queries.fillIsrcs(trx, isrcs);
  await queries.insertArtists(trx, [
    ...added.map((row) => ({ trackId: trackIds.get(row) ?? 0, artists: row.read.artists })),
    ...completed.flatMap(({ read, present }) =>
      present && fillsArtists(read, present) ? [{ trackId: present.id, artists: read.artists }] : [],
    ),
  ]);
  await refreshArtistName(trx, releaseId);
  const barcode = release.barcode ?? judged.find(({ read }) => read.barcode !== null)?.read.barcode ?? null;
  const updatedAt = new Date();
  if (barcode !== release.barcode) {
    await trx.updateTable('releases').set({ barcode, updatedAt }).where('id', '=', releaseId).execute();
  }
  await writeAudit(trx, caller, {
    action: 'release.import_tracks',
    entityId: releaseId,
    ...(barcode === release.barcode ? {} : { before: { barcode: release.barcode } }),
    after: {
      ...{ rows: rows.length, ...counts },
      ...(barcode === release.barcode ? {} : { barcode }),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  const artistsOf = ({ artists }: ReadRow) => artists.map(({ fullname, role }) => `${fullname} (${role})`);
  await writeAudits(trx, caller, [
    ...added.map((row) => ({
      action: 'track.create' as const,
      entityId: trackIds.get(row) ?? null,
      after: { libraryId: releaseId, title: row.read.title, isrc: row.read.isrc, artists: artistsOf(row.read) },
    })),
    ...completed.flatMap(({ read, present }) =>
      present
        ? [
            {
              action: 'track.edit' as const,
              entityId: present.id,
              before: {
                ...(fillsIsrc(read, present) ? { isrc: null } : {}),
                ...(fillsArtists(read, present) ? { artists: [] } : {}),
              },
              after: {
                ...(fillsIsrc(read, present) ? { isrc: read.isrc } : {}),
                ...(fillsArtists(read, present) ? { artists: artistsOf(read) } : {}),
              },
            },
          ]
        : [],
    ),
  ]);
  await journalMatches(trx, caller, [
    ...added.map((row) => ({ trackId: trackIds.get(row) ?? 0, isrc: row.read.isrc })),
    ...isrcs.map(({ id, isrc }) => ({ trackId: id, isrc })),
  ]);
  const filled =
    barcode === release.barcode || barcode === null
      ? null
      : { barcode, updatedBefore: release.updatedAt.getTime(), updatedAt: updatedAt.getTime() };
  return { data: { ...counts, rows: toWire(judged, trackIds), filled }, warnings };
}
