import { Skeleton } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { RowCards } from './list-cards.tsx';
import type { ListRows } from './list-rows.tsx';
import { RowTable } from './list-table.tsx';

const noRows = new Map<string | number, never>();

interface RelatedRowsProps<Row> extends ListRows<Row> {
  rows: readonly Row[];
}

export function RelatedRows<Row>({ rows, ...list }: RelatedRowsProps<Row>) {
  const Rows = useIsPhone() ? RowCards : RowTable;
  return (
    <Rows {...list} data={rows} density="comfortable" selected={noRows} onToggle={undefined} onToggleAll={() => {}} />
  );
}

interface LoadedRowsProps<Row> extends Omit<ListRows<Row>, 'rowKey'>, Pick<ComponentProps<typeof Loading>, 'query'> {
  rows: readonly Row[] | undefined;
  none: ReactNode;
}

export function LoadedRows<Row extends { id: number }>({ query, rows, none, ...list }: LoadedRowsProps<Row>) {
  if (!rows) return <Loading query={query} placeholder={<Skeleton h={80} />} />;
  return rows.length === 0 ? none : <RelatedRows {...list} rows={rows} rowKey={({ id }) => id} />;
}
