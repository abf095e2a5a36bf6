import type { InvoiceStatus } from '@regie/contract/routes/invoices.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frAccounts } from './accounts.fr.ts';

/** PAID in the accent's colour, anything else as a warning (product §22.7). */
export function InvoiceBadge({ status }: { status: InvoiceStatus }) {
  return <StatusBadge tone={status === 'PAID' ? 'info' : 'warning'}>{frAccounts.invoices.status[status]}</StatusBadge>;
}
