import { Tooltip } from '@mantine/core';
import { formatMoney } from '@regie/values/formats.ts';
import type { ReactNode } from 'react';
import { Money } from './money.tsx';

export function Exact({ text, children }: { text: string | undefined; children: ReactNode }) {
  if (text === undefined) return children;
  return (
    <Tooltip label={text} events={{ hover: true, focus: true, touch: true }}>
      <span tabIndex={0}>{children}</span>
    </Tooltip>
  );
}

interface ExactMoneyProps {
  amount: number;
  currency: string;
  decimals: number;
  shown?: number;
}

export function ExactMoney({ amount, currency, decimals, shown = amount }: ExactMoneyProps) {
  const exact = formatMoney(amount, currency, decimals);
  return (
    <Exact text={exact === formatMoney(shown, currency) ? undefined : exact}>
      <Money amount={shown} currency={currency} />
    </Exact>
  );
}

export const ExactMoneyCell = (props: ExactMoneyProps) => (
  <td data-align="right">
    <ExactMoney {...props} />
  </td>
);
