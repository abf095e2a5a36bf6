import { Box } from '@mantine/core';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import type { ReactNode } from 'react';
import { fr } from '#src/lib/fr.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import type { ListColumn } from './list-columns.tsx';

/** A column that shows what it exports; its own properties take precedence over those of its kind. */
type ValueColumn<Row, Value> = Omit<ListColumn<Row>, 'csv'> & { csv: (row: Row) => Value | null | undefined };

function cellOf<Row, Value>({ csv }: ValueColumn<Row, Value>, show: (value: Value) => ReactNode) {
  return (row: Row) => {
    const value = csv(row);
    return value === null || value === undefined ? fr.common.none : show(value);
  };
}

/** A text of up to two lines, and not so wide that it takes the place of other columns. */
export const CellText = ({ children }: { children: ReactNode }) => (
  <Box component="span" miw={84} maw={320} className={shared.twoLines}>
    {children}
  </Box>
);

export function longTextColumn<Row>(column: ValueColumn<Row, string>): ListColumn<Row> {
  return { cell: cellOf(column, (text) => (text ? <CellText>{text}</CellText> : fr.common.none)), ...column };
}

export function textColumn<Row>(column: ValueColumn<Row, string>): ListColumn<Row> {
  return { cell: cellOf(column, (text) => text), ...column };
}

export function monthColumn<Row>(column: ValueColumn<Row, number>): ListColumn<Row> {
  return { type: 'month', cell: cellOf(column, formatMonth), ...column };
}

export function dayColumn<Row>(column: ValueColumn<Row, number>): ListColumn<Row> {
  return { type: 'day', cell: cellOf(column, (ms) => <DateText ms={ms} />), ...column };
}

export function momentColumn<Row>(column: ValueColumn<Row, number>): ListColumn<Row> {
  return { type: 'moment', cell: cellOf(column, (ms) => <DateText ms={ms} hasTime />), ...column };
}

export function integerColumn<Row>(column: ValueColumn<Row, number>): ListColumn<Row> {
  return { align: 'right', cell: cellOf(column, formatInteger), ...column };
}

/** Euros, unless `unit` is another currency. */
export function moneyColumn<Row>(column: ValueColumn<Row, number>): ListColumn<Row> {
  const unit = column.unit ?? 'EUR';
  const cell = cellOf(column, (amount) => <Money amount={amount} currency={unit} />);
  return { align: 'right', type: 'money', unit, cell, ...column };
}

export function codeColumn<Row>(column: ValueColumn<Row, string>): ListColumn<Row> {
  return {
    isCode: true,
    cell: cellOf(column, (code) => (code ? <Identifier value={code} name={column.header} /> : fr.common.none)),
    ...column,
  };
}
