import type { InvoiceStatus } from '@regie/contract/routes/invoices.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frAccounts } from './accounts.fr.ts';

export function InvoiceBadge({ status }: { status: InvoiceStatus }) {
  return <StatusBadge tone={stateTones.payment[status]}>{frAccounts.invoices.status[status]}</StatusBadge>;
}
