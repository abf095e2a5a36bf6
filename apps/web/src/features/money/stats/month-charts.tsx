import type { AccountingMonths } from '@regie/contract/routes/stats.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '#src/lib/api.ts';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Charts, MonthChart } from '#src/ui/month-chart.tsx';
import { frStats } from './stats.fr.ts';

const t = frStats.chart;
const types = ['platform', 'youtube'] as const;

interface MonthChartsProps {
  from: number | undefined;
  to: number | undefined;
}

export function MonthCharts({ from, to }: MonthChartsProps) {
  const query = { from, to };
  const months = useQuery({
    ...apiQuery(['accounting', 'months', query], routes.getAccountingMonths, { query }),
    placeholderData: (previous) => previous,
  });
  return (
    <Loaded query={months} placeholder={<ChartsSkeleton />}>
      {(data) => <IncomeCharts months={data} />}
    </Loaded>
  );
}

function IncomeCharts({ months: { income, payouts } }: { months: AccountingMonths }) {
  // The types the reader may see: a hidden type is null in every month.
  const shown = types.filter((type) => income.some((month) => month[type] !== null));
  return (
    <Charts>
      <MonthChart
        title={t.income}
        hint={t.incomeHint}
        series={shown.map((type) => frStats.tab[type])}
        months={income.map((month) => ({ fromDate: month.fromDate, values: shown.map((type) => month[type] ?? 0) }))}
      />
      <MonthChart
        title={t.payouts}
        hint={t.payoutsHint}
        series={[t.paid, t.owed]}
        isLine
        months={payouts.map(({ fromDate, paid, owed }) => ({ fromDate, values: [paid, owed] }))}
      />
    </Charts>
  );
}
