import { Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { PlainTable } from './plain-table.tsx';
import shared from './shared.module.css';
import { StatusBadge, type StatusTone } from './status-badge.tsx';
import classes from './validated-rows.module.css';

const t = fr.tables.validated;

interface ValidatedRow {
  row: number;
  message: string | null;
}

interface ValidatedColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  isCode?: boolean;
}

interface ValidatedRowsProps<Row> {
  rows: readonly Row[];
  verdictOf: (row: Row) => { tone: StatusTone; words: string };
  isRefused: (row: Row) => boolean;
  onlyRefusedLabel: string;
  columns: readonly ValidatedColumn<Row>[];
  limit?: { rows: number; note: string };
}

export function ValidatedRows<Row extends ValidatedRow>({
  rows,
  verdictOf,
  isRefused,
  onlyRefusedLabel,
  columns,
  limit,
}: ValidatedRowsProps<Row>) {
  const [isFiltered, setIsFiltered] = useState(false);
  const refused = rows.filter(isRefused);
  const listed = isFiltered && refused.length > 0 ? refused : rows;
  const shown = limit ? listed.slice(0, limit.rows) : listed;
  return (
    <>
      {refused.length > 0 && (
        <Checkbox
          label={onlyRefusedLabel}
          checked={isFiltered}
          onChange={(event) => setIsFiltered(event.currentTarget.checked)}
        />
      )}
      <PlainTable
        name={t.label}
        head={[t.row, t.verdict, ...columns.map(({ header }) => header)]}
        isBoxed
        maxHeight={480}
        className={classes.rows}
      >
        <tbody>
          {shown.map((row) => {
            const { tone, words } = verdictOf(row);
            return (
              <tr key={row.row} data-refused={isRefused(row) || undefined}>
                <td data-align="right" className={shared.muted}>
                  {row.row}
                </td>
                <td>
                  <StatusBadge tone={tone}>{words}</StatusBadge>
                  {row.message && <span className={`${shared.under} ${classes.message}`}>{row.message}</span>}
                </td>
                {columns.map(({ header, cell, isCode }) => (
                  <td key={header} data-short={isCode || undefined} className={isCode ? shared.mono : undefined}>
                    {cell(row) || fr.common.none}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
      {limit && listed.length > limit.rows && <p className={shared.note}>{limit.note}</p>}
    </>
  );
}
