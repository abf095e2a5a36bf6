import type { PlanName } from '@regie/contract/orders.ts';
import type { Prices } from '@regie/contract/settings.ts';
import { toCents } from '@regie/values/decimal.ts';
import { takePercent } from '#src/lib/money.ts';

export interface Choice {
  plan: PlanName;
  /** Empty means the free digital label. */
  label: string;
  hasExpressDelivery: boolean;
}

export interface Lines {
  planCents: bigint;
  labelCents: bigint;
  expressCents: bigint;
  discountCents: bigint;
  totalCents: bigint;
}

/**
 * VAT included. A subscription covers plan and label name; the promo code's percentage of plan and fees is rounded once
 * (product §34.7).
 */
export function priceOrder(
  choice: Choice,
  terms: { prices: Prices; isSubscribed: boolean; promoPercent: string | null },
): Lines {
  const { prices, isSubscribed } = terms;
  const planCents = isSubscribed ? 0n : toCents(prices[choice.plan]);
  const labelCents = isSubscribed || choice.label === '' ? 0n : toCents(prices.premiumLabelFee);
  const expressCents = choice.hasExpressDelivery ? toCents(prices.expressFee) : 0n;
  const fullCents = planCents + labelCents + expressCents;
  const discountCents = terms.promoPercent === null ? 0n : takePercent(fullCents, toCents(terms.promoPercent));
  return { planCents, labelCents, expressCents, discountCents, totalCents: fullCents - discountCents };
}
