import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import type { Invoice } from '@regie/contract/routes/invoices.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The account that the next screen is about (product §22.3). */
    userId?: number;
    userName?: string;
    /** The release that a list's card stands for, to show at once while it loads. */
    releaseCard?: ReleaseCard;
    /** The release to edit and when it was read, milliseconds: an old one is not worth showing. */
    release?: { data: Release; readAt: number };
    /** Bank or PayPal details to edit, and when they were read. */
    billingAccount?: { data: BillingAccount; readAt: number };
    /** The invoice that a list's row stands for, to show at once while it loads. */
    invoice?: Invoice;
  }
}

export function useHistoryState() {
  const state = useLocation({ select: (location) => location.state });
  return {
    userId: state.userId,
    userName: state.userName,
    releaseCard: state.releaseCard,
    release: state.release,
    billingAccount: state.billingAccount,
    invoice: state.invoice,
  };
}
