import { paths } from '#src/app/paths.ts';
import { monthToParam } from '#src/lib/months.ts';

/** Where a currency's rate of a month is added; saving or closing it returns. */
export const toRate = ({ currency, month }: { currency: string; month: number }) => ({
  to: paths.exchangeRates,
  search: { currency, add: monthToParam(month) },
});
