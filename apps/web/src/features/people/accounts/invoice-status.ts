import { type ReleaseStatus, releaseStatuses } from '@regie/contract/releases.ts';
import { type InvoiceDetail, InvoiceItems, type InvoiceStatus } from '@regie/contract/routes/invoices.ts';
import { hasInvoice } from '@regie/documents/invoice.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.invoices;

const isChecked = (status: ReleaseStatus) => status === 'DRAFT' || status === 'PENDING';

/** Whether another order of the release keeps this one from that status: it is paid, or already pending. */
export function isRefused(invoice: InvoiceDetail, status: InvoiceStatus): boolean {
  if (status === invoice.status || status === 'CANCEL') return false;
  if (status === 'PENDING' && invoice.otherWaiting !== null) return true;
  return invoice.otherPaid !== null && (status === 'PAID' || invoice.status === 'CANCEL');
}

export function hintOf(invoice: InvoiceDetail, status: InvoiceStatus): string | undefined {
  if (status === 'CANCEL') return hasInvoice(invoice) ? t.cancelHint : undefined;
  if (invoice.status === 'PAID') return status === 'PENDING' ? t.waitHint : undefined;
  if (status === 'PAID' && invoice.otherWaiting !== null) return t.paidInsteadHint(invoice.otherWaiting);
  if (invoice.otherPaid !== null) return undefined;
  const { release } = invoice;
  const follows =
    release === null
      ? ''
      : release.status === null
        ? t.releaseDeleted
        : isChecked(release.status)
          ? t.releaseChecked
          : t.releaseKept(releaseStatuses[release.status].label);
  return t.paidHint(hasInvoice(invoice) ? invoice.invoiceNumber : null, follows);
}

export function consequenceOf(invoice: InvoiceDetail, status: InvoiceStatus): string | undefined {
  if (status === 'PAID') return invoice.otherWaiting === null ? undefined : t.paidInsteadHint(invoice.otherWaiting);
  if (status === 'PENDING' && invoice.status !== 'PAID') return undefined;
  const invoiced = hasInvoice(invoice) ? invoice.invoiceNumber : undefined;
  return [
    invoiced === undefined
      ? t.cancelUnissued
      : status === 'PENDING'
        ? t.waitAgain(invoiced)
        : frRecords.credited(invoiced, invoice.totalAmountByLocation),
    ...(invoice.plan === 'label' && invoice.status === 'PAID' ? [frRecords.subscriptionEnds] : []),
    ...(invoice.release?.status ? [frRecords.releaseStays] : []),
  ].join(' ');
}

/** The last day of a label subscription; one that waits lasts a year from its payment. */
export function subscriptionEndOf(invoice: InvoiceDetail): string | null {
  const { dueDate, planPrice } = InvoiceItems.parse(JSON.parse(invoice.orderItems));
  const waits = invoice.plan === 'label' && invoice.status === 'PENDING' && planPrice > 0;
  return dueDate ?? (waits ? frRecords.fromPayment : null);
}
