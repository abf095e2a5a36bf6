import { useMediaQuery } from '@mantine/hooks';
import { RowCards } from './list-cards.tsx';
import type { ListRows } from './list-rows.tsx';
import { RowTable } from './list-table.tsx';

const none = new Map<string | number, never>();

/** Whether rows are shown in two lines instead of a table. */
export const useIsNarrow = () => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

/** The few rows of a list on a record's page, shown as those of a list page. */
export function RelatedRows<Row>({ rows, ...list }: ListRows<Row> & { rows: readonly Row[] }) {
  const Rows = useIsNarrow() ? RowCards : RowTable;
  return (
    <Rows {...list} data={rows} density="comfortable" selected={none} onToggle={undefined} onToggleAll={() => {}} />
  );
}
