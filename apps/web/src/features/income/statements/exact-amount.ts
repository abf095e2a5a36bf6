import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { formatMoney, sumAmounts } from '@regie/values/formats.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** An amount with all decimals of its text: `0,0000000001 $US`. */
export function formatExact(amount: string, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('fr-FR', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: 30,
    });
    formats.set(currency, format);
  }
  return format
    .format(amount as `${number}`)
    .replaceAll('\u202f', '\u00a0')
    .replace(/^-/, '\u2212');
}

/** Whether it is exactly zero: as a number, 0.00000000000000000001 could be lost. */
export const isZeroAmount = (amount: string): boolean => /^-?0*\.?0*$/.test(amount);

const andList = new Intl.ListFormat('fr');

export function unmatchedText(months: readonly StatementDetail['months'][number][]): string | undefined {
  const waiting = months.filter(({ unmatchedAmount }) => !isZeroAmount(unmatchedAmount));
  if (waiting.length === 0) return undefined;
  const byCurrency = Map.groupBy(waiting, ({ currency, unmatchedEur }) => (unmatchedEur === null ? currency : 'EUR'));
  return andList.format(
    [...byCurrency].map(([currency, of]) =>
      formatMoney(sumAmounts(of.map((month) => month.unmatchedEur ?? Number(month.unmatchedAmount))), currency),
    ),
  );
}
