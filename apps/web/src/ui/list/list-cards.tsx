import { Checkbox, Group, Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import { Skeletons } from '#src/ui/skeletons.tsx';
import type { ListColumn } from './list-columns.tsx';
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
        <Skeletons count={6} h={360} radius="md" />
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

/** Two lines in narrow windows: identity and figure, context and badge; a row that does not open shows all. */
export function RowCards<Row>(props: RowsProps<Row>) {
  const { columns, data } = props;
  if (data === undefined) {
    return (
      <Stack gap={10}>
        <Skeletons count={8} h={74} radius="md" />
      </Stack>
    );
  }
  const totalled = columns.find(({ total }) => total);
  return (
    <Stack component="ul" gap={10} aria-label={props.title}>
      {data.map((row, index) => (
        <Fragment key={props.rowKey(row)}>
          {startsGroup(props.group, data, index) && <li className={classes.group}>{props.group?.header(row)}</li>}
          <RowCard {...props} row={row} />
        </Fragment>
      ))}
      {props.sums && totalled && (
        <Group
          component="li"
          align="stretch"
          justify="space-between"
          gap={16}
          px={4}
          py={12}
          fw={620}
          ta="right"
          wrap="nowrap"
        >
          <span>{totalled.total}</span>
          <span>
            <Total sums={props.sums} isBalance={totalled.isBalanceTotal} />
          </span>
        </Group>
      )}
    </Stack>
  );
}

function RowCard<Row>(props: RowsProps<Row> & { row: Row }) {
  const { row, columns, selected, onToggle, rowActions } = props;
  const identity = Math.max(
    0,
    columns.findIndex(({ isIdentity }) => isIdentity),
  );
  const first = columns[identity];
  const others = columns.filter((column) => column !== first && !column.isTableOnly && !isEmpty(column.cell?.(row)));
  const opens = Boolean(props.rowLink ?? props.onRowOpen);
  const { figure, badge, context, more } = rolesOf(others, opens);
  const texts = context.filter((column) => !isNeverCut(column));
  const key = props.rowKey(row);
  return (
    <li
      className={classes.card}
      data-row
      data-selected={selected.has(key) || undefined}
      data-tone={props.rowTone?.(row)}
      data-opens={opens || undefined}
      data-whole={props.hasWholeCards}
      data-card
    >
      <div className={classes.cardHead}>
        {onToggle && (
          <Checkbox
            aria-label={fr.list.selectRow(props.rowName(row))}
            checked={selected.has(key)}
            onChange={() => onToggle(row)}
            className={`${classes.above} ${classes.check}`}
          />
        )}
        <div className={classes.identity}>
          <RowOpener {...props} row={row}>
            {first?.cell?.(row)}
          </RowOpener>
        </div>
        {figure && <Value column={figure} row={row} className={classes.cardFigure} />}
      </div>
      {(context.length > 0 || more.length > 0 || badge || rowActions) && (
        <div className={classes.cardContext}>
          <div className={classes.cardValues} data-whole={!opens || undefined}>
            {context.filter(isNeverCut).map((column) => (
              <Value key={column.key} column={column} row={row} className={classes.cardValue} />
            ))}
            {(texts.length > 0 || more.length > 0) && (
              <div className={classes.cardTexts}>
                {texts.map((column) => (
                  <Value key={column.key} column={column} row={row} className={classes.cardValue} />
                ))}
                {more.map((column) => (
                  <Value key={column.key} column={column} row={row} className={classes.cardValue} isNamed />
                ))}
              </div>
            )}
          </div>
          {badge && <Value column={badge} row={row} className={classes.cardBadge} />}
          {rowActions && <div className={classes.above}>{rowActions(row)}</div>}
        </div>
      )}
    </li>
  );
}

interface ValueProps<Row> {
  column: ListColumn<Row>;
  row: Row;
  className?: string;
  isNamed?: boolean;
}

function Value<Row>({ column, row, className, isNamed }: ValueProps<Row>) {
  return (
    <span className={className} data-never-cut={isNeverCut(column) || undefined}>
      {column.header && (
        <span className={isNamed ? undefined : 'visually-hidden'}>
          {column.header}
          {fr.common.colon}
        </span>
      )}
      {column.cell?.(row)}
    </span>
  );
}

const isEmpty = (value: ReactNode) => value === null || value === undefined || value === '' || value === fr.common.none;

/** Half a date or code says nothing: it comes first, and the text after it is cut. */
const isNeverCut = <Row,>({ type, isCode }: ListColumn<Row>) =>
  isCode || type === 'day' || type === 'moment' || type === 'month';

const badgeKeys = ['status', 'state', 'alerts', 'quality'];
const contextValues = 2;

function rolesOf<Row>(columns: readonly ListColumn<Row>[], opens: boolean) {
  const figure =
    columns.find(({ total }) => total) ??
    columns.find(({ align, type, isSecondary }) => align === 'right' && type === 'money' && !isSecondary) ??
    columns.find(({ align, type }) => align === 'right' && type === 'money') ??
    columns.find(({ align }) => align === 'right');
  const badge = columns.find(({ key }) => badgeKeys.includes(key));
  const others = columns.filter((column) => column !== badge && column !== figure && !column.isSecondary);
  const words = others.filter(({ align }) => align !== 'right');
  const uncut = words.filter(isNeverCut);
  const cut = words.filter((column) => !isNeverCut(column));
  const texts = [...uncut, ...cut.slice(0, opens ? Math.max(1, contextValues - uncut.length) : undefined)];
  const figures = others.filter(({ align }) => align === 'right');
  if (!opens) return { figure, badge, context: texts, more: figures };
  return { figure, badge, context: texts, more: texts.length === 0 ? figures.slice(0, contextValues) : [] };
}
