import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
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
  route(routes.getUnmatchedSummary, async ({ query }, db) => ({ data: await sumUnmatched(db, query) })),
  route(routes.listAliases, ({ query }, db) => listAliases(db, query)),
  route(routes.getUnmatchedItem, async ({ params }, db) => ({ data: await getUnmatched(db, params.key) })),
  route(routes.listUnmatchedLines, async ({ params, deps }, db) => ({
    data: await listUnmatchedLines(db, deps.lines, params.key, params.statement),
  })),
  route(routes.assignTracks, async ({ body, caller }, trx) => ({
    data: await assignTracks(trx, caller, body.assignments),
  })),
  route(routes.assignTrack, async ({ params, body, caller }, trx) => ({
    data: await assignTrack(trx, caller, { key: params.key, trackId: body.trackId }),
  })),
  route(routes.unassignTrack, async ({ params, caller }, trx) => ({
    data: await unassignTrack(trx, caller, params.key),
  })),
];
