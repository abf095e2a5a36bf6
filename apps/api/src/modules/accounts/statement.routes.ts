import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { explainPosting, getStatement, listStatementMonths } from './statement.service.ts';

export const statementRoutes = [
  route(routes.getStatement, ({ query }, db) => getStatement(db, query)),
  route(routes.listStatementMonths, async ({ params }, db) => ({ data: await listStatementMonths(db, params.id) })),
  route(routes.explainPosting, ({ params, query }, db) => explainPosting(db, params.id, query)),
];
