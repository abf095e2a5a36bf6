import { routes } from '@regie/contract/routes.ts';
import { dataRoute, fileRoute, route } from '#src/lib/route.ts';
import * as letters from './royalty-letters.service.ts';
import * as runs from './royalty-runs.service.ts';

export const royaltyStatementRoutes = [
  route(routes.listRoyaltyRuns, ({ query }, db) => runs.listRuns(db, query)),
  dataRoute(routes.getRoyaltyRun, ({ params }, db) => runs.getRun(db, params.id)),
  route(routes.listRoyaltyDrafts, ({ query, caller }, db) => runs.listDrafts(db, caller, query)),
  dataRoute(routes.publishRoyaltyRun, ({ body, caller }, trx) => runs.startRun(trx, caller, body)),
  route(routes.retryRoyaltyRun, ({ params, caller }, trx) => runs.retryRun(trx, caller, params.id)),
  route(routes.listRoyaltyStatements, ({ query }, db) => runs.listStatements(db, query)),
  dataRoute(routes.getRoyaltyStatement, ({ params, deps, caller }, db) =>
    runs.getStatement(deps, db, caller, params.id),
  ),
  dataRoute(routes.sendRoyaltyRun, ({ params, caller, deps }, trx) =>
    letters.sendRun(trx, caller, params.id, deps.lettersPerMinute),
  ),
  route(routes.sendRoyaltyStatement, ({ params, body, caller }, trx) =>
    letters.sendStatement(trx, caller, params.id, body.seenAt),
  ),
  route(routes.revokeRoyaltyLink, ({ params, caller }, trx) => letters.revokeLink(trx, caller, params.id)),
  fileRoute(routes.getRoyaltyStatementPdf, ({ params }, db) => runs.getStatementPdf(db, params.id)),
  fileRoute(routes.downloadRoyaltyLines, ({ params, deps }, db) => runs.downloadLines(db, deps.lines, params.id)),
];
