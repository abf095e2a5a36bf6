import { deliveryPlatforms } from '@regie/contract/orders.ts';
import { type QualityReason, qualityReasons, type ReleaseStatus } from '@regie/contract/releases.ts';
import {
  ArtistsLabel,
  AudioDetails,
  OrderItems,
  type Release,
  type Track,
  TransactionDetails,
} from '@regie/contract/routes/releases.ts';
import { isIsrcPrefixKnown } from '@regie/values/isrc.ts';
import { readJson } from '#src/lib/read-json.ts';
import { frReleases } from './releases.fr.ts';

export const artistOf = (release: { artistsLabel: string }): string | undefined =>
  readJson(ArtistsLabel, release.artistsLabel)?.fullname ?? undefined;
export const orderItemsOf = (order: { orderItems: string }) => readJson(OrderItems, order.orderItems);
export const paymentOf = (order: { transactionDetails: string }) =>
  readJson(TransactionDetails, order.transactionDetails);

export const fullTitle = ({ title, version }: { title: string; version: string | null }): string =>
  version ? `${title} (${version})` : title;

export function titleByArtist(release: Release): string {
  const artist = artistOf(release);
  return artist ? `${fullTitle(release)}, ${frReleases.page.by(artist)}` : fullTitle(release);
}

export const personName = ({ fname, lname }: { fname: string; lname: string }): string => `${fname} ${lname}`.trim();

export function splitQuality(quality: readonly QualityReason[]) {
  return {
    blocking: quality.filter((reason) => qualityReasons[reason].level === 'blocking'),
    warnings: quality.filter((reason) => qualityReasons[reason].level === 'warning'),
  };
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const platformNames = new Map<string, string>(Object.entries(deliveryPlatforms));
/** A platform's name; for one that is no longer offered, its slug with capitals. */
export const platformName = (slug: string): string =>
  platformNames.get(slug) ??
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

export function qualityLabel(quality: readonly QualityReason[]): string {
  const { blocking, warnings } = splitQuality(quality);
  if (blocking.length > 0) return frReleases.quality.blocking(blocking.length);
  return warnings.length > 0 ? frReleases.quality.warnings(warnings.length) : frReleases.quality.good;
}

/** A track's file; undefined without one, or for those who may not listen to it. */
export function audioOf(track: Track) {
  const audio = track.audioDetails === null ? undefined : readJson(AudioDetails, track.audioDetails);
  return audio?.url === undefined ? undefined : { ...audio, url: audio.url };
}

export const artistsOf = (track: Track): string => track.Artists.map((artist) => artist.fullname).join(', ');

const concerns: Partial<Record<QualityReason, (track: Track) => unknown>> = {
  // Those who may not listen to a track cannot see whether it has a file.
  no_audio: (track) => track.audioDetails !== null && !audioOf(track),
  no_isrc: ({ isrc }) => !isrc,
  no_primary_artist: ({ Artists }) => !Artists.some(({ role }) => role === 'Primary Artist'),
  unknown_isrc_prefix: ({ isrc }) => Boolean(isrc) && !isIsrcPrefixKnown(isrc?.slice(0, 2) ?? ''),
  poor_audio: (track) => {
    const { bitDepth, sampleRateHz } = audioOf(track) ?? {};
    return (bitDepth ?? 16) < 16 || (sampleRateHz ?? 44100) < 44100;
  },
  clipped_audio: (track) => audioOf(track)?.isClipped,
  silent_audio: (track) => audioOf(track)?.isSilent,
  ai_undeclared: ({ recordingAi, compositionAi }) => recordingAi === null || compositionAi === null,
  title_in_capitals: ({ title }) => title.length > 4 && title === title.toUpperCase() && title !== title.toLowerCase(),
};

/** The tracks concerned by a reason, when the page can determine them. */
export const tracksOfReason = (reason: QualityReason, tracks: readonly Track[]): readonly Track[] =>
  tracks.filter((track) => concerns[reason]?.(track));

/** A reopened release is `OPENED`. */
const neverOut: ReadonlySet<ReleaseStatus> = new Set(['DRAFT', 'PENDING', 'PAID']);
export const wasOut = ({ status }: { status: ReleaseStatus }): boolean => !neverOut.has(status);

export const isOrderless = ({ Account, Order }: Release): boolean =>
  Account !== null && (Order?.status ?? 'CANCEL') === 'CANCEL';

export const isDeliverable = ({ Account, quality, status }: Release): boolean =>
  Account !== null && quality.length === 0 && status === 'PAID';

export const genreText = (genre: string | null, subgenre: string | null): string =>
  [genre, subgenre].filter(Boolean).join(' / ');
