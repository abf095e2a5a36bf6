import type { Release, Track, TrackForm } from '@regie/contract/routes/releases.ts';
import { instrumental } from '@regie/values/languages.ts';
import { textsOf } from '#src/lib/texts.ts';
import type { MemberValue } from './member-fields.tsx';

export type TrackSource = Pick<Release, 'id'> &
  Partial<Pick<Release, 'genre' | 'subgenre' | 'language' | 'recordingOwnerName' | 'yearOfRegistration' | 'tracks'>>;

/** What the form of a track begins with: a new one has its release's values, and the people of the track before it. */
export function trackValues(release: TrackSource, track: Track | 'new') {
  const of = track === 'new' ? undefined : track;
  const source = of ?? release;
  const last = of ?? release.tracks?.at(-1);
  const language = source.language ?? last?.language ?? null;
  return {
    ...textsOf(of, 'title', 'version', 'isrc', 'starTime', 'recordingAi', 'compositionAi'),
    genre: source.genre ?? null,
    subgenre: source.subgenre ?? null,
    language,
    noVoice: of?.noVoice ?? language === instrumental,
    recordingOwnerName: source.recordingOwnerName ?? '',
    yearOfRegistration: source.yearOfRegistration ?? null,
    artists: (last?.Artists ?? []) as MemberValue[],
    contributors: (last?.Contributors ?? []) as MemberValue[],
    musicians: (last?.Musicians ?? []) as MemberValue[],
    editors: (last?.Editors ?? []) as MemberValue[],
  };
}

/** The body of a call for a track with other values; the server names what is missing. */
export const trackBody = (
  release: TrackSource,
  track: Track | 'new',
  changes: Partial<ReturnType<typeof trackValues>>,
) => ({ ...trackValues(release, track), libraryId: release.id, ...changes }) as TrackForm;

export const primaryArtists = (track: Track | undefined): MemberValue[] =>
  track?.Artists.filter(({ role }) => role === 'Primary Artist') ?? [];
