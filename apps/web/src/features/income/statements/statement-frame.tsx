import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { fr } from '#src/lib/fr.ts';
import { canReadAgain } from './read-again.tsx';
import { monthsOf, StatementBadge } from './statement-labels.tsx';

/** The header of a statement's pages. @param tab the current one, but on the overview */
export function statementHead(statement: StatementDetail, tab?: string) {
  const months = statement.firstMonth === null ? [] : monthsOf(statement);
  const title = [statement.source ?? statement.fileName, months].flat().join(' · ');
  return {
    title,
    badge: <StatementBadge state={statement.state} />,
    ...(tab !== undefined && { crumb: tab, trail: [{ label: title, to: paths.storeStatement(statement.id) }] }),
  };
}

export const statementTabs = (statement: StatementDetail) => [
  { label: fr.common.overview, to: paths.storeStatement(statement.id) },
  ...(canReadAgain(statement) ? [{ label: frScreens.reports.mapping, to: paths.statementMapping(statement.id) }] : []),
];
