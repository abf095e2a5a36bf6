import { Box, Group, Menu } from '@mantine/core';
import type { Import } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { IconCheck, IconTrash, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { type ListColumn, withWholeTotal } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { integerColumn, moneyColumn, monthColumn } from '#src/ui/list/value-columns.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import shared from '#src/ui/shared.module.css';
import {
  ImportState,
  importName,
  importStateText,
  isAbandoned,
  isStaged,
  platformShare,
  savedRows,
} from './import-state.tsx';
import { stagedImportsQuery } from './reports.api.ts';
import { frReports } from './reports.fr.ts';
import { StagedDialog, type StagedQuestion } from './staged-import.tsx';

const t = frReports.imports;

const columns: ListColumn<Import>[] = [
  {
    key: 'file',
    header: t.column.file,
    width: '18%',
    cell: (item) => (
      <>
        <span className={shared.name}>{importName(item)}</span>
        <span className={shared.under}>
          {frReports.type[item.type]}
          {item.kind === 'automatic' && ` · ${t.kind.automatic}`}
        </span>
      </>
    ),
    csv: importName,
  },
  { key: 'kind', header: t.kindFilter, csv: (item) => t.kind[item.kind] },
  { key: 'type', header: frReports.column.type, csv: (item) => frReports.type[item.type] },
  monthColumn({ key: 'month', header: frReports.column.month, csv: (item) => item.month }),
  { key: 'rows', header: t.column.rows, csv: (item) => item.rows },
  {
    key: 'saved',
    header: t.column.saved,
    align: 'right',
    cell: (item) => (
      <>
        {formatInteger(savedRows(item))}
        <span className={shared.under}>{t.ofRows(formatInteger(item.rows))}</span>
      </>
    ),
    csv: savedRows,
  },
  integerColumn({ key: 'unsaved', header: t.column.unsaved, csv: (item) => item.unsaved }),
  moneyColumn({ key: 'grossUsd', header: t.column.grossUsd, unit: 'USD', csv: (item) => item.grossUsd }),
  moneyColumn({
    key: 'accountsEur',
    header: t.column.accountsEur,
    total: t.accountsTotal,
    csv: (item) => item.accountsEur,
  }),
  moneyColumn({
    key: 'referralsEur',
    header: t.column.referralsEur,
    isSecondary: true,
    csv: (item) => item.referralsEur,
  }),
  moneyColumn({ key: 'platformEur', header: t.column.platformEur, isSecondary: true, csv: platformShare }),
  {
    key: 'createdAt',
    header: t.column.createdAt,
    sort: 'createdAt',
    cell: (item) => (
      <>
        <DateText ms={item.createdAt} />
        <span data-table-only className={`${shared.under} ${shared.nowrap}`}>
          {item.createdBy ?? fr.common.system}
        </span>
      </>
    ),
    type: 'moment',
    csv: (item) => item.createdAt,
  },
  { key: 'createdBy', header: t.column.createdBy, csv: (item) => item.createdBy },
  {
    key: 'state',
    header: t.column.state,
    cell: (item) => <ImportState item={item} hasDetails />,
    csv: importStateText,
  },
];

const filters: ListFilter[] = [
  { kind: 'month', label: frReports.column.month, param: 'month' },
  selectFilter(t.kindFilter, 'kind', t.kind, ['csv', 'single', 'automatic']),
  selectFilter(frReports.column.type, 'type', frReports.type, ['platform', 'youtube']),
  selectFilter(t.stateFilter, 'state', t.state, ['active', 'staged', 'reversed']),
];

function AbandonedImports() {
  const staged = useQuery(stagedImportsQuery);
  const count = staged.data?.filter(isAbandoned).length ?? 0;
  if (count === 0) return null;
  return (
    <Box mb="md">
      <Notice tone="note">
        {t.abandoned(count)}{' '}
        <Link className={shared.link} to={paths.imports} search={{ state: 'staged' }}>
          {t.abandonedLink}
        </Link>
      </Notice>
    </Box>
  );
}

export default function ImportListPage() {
  const can = useCan();
  const { search } = useListState();
  const { subject: selected, ask, dialog } = useAsked<{ item: Import; question: StagedQuestion }>();
  const add = can('edit_reports') && (
    <LinkButton to={paths.addPlatformReport} search={{ section: 'csv' }} leftSection={buttonIcon(IconUpload)}>
      {t.add}
    </LinkButton>
  );
  return (
    <>
      <ListPage
        title={t.title}
        route={routes.listImports}
        columns={withWholeTotal(columns, search.state !== undefined)}
        rowName={(item) => `${importName(item)}, ${formatMonth(item.month)}`}
        rowLink={(item) => ({ to: paths.import(item.id) })}
        searchPlaceholder={t.searchPlaceholder}
        filters={filters}
        defaultSort={{ key: 'createdAt', order: 'desc' }}
        actions={
          add && (
            <>
              {add}
              <MoreMenu label={frReports.byMonth.actions}>
                <Menu.Item
                  renderRoot={(props) => <Link {...props} to={paths.addPlatformReport} search={{ section: 'month' }} />}
                  leftSection={buttonIcon(IconTrash)}
                >
                  {frReports.addPlatform.byMonth}
                </Menu.Item>
              </MoreMenu>
            </>
          )
        }
        empty={{ title: t.emptyTitle, text: t.emptyText, action: add }}
        intro={<AbandonedImports />}
        rowActions={
          can('edit_reports')
            ? (item) =>
                isStaged(item) && (
                  <Group gap={4} justify="flex-end" wrap="nowrap">
                    <IconButton
                      label={t.finishRow(importName(item))}
                      icon={IconCheck}
                      onClick={() => ask({ item, question: 'post' })}
                    />
                    {isAbandoned(item) && item.postedAt === null && (
                      <IconButton
                        label={t.discardRow(importName(item))}
                        icon={IconTrash}
                        onClick={() => ask({ item, question: 'discard' })}
                      />
                    )}
                  </Group>
                )
            : undefined
        }
      />
      {selected && (
        <StagedDialog
          key={selected.item.id}
          item={selected.item}
          question={dialog.isOpen ? selected.question : undefined}
          onClose={dialog.onClose}
        />
      )}
    </>
  );
}
