import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import type { Invoice } from '@regie/contract/routes/invoices.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { usePageLocation } from '#src/lib/page-location.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The account of the next screen (product §22.3). */
    userId?: number;
    userName?: string;
    /** The release of a list's card, shown while it loads. */
    releaseCard?: ReleaseCard;
    /** The release to edit and when it was loaded, milliseconds: a stale one is not shown. */
    release?: { data: Release; readAt: number };
    /** Bank or PayPal details to edit, and when they were loaded. */
    billingAccount?: { data: BillingAccount; readAt: number };
    /** The page opened the dialog that the address names: closing it goes back. */
    opensDialog?: boolean;
    /** The invoice of a list's row, shown while it loads. */
    invoice?: Invoice;
  }
}

/** What the page that linked to this one handed over. */
export const useHistoryState = () => usePageLocation().state;
