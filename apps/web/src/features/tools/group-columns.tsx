import { frTools } from '#src/fr-tools.ts';
import { formatInteger } from '#src/lib/formats.ts';
import type { ListColumn } from '#src/ui/list-page.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';

/** How many records share what the row has. */
export const sizeColumn = <Row extends { size: number }>(records: string): ListColumn<Row> => ({
  key: 'size',
  header: frTools.column.size,
  sort: 'size',
  cell: (row) => <StatusBadge tone="warning">{`${formatInteger(row.size)}\u00a0${records}`}</StatusBadge>,
  csv: (row) => row.size,
});

/** Whether the titles are the same, or alike. */
export const matchColumn = <Row extends { match: 'same' | 'similar' }>(): ListColumn<Row> => ({
  key: 'match',
  header: frTools.column.match,
  cell: (row) => (
    <StatusBadge tone={row.match === 'same' ? 'neutral' : 'info'}>{frTools.titleDoubles.match[row.match]}</StatusBadge>
  ),
  csv: (row) => frTools.titleDoubles.match[row.match],
});
