import type { Quote } from '@regie/contract/routes/orders.ts';
import { formatPercent } from '#src/lib/formats.ts';
import { Money } from '#src/ui/money.tsx';
import { frNewRelease } from './new-release.fr.ts';
import classes from './new-release.module.css';

const t = frNewRelease.lines;

const planName = (plan: string): string =>
  Object.entries(frNewRelease.plan.plans).find(([key]) => key === plan)?.[1] ?? plan;

/** The lines of an order, and the VAT included. */
export function OrderLines({ quote, plan, promoCode }: { quote: Quote; plan: string; promoCode: string | null }) {
  const lines = [
    { label: t.plan(planName(plan)), amount: quote.planPrice, isShown: true },
    { label: t.label, amount: quote.labelFees, isShown: quote.labelFees > 0 },
    { label: t.express, amount: quote.expressDeliveryPrice, isShown: quote.expressDeliveryPrice > 0 },
    { label: promoCode ? t.discountOf(promoCode) : t.discount, amount: -quote.discount, isShown: quote.discount > 0 },
  ];
  return (
    <dl className={classes.lines}>
      {lines
        .filter((line) => line.isShown)
        .map((line) => (
          <div key={line.label}>
            <dt>{line.label}</dt>
            <dd>
              <Money amount={line.amount} currency={quote.currency} />
            </dd>
          </div>
        ))}
      <div data-total>
        <dt>{t.total}</dt>
        <dd>
          <Money amount={quote.total} currency={quote.currency} />
        </dd>
      </div>
      <div data-vat>
        <dt>{t.vat(formatPercent(quote.vatPercent))}</dt>
        <dd>
          <Money amount={quote.vatAmount} currency={quote.currency} />
        </dd>
      </div>
    </dl>
  );
}
