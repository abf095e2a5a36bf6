import type { PivotDimension } from '@regie/contract/insight.ts';
import type { Pivot, PivotEntry } from '@regie/contract/routes/insight.ts';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent } from 'react';
import { paths } from '#src/app/paths.ts';
import { formatValue } from '#src/lib/formats.ts';
import { type SearchParams, stringifySearch } from '#src/lib/search-params.ts';
import { Value } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { frPivot } from './pivot.fr.ts';
import classes from './pivot.module.css';
import { currencyOf, drillInto, entryName, type PivotQuestion } from './pivot-state.ts';

const t = frPivot;

export interface PivotRow {
  entry: PivotEntry;
  cells: readonly (number | null)[];
  total: number;
}

const byName = 'name';
const byTotal = 'total';

/** The rows in the order of the address; the others stay last. */
export function sortRows(data: Pivot, rows: PivotDimension, { sort, order }: SearchParams): PivotRow[] {
  const all = data.rows.map((entry, at) => ({ entry, cells: data.cells[at] ?? [], total: data.rowTotals[at] ?? 0 }));
  const column = data.columns.findIndex((entry) => columnKey(entry) === sort);
  if (sort !== byName && sort !== byTotal && column === -1) return all;
  const sign = order === 'asc' ? 1 : -1;
  const nameOf = ({ entry }: PivotRow) => entryName(rows, entry);
  const sumOf = ({ cells, total }: PivotRow) => (column === -1 ? total : (cells[column] ?? 0));
  const [shown, others] = [
    all.filter(({ entry }) => entry.others === null),
    all.filter(({ entry }) => entry.others !== null),
  ];
  shown.sort((one, other) =>
    sort === byName
      ? sign * nameOf(one).localeCompare(nameOf(other), 'fr', { numeric: true })
      : sign * (sumOf(one) - sumOf(other)),
  );
  return [...shown, ...others];
}

const columnKey = ({ value, others }: PivotEntry) => (others === null ? `=${value}` : '+');

interface PivotTableProps {
  data: Pivot & { question: PivotQuestion };
  name: string;
  rows: readonly PivotRow[];
  search: SearchParams;
  setSearch: (change: SearchParams) => void;
}

/** Rows, columns and totals; a row, a column's cell or a row's name leads to its detail. */
export function PivotTable({ data, name, rows, search, setSearch }: PivotTableProps) {
  const { question, columns } = data;
  const currency = currencyOf(question);
  const by = question.columns;
  const largest = Math.max(...rows.flatMap(({ cells }) => cells.map((cell) => Math.abs(cell ?? 0))), 0);
  const columnNames = by === undefined ? [] : columns.map((column) => entryName(by, column));
  const hasLink = (row: PivotRow, column: number) =>
    row.entry.others === null && columns[column]?.others === null && row.cells[column] !== null;
  const firstRow = rows.findIndex((row) => columns.some((_, column) => hasLink(row, column)));
  const firstColumn = columns.findIndex((_, column) => rows[firstRow] && hasLink(rows[firstRow], column));
  const changeOf = (row: number, column: number) => {
    const [one, other] = [rows[row]?.entry, columns[column]];
    return by !== undefined && one && other
      ? drillInto(question, [
          [question.rows, one.value],
          [by, other.value],
        ])
      : {};
  };
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const place = placeOf(event.target);
    // Another tab is the browser's.
    if (!place || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    setSearch(changeOf(place.row, place.column));
  };
  const head = (key: string, label: string, isNumber: boolean) => {
    const isSorted = search.sort === key;
    const isUp = isSorted && search.order === 'asc';
    const Arrow = isUp ? IconArrowUp : IconArrowDown;
    const first = isNumber ? 'desc' : 'asc';
    const next = isSorted ? (isUp ? 'desc' : 'asc') : first;
    return (
      <th
        key={key}
        scope="col"
        data-align={isNumber ? 'right' : undefined}
        aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
      >
        <button
          type="button"
          className={classes.sort}
          data-sorted={isSorted || undefined}
          title={t.sort(label)}
          onClick={() => setSearch({ sort: key, order: next })}
        >
          <span>{label}</span>
          <Arrow size={13} stroke={2} aria-hidden />
        </button>
      </th>
    );
  };
  return (
    <PlainTable name={name} isBoxed maxHeight={640} className={classes.table}>
      <thead>
        <tr>
          {head(byName, t.one[question.rows], false)}
          {columns.map((column, at) => head(columnKey(column), columnNames[at] ?? '', true))}
          {head(byTotal, t.total, true)}
        </tr>
      </thead>
      <tbody onClick={onClick} onKeyDown={moveFocus}>
        {rows.map((one, row) => {
          const { entry, cells, total } = one;
          const rowName = entryName(question.rows, entry);
          return (
            <tr key={columnKey(entry)}>
              <th scope="row" title={rowName}>
                {entry.others === null ? (
                  <Link
                    className={classes.name}
                    to={paths.pivot}
                    search={{ ...search, ...drillInto(question, [[question.rows, entry.value]]) }}
                  >
                    {rowName}
                  </Link>
                ) : (
                  rowName
                )}
                {entry.artists && <span className={classes.under}>{entry.artists}</span>}
              </th>
              {cells.map((cell, column) => {
                const key = columns[column] ? columnKey(columns[column]) : column;
                if (cell === null) return <td key={key} data-align="right" />;
                const value = <Value value={cell} currency={currency} />;
                return (
                  <td
                    key={key}
                    data-align="right"
                    className={classes.cell}
                    style={{ '--heat': largest === 0 ? 0 : Math.abs(cell) / largest } as React.CSSProperties}
                  >
                    {hasLink(one, column) ? (
                      <a
                        href={`${paths.pivot}${stringifySearch({ ...search, ...changeOf(row, column) })}`}
                        data-row={row}
                        data-column={column}
                        // The arrow keys move between cells: one stop for all.
                        tabIndex={row === firstRow && column === firstColumn ? 0 : -1}
                        aria-label={t.detail(`${rowName}, ${columnNames[column]}`, formatValue(cell, currency))}
                      >
                        {value}
                      </a>
                    ) : (
                      value
                    )}
                  </td>
                );
              })}
              <td data-align="right" className={classes.total}>
                <Value value={total} currency={currency} />
              </td>
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t.total}</th>
          {data.columnTotals.map((total, at) => (
            <td key={columns[at] ? columnKey(columns[at]) : at} data-align="right">
              <Value value={total} currency={currency} />
            </td>
          ))}
          <td data-align="right">
            <Value value={data.total} currency={currency} />
          </td>
        </tr>
      </tfoot>
    </PlainTable>
  );
}

function placeOf(target: EventTarget): { row: number; column: number } | undefined {
  const link = target instanceof Element ? target.closest<HTMLElement>('a[data-row]') : null;
  return link ? { row: Number(link.dataset.row), column: Number(link.dataset.column) } : undefined;
}

const steps: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** To the next cell with a link in the direction of the arrow. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const [place, step] = [placeOf(event.target), steps[event.key]];
  if (!place || !step) return;
  event.preventDefault();
  const [down, across] = step;
  let { row, column } = place;
  const body = event.currentTarget;
  const limit = Math.max(body.children.length, body.firstElementChild?.children.length ?? 0);
  for (let at = 0; at < limit; at += 1) {
    row += down;
    column += across;
    const next = body.querySelector<HTMLElement>(`a[data-row="${row}"][data-column="${column}"]`);
    if (!next) continue;
    next.focus();
    return;
  }
}
