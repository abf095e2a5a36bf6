import { messages } from '@regie/contract/messages.ts';
import { formatDay } from '@regie/contract/routes/releases.ts';
import type { NewSubscriptionForm, Subscription } from '@regie/contract/routes/subscriptions.ts';
import { states } from '@regie/contract/states.ts';
import { toDecimal } from '@regie/values/decimal.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { moveFollowing, toInvoice } from './invoices.service.ts';
import { findSubscriptionEnd, lockAnyRelease, lockOrder } from './orders.queries.ts';
import { priceOrder } from './orders.rules.ts';
import { cancelOrder, readPromo } from './orders.service.ts';
import * as queries from './subscriptions.queries.ts';

const toSubscription = (row: queries.SubscriptionRow): Subscription => ({
  ...toInvoice(row),
  isDuePassed: row.isDuePassed,
});

export async function listSubscriptions(
  db: Trx,
  filter: Omit<queries.SubscriptionFilter, 'status'> & { status?: 'PENDING' | 'PAID' | undefined },
) {
  const status = filter.status && states.order.toStored[filter.status];
  const { rows, meta } = await queries.listSubscriptions(db, { ...filter, status });
  return { data: rows.map(toSubscription), meta };
}

/**
 * A year at the settings' price, from the payment or the current one's end; until then its last day is an estimate.
 * @throws validation_failed; conflict when another one is pending
 */
export async function createSubscription(trx: Trx, caller: Caller, form: NewSubscriptionForm): Promise<Subscription> {
  const account = await queries.lockAccount(trx, form.userId);
  if (!account) throw invalid({ userId: messages.unknownAccount });
  if (account.state === 'disabled') throw invalid({ userId: messages.accountDisabled });
  if (await queries.hasPendingSubscription(trx, account.id)) throw conflict(messages.subscriptionWaits);
  const { promo, fault } = await readPromo(trx, form.promoCode ?? '');
  if (fault !== undefined) throw invalid({ promoCode: fault });
  const [settings, runningUntil] = await Promise.all([readSettings(trx), findSubscriptionEnd(trx, account.id)]);
  const lines = priceOrder(
    { plan: 'label', label: '', hasExpressDelivery: false },
    { prices: settings.prices, isSubscribed: false, promoPercent: promo?.percent ?? null },
  );
  const id = await queries.insertSubscription(trx, {
    accountId: account.id,
    currency: 'EUR',
    planPrice: toDecimal(lines.planCents),
    discount: toDecimal(lines.discountCents),
    vatPercent: settings.vatPercent.toFixed(2),
    promoCodeId: promo?.id ?? null,
    runningUntil,
    createdBy: caller.adminId,
  });
  const row = await queries.findSubscription(trx, id);
  // A free subscription would not be listed.
  if (!row) throw invalid({ global: messages.subscriptionFree });
  await writeAudit(trx, caller, {
    action: 'subscription.create',
    entityId: id,
    after: {
      userId: account.id,
      plan: 'label',
      total: toWireNumber(row.total),
      promoCode: promo?.name ?? null,
      ...(row.dueDate === null ? {} : { dueDate: formatDay(row.dueDate) }),
    },
  });
  return toSubscription(row);
}

/**
 * A later one moves up. An invoice gets a credit note; refunds are made elsewhere.
 * @throws not_found also for other orders
 */
export async function cancelSubscription(trx: Trx, caller: Caller, id: number): Promise<void> {
  const subscription = await queries.findSubscription(trx, id);
  // A release is locked before its order.
  if (subscription?.releaseId) await lockAnyRelease(trx, subscription.releaseId);
  const order = await lockOrder(trx, id);
  if (order?.plan === 'label' && order.status === 'cancelled') return;
  const row = orNotFound(await queries.findSubscription(trx, id));
  await cancelOrder(trx, caller, id, { from: row.status === 'paid' ? 'PAID' : 'PENDING' });
  await moveFollowing(trx, caller, id, { from: row.status, to: 'cancelled' });
}
