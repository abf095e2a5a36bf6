import { Link } from '@tanstack/react-router';
import { toRate } from '#src/domain/to-rate.ts';
import { formatMoney, formatMonth } from '#src/lib/formats.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { frInsight as t } from './insight.fr.ts';

/** Names the amounts that no figure in euros counts; absent without any. */
export function MissingRates({ of }: { of: readonly { amount: number; currency: string; month: number }[] }) {
  const can = useCan();
  const [first] = of;
  if (!first) return null;
  const named = of.map(({ amount, currency, month }) =>
    t.missingRate(formatMoney(amount, currency), formatMonth(month)),
  );
  return (
    <Notice tone="info">
      {t.missingRates(named.join(', '))} {can('manage_settings') && <Link {...toRate(first)}>{t.addRates}</Link>}
    </Notice>
  );
}
