import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import {
  assignTrack,
  assignTracks,
  getUnmatched,
  listAliases,
  listUnmatched,
  listUnmatchedLines,
  sumUnmatched,
  unassignTrack,
} from './unmatched.service.ts';

export const unmatchedRoutes = [
  route(routes.listUnmatched, ({ query }, db) => listUnmatched(db, query)),
  dataRoute(routes.getUnmatchedSummary, ({ query }, db) => sumUnmatched(db, query)),
  route(routes.listAliases, ({ query }, db) => listAliases(db, query)),
  dataRoute(routes.getUnmatchedItem, ({ params }, db) => getUnmatched(db, params.key)),
  dataRoute(routes.listUnmatchedLines, ({ params, deps }, db) =>
    listUnmatchedLines(db, deps.lines, params.key, params.statement),
  ),
  dataRoute(routes.assignTracks, ({ body, caller }, trx) => assignTracks(trx, caller, body.assignments)),
  dataRoute(routes.assignTrack, ({ params, body, caller }, trx) =>
    assignTrack(trx, caller, { key: params.key, trackId: body.trackId }),
  ),
  dataRoute(routes.unassignTrack, ({ params, caller }, trx) => unassignTrack(trx, caller, params.key)),
];
