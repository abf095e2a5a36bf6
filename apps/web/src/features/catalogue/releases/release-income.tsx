import type { ReleaseStatus } from '@regie/contract/releases.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { sumAmounts } from '#src/lib/formats.ts';
import { useCan } from '#src/lib/session.ts';
import { Money } from '#src/ui/money.tsx';
import { MonthChart } from '#src/ui/month-chart.tsx';
import shared from '#src/ui/shared.module.css';
import { incomeQuery } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.income;
/** A reopened release is `OPENED`. */
const neverOut: ReadonlySet<ReleaseStatus> = new Set(['DRAFT', 'PENDING', 'PAID']);

/** The last months of a release's income, for those who read reports; a release that was never out has none. */
function useIncome({ id, status }: Release) {
  const isShown = useCan()('read_reports') && !neverOut.has(status);
  const { data } = useQuery({ ...incomeQuery(id), enabled: isShown });
  return { isShown, months: data?.months };
}

/** What the release earned, as its reports say (product §36.16). */
export function IncomeFigure({ release }: { release: Release }) {
  const { isShown, months } = useIncome(release);
  if (!isShown) return null;
  return (
    <div className={classes.income}>
      {months && (
        <>
          <span className={shared.figure}>
            <Money amount={sumAmounts(months.map(({ amountEur }) => amountEur))} currency="EUR" />
          </span>{' '}
          {t.period}
        </>
      )}
    </div>
  );
}

/** Its income month by month. */
export function IncomeChart({ release }: { release: Release }) {
  const { months } = useIncome(release);
  if (!months?.some(({ amountEur }) => amountEur !== 0)) return null;
  return (
    <MonthChart
      title={t.title}
      hint={
        <Link className={shared.link} to={paths.insight} search={{ by: 'release', value: String(release.id) }}>
          {t.analyse}
        </Link>
      }
      series={[t.series]}
      isLine={false}
      months={months.map(({ fromDate, amountEur }) => ({ fromDate, values: [amountEur] }))}
    />
  );
}
