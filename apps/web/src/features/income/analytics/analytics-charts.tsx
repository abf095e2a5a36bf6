import { Box, Button, Group } from '@mantine/core';
import type { AnalyticsDimension } from '@regie/contract/analytics.ts';
import { anyReadLibraries } from '@regie/contract/releases.ts';
import type { AnalyticsHistory, AnalyticsRow } from '@regie/contract/routes/analytics.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { type CompareSubject, useCompareLink } from '#src/domain/compare-link.tsx';
import { useCan } from '#src/lib/session.ts';
import { BarContent, barClass, shareText } from '#src/ui/bar-content.tsx';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { Charts, MonthChart } from '#src/ui/month-chart.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { historyQuery, type Period, rankQuery } from './analytics.api.ts';
import { frAnalytics } from './analytics.fr.ts';
import { analyticsKinds, valueName } from './analytics-labels.ts';

const t = frAnalytics.chart;

interface AnalyticsChartsProps {
  by: AnalyticsDimension;
  period: Period;
  periodName: string;
  lastMonth: number;
  totalEur: number | undefined;
  /** The value shown alone; empty is unmatched income. */
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
}

export function AnalyticsCharts({
  by,
  period,
  periodName,
  lastMonth,
  totalEur,
  value,
  onChoose,
}: AnalyticsChartsProps) {
  const history = useQuery(historyQuery(value === undefined ? undefined : { by, value }, lastMonth));
  const rank = useQuery({ ...rankQuery(by, period), enabled: by !== 'period' });
  const failed = history.isError && !history.data ? history : rank.isError && !rank.data ? rank : undefined;
  if (failed) return <ErrorState query={failed} />;
  if (!history.data || (by !== 'period' && !rank.data)) return <ChartsSkeleton />;
  return (
    <Charts>
      <Months by={by} history={history.data} value={value} onChoose={onChoose} />
      {by !== 'period' && rank.data && (
        <Rank by={by} rows={rank.data} periodName={periodName} totalEur={totalEur} value={value} onChoose={onChoose} />
      )}
    </Charts>
  );
}

interface MonthsProps extends Pick<AnalyticsChartsProps, 'by' | 'value' | 'onChoose'> {
  history: AnalyticsHistory;
}

function Months({ by, history: { of, months }, value, onChoose }: MonthsProps) {
  const linkOf = useCompareLink(...subjectOf(by, value));
  const shown = analyticsKinds.filter(
    (kind, index) => index === 0 || months.some((month) => month[`${kind}Eur`] !== 0),
  );
  return (
    <MonthChart
      title={value === undefined ? t.all : t.of(valueName(by, value, of?.name ?? value))}
      hint={
        value === undefined ? (
          t.hint
        ) : (
          <Group component="span" display="inline-flex" gap="0 12px" className={shared.wrap}>
            {of?.artists}
            <RecordLink by={by} of={of} />
            <Button variant="subtle" size="compact-sm" onClick={() => onChoose(undefined)}>
              {t.showAll}
            </Button>
          </Group>
        )
      }
      series={shown.map((kind) => t[kind])}
      linkOf={(by === 'country' && value !== undefined) || value === '' ? undefined : linkOf}
      months={months.map((month) => ({ fromDate: month.fromDate, values: shown.map((kind) => month[`${kind}Eur`]) }))}
    />
  );
}

const subjectOf = (by: AnalyticsDimension, value: string | undefined): [CompareSubject, string] =>
  value === undefined || by === 'period' || by === 'country'
    ? ['all', '']
    : [by === 'account' ? 'grossAccount' : by, value];

function RecordLink({ by, of }: { by: AnalyticsDimension; of: AnalyticsHistory['of'] }) {
  const can = useCan();
  if (by === 'account' && of?.userId && can('manage_profiles')) {
    return (
      <Link className={shared.textLink} to={paths.profile(of.userId)}>
        {t.open.account}
      </Link>
    );
  }
  if (of?.libraryId && (by === 'track' || by === 'release') && anyReadLibraries.some(can)) {
    return (
      <Link
        className={shared.textLink}
        to={by === 'track' ? paths.track(Number(of.value)) : paths.release(of.libraryId)}
      >
        {t.open[by]}
      </Link>
    );
  }
  return null;
}

interface RankProps extends Pick<AnalyticsChartsProps, 'periodName' | 'totalEur' | 'value' | 'onChoose'> {
  by: Exclude<AnalyticsDimension, 'period'>;
  rows: readonly AnalyticsRow[];
}

function Rank({ by, rows, periodName, totalEur = 0, value, onChoose }: RankProps) {
  const largest = Math.max(...rows.map((row) => row.amountEur), 0);
  return (
    <section aria-label={t.rank[by]}>
      <Box component="h2" fz={15} fw={620}>
        {t.rank[by]}
      </Box>
      <p className={`${shared.note} ${shared.wrap}`}>{t.rankHint(periodName)}</p>
      {rows.length === 0 ? (
        <p className={`${shared.note} ${shared.wrap}`}>{t.rankEmpty}</p>
      ) : (
        <Box component="ol" mt={12}>
          {rows.map((row) => {
            const name = valueName(by, row.value, row.name);
            const share = shareText(row.amountEur, totalEur) ?? '–';
            return (
              <li key={row.value}>
                <button
                  type="button"
                  className={barClass}
                  aria-pressed={row.value === value}
                  aria-label={t.choose(name, formatMoney(row.amountEur, 'EUR'), share)}
                  onClick={() => onChoose(row.value === value ? undefined : row.value)}
                >
                  <BarContent name={name} value={row.amountEur} total={totalEur} largest={largest} />
                </button>
              </li>
            );
          })}
        </Box>
      )}
    </section>
  );
}
