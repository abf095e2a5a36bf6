import type { InvoiceDetail } from '@regie/contract/routes/invoices.ts';
import { invoiceExample as paid } from '@regie/documents/invoice.fixtures.ts';
import { describe, expect, it } from 'vitest';
import { consequenceOf, isRefused, subscriptionEndOf } from './invoice-status.ts';

const refusedOf = (values: Partial<InvoiceDetail>) =>
  (['PENDING', 'PAID', 'CANCEL'] as const).filter((status) => isRefused({ ...paid, ...values }, status));

describe('the status of an order', () => {
  it('cannot be pending or paid beside another such order of the release', () => {
    expect(refusedOf({ status: 'CANCEL' })).toEqual([]);
    expect(refusedOf({ status: 'CANCEL', otherWaiting: 13 })).toEqual(['PENDING']);
    expect(refusedOf({ status: 'CANCEL', otherPaid: 13 })).toEqual(['PENDING', 'PAID']);
    expect(refusedOf({ status: 'PENDING', otherPaid: 13 })).toEqual(['PAID']);
  });

  it('mentions a refund only where something was paid', () => {
    expect(consequenceOf(paid, 'CANCEL')).toContain('Un avoir annulera la facture 2026-00042\u00a0; le remboursement');
    const free = consequenceOf({ ...paid, totalAmountByLocation: 0 }, 'CANCEL');
    expect(free).toContain('Un avoir annulera la facture 2026-00042. ');
    expect(free).not.toContain('remboursement');
  });
});

describe('the end of a label subscription', () => {
  const items = JSON.parse(paid.orderItems);
  const endOf = (values: Partial<InvoiceDetail>, dueDate: string | null = null, planPrice = 199) =>
    subscriptionEndOf({
      ...paid,
      plan: 'label',
      orderItems: JSON.stringify({ ...items, dueDate, planPrice }),
      ...values,
    });

  it('is a year after its payment while it is pending', () => {
    expect(endOf({ status: 'PENDING' })).toBe('Un an à partir du règlement');
    expect(endOf({ status: 'PENDING' }, '31/05/2027')).toBe('31/05/2027');
    expect(endOf({ status: 'PAID' }, '31/05/2027')).toBe('31/05/2027');
  });

  it('is empty for other plans, and for an order that a subscription covers', () => {
    expect(endOf({ status: 'PENDING', plan: 'album' })).toBeNull();
    expect(endOf({ status: 'PENDING' }, null, 0)).toBeNull();
  });
});
