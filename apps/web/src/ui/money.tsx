import { formatMoney, isShownAsZero, splitBalance } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import classes from './inline.module.css';

interface MoneyProps {
  amount: number;
  currency: string;
  /** Maximum number of decimals; at least two are shown. */
  decimals?: number;
  /** In a column: all decimals are shown, each under its own. */
  isAligned?: boolean;
}

/** An amount: real minus and red below zero, grey at zero. */
export function Money({ amount, currency, decimals = 2, isAligned }: MoneyProps) {
  const sign = isShownAsZero(amount, decimals) ? 'zero' : amount < 0 ? 'negative' : undefined;
  return (
    <span className={classes.money} data-sign={sign}>
      {formatMoney(amount, currency, decimals, isAligned ? decimals : 2)}
    </span>
  );
}

const ledgerDecimals = 6;

/** The remainder of a balance rounded down to the cent; undefined when there is none. */
export function restTitle(amount: number): string | undefined {
  const { rest } = splitBalance(amount);
  return rest === 0 ? undefined : fr.common.staysInAccount(formatMoney(rest, 'EUR', ledgerDecimals));
}

/** The payable part of a balance, rounded down to the cent; the remainder shows on hover. */
export function Balance({ amount }: { amount: number }) {
  return (
    <span title={restTitle(amount)}>
      <Money amount={splitBalance(amount).payable} currency="EUR" />
    </span>
  );
}
