import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { getTrackPage, listTrackLines } from './track-page.service.ts';
import { addTrack, deleteTrack, editTrack } from './tracks.service.ts';

export const trackRoutes = [
  dataRoute(routes.getTrackPage, ({ params, caller }, db) => getTrackPage(db, caller, params.id)),
  dataRoute(routes.listTrackLines, ({ params, deps }, db) => listTrackLines(db, deps.lines, params.id)),
  dataRoute(routes.addTrack, async ({ body, caller }, trx) => ({ id: await addTrack(trx, caller, body) })),
  route(routes.editTrack, async ({ params, body, caller }, trx) => {
    await editTrack(trx, caller, params.id, body);
    return { data: { id: params.id } };
  }),
  route(routes.deleteTrack, ({ params, caller }, trx) => deleteTrack(trx, caller, params.id)),
];
