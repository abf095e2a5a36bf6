import type { MonthBoard } from '@regie/contract/routes/months.ts';
import { addMonths } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { formatMoney, formatMonth, plural } from '#src/lib/formats.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import shared from '#src/ui/shared.module.css';
import { missingRatesText } from './inexact-sums.tsx';
import { frRecords } from './records.fr.ts';

const t = frRecords.earlierMonths;
/** The longest period that the board accepts. */
const longestPeriod = 60;

/** What months before the board's period have to validate or to post, as a link to the board that shows them. */
export function EarlierMonths({ earlier, months }: Pick<MonthBoard, 'earlier' | 'months'>) {
  if (earlier === null) return null;
  const { readyMonths, readyEur, uncheckedMonths } = earlier;
  const count = (n: number) => plural(n, t.one, t.many);
  const texts = [
    readyMonths > 0 ? t.ready(formatMoney(readyEur, 'EUR'), count(readyMonths)) : undefined,
    uncheckedMonths > 0 ? t.unchecked(count(uncheckedMonths)) : undefined,
    missingRatesText([earlier]),
  ];
  const from = monthToParam(earlier.first) ?? '';
  const latest = addMonths(from, longestPeriod - 1);
  const isTooLong = (months.at(-1)?.month ?? 0) > (monthFromParam(latest) ?? 0);
  return (
    <p className={shared.note}>
      <Link className={shared.link} to={paths.months} search={{ from, ...(isTooLong ? { to: latest } : {}) }}>
        {months[0] && t.before(formatMonth(months[0].month))}
        {texts.filter((text) => text !== undefined).join('. ')}
      </Link>
    </p>
  );
}
