import { formatPayoutNumber, type PayoutState } from '@regie/contract/payouts.ts';
import type { Payout } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, sumAmounts } from '@regie/values/formats.ts';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useWaitingCount } from '#src/domain/waiting.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { dayColumn, moneyColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { CreateBatchButton, PayEveryoneLink } from './create-batch.tsx';
import { alertsOf, PayoutAlerts, PayoutBadge, payeeName, payoutStateLabel } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';
import { ReceiptButton } from './receipt-button.tsx';

const t = frPayouts;

const lists = {
  pending: {
    state: 'PENDING',
    route: routes.listPendingPayouts,
    path: paths.pendingPayouts,
    read: 'read_pending_payout',
  },
  paid: { state: 'PAID', route: routes.listPaidPayouts, path: paths.paidPayouts, read: 'read_paid_payout' },
  cancelled: {
    state: 'CANCEL',
    route: routes.listCancelledPayouts,
    path: paths.cancelledPayouts,
    read: 'read_paid_payout',
  },
} as const;

const columns: (ListColumn<Payout> & { of?: readonly PayoutState[] })[] = [
  {
    key: 'name',
    header: 'Bénéficiaire',
    width: '28%',
    cell: (payout) => (
      <>
        <span className={shared.name}>{payeeName(payout)}</span>
        <span data-table-only className={`${shared.under} ${shared.oneLine}`}>
          {formatPayoutNumber(payout.payoutId)}
          {payout.userEmail && ` · ${payout.userEmail}`}
        </span>
      </>
    ),
    csv: payeeName,
  },
  { key: 'email', header: 'E-mail', csv: (payout) => payout.userEmail },
  textColumn({
    key: 'number',
    header: 'Numéro',
    isCode: true,
    isCardOnly: true,
    csv: (payout) => formatPayoutNumber(payout.payoutId),
  }),
  moneyColumn({
    key: 'amount',
    header: 'Montant',
    sort: 'amount',
    total: fr.list.total,
    csv: (payout) => payout.payoutAmount,
  }),
  { key: 'fee', header: 'Frais', type: 'money', unit: 'EUR', csv: (payout) => payout.payoutFee },
  { key: 'net', header: 'Net versé', type: 'money', unit: 'EUR', csv: (payout) => payout.payoutNet },
  {
    key: 'destination',
    header: 'Destination',
    cell: (payout) => (
      <>
        <span className={classes.destination}>{payout.destination}</span>
        <span data-table-only className={shared.under}>
          {t.type[payout.type]}
        </span>
      </>
    ),
    csv: (payout) => payout.destination,
  },
  dayColumn({ key: 'date', header: 'Demandé le', sort: 'date', csv: (payout) => payout.payoutCreatedAt }),
  { ...dayColumn({ key: 'paidAt', header: 'Payé le', csv: (payout) => payout.paidAt }), of: ['PAID'] },
  {
    key: 'state',
    header: t.column.state,
    of: ['CANCEL'],
    cell: (payout) => <PayoutBadge payout={payout} />,
    csv: payoutStateLabel,
  },
  {
    ...dayColumn({ key: 'cancelledAt', header: 'Annulé ou rejeté le', csv: (payout) => payout.cancelledAt }),
    of: ['CANCEL'],
  },
  { ...textColumn({ key: 'reason', header: 'Motif', csv: (payout) => payout.cancelReason }), of: ['CANCEL'] },
  {
    key: 'batch',
    header: t.column.batch,
    of: ['PENDING', 'PAID'],
    cell: ({ batchId, isExported }) =>
      batchId === null ? (
        fr.common.none
      ) : (
        <>
          <span className={shared.nowrap}>{t.batch.one(formatInteger(batchId))}</span>
          {isExported && <span className={shared.under}>{t.batch.states.exported}</span>}
        </>
      ),
    csv: (payout) => payout.batchId,
  },
  {
    key: 'alerts',
    header: 'Alertes',
    of: ['PENDING'],
    cell: (payout) => (alertsOf(payout).length === 0 ? fr.common.none : <PayoutAlerts payout={payout} />),
    csv: (payout) =>
      alertsOf(payout)
        .map((alert) => alert.text)
        .join(', '),
  },
];

const filters: ListFilter[] = [selectFilter(t.field.type, 'type', t.type)];
const returnedFilter = selectFilter(t.column.state, 'returned', {
  false: t.tab.CANCEL,
  true: t.list.onlyReturned,
});
const extraFilters = [
  { kind: 'text', label: t.list.account, param: 'user' },
  { kind: 'text', label: t.column.batch, param: 'batch' },
] as const satisfies readonly ListFilter[];

export default function PayoutListPage() {
  const can = useCan();
  const { search, keep } = useListState();
  const countOf = useWaitingCount();
  const segment = usePageLocation().pathname.split('/')[2];
  const name = segment === 'paid' || segment === 'cancelled' ? segment : 'pending';
  const { state, route } = lists[name];
  const [failure, setFailure] = useState<string>();
  const tabs: ListTab[] = Object.values(lists)
    .filter((list) => can(list.read))
    .map((list) => ({
      label: t.tab[list.state],
      to: list.path,
      search: keep('q', 'type', 'user'),
      isCurrent: list.state === state,
      count: countOf(list.state === 'PENDING' ? 'pendingPayouts' : undefined),
    }));
  const canOpen = can('edit_pending_payout') || can('edit_paid_payout');
  return (
    <ListPage
      key={state}
      id={`payouts.${state}`}
      title={frScreens.payouts[name]}
      route={route}
      columns={columns
        .filter((column) => column.of === undefined || column.of.includes(state))
        // A narrow row has one date, of its state.
        .map((column) => (column.key === 'date' && state !== 'PENDING' ? { ...column, isTableOnly: true } : column))}
      rowKey={(payout) => payout.payoutId}
      rowName={(payout) => `${formatPayoutNumber(payout.payoutId)}, ${payeeName(payout)}`}
      rowLink={canOpen ? (payout) => ({ to: paths.payout(payout.payoutId) }) : undefined}
      rowActions={
        state === 'PAID' ? (payout) => <ReceiptButton payout={payout} isShort onFailure={setFailure} /> : undefined
      }
      selection={
        state === 'PENDING' && can('edit_pending_payout')
          ? (rows, clear) => (
              <>
                <span>
                  {t.list.net} <Money amount={sumAmounts(rows.map((row) => row.payoutNet))} currency="EUR" />
                </span>
                <CreateBatchButton
                  ids={rows.filter(({ batchId }) => batchId === null).map(({ payoutId }) => payoutId)}
                  onDone={clear}
                />
              </>
            )
          : undefined
      }
      actions={
        state === 'PENDING' &&
        can('edit_pending_payout') && (
          <>
            <LinkButton
              to={paths.requestPayout}
              variant="default"
              leftSection={<IconPlus size={16} stroke={2} aria-hidden />}
            >
              {t.request.title}
            </LinkButton>
            <PayEveryoneLink />
          </>
        )
      }
      searchPlaceholder={t.list.search}
      filters={[
        ...(state === 'CANCEL' ? [returnedFilter] : []),
        ...filters,
        ...extraFilters.filter((filter) => search[filter.param]),
      ]}
      tabs={tabs}
      defaultSort={{ key: 'date', order: 'desc' }}
      empty={{
        title: t.list.emptyTitle[state],
        text: t.list.emptyText[state],
        link: state === 'PENDING' &&
          can('read_unpaid_accounts') && { to: paths.unpaidAccounts, label: t.list.toUnpaid },
      }}
      intro={failure && <Message text={failure} onDismiss={setFailure} />}
    />
  );
}
