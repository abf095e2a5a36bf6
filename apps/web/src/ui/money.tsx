import {
  currencySymbol,
  formatInteger,
  formatMoney,
  isShownAsZero,
  nbsp,
  splitBalance,
} from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';
import classes from './inline.module.css';

interface MoneyProps {
  amount: number;
  currency: string;
  /** Maximum number of decimals; at least two are shown. */
  decimals?: number;
  /** In a column: all decimals are shown, each under its own. */
  isAligned?: boolean;
  /** In a column of several currencies: as much room as this symbol takes. */
  widestSymbol?: string;
}

export function Money({ amount, currency, decimals = 2, isAligned, widestSymbol }: MoneyProps) {
  const sign = isShownAsZero(amount, decimals) ? 'zero' : amount < 0 ? 'negative' : undefined;
  const text = formatMoney(amount, currency, decimals, isAligned ? decimals : 2);
  const symbolAt = text.lastIndexOf(nbsp) + 1;
  return (
    <span className={classes.money} data-money data-sign={sign}>
      {widestSymbol === undefined ? (
        text
      ) : (
        <>
          {text.slice(0, symbolAt)}
          <span className={classes.symbol} data-widest={widestSymbol}>
            {text.slice(symbolAt)}
          </span>
        </>
      )}
    </span>
  );
}

export function Value({ value, currency }: { value: number; currency: string | null }) {
  if (currency !== null) return <Money amount={value} currency={currency} />;
  return (
    <span className={classes.money} data-sign={isShownAsZero(value, 0) ? 'zero' : value < 0 ? 'negative' : undefined}>
      {formatInteger(value)}
    </span>
  );
}

export function alignMoney(amounts: readonly { currency: string }[]): Pick<MoneyProps, 'widestSymbol'> {
  const symbols = [...new Set(amounts.map(({ currency }) => currencySymbol(currency)))];
  const widest = symbols.toSorted((a, b) => b.length - a.length)[0];
  return symbols.length > 1 && widest !== undefined ? { widestSymbol: widest } : {};
}

export const ledgerDecimals = 6;

export function restTitle(amount: number): string | undefined {
  const { rest } = splitBalance(amount);
  return rest === 0 ? undefined : fr.common.staysInAccount(formatMoney(rest, 'EUR', ledgerDecimals));
}

/** In a `PlainTable`. */
export const MoneyCell = (props: MoneyProps) => (
  <td data-align="right">
    <Money {...props} />
  </td>
);
