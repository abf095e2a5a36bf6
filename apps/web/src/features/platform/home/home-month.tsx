import { Box } from '@mantine/core';
import type { MonthBoard, MonthCell } from '@regie/contract/routes/months.ts';
import { capital, formatInteger, formatLongMonth } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { EarlierMonths } from '#src/domain/earlier-months.tsx';
import { inexactTexts } from '#src/domain/inexact-sums.tsx';
import { monthToParam } from '#src/lib/months.ts';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { frHome } from './home.fr.ts';
import classes from './home-page.module.css';

const t = frHome.month;

const steps: { label: string; isDone: (cell: MonthCell) => boolean }[] = [
  { label: t.received, isDone: ({ state }) => state !== 'expected' },
  { label: t.matched, isDone: ({ state, isMatched }) => state !== 'expected' && isMatched },
  {
    label: t.checked,
    isDone: ({ state, statements }) => state !== 'expected' && statements.every(({ isChecked }) => isChecked),
  },
  { label: t.posted, isDone: ({ state }) => state === 'posted' },
];

const isToDo = ({ readySums, statements }: MonthCell) =>
  readySums > 0 || statements.some(({ isChecked }) => !isChecked);

/** The last complete month and each earlier one with something to validate or to post, the newest first. */
function monthsToClose({ months, cells }: MonthBoard) {
  const lastComplete = monthToMs(addMonths(monthOfInstant(Date.now()), -1));
  return months
    .map((total) => ({ ...total, cells: cells.filter(({ month }) => month === total.month) }))
    .filter(({ month, cells }) => cells.length > 0 && (month >= lastComplete || cells.some(isToDo)))
    .reverse();
}

export function HomeMonths(board: MonthBoard) {
  const shown = monthsToClose(board);
  if (shown.length === 0 && board.earlier === null) return null;
  return (
    <Box aria-labelledby="home-month" component="section" mt={32}>
      <h2 id="home-month" className={shared.sectionTitle}>
        {frScreens.reports.months}
      </h2>
      {shown.length > 0 && (
        <ul className={classes.waiting}>
          {shown.map((of) => (
            <MonthRow key={of.month} {...of} />
          ))}
        </ul>
      )}
      <Box mt={10}>
        <EarlierMonths {...board} />
      </Box>
    </Box>
  );
}

function MonthRow({ month, cells, readyEur }: MonthBoard['months'][number] & { cells: readonly MonthCell[] }) {
  const late = cells.filter(({ lateDays }) => lateDays > 0).map(({ source }) => source);
  return (
    <li>
      <Link to={paths.month(monthToParam(month) ?? '')} className={classes.month}>
        <Box component="span" fw={550}>
          {capital(formatLongMonth(month))}
          {inexactTexts(cells).map((text) => (
            <span key={text} className={shared.under}>
              {text}
            </span>
          ))}
          {late.length > 0 && <span className={shared.under}>{t.late(late.join(', '))}</span>}
        </Box>
        {steps.map(({ label, isDone }) => (
          <span key={label}>
            <span className={shared.under}>{label}</span>{' '}
            <Box component="span" display="block" fw={620} className="figures">
              {t.of(formatInteger(cells.filter(isDone).length), formatInteger(cells.length))}
            </Box>
          </span>
        ))}
        <span className={classes.ready}>
          <span className={shared.under}>{t.ready}</span>{' '}
          <Box component="span" display="block" fw={620} className="figures">
            <Money amount={readyEur} currency="EUR" />
          </Box>
        </span>
      </Link>
    </li>
  );
}
