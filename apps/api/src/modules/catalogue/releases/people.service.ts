import { messages } from '@regie/contract/messages.ts';
import type { ArtistForm, NewArtistForm } from '@regie/contract/routes/releases.ts';
import type { z } from '@regie/contract/zod.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { invalid, orNotFound } from '#src/lib/errors.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import type { Caller } from '#src/lib/route.ts';
import * as queries from './people.queries.ts';
import { readableScope } from './release-access.service.ts';

export async function listPeople(db: Trx, caller: Caller, list: queries.PeopleList, query: ListQuery) {
  const { rows, ...meta } = await queries.listPeople(db, list, readableScope(caller), query);
  return { data: rows, meta };
}

/** @throws validation_failed for a store id in use, or a known name without a store id */
export async function createArtist(trx: Trx, caller: Caller, form: z.output<typeof NewArtistForm>) {
  const person = {
    fullname: form.fullname,
    spotifyId: form.spotifyId ?? null,
    appleMusicId: form.appleMusicId ?? null,
  };
  await queries.lockNames(trx);
  const artists = await queries.findArtistsLike(trx, person);
  for (const field of ['spotifyId', 'appleMusicId'] as const) {
    const holder = artists.find((one) => person[field] !== null && one[field] === person[field]);
    if (holder) throw invalid({ [field]: messages.storeIdTaken(holder.fullname) });
  }
  if (artists.length > 0 && person.spotifyId === null && person.appleMusicId === null) {
    throw invalid({ fullname: messages.namesakeArtist });
  }
  const id = await queries.addArtist(trx, person);
  await writeAudit(trx, caller, { action: 'artist.create', entityId: id, after: person });
  return orNotFound(await queries.findPerson(trx, id));
}

/** Absent ids stay unchanged. */
export async function editArtist(trx: Trx, caller: Caller, id: number, form: z.output<typeof ArtistForm>) {
  const person = orNotFound(await queries.lockPerson(trx, id));
  const { spotifyId = person.spotifyId, appleMusicId = person.appleMusicId } = form;
  const { id: _, ...before } = person;
  const changes = changesBetween(before, { spotifyId, appleMusicId });
  if (changes) {
    await trx.updateTable('people').set({ spotifyId, appleMusicId }).where('id', '=', id).execute();
    await writeAudit(trx, caller, { action: 'artist.edit', entityId: id, ...changes });
  }
  return orNotFound(await queries.findPerson(trx, id));
}
