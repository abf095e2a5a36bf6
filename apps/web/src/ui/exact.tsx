import { formatMoney, splitBalance } from '@regie/values/formats.ts';
import type { ReactNode } from 'react';
import { ledgerDecimals, Money, restTitle } from './money.tsx';

/** The exact amount shows on hover and focus. */
export const Exact = ({ text, children }: { text: string | undefined; children: ReactNode }) =>
  text === undefined ? (
    children
  ) : (
    <span tabIndex={0} data-tip={text}>
      {children}
    </span>
  );

interface ExactMoneyProps {
  amount: number;
  currency: string;
  /** Of the exact amount; by default those of the ledger. */
  decimals?: number;
  shown?: number;
}

export function ExactMoney({ amount, currency, decimals = ledgerDecimals, shown = amount }: ExactMoneyProps) {
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

/** The payable part of a balance, rounded down to the cent; the remainder shows on hover and focus. */
export const Balance = ({ amount }: { amount: number }) => (
  <Exact text={restTitle(amount)}>
    <Money amount={splitBalance(amount).payable} currency="EUR" />
  </Exact>
);
