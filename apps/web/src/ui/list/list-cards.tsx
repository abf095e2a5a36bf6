import { Checkbox, Skeleton } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import shared from '#src/ui/shared.module.css';
import classes from './list-page.module.css';
import { RowOpener, type RowsProps, startsGroup, Total } from './list-rows.tsx';

interface GalleryProps<Row> {
  title: string;
  data: readonly Row[] | undefined;
  rowKey: (row: Row) => string | number;
  card: (row: Row) => ReactNode;
}

/** Cards in columns, three in medium-width windows (product §12.5). */
export function Gallery<Row>({ title, data, rowKey, card }: GalleryProps<Row>) {
  if (data === undefined) {
    return (
      <div className={classes.gallery}>
        {Array.from({ length: 6 }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
          <Skeleton key={i} h={360} radius="md" />
        ))}
      </div>
    );
  }
  return (
    <ul className={classes.gallery} aria-label={title}>
      {data.map((row) => (
        <li key={rowKey(row)} className={classes.tile} data-row>
          {card(row)}
        </li>
      ))}
    </ul>
  );
}

/** The same rows in narrow windows: each is a card with labels. */
export function RowCards<Row>(props: RowsProps<Row>) {
  const { columns, data, selected, onToggle, rowActions } = props;
  const [first, ...others] = columns;
  if (data === undefined) {
    return (
      <div className={classes.cards}>
        {Array.from({ length: 5 }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders have no identity
          <Skeleton key={i} h={104} radius="md" />
        ))}
      </div>
    );
  }
  return (
    <ul className={classes.cards} aria-label={props.title}>
      {data.map((row, index) => {
        const key = props.rowKey(row);
        return (
          <Fragment key={key}>
            {startsGroup(props.group, data, index) && <li className={classes.group}>{props.group?.header(row)}</li>}
            <li
              className={classes.card}
              data-row
              data-selected={selected.has(key) || undefined}
              data-tone={props.rowTone?.(row)}
              data-opens={Boolean(props.rowHref ?? props.onRowOpen) || undefined}
            >
              <div className={classes.cardHead}>
                {onToggle && (
                  <Checkbox
                    aria-label={fr.list.selectRow(props.rowName(row))}
                    checked={selected.has(key)}
                    onChange={() => onToggle(row)}
                    className={classes.above}
                  />
                )}
                <div className={classes.identity}>
                  <RowOpener {...props} row={row}>
                    {first?.cell?.(row)}
                  </RowOpener>
                </div>
                {rowActions && <div className={classes.above}>{rowActions(row)}</div>}
              </div>
              <dl className={`${shared.facts} ${classes.facts}`}>
                {others.map((column) => (
                  <div key={column.key}>
                    <dt>{column.header}</dt>
                    <dd>{column.cell?.(row)}</dd>
                  </div>
                ))}
              </dl>
            </li>
          </Fragment>
        );
      })}
      {props.sums && columns.some(({ isTotalled }) => isTotalled) && (
        <li className={classes.cardTotal}>
          <span>{fr.list.total}</span>
          <span>
            <Total sums={props.sums} />
          </span>
        </li>
      )}
    </ul>
  );
}
