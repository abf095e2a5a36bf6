import { type Invoice, InvoiceItems } from '@regie/contract/routes/invoices.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { type ListColumn, withWholeTotal } from '#src/ui/list/list-columns.tsx';
import { selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { dayColumn, moneyColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import { InvoiceBadge } from './invoice-badge.tsx';
import { MonthInvoices } from './month-invoices.tsx';

const t = frAccounts.invoices;

const currencyOf = (invoice: Invoice) => InvoiceItems.parse(JSON.parse(invoice.orderItems)).currency;

const columns: ListColumn<Invoice>[] = [
  {
    key: 'order',
    header: t.column.order,
    sort: 'id',
    cell: (invoice) => <span className={shared.name}>{frRecords.order(invoice.id)}</span>,
    csv: (invoice) => invoice.id,
  },
  {
    key: 'number',
    header: t.column.number,
    cell: (invoice) => invoice.invoiceNumber ?? <span className={shared.muted}>{t.notIssued}</span>,
    csv: (invoice) => invoice.invoiceNumber,
  },
  textColumn({ key: 'customer', header: t.column.customer, csv: (invoice) => accountName(invoice.Account) }),
  textColumn({ key: 'plan', header: t.column.plan, isSecondary: true, csv: (invoice) => t.plan[invoice.plan] }),
  moneyColumn({
    key: 'total',
    header: t.column.total,
    total: t.issuedTotal,
    cell: (invoice) => <Money amount={invoice.totalAmountByLocation} currency={currencyOf(invoice)} />,
    csv: (invoice) => invoice.totalAmountByLocation,
  }),
  dayColumn({ key: 'createdAt', header: t.column.createdAt, isSecondary: true, csv: (invoice) => invoice.createdAt }),
  {
    key: 'status',
    header: t.column.status,
    cell: (invoice) => <InvoiceBadge status={invoice.status} />,
    csv: (invoice) => t.status[invoice.status],
  },
];

const statusFilter = selectFilter(t.column.status, 'status', t.status, ['PENDING', 'PAID', 'CANCEL']);

/** The invoices of all accounts, or of the one whose tab it is (product §22.7). */
export default function InvoiceListPage() {
  const userId = useIdParam();
  const isTab = userId !== undefined;
  const shown = withWholeTotal(columns, useListState().search.status !== undefined);
  return (
    <ListPage
      id={isTab ? 'account-invoices' : 'invoices'}
      title={frScreens.accounts.invoices}
      isTab={isTab}
      route={routes.listInvoices}
      query={isTab ? { userId } : undefined}
      columns={isTab ? shown.filter((column) => column.key !== 'customer') : shown}
      rowName={(invoice) => `${frRecords.order(invoice.id)}${fr.common.colon}${accountName(invoice.Account)}`}
      rowLink={(invoice) => ({ to: paths.invoice(invoice.id), state: { invoice } })}
      searchPlaceholder={t.searchPlaceholder}
      filters={
        isTab
          ? [statusFilter]
          : [statusFilter, { kind: 'lookup', label: t.column.customer, param: 'userId', lookup: lookupAccounts }]
      }
      defaultSort={{ key: 'id', order: 'desc' }}
      exportName="factures"
      actions={!isTab && <MonthInvoices />}
      empty={{ title: t.emptyTitle, text: t.emptyText }}
    />
  );
}
