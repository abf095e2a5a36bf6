import type { AccountingReport } from '@regie/contract/routes/stats.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { monthFromParam } from '#src/lib/months.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { KeyFigures as Figures, type KeyFigure } from '#src/ui/key-figures.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { moneyColumn, monthColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import { ErrorState } from '#src/ui/states.tsx';
import { frStats } from './stats.fr.ts';

const t = frStats;
const MonthCharts = lazy(async () => ({ default: (await import('./month-charts.tsx')).MonthCharts }));

const types = ['platform', 'youtube'] as const;
type Type = (typeof types)[number];
const readers = { platform: 'read_platforms_stats', youtube: 'read_youtube_stats' } as const;

const columns: ListColumn<AccountingReport>[] = [
  monthColumn({ key: 'month', header: t.column.month, sort: 'month', csv: (report) => report.fromDate }),
  { key: 'type', header: t.column.type, csv: (report) => t.tab[report.type] },
  moneyColumn({
    key: 'totalIncome',
    header: t.column.totalIncome,
    total: fr.list.total,
    sort: 'income',
    csv: (report) => report.totalIncome,
  }),
];
const filters: ListFilter[] = [{ kind: 'months', label: t.period, fromParam: 'from', toParam: 'to' }];

export default function StatsPage() {
  const can = useCan();
  const { search, keep } = useListState();
  const segment = usePageLocation().pathname.split('/')[2];
  const type: Type = segment === 'youtube' ? 'youtube' : 'platform';
  const period = keep('from', 'to');
  const tabs: ListTab[] = types
    .filter((value) => can(readers[value]))
    .map((value) => ({ label: t.tab[value], to: paths.accounting(value), search: period, isCurrent: value === type }));
  return (
    <ListPage
      key={type}
      id="accounting"
      method={t.method}
      title={frScreens.stats[type]}
      route={routes.listAccountingReports}
      query={{ type }}
      columns={columns}
      rowKey={(report) => report.fromDate}
      rowName={(report) => formatMonth(report.fromDate)}
      filters={filters}
      tabs={tabs}
      defaultSort={{ key: 'month', order: 'desc' }}
      exportName={t.exportName[type]}
      empty={{
        title: t.emptyTitle,
        text: t.emptyText,
        link: can('read_reports') && { to: paths.reporting(type), label: t.toReports },
      }}
      intro={
        <>
          <KeyFigures type={type} />
          <Suspense fallback={<ChartsSkeleton />}>
            <MonthCharts from={monthFromParam(search.from)} to={monthFromParam(search.to)} />
          </Suspense>
        </>
      }
    />
  );
}

function KeyFigures({ type }: { type: Type }) {
  const stats = useQuery(apiQuery(['accounting', 'stats', type], routes.getAccountingStats, { query: { type } }));
  if (stats.isError && stats.data === undefined) return <ErrorState query={stats} />;
  const figures: KeyFigure[] = [
    {
      label: t.totalIncome,
      value: stats.data && <Money amount={stats.data.totalIncome} currency="EUR" />,
    },
    {
      label: t.remainingIncome,
      value: stats.data && <Money amount={stats.data.remainingIncome} currency="EUR" />,
    },
    { label: t.customers, value: stats.data && formatInteger(stats.data.nombreOfCustomers) },
  ];
  return <Figures label={t.figures} figures={figures} />;
}
