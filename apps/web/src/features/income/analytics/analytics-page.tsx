import { Box, Group, SegmentedControl, Select } from '@mantine/core';
import {
  type AnalyticsDimension,
  type AnalyticsSpan,
  analyticsDimensions,
  analyticsSpans,
  monthsOfSpan,
  startOfSpanAt,
} from '@regie/contract/analytics.ts';
import type { AnalyticsRow, AnalyticsSummary } from '@regie/contract/routes/analytics.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { addMonths, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { earliestSaleMs, monthFromParam } from '#src/lib/months.ts';
import { shareText } from '#src/ui/bar-content.tsx';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { ExactMoney } from '#src/ui/exact.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { KeyFigures } from '#src/ui/key-figures.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { integerColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { summaryQuery } from './analytics.api.ts';
import { frAnalytics } from './analytics.fr.ts';
import classes from './analytics.module.css';
import { analyticsKinds, changeText, periodName, rowName } from './analytics-labels.ts';
import { analyticsTabs } from './analytics-tabs.ts';
import { DoubledIncome, MissingRates } from './inexact-notices.tsx';
import { oneOf } from './pivot-state.ts';

const t = frAnalytics;
const AnalyticsCharts = lazy(async () => ({ default: (await import('./analytics-charts.tsx')).AnalyticsCharts }));

const nameless = '~';

export default function AnalyticsPage() {
  const { search, keep, setSearch } = useListState();
  const by = oneOf(analyticsDimensions, search.by) ?? 'store';
  const span = oneOf(analyticsSpans, search.span) ?? 'month';
  const startMonth = monthFromParam(search.from, earliestSaleMs);
  const period = { span, from: startMonth };
  const summary = useQuery(summaryQuery(period));
  useFreshLists(summary.data?.pendingMonths);
  const charts = useRef<HTMLDivElement>(null);
  const fromDate =
    startMonth === undefined ? (summary.data?.fromDate ?? undefined) : monthToMs(startOfSpanAt(span, startMonth));
  // Until the period's sum is known, its parts have no share.
  const wholeEur = summary.isPlaceholderData ? undefined : summary.data?.amountEur;
  const name = fromDate === undefined ? '' : periodName(span, fromDate);
  const defaultSort = { key: by === 'period' ? 'period' : 'amount', order: 'desc' } as const;
  const range = keep('span', 'from');
  return (
    <ListPage
      key={by}
      id={`analytics-${by}`}
      title={frScreens.reports.analytics}
      isCounted={false}
      method={t.intro}
      route={routes.listAnalytics}
      query={{
        by,
        span,
        ...(by === 'period' || startMonth === undefined ? {} : { from: startMonth }),
        sort: search.sort ?? defaultSort.key,
        order: search.order ?? defaultSort.order,
      }}
      columns={columnsOf(by, span, wholeEur ?? 0)}
      rowKey={(row) => (by === 'period' ? row.fromDate : row.value)}
      rowName={(row) => rowName(by, span, row)}
      onRowOpen={(row) => {
        if (by === 'period') {
          setSearch({ by: 'store', from: monthOfInstant(row.fromDate), sort: undefined, order: undefined });
          return;
        }
        setSearch({ value: row.value || nameless });
        charts.current?.scrollIntoView({ block: 'center' });
        charts.current?.focus({ preventScroll: true });
      }}
      searchPlaceholder={by === 'period' ? undefined : t.search[by]}
      tabs={analyticsTabs(by, range, by === 'period' || fromDate === undefined ? {} : monthsOf(span, fromDate))}
      defaultSort={defaultSort}
      exportName={t.exportName(t.tab[by].toLowerCase(), name.replaceAll(/[^\p{L}\d]+/gu, '-'))}
      empty={{ ...t.empty, link: { to: paths.statements, label: t.empty.toStatements } }}
      intro={
        <>
          <PeriodPicker span={span} fromDate={fromDate} bounds={summary.data} onChange={(next) => setSearch(next)} />
          {summary.isError && !summary.data ? (
            <ErrorState query={summary} />
          ) : (
            // A new element once it is known what the sums leave out, so that nothing shown moves.
            <Figures key={String(summary.isPending)} summary={summary.data} span={span} />
          )}
          <div key={`charts ${summary.isPending}`} className={classes.chartsArea}>
            {summary.isPending && <ChartsSkeleton />}
            {fromDate !== undefined && !summary.isPending && (
              <Suspense fallback={<ChartsSkeleton />}>
                <div ref={charts} tabIndex={-1} className={classes.charts}>
                  <AnalyticsCharts
                    by={by}
                    period={period}
                    periodName={name}
                    lastMonth={lastMonthOf(span, fromDate, summary.data?.lastMonth)}
                    totalEur={wholeEur}
                    value={
                      by === 'period' || search.value === undefined
                        ? undefined
                        : search.value === nameless
                          ? ''
                          : search.value
                    }
                    onChoose={(value) => setSearch({ value: value === '' ? nameless : value })}
                  />
                </div>
              </Suspense>
            )}
          </div>
        </>
      }
    />
  );
}

function useFreshLists(pending: number | undefined) {
  const client = useQueryClient();
  const before = useRef(pending);
  useEffect(() => {
    if (before.current !== undefined && pending !== undefined && pending < before.current) {
      void client.invalidateQueries({ queryKey: ['analytics'] });
      void client.invalidateQueries({ queryKey: ['list', routes.listAnalytics.path] });
    }
    before.current = pending;
  }, [pending, client]);
}

function monthsOf(span: AnalyticsSpan, fromDate: number): { from: Month; to: Month } {
  const from = startOfSpanAt(span, fromDate);
  return { from, to: addMonths(from, monthsOfSpan[span] - 1) };
}

function lastMonthOf(span: AnalyticsSpan, fromDate: number, lastTold: number | null | undefined): number {
  const last = monthToMs(addMonths(startOfSpanAt(span, fromDate), monthsOfSpan[span] - 1));
  return Math.max(fromDate, Math.min(last, lastTold ?? last));
}

function columnsOf(by: AnalyticsDimension, span: AnalyticsSpan, wholeEur: number): ListColumn<AnalyticsRow>[] {
  const hasArtists = by === 'track' || by === 'release';
  return [
    {
      key: 'name',
      header: t.one[by],
      ...(by === 'period' ? { sort: 'period' } : {}),
      width: '28%',
      cell: (row) => (
        <>
          <span className={shared.twoLines} title={rowName(by, span, row)}>
            {rowName(by, span, row)}
          </span>
          {row.artists && (
            <Box component="span" fw={400} className={`${shared.note} ${shared.twoLines}`} title={row.artists}>
              {row.artists}
            </Box>
          )}
        </>
      ),
      ...(by === 'period' && span === 'month'
        ? { type: 'month', csv: (row) => row.fromDate }
        : { csv: (row) => rowName(by, span, row) }),
    },
    ...(hasArtists ? [{ key: 'artists', header: t.column.artists, csv: (row: AnalyticsRow) => row.artists }] : []),
    ...(by === 'track' ? [{ key: 'isrc', header: t.column.isrc, csv: (row: AnalyticsRow) => row.isrc }] : []),
    moneyColumn({
      key: 'amount',
      header: t.column.amount,
      type: 'exactMoney',
      sort: 'amount',
      csv: (row) => row.amountEur,
    }),
    ...(by === 'period'
      ? []
      : [
          {
            key: 'share',
            header: t.column.share,
            align: 'right' as const,
            cell: (row: AnalyticsRow) => shareText(row.amountEur, wholeEur),
          },
        ]),
    { key: 'before', header: t.column.before, align: 'right', cell: (row) => <Change row={row} span={span} /> },
    {
      key: 'previousFrom',
      header: t.column.previousFrom,
      csv: (row) => (row.previousFrom === null ? null : periodName(span, row.previousFrom)),
    },
    { key: 'previous', header: t.column.previous, type: 'exactMoney', unit: 'EUR', csv: (row) => row.previousEur },
    ...analyticsKinds.flatMap((kind): ListColumn<AnalyticsRow>[] => [
      integerColumn({ key: kind, header: t.column[kind], isSecondary: true, csv: (row) => row[kind] }),
      {
        key: `${kind}Eur`,
        header: t.column[`${kind}Eur`],
        type: 'exactMoney',
        unit: 'EUR',
        csv: (row) => row[`${kind}Eur`],
      },
    ]),
    {
      key: 'quantity',
      header: t.column.quantity,
      align: 'right',
      sort: 'quantity',
      cell: (row) => formatInteger(row.streams + row.downloads + row.videos),
    },
  ];
}

const beforeOf = (span: AnalyticsSpan, fromDate: number) =>
  monthToMs(addMonths(monthOfInstant(fromDate), -monthsOfSpan[span]));

/** The change since the last earlier period with income, which it names: some sources send by quarter. */
function Change({ row, span }: { row: AnalyticsRow; span: AnalyticsSpan }) {
  if (row.previousEur === null || row.previousFrom === null)
    return <span className={`${shared.note} ${shared.wrap}`}>{t.isNew}</span>;
  return (
    <>
      {changeText(row.amountEur, row.previousEur) ?? '–'}{' '}
      <span className={shared.under}>{t.figures.before(periodName(span, row.previousFrom))}</span>
    </>
  );
}

interface PeriodPickerProps {
  span: AnalyticsSpan;
  fromDate: number | undefined;
  bounds: Pick<AnalyticsSummary, 'firstMonth' | 'lastMonth'> | undefined;
  onChange: (search: { span?: string; from?: string }) => void;
}

function PeriodPicker({ span, fromDate, bounds, onChange }: PeriodPickerProps) {
  const present = fromDate === undefined ? undefined : startOfSpanAt(span, fromDate);
  const periods = listPeriods(span, bounds, present);
  const index = present === undefined ? -1 : periods.indexOf(present);
  const step = (label: string, to: Month | undefined, icon: typeof IconChevronLeft) => (
    <IconButton
      variant="default"
      label={label}
      icon={icon}
      disabled={to === undefined}
      onClick={() => onChange({ from: to })}
    />
  );
  return (
    <Group gap={12} mb={16}>
      <SegmentedControl
        aria-label={t.spanLabel}
        data={analyticsSpans.map((value) => ({ value, label: t.span[value] }))}
        value={span}
        onChange={(value) => onChange({ span: value })}
      />
      <Group gap={4} wrap="nowrap">
        {step(t.previous, index === -1 ? undefined : periods[index + 1], IconChevronLeft)}
        <Select
          aria-label={t.one.period}
          data={periods.map((month) => ({ value: month, label: periodName(span, monthToMs(month)) }))}
          value={present ?? null}
          allowDeselect={false}
          searchable
          nothingFoundMessage="–"
          w={150}
          disabled={periods.length === 0}
          onChange={(month) => month !== null && onChange({ from: month })}
        />
        {step(t.next, index <= 0 ? undefined : periods[index - 1], IconChevronRight)}
      </Group>
    </Group>
  );
}

function listPeriods(
  span: AnalyticsSpan,
  bounds: PeriodPickerProps['bounds'],
  present: Month | undefined,
): readonly Month[] {
  const months = [bounds?.firstMonth, bounds?.lastMonth].filter((ms) => ms !== null && ms !== undefined);
  const starts = [...months.map((ms) => startOfSpanAt(span, ms)), ...(present ? [present] : [])].sort();
  const [first, last] = [starts[0], starts.at(-1)];
  const periods: Month[] = [];
  if (first === undefined || last === undefined) return periods;
  for (let month = last; month >= first; month = addMonths(month, -monthsOfSpan[span])) periods.push(month);
  return periods;
}

function Figures({ summary, span }: { summary: AnalyticsSummary | undefined; span: AnalyticsSpan }) {
  if (summary && summary.fromDate === null) {
    return (
      <div className={classes.notes}>
        <Pending months={summary.pendingMonths} />
      </div>
    );
  }
  const of = (fromDate: number | null | undefined) => (typeof fromDate === 'number' ? periodName(span, fromDate) : '');
  const before = typeof summary?.fromDate === 'number' ? of(beforeOf(span, summary.fromDate)) : '';
  const change = summary && changeText(summary.amountEur, summary.previousEur);
  return (
    <>
      <div className={classes.notes}>
        {summary && <Pending months={summary.pendingMonths} />}
        {summary && <MissingRates of={summary.missingRates} />}
        {summary && <DoubledIncome of={summary} />}
      </div>
      <KeyFigures
        label={t.figures.label}
        figures={[
          {
            label: summary ? t.figures.amount(of(summary.fromDate)) : t.column.amount,
            value: summary && <ExactMoney amount={summary.amountEur} currency="EUR" />,
            hint:
              summary &&
              (change
                ? `${change} ${t.figures.before(before)}${summary.previousDoubledEur === 0 ? '' : t.figures.beforeDoubled(formatMoney(summary.previousDoubledEur, 'EUR'))}`
                : t.figures.noBefore(before)),
          },
          {
            label: t.figures.quantity,
            value: summary && formatInteger(summary.streams + summary.downloads + summary.videos),
            hint:
              summary &&
              t.figures.quantityHint(
                formatInteger(summary.streams),
                formatInteger(summary.downloads),
                formatInteger(summary.videos),
              ),
          },
          {
            label: t.figures.unmatched,
            value: summary && <ExactMoney amount={summary.unmatchedEur} currency="EUR" />,
            hint: (
              <>
                {t.figures.unmatchedHint} · <Link to={paths.unmatched}>{t.figures.toUnmatched}</Link>
              </>
            ),
          },
        ]}
      />
    </>
  );
}

function Pending({ months }: { months: number }) {
  return (
    <p role="status" className={classes.pending}>
      {months > 0 && t.pending(months)}
    </p>
  );
}
