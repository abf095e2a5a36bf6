import type { ListMeta } from '@regie/contract/envelope.ts';
import { type HistoryState, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SearchParams } from '#src/lib/search-params.ts';
import { Balance, ExactMoney } from '#src/ui/exact.tsx';
import type { ListColumn, ListSort } from './list-columns.tsx';
import classes from './list-page.module.css';
import type { ListState } from './list-state.ts';

export interface ListRows<Row> {
  title: string;
  columns: readonly ListColumn<Row>[];
  rowKey: (row: Row) => string | number;
  rowName: (row: Row) => string;
  /** `mask`: the address of a dialog that opens over the list, which keeps its place. */
  rowLink?: (row: Row) => { to: string; search?: SearchParams; state?: HistoryState; mask?: { to: string } };
  onRowOpen?: (row: Row) => void;
  group?: { key: (row: Row) => string; header: (row: Row) => ReactNode };
  /** The row's colour; a cell says the same in words. */
  rowTone?: (row: Row) => 'success' | 'danger' | 'neutral' | undefined;
  /** In narrow windows texts wrap, where half of a name would hide what is compared. */
  hasWholeCards?: true;
  rowActions?: (row: Row) => ReactNode;
  defaultSort?: ListSort;
}

export interface RowsProps<Row> extends ListRows<Row> {
  /** The total of the filter, by currency; null when there are too many rows for one. */
  sums?: ListMeta['sums'];
  data: readonly Row[] | undefined;
  density: 'comfortable' | 'compact';
  state?: ListState;
  selected: ReadonlyMap<string | number, Row>;
  onToggle: ((row: Row) => void) | undefined;
  onToggleAll: (all: boolean) => void;
}

/** The identity cell as the link or button that opens the row; it covers the whole row. */
export function RowOpener<Row>({
  row,
  rowLink,
  onRowOpen,
  rowName,
  children,
}: Pick<RowsProps<Row>, 'rowLink' | 'onRowOpen' | 'rowName'> & {
  row: Row;
  children: ReactNode;
}) {
  if (rowLink) {
    const { to, search = {}, state = {}, mask } = rowLink(row);
    return (
      <Link
        {...{ to, search, state, mask }}
        resetScroll={mask === undefined}
        className={classes.opener}
        data-row-open
        aria-label={rowName(row)}
        preload="intent"
      >
        {children}
      </Link>
    );
  }
  if (onRowOpen) {
    return (
      <button
        type="button"
        className={classes.opener}
        data-row-open
        aria-label={rowName(row)}
        onClick={() => onRowOpen(row)}
      >
        {children}
      </button>
    );
  }
  return (
    <span data-row-open tabIndex={-1}>
      {children}
    </span>
  );
}

export function Total({ sums, isBalance }: { sums: NonNullable<ListMeta['sums']>; isBalance: true | undefined }) {
  return sums.map(({ currency, amount }) => (
    <div key={currency}>
      {isBalance ? <Balance amount={amount} /> : <ExactMoney amount={amount} currency={currency} decimals={6} />}
    </div>
  ));
}

export const startsGroup = <Row,>(group: ListRows<Row>['group'], data: readonly Row[], index: number) => {
  const [row, former] = [data[index], data[index - 1]];
  return group && row !== undefined && (former === undefined || group.key(former) !== group.key(row));
};
