import { Box } from '@mantine/core';
import type { ReleaseStatus } from '@regie/contract/releases.ts';
import type { AnalyticsHistory } from '@regie/contract/routes/analytics.ts';
import { sumAmounts } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { useCompareLink } from '#src/domain/compare-link.tsx';
import { ExactMoney } from '#src/ui/exact.tsx';
import { MonthChart } from '#src/ui/month-chart.tsx';
import shared from '#src/ui/shared.module.css';
import { wasOut } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.income;
const shownMonths = 12;

type Months = AnalyticsHistory['months'] | undefined;
const lastOf = (months: Months) => months?.slice(-shownMonths) ?? [];

export const hasIncome = (months: Months): boolean => lastOf(months).some(({ amountEur }) => amountEur !== 0);

/** None is expected of a release that was never out. */
export const shownIncome = (release: { status: ReleaseStatus }, months: Months): Months =>
  wasOut(release) || hasIncome(months) ? months : undefined;

/** What a release or a track earned (product §36.16). */
export function IncomeFigure({ months, isSmall = false }: { months: Months; isSmall?: boolean }) {
  if (!months) return null;
  return (
    <div className={isSmall ? shared.under : undefined}>
      <Box component="span" fw={600} c="var(--ink)" className={isSmall ? undefined : shared.figure}>
        <ExactMoney amount={sumAmounts(lastOf(months).map(({ amountEur }) => amountEur))} currency="EUR" />
      </Box>{' '}
      {isSmall ? t.shortPeriod : t.period}
    </div>
  );
}

export function IncomeChart({ by, id, months }: { by: 'release' | 'track'; id: number; months: Months }) {
  const linkOf = useCompareLink(by, id);
  if (!hasIncome(months)) return null;
  return (
    <MonthChart
      title={t.title}
      hint={
        <Link className={shared.link} to={paths.analytics} search={{ by, value: String(id) }}>
          {t.analyse}
        </Link>
      }
      series={[t.series]}
      linkOf={linkOf}
      months={lastOf(months).map(({ fromDate, amountEur }) => ({ fromDate, values: [amountEur] }))}
    />
  );
}
