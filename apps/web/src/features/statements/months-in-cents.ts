import type { MonthBoard, MonthCell, MonthDetail } from '@regie/contract/routes/months.ts';
import { shareCents, sumAmounts } from '#src/lib/formats.ts';

/**
 * A month's cells with whole cents that add up to its total. What is not attributed is what the attributed part leaves
 * of each.
 */
function cellsInCents<Cell extends MonthCell>(cells: readonly Cell[], totalEur: number): Cell[] {
  const amounts = shareCents(
    cells.map(({ amountEur }) => amountEur),
    totalEur,
  );
  const matched = shareCents(cells.map(({ amountEur, unmatchedEur }) => sumAmounts([amountEur, -unmatchedEur])));
  return cells.map((cell, index) => {
    const amountEur = amounts[index] ?? 0;
    const unmatchedEur = cell.isMatched ? cell.unmatchedEur : sumAmounts([amountEur, -(matched[index] ?? 0)]);
    return { ...cell, amountEur, unmatchedEur };
  });
}

export const boardInCents = ({ months, cells }: MonthBoard): MonthBoard => ({
  months,
  cells: months.flatMap(({ month, amountEur }) =>
    cellsInCents(
      cells.filter((cell) => cell.month === month),
      amountEur,
    ),
  ),
});

export const monthInCents = (month: MonthDetail): MonthDetail => ({
  ...month,
  sources: cellsInCents(month.sources, month.amountEur).map((source) => {
    const amounts = shareCents(
      source.statements.map(({ amountEur }) => amountEur),
      source.amountEur,
    );
    return {
      ...source,
      statements: source.statements.map((statement, index) => ({ ...statement, amountEur: amounts[index] ?? 0 })),
    };
  }),
});
