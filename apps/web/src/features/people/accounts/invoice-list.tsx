import type { Invoice } from '@regie/contract/routes/invoices.ts';
import { InvoiceItems } from '@regie/contract/routes/invoices.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { fr } from '#src/lib/fr.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, moneyColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { InvoiceBadge } from './invoice-badge.tsx';

const t = frAccounts.invoices;

const currencyOf = (invoice: Invoice) => InvoiceItems.parse(JSON.parse(invoice.orderItems)).currency;

const columns: ListColumn<Invoice>[] = [
  {
    key: 'order',
    header: t.column.order,
    sort: 'id',
    cell: (invoice) => <span className={classes.name}>{frRecords.order(invoice.id)}</span>,
    csv: (invoice) => invoice.id,
  },
  {
    key: 'number',
    header: t.column.number,
    cell: (invoice) => invoice.invoiceNumber ?? <span className={classes.muted}>{t.notIssued}</span>,
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

interface InvoiceListProps {
  id: string;
  title: string;
  /** In a tab of this account. */
  userId?: number;
}

/** The invoices of all accounts, or of one (product §22.7). */
export function InvoiceList({ id, title, userId }: InvoiceListProps) {
  return (
    <ListPage
      id={id}
      title={title}
      isTab={userId !== undefined}
      route={routes.listInvoices}
      query={userId === undefined ? undefined : { userId }}
      columns={userId === undefined ? columns : columns.filter((column) => column.key !== 'customer')}
      rowName={(invoice) => `${frRecords.order(invoice.id)}${fr.common.colon}${accountName(invoice.Account)}`}
      rowLink={(invoice) => ({ to: paths.invoice(invoice.id), state: { invoice } })}
      searchPlaceholder={t.searchPlaceholder}
      filters={
        userId === undefined
          ? [statusFilter, { kind: 'lookup', label: t.column.customer, param: 'userId', lookup: lookupAccounts }]
          : [statusFilter]
      }
      defaultSort={{ key: 'id', order: 'desc' }}
      exportName="factures"
      empty={{ title: t.emptyTitle, text: t.emptyText }}
    />
  );
}
