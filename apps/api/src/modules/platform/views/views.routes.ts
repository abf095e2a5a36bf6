import { routes } from '@regie/contract/routes.ts';
import { type Caller, dataRoute } from '#src/lib/route.ts';
import { deleteView, listViews, saveSidebar, saveView } from './views.service.ts';

/** Only an admin has a session. */
const ownerOf = ({ adminId }: Caller) => adminId ?? 0;

export const viewRoutes = [
  dataRoute(routes.listViews, ({ caller }, db) => listViews(db, ownerOf(caller))),
  dataRoute(routes.saveView, ({ body, caller }, trx) => saveView(trx, ownerOf(caller), body)),
  dataRoute(routes.deleteView, ({ params, caller }, trx) => deleteView(trx, ownerOf(caller), params.id)),
  dataRoute(routes.saveSidebar, ({ body, caller }, trx) => saveSidebar(trx, ownerOf(caller), body)),
];
