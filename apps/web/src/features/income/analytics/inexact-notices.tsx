import type { AnalyticsSummary } from '@regie/contract/routes/analytics.ts';
import { formatMoney, formatMonth } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { doubledText, StatementLinks } from '#src/domain/inexact-sums.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { toRate } from '#src/domain/to-rate.ts';
import { monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { frAnalytics as t } from './analytics.fr.ts';

interface DoubledIncomeProps {
  of: Pick<AnalyticsSummary, 'doubledEur' | 'doubledStatements'>;
  without?: readonly string[];
}

export function DoubledIncome({ of, without = [] }: DoubledIncomeProps) {
  const text = doubledText([of]);
  if (text === undefined) return null;
  return (
    <Notice tone="note">
      {[text, ...without].join(', ')} (<StatementLinks of={of.doubledStatements} />
      ).
    </Notice>
  );
}

export function MissingRates({ of }: { of: readonly { amount: number; currency: string; month: number }[] }) {
  const can = useCan();
  if (of.length === 0) return null;
  // Rates begin with the first month that can be posted.
  const first = of.find(({ month }) => monthToParam(month) !== undefined);
  const named = of.map(({ amount, currency, month }) =>
    t.missingRate(formatMoney(amount, currency), formatMonth(month)),
  );
  return (
    <Notice tone="note">
      {t.missingRates(named.join(', '))}{' '}
      {first && can('manage_settings') && <Link {...toRate(first)}>{frRecords.addRate}</Link>}
    </Notice>
  );
}
