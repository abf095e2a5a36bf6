import { messages } from '@regie/contract/messages.ts';
import type { TrackForm } from '@regie/contract/routes/releases.ts';
import { languageName, toLanguageCode } from '@regie/values/languages.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { journalMatches } from '#src/modules/income/unmatched/unmatched.service.ts';
import * as people from './people.queries.ts';
import { isStale, lockEditableRelease } from './release-access.service.ts';
import { toSeconds, toStarTime } from './releases.rules.ts';
import * as queries from './tracks.queries.ts';

const memberLists = ['artists', 'contributors', 'musicians', 'editors'] as const;
type MemberList = (typeof memberLists)[number];

function kindOf(list: MemberList, isMusician: boolean): people.CreditKind {
  if (list === 'artists') return 'artist';
  if (list === 'editors') return 'editor';
  return list === 'musicians' || isMusician ? 'musician' : 'contributor';
}

/** By id, or by name, adding unknown names. @throws validation_failed for an unknown id */
async function findCredits(trx: Trx, form: TrackForm): Promise<queries.Credit[]> {
  const members = memberLists.flatMap((list) =>
    (form[list] ?? []).map((member, index) => ({
      id: member.id ?? undefined,
      name: member.fullname,
      path: `${list}.${index}.fullname`,
      credit: { kind: kindOf(list, member.isMusician), role: member.role },
    })),
  );
  const personIds = await people.findPersonIds(
    trx,
    members.flatMap((member) => member.id ?? []),
  );
  const unknown = members.filter((member) => member.id !== undefined && !personIds.has(member.id));
  if (unknown.length > 0) {
    throw invalid(Object.fromEntries(unknown.map((member) => [member.path, messages.unknownPerson])));
  }
  const newcomers = members.filter((member) => member.id === undefined);
  const ids = await people.findOrAddPeople(
    trx,
    newcomers.map((member) => member.name),
  );
  const idOf = new Map(newcomers.map((member, index) => [member, ids[index]]));
  return members.flatMap((member) => {
    const personId = member.id ?? idOf.get(member);
    return personId === undefined ? [] : [{ personId, ...member.credit }];
  });
}

const toColumns = (form: TrackForm) => ({
  title: form.title,
  version: form.version,
  isrc: form.isrc,
  genre: form.genre,
  subgenre: form.subgenre,
  language: form.language && toLanguageCode(form.language),
  hasNoVoice: form.noVoice,
  previewStartSeconds: typeof form.starTime === 'string' ? toSeconds(form.starTime) : form.starTime,
  recordingOwner: form.recordingOwnerName,
  recordingYear: form.yearOfRegistration,
  recordingAi: form.recordingAi,
  compositionAi: form.compositionAi,
});

type TrackRow = NonNullable<Awaited<ReturnType<typeof queries.lockTrack>>>;
const describe = (row: TrackRow) => ({
  title: row.title,
  version: row.version,
  isrc: row.isrc,
  genre: row.genre,
  subgenre: row.subgenre,
  language: row.language && languageName(row.language),
  noVoice: row.hasNoVoice,
  starTime: toStarTime(row.previewStartSeconds),
  recordingOwnerName: row.recordingOwner,
  yearOfRegistration: row.recordingYear,
  recordingAi: row.recordingAi,
  compositionAi: row.compositionAi,
});

/** @throws not_found for an unknown `libraryId`; forbidden; validation_failed for an unknown person */
export async function addTrack(trx: Trx, caller: Caller, form: TrackForm): Promise<number> {
  const release = await lockEditableRelease(trx, caller, form.libraryId);
  const credits = await findCredits(trx, form);
  const track = await trx
    .insertInto('tracks')
    .values({
      ...toColumns(form),
      releaseId: release.id,
      accountId: release.accountId,
      position: await queries.nextPosition(trx, release.id),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await queries.replaceCredits(trx, track.id, credits);
  await queries.refreshArtistName(trx, release.id);
  await writeAudit(trx, caller, {
    action: 'track.create',
    entityId: track.id,
    after: { libraryId: release.id, ...describe(track), ...(await queries.describeCredits(trx, track.id)) },
  });
  await journalMatches(trx, caller, [{ trackId: track.id, isrc: track.isrc }]);
  return track.id;
}

export async function lockEditableTrack(trx: Trx, caller: Caller, id: number): Promise<TrackRow> {
  const row = orNotFound(await trx.selectFrom('tracks').select('releaseId').where('id', '=', id).executeTakeFirst());
  await lockEditableRelease(trx, caller, row.releaseId);
  return orNotFound(await queries.lockTrack(trx, id));
}

/** `libraryId` must be its release: tracks cannot move. @throws not_found; forbidden; validation_failed */
export async function editTrack(trx: Trx, caller: Caller, id: number, form: TrackForm): Promise<{ id: number }> {
  const track = await lockEditableTrack(trx, caller, id);
  if (isStale(track, form)) throw conflict(messages.trackChanged);
  if (form.libraryId !== track.releaseId) throw invalid({ libraryId: messages.invalidChoice });
  const editors = form.editors ? [] : await queries.listEditors(trx, id);
  const credits = [...(await findCredits(trx, form)), ...editors];
  const before = { ...describe(track), ...(await queries.describeCredits(trx, id)) };
  const edited = await trx
    .updateTable('tracks')
    .set({ ...toColumns(form), updatedAt: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await queries.replaceCredits(trx, id, credits);
  await queries.refreshArtistName(trx, track.releaseId);
  const changes = changesBetween(before, { ...describe(edited), ...(await queries.describeCredits(trx, id)) });
  if (changes) await writeAudit(trx, caller, { action: 'track.edit', entityId: id, ...changes });
  if (edited.isrc !== track.isrc) {
    await journalMatches(trx, caller, [{ trackId: id, isrc: edited.isrc, former: track.isrc }]);
  }
  return { id };
}

/** Its reports remain (product §34.10). @throws not_found; forbidden */
export async function deleteTrack(trx: Trx, caller: Caller, id: number): Promise<void> {
  const track = await lockEditableTrack(trx, caller, id);
  await queries.deleteTrack(trx, id);
  await queries.refreshArtistName(trx, track.releaseId);
  await writeAudit(trx, caller, {
    action: 'track.delete',
    entityId: id,
    before: { libraryId: track.releaseId, title: track.title, isrc: track.isrc },
  });
  await journalMatches(trx, caller, [{ trackId: id, isrc: null, former: track.isrc }]);
}
