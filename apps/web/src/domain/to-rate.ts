import { paths } from '#src/app/paths.ts';
import { monthToParam } from '#src/lib/months.ts';

export const toRate = ({ currency, month }: { currency: string; month: number }) => ({
  to: paths.exchangeRates,
  search: { currency, add: monthToParam(month) },
});
