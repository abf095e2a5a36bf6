import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as statements from './account-statements.service.ts';

export const accountStatementRoutes = [
  dataRoute(routes.getAccountPayable, ({ params }, db) => statements.getAccountPayable(db, params.id)),
  dataRoute(routes.getAccountFigures, ({ params, caller }, db) => statements.getAccountFigures(db, caller, params.id)),
  dataRoute(routes.getStatementParties, ({ params }, db) => statements.getStatementParties(db, params.id)),
  route(routes.getStatement, ({ query }, db) => statements.getStatement(db, query)),
  dataRoute(routes.listStatementMonths, ({ params }, db) => statements.listStatementMonths(db, params.id)),
  route(routes.explainPosting, ({ params, query }, db) => statements.explainPosting(db, params.id, query)),
];
