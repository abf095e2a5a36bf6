import { BatchState } from '@regie/contract/payouts.ts';
import type { Batch } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import { DateText } from '#src/ui/dates.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, integerColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { BatchBadge } from './batch-labels.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const t = frPayouts.batch;

const columns: ListColumn<Batch>[] = [
  {
    key: 'batch',
    header: t.reference,
    cell: (batch) => (
      <>
        <span className={shared.name}>{t.one(formatInteger(batch.id))}</span>
        <code className={`${shared.under} ${classes.reference}`}>{batch.messageId}</code>
      </>
    ),
    csv: (batch) => batch.messageId,
  },
  {
    key: 'state',
    header: frPayouts.column.state,
    cell: (batch) => <BatchBadge state={batch.state} />,
    csv: (batch) => t.states[batch.state],
  },
  integerColumn({ key: 'count', header: t.count, csv: (batch) => batch.count }),
  moneyColumn({ key: 'total', header: t.total, total: t.sum, csv: (batch) => batch.totalEur }),
  {
    key: 'created',
    header: t.created,
    sort: 'date',
    cell: (batch) => (
      <>
        <DateText ms={batch.created.at} />
        <span className={shared.under}>{batch.created.by}</span>
      </>
    ),
    type: 'day',
    csv: (batch) => batch.created.at,
  },
  dayColumn({ key: 'paid', header: t.states.paid, isSecondary: true, csv: (batch) => batch.paid?.at }),
];

const filters: ListFilter[] = [selectFilter(frPayouts.column.state, 'state', t.states, BatchState.options)];

export default function BatchListPage() {
  const can = useCan();
  return (
    <ListPage
      title={t.title}
      route={routes.listBatches}
      columns={columns}
      rowName={(batch) => t.one(formatInteger(batch.id))}
      rowLink={(batch) => ({ to: paths.payoutBatch(batch.id) })}
      searchPlaceholder={t.searchPlaceholder}
      filters={filters}
      defaultSort={{ key: 'date', order: 'desc' }}
      empty={{
        title: t.emptyTitle,
        text: t.emptyText,
        link: can('read_pending_payout') && { to: paths.pendingPayouts, label: t.toPending },
      }}
    />
  );
}
