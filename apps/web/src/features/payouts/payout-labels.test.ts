import type { Payout } from '@regie/contract/routes/payouts.ts';
import { expect, it } from 'vitest';
import { alertsOf } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';

const pending: Payout = {
  payoutId: 1,
  userId: 2,
  payoutState: 'PENDING',
  payoutAmount: 0.61,
  payoutFee: 0.6,
  payoutNet: 0.01,
  payoutDownloaded: 0,
  payoutCreatedAt: 0,
  paidAt: null,
  cancelledAt: null,
  cancelReason: null,
  returnedAt: null,
  userFname: 'Lina',
  userLname: 'Diallo',
  userEmail: null,
  userIncome: 0,
  userState: 'ENABLED',
  type: 'paypal',
  owner: 'Lina Diallo',
  destination: 'l•••@exemple.fr',
  isExported: false,
  isRecentlyChanged: false,
  isBillingDeleted: false,
  isNeverPaid: false,
  batchId: null,
  approvedBy: null,
  approvedAt: null,
  isApprovalMissing: false,
};

it('marks a pending payout whose fee leaves nothing to transfer', () => {
  expect(alertsOf(pending)).toEqual([]);
  expect(alertsOf({ ...pending, payoutAmount: 0.6, payoutNet: 0 })).toEqual([
    { tone: 'danger', text: 'Rien à verser une fois les frais déduits' },
  ]);
});

it('an approval helps a colleague only where the amount is a cause', () => {
  const { isApprovalUseful } = frPayouts.detail;
  expect(isApprovalUseful(['payout', 'income'])).toBe(false);
  expect(isApprovalUseful(['house'])).toBe(true);
  expect(isApprovalUseful(['amount', 'payout'])).toBe(true);
});
