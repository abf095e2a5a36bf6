import type { InvoiceStatus } from '@regie/contract/routes/invoices.ts';
import { frAccounts } from '#src/fr-accounts.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';

/** PAID in the accent's colour, anything else as a warning (product §22.7). */
export function InvoiceBadge({ status }: { status: InvoiceStatus }) {
  return <StatusBadge tone={status === 'PAID' ? 'info' : 'warning'}>{frAccounts.invoices.status[status]}</StatusBadge>;
}
