import type { RoyaltyRun } from '@regie/contract/routes/royalty-statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatLongMonth } from '@regie/values/formats.ts';
import { IconFileCheck } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frRoyalty as t } from '#src/domain/royalties/royalty.fr.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { integerColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const columns: ListColumn<RoyaltyRun>[] = [
  {
    key: 'month',
    header: t.column.month,
    sort: 'month',
    type: 'month',
    cell: (run) => <span className={shared.name}>{formatLongMonth(run.month)}</span>,
    csv: (run) => run.month,
  },
  {
    key: 'published',
    header: t.column.published,
    type: 'moment',
    cell: (run) =>
      run.publishedAt === null ? (
        <StatusBadge tone={run.hasFailed ? 'danger' : 'info'}>
          {run.hasFailed ? t.state.failed : t.state.open}
        </StatusBadge>
      ) : (
        <DateText ms={run.publishedAt} hasTime />
      ),
    csv: (run) => run.publishedAt,
  },
  integerColumn({ key: 'statements', header: t.column.statements, csv: (run) => run.statements }),
  integerColumn({ key: 'undelivered', header: t.column.undelivered, csv: (run) => run.letters.failed }),
  moneyColumn({ key: 'income', header: t.column.income, total: fr.list.total, csv: (run) => run.incomeEur }),
  moneyColumn({ key: 'closing', header: t.column.closing, csv: (run) => run.closingEur }),
];

export default function RoyaltyListPage() {
  const can = useCan();
  const toPublish = can('send_statements') && (
    <LinkButton to={paths.newRoyaltyRun} variant="filled" leftSection={buttonIcon(IconFileCheck)}>
      {t.publish}
    </LinkButton>
  );
  return (
    <ListPage
      title={t.title}
      route={routes.listRoyaltyRuns}
      columns={columns}
      rowName={(run) => t.run.title(formatLongMonth(run.month))}
      rowLink={(run) => ({ to: paths.royaltyRun(run.id) })}
      defaultSort={{ key: 'month', order: 'desc' }}
      actions={toPublish}
      empty={{ icon: IconFileCheck, title: t.emptyTitle, text: t.emptyText }}
    />
  );
}
