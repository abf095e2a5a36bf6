import { messages } from '@regie/contract/messages.ts';
import type { Trx } from '#src/lib/db.ts';
import { orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { requireRead, statusOf } from './release-access.service.ts';
import * as queries from './releases.queries.ts';
import { toFrenchDay } from './releases.rules.ts';

const findParties = (db: Trx, id: number) =>
  db
    .selectFrom('releases as r')
    .innerJoin('accounts as a', 'a.id', 'r.accountId')
    .select(['r.id', 'r.title', 'r.version', 'r.artistName', 'r.label', 'r.barcode', 'r.digitalReleaseDate'])
    .select(['r.recordingOwner', 'r.territories', 'r.status', 'r.accountId', 'a.company', 'a.firstName', 'a.lastName'])
    .select(['a.email', 'a.address', 'a.address2', 'a.postcode', 'a.city', 'a.country'])
    .select(['a.libraryPercentile', 'a.youtubePercentile'])
    .where('r.id', '=', id)
    .where('r.deletedAt', 'is', null)
    .executeTakeFirst();

/** @throws not_found; forbidden without the right to read the release's list */
export async function getLicenceContract(db: Trx, caller: Caller, id: number) {
  const row = orNotFound(await findParties(db, id), messages.unknownRelease);
  if (!caller.can('manage_profiles')) requireRead(caller, statusOf(row));
  const [settings, tracks, credits] = await Promise.all([
    readSettings(db),
    queries.listTracks(db, id),
    queries.listCredits(db, id),
  ]);
  const artistsOf = (trackId: number) => [
    ...new Set(
      credits
        .filter((credit) => credit.trackId === trackId && credit.kind === 'artist')
        .map(({ fullname }) => fullname),
    ),
  ];
  return {
    template: settings.licenceTemplate,
    house: settings.house,
    licenceYears: settings.licenceYears,
    customer: {
      ...row,
      id: row.accountId,
      fname: row.firstName,
      lname: row.lastName,
      libraryPercentile: toWireNumber(row.libraryPercentile),
      youtubePercentile: toWireNumber(row.youtubePercentile),
    },
    release: {
      ...row,
      artist: row.artistName,
      digitalReleaseDate: toFrenchDay(row.digitalReleaseDate),
      recordingOwnerName: row.recordingOwner,
    },
    tracks: tracks.map((track) => ({ ...track, artists: artistsOf(track.id).join(', ') })),
  };
}
