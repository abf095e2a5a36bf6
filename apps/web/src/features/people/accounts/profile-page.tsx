import { Group } from '@mantine/core';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { AccountFigures, AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import type { Comparison } from '@regie/contract/routes/compare.ts';
import { formatDateTime, formatInteger, formatPercent } from '@regie/values/formats.ts';
import { IconAlertTriangle, IconChartBar } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { compareQuery, lastMonths, useCompareLink, WhyLink } from '#src/domain/compare-link.tsx';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { ChartSkeleton } from '#src/ui/charts-skeleton.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { MonthChart } from '#src/ui/month-chart.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Below, Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState } from '#src/ui/states.tsx';
import { useAccount } from './account-context.ts';
import { isShareNegative } from './account-labels.ts';
import { figuresQuery, latestMovementsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { addressOf } from './billing-labels.ts';
import { Movement, MovementAmount, WhyAmount } from './movement.tsx';

const t = frAccounts.profile;

export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([
    client.prefetchQuery(figuresQuery(id)),
    client.prefetchQuery(latestMovementsQuery(id)),
    client.prefetchQuery(changeQuery(id)),
  ]);

const changeQuery = (id: number) => compareQuery({ subject: 'account', value: String(id), ...lastMonths(), months: 1 });

export default function ProfilePage() {
  const profile = useAccount();
  const figures = useQuery(figuresQuery(profile.id));
  const movements = useQuery(latestMovementsQuery(profile.id));
  const change = useQuery(changeQuery(profile.id));
  const failed = [figures, movements].find((query) => query.isError && !query.data);
  return (
    <RecordPage header={null} side={<Side profile={profile} figures={figures.data} />}>
      {figures.data && movements.data && !change.isPending ? (
        <Related profile={profile} figures={figures.data} movements={movements.data.lines} change={change.data} />
      ) : failed ? (
        <Loading query={failed} />
      ) : (
        <>
          <ChartSkeleton />
          <TableSkeleton />
          <TableSkeleton />
        </>
      )}
    </RecordPage>
  );
}

interface RelatedProps {
  profile: Profile;
  figures: AccountFigures;
  movements: readonly AccountStatementLine[];
  change: Comparison | undefined;
}

function Related({ profile, figures, movements, change }: RelatedProps) {
  const linkOf = useCompareLink('account', profile.id);
  const hasReferrals = figures.months.some(({ referralsEur }) => referralsEur !== 0);
  return (
    <>
      <Alerts profile={profile} figures={figures} />
      {figures.months.length > 0 ? (
        <MonthChart
          title={t.income}
          hint={
            <>
              {t.incomeHint}.{' '}
              {change && (
                <WhyLink
                  subject="account"
                  value={profile.id}
                  month={change.fromB}
                  before={change.amountAEur}
                  after={change.amountBEur}
                  sentence={{ isForecast: change.isForecastA || change.isForecastB }}
                />
              )}
            </>
          }
          linkOf={linkOf}
          series={hasReferrals ? [t.ownIncome, frAccounts.history.referrals] : [t.ownIncome]}
          months={figures.months.map(({ month, ownEur, referralsEur }) => ({
            fromDate: month,
            values: hasReferrals ? [ownEur, referralsEur] : [ownEur],
          }))}
        />
      ) : profile.erasedAt !== null ? null : (
        <EmptyState
          icon={IconChartBar}
          title={t.noIncome}
          text={t.noIncomeText}
          link={{ to: paths.accountReleases(profile.id), label: t.seeReleases }}
        />
      )}
      <Below>
        {figures.months.length > 0 && <TopTracks tracks={figures.topTracks} />}
        <LatestMovements accountId={profile.id} lines={movements} />
      </Below>
    </>
  );
}

function Alerts({ profile, figures }: { profile: Profile; figures: AccountFigures }) {
  const largest = Math.max(profile.libraryIncomePercentile, profile.youtubeChannelIncomePercentile);
  const { openTickets } = figures;
  const toForm = { to: paths.editProfile(profile.id), action: t.openForm };
  const alerts = [
    profile.state !== 'ENABLED' && { text: t.stateAlert[profile.state], ...toForm },
    !figures.hasBilling && { text: t.noBilling, to: paths.billings(profile.id), action: t.addBilling },
    ...figures.blockedBillings.map((billing) => ({
      text: t.blockedBilling(frAccounts.billing.type[billing.type], formatDateTime(billing.blockedUntil)),
      to: addressOf(billing),
      action: t.checkBilling,
    })),
    isShareNegative(largest, profile.referrersPercentile) && {
      text: frAccounts.form.negativeShare(formatPercent(largest), formatPercent(profile.referrersPercentile)),
      ...toForm,
    },
    profile.email === null && { text: t.noEmailAlert, ...toForm },
    openTickets !== null &&
      openTickets > 0 && {
        text: t.openTickets(openTickets),
        to: paths.accountContracts(profile.id),
        action: t.seeTickets(openTickets),
      },
  ].filter((alert) => alert !== false);
  if (alerts.length === 0 || profile.erasedAt !== null) return null;
  return (
    <Section title={t.alerts}>
      <ul className={classes.alerts}>
        {alerts.map(({ text, to, action }) => (
          <li key={text}>
            <IconAlertTriangle size={16} stroke={1.8} aria-hidden />
            <span>{text}</span>
            <Link className={shared.link} to={to}>
              {action}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const f = frAccounts.figures;

function TopTracks({ tracks }: { tracks: AccountFigures['topTracks'] }) {
  return (
    <Section title={f.topTracks} method={f.topTracksHint}>
      {tracks.length === 0 ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{f.noTracks}</p>
      ) : (
        <PlainTable name={f.topTracks} head={[f.track, { right: f.streams }, { right: f.earned }]}>
          <tbody>
            {tracks.map((track) => (
              <tr key={track.id}>
                <td>
                  <TrackLink id={track.id}>{track.title}</TrackLink>
                  <span className={shared.under}>
                    {track.releaseTitle}
                    {track.isrc && (
                      <>
                        {' · '}
                        <code>{track.isrc}</code>
                      </>
                    )}
                  </span>
                </td>
                <td data-align="right">{formatInteger(track.streams)}</td>
                <MoneyCell amount={track.earnedEur} currency="EUR" />
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}

const s = frAccounts.statement;

function LatestMovements({ accountId, lines }: { accountId: number; lines: readonly AccountStatementLine[] }) {
  return (
    <Section
      title={t.latest}
      actions={
        <Link className={shared.link} to={paths.statement(accountId)}>
          {t.wholeStatement}
        </Link>
      }
    >
      {lines.length === 0 ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{frAccounts.history.empty}</p>
      ) : (
        <PlainTable name={t.latest} head={[s.column.date, s.column.movement, { right: s.column.amount }]}>
          <tbody>
            {lines.map((line) => (
              <tr key={line.id}>
                <td data-short>
                  <DateText ms={line.occurredAt} />
                </td>
                <td>
                  <Movement line={line} accountId={accountId} />
                  <WhyAmount line={line} accountId={accountId} />
                </td>
                <td data-align="right">
                  <MovementAmount line={line} />
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}

function Side({ profile, figures }: { profile: Profile; figures: AccountFigures | undefined }) {
  const can = useCan();
  const facts = [
    { label: f.releases, value: figures ? formatInteger(figures.releases) : '\u00a0' },
    { label: t.subscriptionUntil, value: profile.subscriptionUntil },
    { label: frAccounts.form.libraryIncomePercentile, value: formatPercent(profile.libraryIncomePercentile) },
    {
      label: frAccounts.form.youtubeChannelIncomePercentile,
      value: formatPercent(profile.youtubeChannelIncomePercentile),
    },
    profile.referrersPercentile > 0 && {
      label: t.referrers,
      value: t.ofNet(formatPercent(profile.referrersPercentile)),
    },
    { label: t.createdAt, value: <DateText ms={profile.createdAt} /> },
    { label: t.updatedAt, value: <DateText ms={profile.updatedAt} hasTime /> },
    can('read_reports') && {
      label: frScreens.reports.title,
      value: (
        <Link className={shared.link} to={paths.reporting()} search={{ userId: String(profile.id) }}>
          {t.reports}
        </Link>
      ),
    },
  ];
  return (
    <>
      <Section title={fr.common.facts}>
        <Facts facts={facts} />
      </Section>
      {profile.memo && (
        <Section title={frAccounts.form.memo}>
          <p className={shared.wrap} style={{ whiteSpace: 'pre-line' }}>
            {profile.memo}
          </p>
        </Section>
      )}
      {/* Last: it comes after the facts and moves none of them. */}
      {figures && figures.pendingPayouts.length > 0 && (
        <Section title={frScreens.payouts.pending}>
          <PendingPayouts figures={figures} />
        </Section>
      )}
    </>
  );
}

const shownPayouts = 5;

function PendingPayouts({ figures }: { figures: AccountFigures }) {
  const can = useCan();
  const mayOpen = can('edit_pending_payout') || can('edit_paid_payout');
  return figures.pendingPayouts.slice(0, shownPayouts).map((payout) => (
    <Group key={payout.id} component="span" justify="flex-end" gap="0 12px" fz={12} className={shared.muted}>
      {mayOpen ? (
        <Link className={shared.link} to={paths.payout(payout.id)}>
          {formatPayoutNumber(payout.id)}
        </Link>
      ) : (
        formatPayoutNumber(payout.id)
      )}
      <Money amount={payout.amountEur} currency="EUR" />
    </Group>
  ));
}
