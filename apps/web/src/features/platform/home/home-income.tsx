import type { AnalyticsChange } from '@regie/contract/routes/analytics.ts';
import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMonth, lastShare } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { AccountLink } from '#src/domain/account-link.tsx';
import { useCompareLink, WhyLink } from '#src/domain/compare-link.tsx';
import { inexactTexts } from '#src/domain/inexact-sums.tsx';
import { boardQuery } from '#src/domain/month-board.ts';
import { apiQuery } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { ChartsSkeleton } from '#src/ui/charts-skeleton.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { Charts, MonthChart } from '#src/ui/month-chart.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { frHome } from './home.fr.ts';

const t = frHome.income;
const shownMonths = 13;
const andList = new Intl.ListFormat('fr');

/** Thirteen months of income, so that a month stands beside the same one a year before, and the largest changes. */
export function HomeIncome() {
  const history = useQuery(apiQuery(['analytics', 'home'], routes.getAnalyticsHistory, { query: {} }));
  const board = useQuery({ ...boardQuery, enabled: useCan()('read_reports') });
  const { lastMonth, late } = board.data ? lastWhole(board.data) : {};
  const changes = useQuery({
    ...apiQuery(['analytics', 'home', 'changes', lastMonth], routes.listAnalyticsChanges, {
      query: lastMonth === undefined ? {} : { month: lastMonth },
    }),
    enabled: !board.isLoading,
  });
  const linkOf = useCompareLink('all');
  const failed = [history, changes].find(({ isError }) => isError);
  if (failed) return <ErrorState query={failed} />;
  if (history.data?.months.length === 0) return null;
  // With the months, so that what the sums leave out does not move the charts when it comes.
  return history.data && changes.data && !board.isLoading ? (
    <Charts>
      <MonthChart
        title={t.title}
        hint={[t.hint, ...inexactTexts(board.data?.cells ?? [])].join('. ')}
        series={[t.series]}
        linkOf={linkOf}
        months={history.data.months
          .slice(-shownMonths)
          .map(({ fromDate, amountEur }) => ({ fromDate, values: [amountEur] }))}
      />
      <Changes
        month={changes.data.fromDate}
        late={late}
        rows={changes.data.rows.map((row) => ({ ...row, change: lastShare(row.amountEur, [row.previousEur]) }))}
      />
    </Charts>
  ) : (
    <ChartsSkeleton />
  );
}

/** The latest month of which each source has come: without one, every account it pays would seem to have lost that income. */
function lastWhole({ months, cells }: MonthBoard): { lastMonth: number | undefined; late: Late | undefined } {
  const missing = (month: number) =>
    cells.filter((cell) => cell.month === month && cell.state === 'expected').map(({ source }) => source);
  const withIncome = months
    .map(({ month }) => month)
    .filter((month) => cells.some((cell) => cell.month === month && cell.state !== 'expected'));
  const last = withIncome.at(-1);
  const sources = last === undefined ? [] : missing(last);
  return {
    lastMonth: withIncome.findLast((month) => missing(month).length === 0),
    late: last === undefined || sources.length === 0 ? undefined : { month: last, sources },
  };
}

interface Late {
  month: number;
  sources: readonly string[];
}

interface ChangesProps {
  month: number | null;
  late: Late | undefined;
  rows: readonly (AnalyticsChange & { change: number })[];
}

function Changes({ month, late, rows }: ChangesProps) {
  return (
    <section aria-labelledby="home-changes">
      <h2 id="home-changes" className={shared.sectionTitle}>
        {t.changes}
      </h2>
      <p className={shared.note}>
        {t.changesHint(formatMonth(month))}
        {late && ` ${t.missing(formatMonth(late.month), andList.format(late.sources))}`}
      </p>
      {rows.length === 0 ? (
        <p className={`${shared.muted} ${shared.spaced}`}>{t.noChanges}</p>
      ) : (
        <PlainTable name={t.changes} head={[t.account, { right: t.amount }, { right: t.change }]}>
          <tbody>
            {rows.map(({ value, name, userId, amountEur, previousEur, change }) => (
              <tr key={value}>
                <td>{userId === null ? name : <AccountLink id={userId}>{name}</AccountLink>}</td>
                <MoneyCell amount={amountEur} currency="EUR" />
                <td data-align="right">
                  {change > 0 && '+'}
                  <Money amount={change} currency="EUR" />
                  {userId !== null && month !== null && (
                    <span className={shared.under}>
                      <WhyLink
                        subject="grossAccount"
                        value={userId}
                        month={month}
                        before={previousEur}
                        after={amountEur}
                      />
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </section>
  );
}
