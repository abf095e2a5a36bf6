import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import {
  createSmartlink,
  deleteSmartlink,
  editSmartlink,
  getClicks,
  getSmartlink,
  listSmartlinks,
} from './smartlinks.service.ts';

export const smartlinkRoutes = [
  route(routes.listSmartlinks, ({ params, query, deps }, db) =>
    listSmartlinks(db, deps.smartlinkBaseUrl, params.status, query),
  ),
  route(routes.getSmartlink, async ({ params, deps }, db) => ({
    data: await getSmartlink(db, deps.smartlinkBaseUrl, params.id),
  })),
  route(routes.getSmartlinkClicks, async ({ params }, db) => ({ data: await getClicks(db, params.id) })),
  route(routes.createSmartlink, async ({ body, caller, deps }, trx) => ({
    data: await createSmartlink(trx, caller, deps.smartlinkBaseUrl, body.libraryId),
  })),
  route(routes.editSmartlink, async ({ params, body, caller, deps }, trx) => ({
    data: await editSmartlink(trx, caller, deps.smartlinkBaseUrl, params.id, body),
  })),
  route(routes.deleteSmartlink, async ({ params, caller }, trx) => {
    await deleteSmartlink(trx, caller, params.id);
    return { data: { id: params.id } };
  }),
];
