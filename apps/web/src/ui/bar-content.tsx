import { formatAlignedPercent } from '@regie/values/formats.ts';
import classes from './bar-content.module.css';
import { Value } from './money.tsx';
import shared from './shared.module.css';

/** Of a button, a link or a row that holds a `BarContent`. */
export const barClass = classes.bar;

export const shareText = (amount: number, total: number): string | undefined =>
  total > 0 ? formatAlignedPercent((amount / total) * 100, 1) : undefined;

interface BarContentProps {
  name: string;
  value: number;
  currency?: string | null;
  total: number;
  /** The longest bar's value. */
  largest: number;
}

/** A value of a ranking, with its share of the total and a bar. */
export function BarContent({ name, value, currency = 'EUR', total, largest }: BarContentProps) {
  return (
    <>
      <span className={shared.cut} title={name}>
        {name}
      </span>
      <span className={shared.muted}>{shareText(value, total) ?? '–'}</span>
      <Value value={value} currency={currency} />
      <span className={classes.track}>
        <span
          className={classes.fill}
          style={{ width: `${largest > 0 ? (Math.max(0, value) / largest) * 100 : 0}%` }}
        />
      </span>
    </>
  );
}
