import type { BatchState, PayoutState } from '@regie/contract/payouts.ts';
import type { TicketStatus } from '@regie/contract/routes/tickets.ts';
import type { StatementState } from '@regie/contract/statements.ts';
import type { StatusTone } from '#src/ui/status-badge.tsx';

/** Amber waits for somebody, blue is under way, green is done, red is refused or cancelled, grey has no effect. */
export const stateTones = {
  payment: { PENDING: 'warning', PAID: 'success', CANCEL: 'danger' },
  batch: { draft: 'warning', exported: 'info', paid: 'success', void: 'neutral' },
  account: { HOLD: 'danger', DISABLED: 'neutral' },
  ticket: { OPENED: 'warning', CLOSED: 'success' },
  statement: {
    received: 'neutral',
    reading: 'info',
    unrecognised: 'warning',
    ambiguous: 'warning',
    refused: 'danger',
    unpacked: 'neutral',
    summary: 'neutral',
    loaded: 'warning',
    doubled: 'danger',
    unmatched: 'warning',
    checked: 'success',
    posted: 'success',
    replaced: 'neutral',
    removed: 'neutral',
  },
} as const satisfies {
  payment: Record<PayoutState, StatusTone>;
  batch: Record<BatchState, StatusTone>;
  account: Record<'HOLD' | 'DISABLED', StatusTone>;
  ticket: Record<TicketStatus, StatusTone>;
  statement: Record<StatementState, StatusTone>;
};
