import type { Payout } from '@regie/contract/routes/payouts.ts';
import { expect, it } from 'vitest';
import { alertsOf } from './payout-labels.tsx';

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
  batchId: null,
  unsignedEur: 0,
  isNewDestination: false,
  needsSignatures: false,
};

it('marks a pending payout whose fee leaves nothing to transfer', () => {
  expect(alertsOf(pending)).toEqual([]);
  expect(alertsOf({ ...pending, payoutAmount: 0.6, payoutNet: 0 })).toEqual([
    { tone: 'danger', text: 'Rien à verser une fois les frais déduits' },
  ]);
});

it('marks a pending payout that needs signatures', () => {
  expect(alertsOf({ ...pending, needsSignatures: true })).toEqual([{ tone: 'warning', text: 'Signature requise' }]);
  expect(alertsOf({ ...pending, needsSignatures: true, payoutState: 'PAID' })).toEqual([]);
});
