import { Skeleton } from '@mantine/core';
import type { MonthCell } from '@regie/contract/routes/months.ts';
import { routes } from '@regie/contract/routes.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { formatInteger, formatLongMonth, formatMoney } from '#src/lib/formats.ts';
import { monthToParam } from '#src/lib/months.ts';
import shared from '#src/ui/shared.module.css';
import { frHome } from './home.fr.ts';
import classes from './home-page.module.css';

const t = frHome.month;

const steps: { label: string; isDone: (cell: MonthCell) => boolean }[] = [
  { label: t.received, isDone: ({ statements }) => statements.length > 0 },
  { label: t.matched, isDone: ({ statements, unmatchedEur }) => statements.length > 0 && unmatchedEur === 0 },
  {
    label: t.checked,
    isDone: ({ statements }) => statements.length > 0 && statements.every(({ isChecked }) => isChecked),
  },
  { label: t.posted, isDone: ({ state }) => state === 'posted' },
];

/** How far the last complete month is: its sources received, matched, checked and posted. */
export function HomeMonth() {
  const month = monthToMs(addMonths(monthOfInstant(Date.now()), -1));
  const board = useQuery({
    queryKey: ['months', { from: month, to: month }],
    queryFn: async ({ signal }) => (await api(routes.listMonths, { query: { from: month, to: month }, signal })).data,
  });
  const cells = board.data?.cells;
  if (board.isError || cells?.length === 0) return null;
  const late = (cells ?? []).filter(({ lateDays }) => lateDays > 0).map(({ source }) => source);
  return (
    <section aria-labelledby="home-month" className={classes.today}>
      <h2 id="home-month" className={classes.todayTitle}>
        {t.title(formatLongMonth(month))}
      </h2>
      <Link to={paths.month(monthToParam(month) ?? '')} className={classes.month}>
        {steps.map(({ label, isDone }) => (
          <span key={label} className={classes.step}>
            <span className={classes.hint}>{label}</span>
            {cells ? (
              <span className={classes.stepValue}>
                {t.of(formatInteger(cells.filter(isDone).length), formatInteger(cells.length))}
              </span>
            ) : (
              <Skeleton component="span" display="block" h={24} w={70} />
            )}
          </span>
        ))}
        <span className={classes.step}>
          <span className={classes.hint}>{t.amount}</span>
          <span className={classes.stepValue}>{formatMoney(board.data?.months[0]?.amountEur ?? 0, 'EUR')}</span>
        </span>
        <span className={classes.late}>
          {late.length > 0 && <span className={shared.note}>{t.late(late.join(', '))}</span>}
        </span>
      </Link>
    </section>
  );
}
