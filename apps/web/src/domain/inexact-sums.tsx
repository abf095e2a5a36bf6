import type { MonthCell } from '@regie/contract/routes/months.ts';
import { formatMoney, sumAmounts } from '@regie/values/formats.ts';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { paths } from '#src/app/paths.ts';
import shared from '#src/ui/shared.module.css';
import { frRecords } from './records.fr.ts';

type Missing = Pick<MonthCell, 'missingRates'>;
export type Inexact = Pick<MonthCell, 'missingRates' | 'doubledEur'>;

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

export function doubledText(cells: readonly Pick<MonthCell, 'doubledEur'>[]): string | undefined {
  const amount = sumAmounts(cells.map(({ doubledEur }) => doubledEur));
  return amount === 0 ? undefined : frRecords.doubled(formatMoney(amount, 'EUR'));
}

export const StatementLinks = ({ of }: { of: readonly { id: number; fileName: string }[] }) =>
  of.map(({ id, fileName }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <Link to={paths.storeStatement(id)}>{fileName}</Link>
    </Fragment>
  ));

export const inexactTexts = (cells: readonly Inexact[]): string[] =>
  [missingRatesText(cells), doubledText(cells)].filter((text) => text !== undefined);

export function InexactMark({ of }: { of: readonly Inexact[] }) {
  const texts = inexactTexts(of);
  return (
    texts.length > 0 && (
      <span className={shared.incomplete}>
        <IconAlertTriangle size={14} stroke={1.8} aria-hidden />
        <span className="visually-hidden">{texts.join('. ')}</span>
      </span>
    )
  );
}
