import { Button } from '@mantine/core';
import type { Import } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { fr } from '#src/fr.ts';
import { formatInteger, formatMonth } from '#src/lib/formats.ts';
import { useCan } from '#src/lib/session.ts';
import { paths } from '#src/paths.ts';
import { DateText } from '#src/ui/dates.tsx';
import type { ListFilter } from '#src/ui/list-filters.tsx';
import { type ListColumn, ListPage } from '#src/ui/list-page.tsx';
import { Money } from '#src/ui/money.tsx';
import { ImportState, importName, importStateText } from './import-state.tsx';
import classes from './record.module.css';

const t = fr.reports.imports;

const columns: ListColumn<Import>[] = [
  {
    key: 'file',
    header: t.column.file,
    width: '18%',
    cell: (item) => (
      <>
        <span className={classes.name}>{importName(item)}</span>
        <span className={classes.hint}>
          {fr.reports.type[item.type]}
          {item.kind === 'automatic' && ` · ${t.kind.automatic}`}
        </span>
      </>
    ),
    csv: importName,
  },
  { key: 'kind', header: t.kindFilter, csv: (item) => t.kind[item.kind] },
  { key: 'type', header: fr.reports.column.type, csv: (item) => fr.reports.type[item.type] },
  {
    key: 'month',
    header: t.column.month,
    cell: (item) => formatMonth(item.month),
    type: 'month',
    csv: (item) => item.month,
  },
  {
    key: 'rows',
    header: t.column.rows,
    csv: (item) => item.rows,
  },
  {
    key: 'saved',
    header: t.column.saved,
    align: 'right',
    cell: (item) => (
      <>
        {formatInteger(item.saved)}
        <span className={classes.hint}>{t.ofRows(formatInteger(item.rows))}</span>
      </>
    ),
    csv: (item) => item.saved,
  },
  {
    key: 'unsaved',
    header: t.column.unsaved,
    align: 'right',
    cell: (item) => formatInteger(item.unsaved),
    csv: (item) => item.unsaved,
  },
  {
    key: 'grossUsd',
    header: t.column.grossUsd,
    align: 'right',
    cell: (item) => <Money amount={item.grossUsd} currency="USD" />,
    type: 'money',
    unit: 'USD',
    csv: (item) => item.grossUsd,
  },
  {
    key: 'accountsEur',
    header: t.column.accountsEur,
    align: 'right',
    cell: (item) => <Money amount={item.accountsEur} currency="EUR" />,
    type: 'money',
    unit: 'EUR',
    csv: (item) => item.accountsEur,
  },
  {
    key: 'referralsEur',
    header: t.column.referralsEur,
    align: 'right',
    isSecondary: true,
    cell: (item) => <Money amount={item.referralsEur} currency="EUR" />,
    type: 'money',
    unit: 'EUR',
    csv: (item) => item.referralsEur,
  },
  {
    key: 'platformEur',
    header: t.column.platformEur,
    align: 'right',
    isSecondary: true,
    cell: (item) => <Money amount={item.platformEur} currency="EUR" />,
    type: 'money',
    unit: 'EUR',
    csv: (item) => item.platformEur,
  },
  {
    key: 'createdAt',
    header: t.column.createdAt,
    sort: 'createdAt',
    cell: (item) => (
      <>
        <DateText ms={item.createdAt} />
        <span className={`${classes.hint} ${classes.person}`}>{item.createdBy ?? fr.common.system}</span>
      </>
    ),
    type: 'moment',
    csv: (item) => item.createdAt,
  },
  { key: 'createdBy', header: t.column.createdBy, csv: (item) => item.createdBy },
  { key: 'state', header: t.column.state, cell: (item) => <ImportState item={item} />, csv: importStateText },
];

const filters: ListFilter[] = [
  { kind: 'month', label: t.column.month, param: 'month' },
  {
    kind: 'select',
    label: t.kindFilter,
    param: 'kind',
    options: (['csv', 'single', 'automatic'] as const).map((value) => ({ value, label: t.kind[value] })),
  },
  {
    kind: 'select',
    label: fr.reports.column.type,
    param: 'type',
    options: (['platform', 'youtube'] as const).map((value) => ({ value, label: fr.reports.type[value] })),
  },
  {
    kind: 'select',
    label: t.stateFilter,
    param: 'state',
    options: (['active', 'reversed'] as const).map((value) => ({ value, label: t.state[value] })),
  },
];

export default function ImportListPage() {
  const can = useCan();
  const add = can('edit_reports') && (
    <Button
      renderRoot={(props) => <Link {...props} to={paths.addPlatformReport} search={{ section: 'csv' }} />}
      leftSection={<IconUpload size={16} stroke={1.8} aria-hidden />}
    >
      {t.add}
    </Button>
  );
  return (
    <ListPage
      id="imports"
      title={t.title}
      route={routes.listImports}
      rows={(data) => data}
      columns={columns}
      rowKey={(item) => item.id}
      rowName={(item) => `${importName(item)}, ${formatMonth(item.month)}`}
      rowHref={(item) => paths.import(item.id)}
      searchPlaceholder={t.searchPlaceholder}
      filters={filters}
      defaultSort={{ key: 'createdAt', order: 'desc' }}
      exportName="imports"
      actions={add}
      empty={{ title: t.emptyTitle, text: t.emptyText, action: add }}
    />
  );
}
