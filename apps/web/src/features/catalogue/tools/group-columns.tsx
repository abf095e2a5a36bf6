import { formatInteger } from '#src/lib/formats.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frTools } from './tools.fr.ts';

/** The number of records with the row's value. */
export const sizeColumn = <Row extends { size: number }>(records: string): ListColumn<Row> => ({
  key: 'size',
  header: frTools.column.size,
  sort: 'size',
  cell: (row) => <StatusBadge tone="warning">{`${formatInteger(row.size)}\u00a0${records}`}</StatusBadge>,
  csv: (row) => row.size,
});
