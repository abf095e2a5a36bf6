import { type PivotDimension, writeValues } from '@regie/contract/analytics.ts';
import type { Pivot, PivotEntry } from '@regie/contract/routes/analytics.ts';
import { formatValue } from '@regie/values/formats.ts';
import { type KeyboardEvent, type MouseEvent, memo, useMemo } from 'react';
import { paths } from '#src/app/paths.ts';
import { InexactMark } from '#src/domain/inexact-sums.tsx';
import { parseSearch, type SearchParams, stringifySearch } from '#src/lib/search-params.ts';
import { SortHeader } from '#src/ui/list/sort-header.tsx';
import { Value } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
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

export function PivotTable({ data, name, rows, search, setSearch }: PivotTableProps) {
  const { question, columns } = data;
  const currency = currencyOf(question);
  const axes = useMemo(() => toAxes(data), [data]);
  const address = addressOf(question, search);
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    // Another tab is the browser's.
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setSearch({ ...parseSearch(link.search), sort: undefined, order: undefined });
  };
  const head = (key: string, label: string, align: 'right' | undefined) => (
    <SortHeader
      key={key}
      label={label}
      align={align}
      isSorted={search.sort === key}
      order={search.order}
      onSort={(order) => setSearch({ sort: key, order })}
    />
  );
  return (
    <PlainTable name={name} isBoxed maxHeight={640} className={classes.table}>
      <thead>
        <tr>
          {head(byName, t.one[question.rows], undefined)}
          {columns.map((column, at) => head(columnKey(column), axes.columns[at]?.name ?? '', 'right'))}
          {head(byTotal, t.total, 'right')}
        </tr>
      </thead>
      <tbody onClick={onClick} onKeyDown={moveFocus}>
        {rows.map((row, at) => (
          <Line
            key={columnKey(row.entry)}
            {...row}
            question={question}
            axes={axes}
            address={address}
            isFirst={at === 0}
          />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t.total}</th>
          {data.columnTotals.map((total, at) => (
            <td key={axes.columns[at]?.key} data-align="right">
              <Value value={total} currency={currency} />
            </td>
          ))}
          <td data-align="right">
            <InexactMark of={[{ missingRates: data.missingRates, doubledEur: 0 }]} />
            <Value value={data.total} currency={currency} />
          </td>
        </tr>
      </tfoot>
    </PlainTable>
  );
}

interface Axes {
  columns: readonly { key: string; name: string; param: string; hasDetail: boolean }[];
  largest: number;
}

const toAxes = ({ question: { columns: by }, columns, cells }: PivotTableProps['data']): Axes => ({
  columns: columns.map((column) => ({
    key: columnKey(column),
    name: by === undefined ? '' : entryName(by, column),
    param: paramOf(by, column),
    hasDetail: column.others === null,
  })),
  largest: Math.max(...cells.flat().map((cell) => Math.abs(cell ?? 0)), 0),
});

const paramOf = (by: PivotDimension | undefined, { value }: PivotEntry) =>
  by === undefined ? '' : `&${stringifySearch({ [by]: writeValues([value]) }).slice(1)}`;

/** The addresses of a row's and a cell's detail, which its values complete: made once for thousands of cells. */
function addressOf(question: PivotQuestion, search: SearchParams): { row: string; cell: string } {
  const { rows, columns } = question;
  const without = (...into: readonly PivotDimension[]) => {
    const values = into.map((by) => [by, ''] as const);
    const cut = Object.fromEntries(into.map((by) => [by, undefined]));
    return `${paths.pivot}${stringifySearch({ ...search, ...drillInto(question, values), ...cut })}`;
  };
  return { row: without(rows), cell: columns === undefined ? '' : without(rows, columns) };
}

interface LineProps extends PivotRow {
  question: PivotQuestion;
  axes: Axes;
  address: ReturnType<typeof addressOf>;
  isFirst: boolean;
}

const isSame = ({ address, ...one }: LineProps, { address: other, ...next }: LineProps) =>
  address.row === other.row &&
  address.cell === other.cell &&
  (Object.keys(one) as (keyof typeof one)[]).every((key) => one[key] === next[key]);

const Line = memo(function Line({ entry, cells, total, question, axes, address, isFirst }: LineProps) {
  const currency = currencyOf(question);
  const name = entryName(question.rows, entry);
  const param = paramOf(question.rows, entry);
  return (
    <tr>
      <th scope="row" title={name}>
        {entry.others === null ? (
          // The arrow keys move between links: one stop for all.
          <a className={classes.name} href={address.row + param} tabIndex={isFirst ? 0 : -1}>
            {name}
          </a>
        ) : (
          name
        )}
        {entry.artists && <span className={`${shared.under} ${shared.cut}`}>{entry.artists}</span>}
      </th>
      {axes.columns.map((column, at) => {
        const cell = cells[at] ?? null;
        if (cell === null) return <td key={column.key} data-align="right" />;
        // The root, so that a few large cells leave the others a shade.
        const heat = axes.largest === 0 ? 0 : Math.sqrt(Math.abs(cell) / axes.largest);
        const value = <Value value={cell} currency={currency} />;
        return (
          <td
            key={column.key}
            data-align="right"
            className={classes.cell}
            style={{ '--heat': heat } as React.CSSProperties}
          >
            {entry.others === null && column.hasDetail ? (
              <a
                href={address.cell + param + column.param}
                tabIndex={-1}
                aria-label={t.detail(`${name}, ${column.name}`, formatValue(cell, currency))}
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
}, isSame);

const steps: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const cell = event.target instanceof Element ? event.target.closest<HTMLTableCellElement>('td, th') : null;
  const step = steps[event.key];
  if (!cell || !step) return;
  event.preventDefault();
  const { rows } = event.currentTarget;
  const [down, across] = step;
  let [row, column] = [(cell.parentElement as HTMLTableRowElement).sectionRowIndex, cell.cellIndex];
  for (;;) {
    row += down;
    column += across;
    const next = rows[row]?.cells[column];
    if (!next) return;
    const link = next.querySelector('a');
    if (!link) continue;
    link.focus();
    return;
  }
}
