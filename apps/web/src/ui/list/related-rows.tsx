import { useIsPhone } from '#src/lib/is-phone.ts';
import { RowCards } from './list-cards.tsx';
import type { ListRows } from './list-rows.tsx';
import { RowTable } from './list-table.tsx';

const none = new Map<string | number, never>();

/** The few rows of a list on a record's page, shown as those of a list page. */
export function RelatedRows<Row>({ rows, ...list }: ListRows<Row> & { rows: readonly Row[] }) {
  const Rows = useIsPhone() ? RowCards : RowTable;
  return (
    <Rows {...list} data={rows} density="comfortable" selected={none} onToggle={undefined} onToggleAll={() => {}} />
  );
}
