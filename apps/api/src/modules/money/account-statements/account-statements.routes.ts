import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import {
  explainPosting,
  getAccountFigures,
  getAccountPayable,
  getStatement,
  getStatementParties,
  listStatementMonths,
} from './account-statements.service.ts';

export const accountStatementRoutes = [
  route(routes.getAccountPayable, async ({ params }, db) => ({ data: await getAccountPayable(db, params.id) })),
  route(routes.getAccountFigures, async ({ params, caller }, db) => ({
    data: await getAccountFigures(db, caller, params.id),
  })),
  route(routes.getStatementParties, async ({ params }, db) => ({ data: await getStatementParties(db, params.id) })),
  route(routes.getStatement, ({ query }, db) => getStatement(db, query)),
  route(routes.listStatementMonths, async ({ params }, db) => ({ data: await listStatementMonths(db, params.id) })),
  route(routes.explainPosting, ({ params, query }, db) => explainPosting(db, params.id, query)),
];
