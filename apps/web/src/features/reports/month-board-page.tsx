import { Button } from '@mantine/core';
import type { MonthBoard, MonthCell, MonthState } from '@regie/contract/routes/months.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { formatMoney, formatMonth, formatMonthNumeric } from '#src/lib/formats.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { TableSkeleton } from '#src/ui/plain-table.tsx';
import { EmptyState } from '#src/ui/states.tsx';
import { StatusBadge, type StatusTone } from '#src/ui/status-badge.tsx';
import classes from './month-board.module.css';
import { monthsQuery } from './months.api.ts';
import { frMonths } from './months.fr.ts';

const t = frMonths;
const tones: Record<MonthState, StatusTone> = {
  expected: 'neutral',
  loaded: 'info',
  unmatched: 'warning',
  checked: 'info',
  posted: 'success',
  doubled: 'danger',
};
const shownMonths = 12;

/** The state of each source in each month, with the button that creates a month's reports. */
export default function MonthBoardPage() {
  const can = useCan();
  const { search, setSearch } = useListState();
  const to = monthFromParam(search.to) ?? monthToMs(addMonths(monthOfInstant(Date.now()), -1));
  const from = monthFromParam(search.from) ?? monthToMs(addMonths(monthOfInstant(to), 1 - shownMonths));
  const period = { from, to };
  const board = useQuery(monthsQuery(period));
  const choose = (param: 'from' | 'to') => (month: number | undefined) => setSearch({ [param]: monthToParam(month) });
  const toStatements = (
    <Button renderRoot={(props) => <Link {...props} to={paths.statements} />} variant="default">
      {can('edit_reports') ? t.drop : t.toStatements}
    </Button>
  );
  return (
    <>
      <PageHeader title={frScreens.reports.months} text={t.intro} actions={toStatements} />
      <div className={classes.period}>
        <MonthField label={t.from} value={period.from} onChange={choose('from')} />
        <MonthField label={t.to} value={period.to} onChange={choose('to')} />
      </div>
      <Loaded query={board} placeholder={<TableSkeleton />}>
        {(data) =>
          data.cells.length === 0 ? (
            <EmptyState title={t.emptyTitle} text={t.emptyText} action={toStatements} />
          ) : (
            <Board {...data} />
          )
        }
      </Loaded>
    </>
  );
}

function Board({ months, cells }: MonthBoard) {
  const can = useCan();
  // Newest first: the month that is being closed.
  const columns = months.toReversed();
  const sources = [...new Set(cells.map((cell) => cell.source))];
  const byPlace = new Map(cells.map((cell) => [`${cell.source}\n${cell.month}`, cell]));
  return (
    <section className={classes.scroll} tabIndex={0} aria-label={t.table}>
      <table className={classes.board}>
        <thead>
          <tr>
            <th scope="col">{t.source}</th>
            {columns.map(({ month, isFuture }) => (
              <th key={month} scope="col">
                {formatMonthNumeric(month)}
                {isFuture && <span className={classes.future}>{t.future}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <tr key={source}>
              <th scope="row">{source}</th>
              {columns.map(({ month }) => (
                <td key={month}>
                  <Cell cell={byPlace.get(`${source}\n${month}`)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.total}</th>
            {columns.map(({ month, amountEur }) => (
              <td key={month}>
                <Link className={classes.total} to={paths.statements} search={{ month: monthToParam(month) }}>
                  <Money amount={amountEur} currency="EUR" />
                </Link>
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">{t.ready}</th>
            {columns.map(({ month, readyEur }) => {
              const isReady = cells.some((cell) => cell.month === month && cell.readySums > 0);
              return (
                <td key={month}>
                  <Money amount={readyEur} currency="EUR" />
                  {isReady && can('edit_reports') && (
                    <Button
                      renderRoot={(props) => (
                        <Link
                          {...props}
                          to={paths.addPlatformReport}
                          search={{ section: 'automatic', month: monthToParam(month) }}
                        />
                      )}
                      size="compact-sm"
                      mt={6}
                      fullWidth
                      aria-label={t.countMonth(formatMonth(month))}
                    >
                      {t.count}
                    </Button>
                  )}
                </td>
              );
            })}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Cell({ cell }: { cell: MonthCell | undefined }) {
  if (!cell) return null;
  const badge = <StatusBadge tone={tones[cell.state]}>{t.state[cell.state]}</StatusBadge>;
  const [only] = cell.statements;
  if (!only) {
    return (
      <span className={classes.cell} title={t.stateHint[cell.state]}>
        {badge}
      </span>
    );
  }
  const place = { source: cell.source, month: monthToParam(cell.month) };
  return (
    <>
      <Link
        className={classes.cell}
        to={cell.statements.length === 1 ? paths.storeStatement(only.id) : paths.statements}
        search={cell.statements.length === 1 ? {} : place}
        title={t.stateHint[cell.state]}
      >
        {badge}
        <Money amount={cell.amountEur} currency="EUR" />
      </Link>
      {cell.unmatchedEur !== 0 && (
        <Link className={classes.detail} to={paths.unmatched} search={place}>
          {t.unmatchedShare(formatMoney(cell.unmatchedEur, 'EUR'))}
        </Link>
      )}
      {cell.missingRates.length > 0 && (
        <Link className={classes.detail} to={paths.exchangeRates}>
          {t.missingRate(cell.missingRates.join(', '))}
        </Link>
      )}
      {cell.staleRates.length > 0 && (
        <Link className={classes.detail} to={paths.exchangeRates}>
          {t.staleRates(
            cell.staleRates.map(({ currency, rateMonth }) => t.staleRate(currency, formatMonth(rateMonth))).join(', '),
          )}
        </Link>
      )}
    </>
  );
}
