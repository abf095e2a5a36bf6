import { Box, Group } from '@mantine/core';
import { writeValues } from '@regie/contract/analytics.ts';
import { aiLabel } from '@regie/contract/releases.ts';
import type { TrackPage } from '@regie/contract/routes/track-page.ts';
import { routes } from '@regie/contract/routes.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatInteger, formatMonth, formatPercent, sumAmounts } from '@regie/values/formats.ts';
import { IconPencil } from '@tabler/icons-react';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { Cover } from '#src/domain/cover.tsx';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import { stateTones } from '#src/domain/state-tones.ts';
import { formatLine, formatLineWithin } from '#src/domain/tracks/line-names.ts';
import { frSourceLines } from '#src/domain/tracks/source-lines.fr.ts';
import { SourceLines } from '#src/domain/tracks/source-lines.tsx';
import { trackIncomeQuery, trackQuery } from '#src/domain/tracks/tracks.api.ts';
import { apiQuery, isNotFound } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { isAllowed, useCan, useSignedIn } from '#src/lib/session.ts';
import { BarContent, barClass } from '#src/ui/bar-content.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { MoneyCell } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState, NotFound } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { audioFacts } from './audio-field.tsx';
import { AudioPlayer } from './audio-player.tsx';
import { hasIncome, IncomeChart, IncomeFigure, shownIncome } from './release-income.tsx';
import { artistsOf, audioOf, fullTitle, genreText, personName, wasOut } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.trackPage;

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(trackQuery(id));

export default function TrackPageLoader() {
  const id = useIdParam();
  const isIncomeShown = useCan()('read_reports');
  const page = useQuery({ ...trackQuery(id ?? 0), enabled: id !== undefined });
  const income = useQuery({ ...trackIncomeQuery(id ?? 0), enabled: id !== undefined && isIncomeShown });
  if (id === undefined || isNotFound(page.error)) return <NotFound />;
  return (
    <Loaded query={page} after={{ isPending: income.isLoading }}>
      {(data) => <TrackView key={id} page={data} months={shownIncome(data.release, income.data?.months)} />}
    </Loaded>
  );
}

interface TrackViewProps {
  page: TrackPage;
  months: Parameters<typeof IncomeFigure>[0]['months'];
}

function TrackView({ page, months }: TrackViewProps) {
  const { track, release, payees, reports } = page;
  return (
    <RecordPage
      header={
        <PageHeader
          title={fullTitle(track)}
          owner={page.account ? { id: page.account.id, name: personName(page.account) } : undefined}
          trail={[{ label: fullTitle(release), to: paths.release(release.id) }]}
          badge={<ReleaseBadge status={release.status} />}
          text={
            <>
              {artistsOf(track) || frReleases.tracks.noArtist}
              <IncomeFigure months={months} />
            </>
          }
          actions={
            release.canEdit && (
              <LinkButton
                to={paths.release(release.id)}
                search={{ titre: String(track.id) }}
                leftSection={buttonIcon(IconPencil)}
              >
                {fr.common.edit}
              </LinkButton>
            )
          }
        />
      }
      side={<Side page={page} />}
    >
      <Sound track={track} />
      <IncomeChart by="track" id={track.id} months={months} />
      {payees && (wasOut(release) || payees.length > 0) && <Payees payees={payees} />}
      {reports && (wasOut(release) || reports.total > 0) && <Reports track={track} reports={reports} />}
      {/* Last on the page: they come after the rest. */}
      {hasIncome(months) ? <Places id={track.id} /> : months && <Lines id={track.id} />}
    </RecordPage>
  );
}

function Sound({ track }: Pick<TrackPage, 'track'>) {
  const { userCapabilities } = useSignedIn();
  const media = useRef<HTMLAudioElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  if (track.audioDetails === null || !isAllowed(routes.downloadAudio.capability, userCapabilities)) return null;
  return (
    <Section title={frReleases.audio.title}>
      {audioOf(track) ? (
        <AudioPlayer
          key={track.audioDetails}
          track={track}
          media={media}
          isPlaying={isPlaying}
          onPlaying={setIsPlaying}
        />
      ) : (
        <p className={shared.note}>{frReleases.audio.missing}</p>
      )}
    </Section>
  );
}

const placesStaleMs = 5 * 60_000;

/** Both rankings from one question: the totals of its rows and of its columns. */
const placesQuery = (id: number) =>
  queryOptions({
    ...apiQuery(['analytics', 'track', id, 'places'], routes.getPivot, {
      query: { rows: 'store', columns: 'country', track: writeValues([String(id)]) },
    }),
    staleTime: placesStaleMs,
    refetchOnWindowFocus: false,
  });

function Places({ id }: { id: number }) {
  const pivot = useQuery(placesQuery(id));
  const { rows = [], rowTotals = [], columns = [], columnTotals = [], total = 0 } = pivot.data ?? {};
  const search = { track: String(id), rows: 'store', columns: 'country' };
  if (pivot.isPending) return <TableSkeleton />;
  return (
    <>
      {pivot.isError ? (
        <ErrorState query={pivot} />
      ) : (
        <div className={classes.places}>
          <Ranking
            title={t.stores}
            bars={rows.map(({ name, others }, at) => ({ name, others, value: rowTotals[at] ?? 0 }))}
            total={total}
            action={
              <Link className={shared.link} to={paths.pivot} search={search}>
                {t.analyse}
              </Link>
            }
          />
          <Ranking
            title={t.countries}
            bars={columns.map(({ value, others }, at) => ({
              name: countryName(value) || t.noCountry,
              others,
              value: columnTotals[at] ?? 0,
            }))}
            total={total}
          />
        </div>
      )}
      <Lines id={id} />
    </>
  );
}

const shownBars = 5;

interface RankingProps {
  title: string;
  bars: readonly { name: string; others: number | null; value: number }[];
  total: number;
  action?: ReactNode;
}

function Ranking({ title, bars, total, action }: RankingProps) {
  const shown = bars.filter(({ others }) => others === null).slice(0, shownBars);
  const largest = Math.max(0, ...shown.map(({ value }) => value));
  return (
    <Section title={title} actions={action}>
      <ol>
        {shown.map(({ name, value }) => (
          <li key={name} className={barClass}>
            <BarContent name={name} value={value} total={total} largest={largest} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Payees({ payees }: { payees: NonNullable<TrackPage['payees']> }) {
  return (
    <Section title={t.payees} method={t.payeesHint}>
      {payees.length === 0 && <p className={shared.note}>{t.noPayees}</p>}
      {payees.length > 0 && (
        <PlainTable name={t.payees} head={[t.payee, { right: t.percentile }, { right: t.credited }]}>
          <tbody>
            {payees.map(({ account, isReferrer, lowestPercentile, highestPercentile, amountEur }) => {
              const percent =
                lowestPercentile === highestPercentile
                  ? formatPercent(lowestPercentile)
                  : t.range(formatPercent(lowestPercentile), formatPercent(highestPercentile));
              return (
                <tr key={`${account.id} ${isReferrer}`}>
                  <td>
                    <AccountLink id={account.id}>{personName(account)}</AccountLink>
                    {isReferrer && <span className={shared.under}>{t.referrer}</span>}
                  </td>
                  <td data-align="right">{isReferrer ? t.ofNet(percent) : percent}</td>
                  <MoneyCell amount={amountEur} currency="EUR" />
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                {t.total}
              </th>
              <MoneyCell amount={sumAmounts(payees.map(({ amountEur }) => amountEur))} currency="EUR" />
            </tr>
          </tfoot>
        </PlainTable>
      )}
    </Section>
  );
}

/** What lists find the track by. */
const wordsOf = ({ isrc, title }: TrackPage['track']) => ({ q: isrc ?? title });

function Reports({ track, reports }: { track: TrackPage['track']; reports: NonNullable<TrackPage['reports']> }) {
  return (
    <Section
      title={t.reports}
      actions={
        reports.total > 0 && (
          <Link className={shared.link} to={paths.reporting()} search={wordsOf(track)}>
            {t.allReports(formatInteger(reports.total))}
          </Link>
        )
      }
    >
      {reports.rows.length === 0 ? (
        <p className={shared.note}>{t.noReports}</p>
      ) : (
        <PlainTable name={t.reports} head={[t.month, t.account, { right: t.gross }, { right: t.credited }]}>
          <tbody>
            {reports.rows.map(({ id, month, account, grossEur, accountEur }) => (
              <tr key={id}>
                <td data-short>
                  <Link className={shared.link} to={paths.report(id)}>
                    {formatMonth(month)}
                  </Link>
                </td>
                <td>
                  <AccountLink id={account.id}>{personName(account)}</AccountLink>
                </td>
                <MoneyCell amount={grossEur} currency="EUR" />
                <MoneyCell amount={accountEur} currency="EUR" />
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}

function Lines({ id }: { id: number }) {
  const lines = useQuery(apiQuery(['track', id, 'lines'], routes.listTrackLines, { params: { id } }));
  return (
    <Section title={t.lines}>
      <Loaded query={lines} placeholder={<TableSkeleton rows={3} />}>
        {({ statement, lines: shown, total }) =>
          statement === null ? (
            <p className={shared.note}>{t.noLines}</p>
          ) : (
            <>
              <p className={shared.under}>
                <Link className={shared.textLink} to={paths.storeStatement(statement.id)}>
                  {statement.fileName}
                </Link>{' '}
                {[statement.source, formatMonth(statement.month)].join(' · ')}
              </p>
              <SourceLines
                lines={shown}
                total={total}
                fileName={statement.fileName}
                lineNumber={(number) => (
                  <Link
                    className={shared.link}
                    to={paths.storeStatement(statement.id)}
                    search={{ line: String(number) }}
                    aria-label={frSourceLines.showLine(formatLineWithin(number), statement.fileName)}
                  >
                    {formatLine(number)}
                  </Link>
                )}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Side({ page: { track, release, account, aliases, tickets } }: { page: TrackPage }) {
  const audio = audioOf(track);
  const hiddenTickets = (tickets?.total ?? 0) - (tickets?.rows.length ?? 0);
  return (
    <>
      <Cover release={release} size="hero" />
      <Facts
        facts={[
          {
            label: frReleases.tracks.column.isrc,
            value: track.isrc ? (
              <Identifier value={track.isrc} name={frReleases.tracks.column.isrc} />
            ) : (
              frReleases.tracks.noIsrc
            ),
          },
          account !== null && {
            label: t.owner,
            value: <AccountLink id={account.id}>{personName(account)}</AccountLink>,
          },
          {
            label: t.release,
            value: (
              <Link className={shared.link} to={paths.release(release.id)}>
                {fullTitle(release)}
              </Link>
            ),
          },
          { label: t.artists, value: artistsOf(track) },
          { label: frReleases.page.genre, value: genreText(track.genre, track.subgenre) },
          { label: frReleases.page.language, value: track.language },
          { label: t.recording, value: track.yearOfRegistration },
          { label: frAi.recordingAi, value: aiLabel(track.recordingAi) },
          { label: frAi.compositionAi, value: aiLabel(track.compositionAi) },
          { label: frReleases.audio.title, value: audio && audioFacts(audio) },
        ]}
      />
      {aliases && aliases.total > 0 && (
        <Section title={t.aliases}>
          <Box component="ul" className={classes.names}>
            {aliases.rows.map(({ key, title, artist, code }) => (
              <li key={key}>
                {[title, artist].filter(Boolean).join(' · ')}
                {code && <span className={`${shared.under} ${shared.mono}`}>{code}</span>}
              </li>
            ))}
          </Box>
          <Link className={shared.link} to={paths.unmatched} search={{ tab: 'aliases', ...wordsOf(track) }}>
            {t.all(formatInteger(aliases.total))}
          </Link>
        </Section>
      )}
      {tickets && tickets.total > 0 && (
        <Section title={t.tickets}>
          <Box component="ul" className={classes.names}>
            {tickets.rows.map(({ id, title, status }) => (
              <Group key={id} component="li" justify="space-between" gap="4px 12px">
                <Link className={shared.link} to={paths.ticket(id)}>
                  {title}
                </Link>
                <StatusBadge tone={stateTones.ticket[status]}>{t.ticketStates[status]}</StatusBadge>
              </Group>
            ))}
          </Box>
          {hiddenTickets > 0 && <p className={shared.note}>{frSourceLines.moreLines(hiddenTickets)}</p>}
        </Section>
      )}
    </>
  );
}
