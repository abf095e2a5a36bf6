import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { formatMoney, formatMonth } from '@regie/values/formats.ts';
import { addMonths, earliestMonthMs, monthOfInstant } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { monthFromParam } from '#src/lib/months.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import shared from '#src/ui/shared.module.css';
import { missingRatesText } from './inexact-sums.tsx';
import { frRecords } from './records.fr.ts';

const t = frRecords.earlierMonths;
const longestPeriod = 60;

export function EarlierMonths({ earlier, months }: Pick<MonthBoard, 'earlier' | 'months'>) {
  if (earlier === null) return null;
  const { readyMonths, readyEur, uncheckedMonths } = earlier;
  const texts = [
    readyMonths > 0 ? t.ready(formatMoney(readyEur, 'EUR'), readyMonths) : undefined,
    uncheckedMonths > 0 ? t.unchecked(uncheckedMonths) : undefined,
    missingRatesText([earlier]),
  ];
  const { to, search } = whereEarlier(earlier.first, months);
  return (
    <p className={shared.note}>
      <Link className={shared.link} to={to} search={search}>
        {months[0] && t.before(formatMonth(months[0].month))}
        {texts.filter((text) => text !== undefined).join('. ')}
      </Link>
    </p>
  );
}

/** The board that begins with the first such month; income from before the first board waits in statements to be given a month. */
export function whereEarlier(first: number, months: MonthBoard['months']): { to: string; search: SearchParams } {
  if ((months[0]?.month ?? 0) <= earliestMonthMs) return { to: paths.statements, search: { status: 'loaded' } };
  const from = monthOfInstant(Math.max(first, earliestMonthMs));
  const latest = addMonths(from, longestPeriod - 1);
  const isTooLong = (months.at(-1)?.month ?? 0) > (monthFromParam(latest) ?? 0);
  return { to: paths.months, search: { from, ...(isTooLong ? { to: latest } : {}) } };
}
