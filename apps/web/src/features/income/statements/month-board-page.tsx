import { Tooltip } from '@mantine/core';
import { useClickOutside } from '@mantine/hooks';
import type { MonthBoard, MonthCell, MonthState } from '@regie/contract/routes/months.ts';
import {
  capital,
  formatDate,
  formatInteger,
  formatMoney,
  formatMonth,
  formatMonthNumeric,
} from '@regie/values/formats.ts';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { EarlierMonths } from '#src/domain/earlier-months.tsx';
import { InexactMark, inexactTexts } from '#src/domain/inexact-sums.tsx';
import { fr } from '#src/lib/fr.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { TableSkeleton } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState } from '#src/ui/states.tsx';
import { importsLink, isImported } from './imported-cells.ts';
import classes from './month-board.module.css';
import { monthsQuery } from './months.api.ts';
import { frMonths } from './months.fr.ts';
import { frStatements } from './statements.fr.ts';

const t = frMonths;
const stateOrder: readonly MonthState[] = ['expected', 'loaded', 'unmatched', 'doubled', 'checked', 'posted'];

export default function MonthBoardPage() {
  const can = useCan();
  const { search, setSearch } = useListState();
  const asked = { from: monthFromParam(search.from), to: monthFromParam(search.to) };
  const board = useQuery(monthsQuery(asked));
  const months = board.data?.months;
  const period = { from: asked.from ?? months?.[0]?.month, to: asked.to ?? months?.at(-1)?.month };
  const choose = (param: 'from' | 'to') => (month: number | undefined) => setSearch({ [param]: monthToParam(month) });
  const toStatements = (
    <LinkButton to={paths.statements} variant="default">
      {can('edit_reports') ? frStatements.list.drop : t.toStatements}
    </LinkButton>
  );
  return (
    <>
      <PageHeader title={frScreens.reports.months} method={`${t.intro} ${t.page.rounded}`} actions={toStatements} />
      <div className={classes.period}>
        <MonthField label={t.from} value={period.from} onChange={choose('from')} />
        <MonthField label={t.to} value={period.to} onChange={choose('to')} />
      </div>
      <Loaded query={board} placeholder={<TableSkeleton />}>
        {(data) => (
          <>
            <div className={classes.earlier}>
              <EarlierMonths {...data} />
            </div>
            {data.cells.length === 0 ? (
              <EmptyState title={t.emptyTitle} text={t.emptyText} action={toStatements} />
            ) : (
              <Board {...data} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Board({ months, cells }: MonthBoard) {
  const can = useCan();
  const states = new Set(cells.map(({ state }) => state));
  const byPlace = new Map(cells.map((cell) => [`${cell.source}\n${cell.month}`, cell]));
  const scroll = useWholeMonths();
  return (
    <>
      <ul className={classes.legend} aria-label={t.states}>
        {stateOrder
          .filter((state) => states.has(state))
          .map((state) => (
            <li key={state}>
              <span className={classes.dot} data-state={state} aria-hidden />
              {t.state[state]}
            </li>
          ))}
        {inexactTexts(cells).length > 0 && (
          <li>
            <IconAlertTriangle className={shared.incomplete} size={14} stroke={1.8} aria-hidden />
            {t.inexact}
          </li>
        )}
      </ul>
      <section className={classes.scroll} ref={scroll} tabIndex={0} aria-label={t.table}>
        <table className={classes.board}>
          <thead>
            <tr>
              <th scope="col">{frStatements.column.source}</th>
              {months.map(({ month, isFuture }) => (
                <th key={month} scope="col">
                  <Link className={classes.month} to={paths.month(monthToParam(month) ?? '')}>
                    {formatMonthNumeric(month)}
                  </Link>
                  {isFuture && <span className={classes.future}>{t.future}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...new Set(cells.map((cell) => cell.source))].map((source) => (
              <tr key={source}>
                <th scope="row">{source}</th>
                {months.map(({ month }) => (
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
              {months.map(({ month, amountEur }) => (
                <td key={month}>
                  <Details lines={inexactTexts(cells.filter((cell) => cell.month === month)).map((text) => `${text}.`)}>
                    <Link className={classes.total} to={paths.statements} search={{ month: monthToParam(month) }}>
                      <InexactMark of={cells.filter((cell) => cell.month === month)} />
                      <Money amount={amountEur} currency="EUR" />
                    </Link>
                  </Details>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">{t.ready}</th>
              {months.map(({ month, readyEur }) => {
                const isReady = cells.some((cell) => cell.month === month && cell.readySums > 0);
                return (
                  <td key={month}>
                    <Money amount={readyEur} currency="EUR" />
                    {isReady && can('edit_reports') && (
                      <LinkButton
                        to={paths.month(monthToParam(month) ?? '')}
                        size="compact-sm"
                        mt={6}
                        fullWidth
                        aria-label={t.postMonth(formatMonth(month))}
                      >
                        {t.post}
                      </LinkButton>
                    )}
                  </td>
                );
              })}
            </tr>
          </tfoot>
        </table>
      </section>
    </>
  );
}

/** Of more months than fit, whole ones share the width: half an amount would read as another one. */
function useWholeMonths() {
  const scroll = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = scroll.current;
    const [source, ...months] = box?.querySelectorAll<HTMLElement>('thead th') ?? [];
    if (!box || !source) return undefined;
    let width = 0;
    const resize = () => {
      box.style.removeProperty('--month-width');
      if (box.scrollWidth > box.clientWidth) {
        const room = box.clientWidth - source.offsetWidth;
        const widest = Math.max(...months.map((month) => month.offsetWidth));
        box.style.setProperty('--month-width', `${room / Math.max(1, Math.floor(room / widest))}px`);
      }
      if (box.clientWidth === width) return;
      width = box.clientWidth;
      // The newest months are the ones being closed.
      box.scrollLeft = box.scrollWidth;
    };
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return scroll;
}

function details(cell: MonthCell): string[] {
  const { state, dueAt, lateDays, unmatchedEur, staleRates } = cell;
  return [
    isImported(cell) ? t.imported : t.stateHint[state],
    ...(lateDays > 0 ? [`${capital(t.late(lateDays))}.`] : []),
    ...(dueAt === null ? [] : [t.due(formatDate(dueAt))]),
    ...(unmatchedEur === 0 ? [] : [`${capital(t.unmatchedShare(formatMoney(unmatchedEur, 'EUR')))}.`]),
    ...inexactTexts([cell]).map((text) => `${text}.`),
    ...(staleRates.length > 0
      ? [
          `${t.staleRates(staleRates.map(({ currency, rateMonth }) => t.staleRate(currency, formatMonth(rateMonth))).join(', '))}.`,
        ]
      : []),
  ];
}

function Cell({ cell }: { cell: MonthCell | undefined }) {
  const { isTapped, link, onClick } = useFirstTap();
  if (!cell) return null;
  const [only, ...others] = cell.statements;
  const month = monthToParam(cell.month);
  const target =
    only === undefined
      ? (importsLink(cell) ?? { to: paths.month(month ?? '') })
      : others.length === 0
        ? { to: paths.storeStatement(only.id) }
        : { to: paths.statements, search: { source: cell.source, month } };
  return (
    <Details lines={isTapped ? [...details(cell), t.tapAgain] : details(cell)} isTapped={isTapped}>
      <Link ref={link} className={classes.cell} onClick={onClick} {...target}>
        <span className={classes.dot} data-state={cell.state} aria-hidden />
        <span className="visually-hidden">
          {t.state[cell.state]}
          {fr.common.colon}
        </span>
        {cell.state !== 'expected' ? (
          <>
            <InexactMark of={[cell]} />
            <Money amount={cell.amountEur} currency="EUR" />
          </>
        ) : cell.lateDays > 0 ? (
          <>
            <span className="visually-hidden">{t.late(cell.lateDays)}</span>
            <span className={classes.late} aria-hidden>
              {t.lateShort(formatInteger(cell.lateDays))}
            </span>
          </>
        ) : (
          <span aria-hidden>{fr.common.none}</span>
        )}
      </Link>
    </Details>
  );
}

/** A finger has no hover: its first tap on a link shows the details, the next follows it. */
function useFirstTap() {
  const [isTapped, setIsTapped] = useState(false);
  const link = useClickOutside<HTMLAnchorElement>(() => setIsTapped(false));
  const onClick = (event: MouseEvent) => {
    if (isTapped || !(event.nativeEvent instanceof PointerEvent) || event.nativeEvent.pointerType !== 'touch') return;
    event.preventDefault();
    setIsTapped(true);
  };
  return { isTapped, link, onClick };
}

interface DetailsProps {
  lines: readonly string[];
  isTapped?: boolean;
  children: ReactElement;
}

function Details({ lines, isTapped, children }: DetailsProps) {
  return (
    <Tooltip
      multiline
      maw={260}
      opened={isTapped || undefined}
      disabled={lines.length === 0}
      events={{ hover: true, focus: true, touch: true }}
      label={lines.map((line) => <div key={line}>{line}</div>)}
    >
      {children}
    </Tooltip>
  );
}
