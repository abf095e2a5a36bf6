import type { RoyaltyStatementRow } from '@regie/contract/routes/royalty-statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconFileCheck } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frRoyalty } from '#src/domain/royalties/royalty.fr.ts';
import { amountColumns, letterColumn, periodColumn, periodOf } from '#src/domain/royalties/royalty-labels.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, integerColumn } from '#src/ui/list/value-columns.tsx';
import { useAccount } from './account-context.ts';

const columns: ListColumn<RoyaltyStatementRow>[] = [
  periodColumn,
  integerColumn({ key: 'number', header: frRoyalty.column.number, csv: (row) => row.number }),
  ...amountColumns,
  letterColumn,
  dayColumn({ key: 'published', header: frRoyalty.column.published, csv: (row) => row.publishedAt }),
];

export default function AccountRoyaltiesPage() {
  const profile = useAccount();
  return (
    <ListPage
      isTab
      title={frRoyalty.title}
      route={routes.listRoyaltyStatements}
      id="account-royalties"
      query={{ userId: profile.id }}
      columns={columns}
      rowName={(row) => `${frRoyalty.statement.title(formatInteger(row.number))}, ${periodOf(row)}`}
      rowLink={(row) => ({ to: paths.royaltyStatement(row.id) })}
      defaultSort={{ key: 'publishedAt', order: 'desc' }}
      empty={{ icon: IconFileCheck, title: frRoyalty.tab.emptyTitle, text: frRoyalty.tab.emptyText }}
    />
  );
}
