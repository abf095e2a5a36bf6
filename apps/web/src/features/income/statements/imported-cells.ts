import type { MonthCell } from '@regie/contract/routes/months.ts';
import { importSources } from '@regie/contract/statements.ts';
import { paths } from '#src/app/paths.ts';
import { monthToParam } from '#src/lib/months.ts';

type Cell = Pick<MonthCell, 'source' | 'month' | 'state' | 'statements'>;

/** Whether its income came in imports, without a statement. */
export const isImported = ({ state, statements }: Cell) => state !== 'expected' && statements.length === 0;

/** Its imports; undefined for income of statements. */
export const importsLink = (cell: Cell) =>
  isImported(cell)
    ? { to: paths.imports, search: { ...importSources[cell.source], month: monthToParam(cell.month) } }
    : undefined;
