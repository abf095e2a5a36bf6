import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import type { Invoice } from '@regie/contract/routes/invoices.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { usePageLocation } from '#src/lib/page-location.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    userId?: number;
    userName?: string;
    releaseCard?: ReleaseCard;
    /** The release to edit and when it was loaded, milliseconds: a stale one is not shown. */
    release?: { data: Release; readAt: number };
    billingAccount?: { data: BillingAccount; readAt: number };
    /** The page opened the dialog that the address names: closing it goes back. */
    opensDialog?: boolean;
    invoice?: Invoice;
  }
}

export const useHistoryState = () => usePageLocation().state;
