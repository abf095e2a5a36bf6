import { useQuery } from '@tanstack/react-query';
import { Cover } from '#src/domain/cover.tsx';
import { trackIncomeQuery, trackQuery } from '#src/domain/tracks/tracks.api.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { IncomeFigure } from './release-income.tsx';
import { artistsOf, fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

/** Nothing until all of it is there: it does not change while it is read. */
export function TrackCardContent({ id }: { id: number }) {
  const { data } = useQuery(trackQuery(id));
  const income = useQuery({ ...trackIncomeQuery(id), enabled: useCan()('read_reports') });
  if (!data || income.isLoading) return null;
  const { track, release } = data;
  return (
    <>
      <Cover release={release} size="row" />
      <div>
        <span className={shared.name}>{fullTitle(track)}</span>
        <span className={shared.under}>{artistsOf(track) || frReleases.tracks.noArtist}</span>
        <span className={`${shared.under} ${shared.mono}`}>{track.isrc ?? frReleases.tracks.noIsrc}</span>
        <IncomeFigure months={income.data?.months} isSmall />
      </div>
    </>
  );
}
