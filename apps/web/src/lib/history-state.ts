import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import type { Invoice } from '@regie/contract/routes/invoices.ts';
import type { Release, ReleaseCard } from '@regie/contract/routes/releases.ts';
import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What a screen that leads away has to say on the next one. */
    notice?: string;
    /** The account that the next screen is about (specification 2 §2). */
    userId?: number;
    /** The release that a list's card stands for, to show at once while it loads. */
    releaseCard?: ReleaseCard;
    /** The release to edit and when it was read, milliseconds: an old one is not worth showing. */
    release?: { data: Release; readAt: number };
    /** Bank or PayPal details to edit, and when they were read. */
    billingAccount?: { data: BillingAccount; readAt: number };
    /** The invoice that a list's row stands for, to show at once while it loads. */
    invoice?: Invoice;
    /** Why another screen led here instead of opening. */
    problem?: string;
  }
}

export function useHistoryState() {
  const state = useLocation({ select: (location) => location.state });
  return {
    notice: state.notice,
    userId: state.userId,
    releaseCard: state.releaseCard,
    release: state.release,
    billingAccount: state.billingAccount,
    invoice: state.invoice,
    problem: state.problem,
  };
}
