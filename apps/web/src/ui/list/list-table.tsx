import { Checkbox, Skeleton } from '@mantine/core';
import { Fragment } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './list-page.module.css';
import { RowOpener, type RowsProps, startsGroup, Total } from './list-rows.tsx';
import { SortHeader } from './sort-header.tsx';

const skeletonRows = 10;

export function RowTable<Row>(props: RowsProps<Row>) {
  const { columns, data, state, selected, onToggle, rowActions } = props;
  const sorted = state?.search.sort ?? props.defaultSort?.key;
  const wanted = state?.search.order;
  const order = wanted === 'asc' || wanted === 'desc' ? wanted : props.defaultSort?.order;
  const [first, ...others] = columns;
  const selectedHere = data?.filter((row) => selected.has(props.rowKey(row))).length ?? 0;
  return (
    <table className={classes.table} data-density={props.density}>
      <caption className="visually-hidden">{props.title}</caption>
      <thead data-without-rows={data === undefined || undefined}>
        <tr>
          {onToggle && (
            <th scope="col" className={classes.checkCell}>
              <Checkbox
                className={classes.check}
                size="xs"
                aria-label={fr.list.selectAll}
                disabled={!data?.length}
                checked={selectedHere > 0 && selectedHere === data?.length}
                indeterminate={selectedHere > 0 && selectedHere !== data?.length}
                onChange={(event) => props.onToggleAll(event.currentTarget.checked)}
              />
            </th>
          )}
          {columns.map((column) => {
            const cell = { 'data-secondary': column.isSecondary || undefined, style: { width: column.width } };
            return column.sort && state ? (
              <SortHeader
                key={column.key}
                {...cell}
                label={column.header}
                align={column.align}
                isSorted={column.sort === sorted}
                order={order}
                onSort={(next) => state.setSearch({ sort: column.sort, order: next })}
              />
            ) : (
              <th key={column.key} {...cell} scope="col" data-align={column.align}>
                <span className={column.isHeaderHidden ? 'visually-hidden' : undefined}>{column.header}</span>
              </th>
            );
          })}
          {rowActions && (
            <th scope="col">
              <span className="visually-hidden">{fr.list.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data === undefined
          ? Array.from({ length: skeletonRows }, (_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
              <tr key={i}>
                {onToggle && <td className={classes.checkCell} />}
                {columns.map((column, j) => (
                  <td key={column.key} data-align={column.align} data-secondary={column.isSecondary || undefined}>
                    <Skeleton
                      h={12}
                      w={j === 0 ? `${45 + ((i * 17) % 35)}%` : '60%'}
                      ml={column.align ? 'auto' : undefined}
                    />
                  </td>
                ))}
                {rowActions && <td />}
              </tr>
            ))
          : data.map((row, index) => {
              const key = props.rowKey(row);
              return (
                <Fragment key={key}>
                  {startsGroup(props.group, data, index) && (
                    <tr className={classes.group}>
                      <th scope="colgroup" colSpan={columns.length + (onToggle ? 1 : 0) + (rowActions ? 1 : 0)}>
                        {props.group?.header(row)}
                      </th>
                    </tr>
                  )}
                  <tr
                    data-row
                    data-selected={selected.has(key) || undefined}
                    data-tone={props.rowTone?.(row)}
                    data-opens={Boolean(props.rowLink ?? props.onRowOpen) || undefined}
                  >
                    {onToggle && (
                      <td className={classes.checkCell}>
                        <Checkbox
                          className={classes.check}
                          size="xs"
                          aria-label={fr.list.selectRow(props.rowName(row))}
                          checked={selected.has(key)}
                          onChange={() => onToggle(row)}
                        />
                      </td>
                    )}
                    {first && (
                      <td
                        className={columns.some(({ isIdentity }) => isIdentity) ? undefined : classes.identity}
                        data-align={first.align}
                      >
                        <RowOpener {...props} row={row}>
                          {first.cell?.(row)}
                        </RowOpener>
                      </td>
                    )}
                    {others.map((column) => (
                      <td key={column.key} data-align={column.align} data-secondary={column.isSecondary || undefined}>
                        {column.cell?.(row)}
                      </td>
                    ))}
                    {rowActions && <td className={classes.actionsCell}>{rowActions(row)}</td>}
                  </tr>
                </Fragment>
              );
            })}
      </tbody>
      <TotalRow {...props} />
    </table>
  );
}

function TotalRow<Row>({ columns, sums, onToggle, rowActions, data }: RowsProps<Row>) {
  const at = columns.findIndex(({ total }) => total);
  if (at < 1 || sums === undefined || !data?.length) return null;
  const label = sums === null ? fr.list.noTotal : columns[at]?.total;
  const rest = columns.length - at - (sums === null ? 0 : 1) + (rowActions ? 1 : 0);
  return (
    <tfoot>
      <tr className={classes.total}>
        <th scope="row" colSpan={at + (onToggle ? 1 : 0)}>
          {label}
        </th>
        {sums && (
          <td data-align="right">
            <Total sums={sums} isBalance={columns[at]?.isBalanceTotal} />
          </td>
        )}
        {rest > 0 && <td colSpan={rest} />}
      </tr>
    </tfoot>
  );
}
