import { Group, Stack } from '@mantine/core';
import type { Quote } from '@regie/contract/routes/orders.ts';
import { formatPercent } from '@regie/values/formats.ts';
import { Money } from '#src/ui/money.tsx';
import { frNewRelease } from './new-release.fr.ts';
import classes from './new-release.module.css';

const t = frNewRelease.lines;

const planName = (plan: string): string =>
  Object.entries(frNewRelease.plan.plans).find(([key]) => key === plan)?.[1] ?? plan;

export function OrderLines({ quote, plan, promoCode }: { quote: Quote; plan: string; promoCode: string | null }) {
  const lines = [
    { label: t.plan(planName(plan)), amount: quote.planPrice, isShown: true },
    { label: t.label, amount: quote.labelFees, isShown: quote.labelFees > 0 },
    { label: t.express, amount: quote.expressDeliveryPrice, isShown: quote.expressDeliveryPrice > 0 },
    { label: promoCode ? t.discountOf(promoCode) : t.discount, amount: -quote.discount, isShown: quote.discount > 0 },
    { label: t.total, amount: quote.total, isShown: true, 'data-total': true },
    { label: t.vat(formatPercent(quote.vatPercent)), amount: quote.vatAmount, isShown: true, 'data-vat': true },
  ];
  return (
    <Stack component="dl" gap={8} fz={14} className={classes.lines}>
      {lines
        .filter((line) => line.isShown)
        .map(({ label, amount, isShown: _, ...look }) => (
          <Group key={label} justify="space-between" gap={16} wrap="nowrap" {...look}>
            <dt>{label}</dt>
            <dd>
              <Money amount={amount} currency={quote.currency} />
            </dd>
          </Group>
        ))}
    </Stack>
  );
}
