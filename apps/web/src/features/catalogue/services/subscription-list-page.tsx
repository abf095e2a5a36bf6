import { Button, TextInput } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { InvoiceItems } from '@regie/contract/routes/invoices.ts';
import { NewSubscriptionForm, type Subscription } from '@regie/contract/routes/subscriptions.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconPlus } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { AccountLink } from '#src/domain/account-link.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { api } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { frServices } from './services.fr.ts';

const t = frServices.subscriptions;

const nameOf = ({ Account }: Subscription) => `${Account.fname} ${Account.lname}`.trim() || fr.common.none;
const itemsOf = (row: Subscription) => InvoiceItems.parse(JSON.parse(row.orderItems));
const dueOf = (row: Subscription) => itemsOf(row).dueDate ?? frRecords.fromPayment;
const stateOf = (row: Subscription) => (row.isDuePassed ? 'passed' : row.status === 'PAID' ? 'running' : undefined);

const columns: ListColumn<Subscription>[] = [
  {
    key: 'order',
    header: t.order,
    sort: 'id',
    cell: (row) => (
      <>
        {frRecords.order(row.id)}
        {row.invoiceNumber && (
          <span data-table-only className={shared.under}>
            {t.invoice} {row.invoiceNumber}
          </span>
        )}
      </>
    ),
    csv: (row) => row.id,
  },
  { key: 'invoice', header: t.invoice, csv: (row) => row.invoiceNumber },
  {
    key: 'customer',
    header: t.customer,
    isTableOnly: true,
    cell: (row) => <AccountLink id={row.Account.id}>{nameOf(row)}</AccountLink>,
    csv: nameOf,
  },
  { key: 'who', header: t.customer, isCardOnly: true, isIdentity: true, cell: nameOf },
  {
    key: 'payment',
    header: t.payment,
    cell: (row) => <StatusBadge tone={stateTones.payment[row.status]}>{t.status[row.status]}</StatusBadge>,
    csv: (row) => t.status[row.status],
  },
  moneyColumn({
    key: 'total',
    header: t.total,
    isSecondary: true,
    total: fr.list.total,
    cell: (row) => <Money amount={row.totalAmountByLocation} currency={itemsOf(row).currency} />,
    csv: (row) => row.totalAmountByLocation,
  }),
  dayColumn({ key: 'createdAt', header: t.createdAt, isTableOnly: true, csv: (row) => row.createdAt }),
  {
    key: 'dueDate',
    header: t.dueDate,
    sort: 'dueDate',
    cell: (row) => <span>{dueOf(row)}</span>,
    type: 'day',
    csv: (row) => itemsOf(row).dueDate,
  },
  {
    key: 'due',
    header: t.due,
    cell: (row) => {
      const state = stateOf(row);
      if (state === undefined) return fr.common.none;
      return <StatusBadge tone={state === 'passed' ? 'neutral' : 'success'}>{t.dues[state]}</StatusBadge>;
    },
    csv: (row) => {
      const state = stateOf(row);
      return state && t.dues[state];
    },
  },
];

const filters: ListFilter[] = [
  selectFilter(t.payment, 'status', t.status, ['PENDING', 'PAID']),
  selectFilter(t.due, 'due', t.dues, ['running', 'passed']),
];

/** Label subscriptions: account, payment, end (product §22.11). */
export default function SubscriptionListPage() {
  const can = useCan();
  const { subject: selected, ask, dialog } = useAsked<Subscription>();
  const { ask: askNew, dialog: creation } = useAsked<void>();
  const create = (
    <Button leftSection={buttonIcon(IconPlus)} onClick={() => askNew()}>
      {t.create}
    </Button>
  );
  return (
    <>
      <ListPage
        title={frScreens.services.subscriptions}
        route={routes.listSubscriptions}
        columns={columns}
        rowName={(row) => `${frRecords.order(row.id)}${fr.common.colon}${nameOf(row)}`}
        rowLink={can('manage_profiles') ? (row) => ({ to: paths.invoice(row.id), state: { invoice: row } }) : undefined}
        searchPlaceholder={t.search}
        filters={filters}
        defaultSort={{ key: 'id', order: 'desc' }}
        exportName="abonnements"
        actions={create}
        empty={{ title: t.emptyTitle, text: t.emptyText, action: create }}
        rowActions={(row) => (
          <SmallButton aria-label={t.cancelOf(nameOf(row))} onClick={() => ask(row)}>
            {t.cancelShort}
          </SmallButton>
        )}
      />
      <NewSubscriptionModal {...creation} />
      {selected && (
        <ConfirmModal
          {...dialog}
          name={t.cancelName(frRecords.order(selected.id), nameOf(selected))}
          consequence={[
            ...(selected.invoiceNumber === null
              ? [t.cancelPending]
              : [
                  frRecords.subscriptionEnds,
                  frRecords.credited(selected.invoiceNumber, selected.totalAmountByLocation),
                ]),
            ...(selected.LibraryId === null ? [] : [frRecords.releaseStays]),
          ].join(' ')}
          verb={t.cancel}
          onConfirm={(options) => api(routes.cancelSubscription, { params: { orderId: selected.id }, ...options })}
        />
      )}
    </>
  );
}

function NewSubscriptionModal(dialog: DialogState) {
  const can = useCan();
  return (
    <Dialog {...dialog} title={t.create} size="md">
      <Form
        schema={NewSubscriptionForm}
        initialValues={{ account: null as LookupItem | null, promoCode: '' }}
        toBody={({ account, promoCode }) => ({ userId: account?.id, promoCode })}
        submit={(body, { idempotencyKey }) => api(routes.createSubscription, { body, idempotencyKey })}
        onSuccess={({ data, message }) => {
          flashSuccess(
            <SuccessWithLink to={paths.invoice(data.id)} label={t.seeOrder} canOpen={can('manage_profiles')}>
              {message}
            </SuccessWithLink>,
          );
          dialog.onClose();
        }}
        submitLabel={t.createVerb}
      >
        {(form) => (
          <>
            <p className={shared.note}>{t.createHint}</p>
            <AccountField label={t.account} required {...fieldProps(form, 'account', 'userId')} />
            <TextInput label={t.promoCode} description={t.promoHint} {...form.getInputProps('promoCode')} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
