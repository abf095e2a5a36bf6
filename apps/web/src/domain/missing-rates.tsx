import type { MonthCell } from '@regie/contract/routes/months.ts';
import { IconAlertTriangle } from '@tabler/icons-react';
import { formatMoney, sumAmounts } from '#src/lib/formats.ts';
import shared from '#src/ui/shared.module.css';
import { frRecords } from './records.fr.ts';

type Missing = Pick<MonthCell, 'missingRates'>;

/** What sums in euros leave out because their currency has no rate; undefined when they are whole. */
export function missingRatesText(cells: readonly Missing[]): string | undefined {
  const byCurrency = Map.groupBy(
    cells.flatMap(({ missingRates }) => missingRates),
    ({ currency }) => currency,
  );
  if (byCurrency.size === 0) return undefined;
  const amounts = [...byCurrency].map(([currency, found]) =>
    formatMoney(sumAmounts(found.map(({ amount }) => amount)), currency),
  );
  return frRecords.missingRate(amounts.join(', '));
}

/** Marks a sum in euros that leaves something out. */
export function IncompleteMark({ of }: { of: readonly Missing[] }) {
  const text = missingRatesText(of);
  return (
    text !== undefined && (
      <span title={text} className={shared.incomplete}>
        <IconAlertTriangle size={14} stroke={1.8} aria-hidden />
        <span className="visually-hidden">{text}</span>
      </span>
    )
  );
}
