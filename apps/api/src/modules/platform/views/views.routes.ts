import { routes } from '@regie/contract/routes.ts';
import { type Caller, route } from '#src/lib/route.ts';
import { deleteView, listViews, saveSidebar, saveView } from './views.service.ts';

/** Only an admin has a session. */
const ownerOf = ({ adminId }: Caller) => adminId ?? 0;

export const viewRoutes = [
  route(routes.listViews, async ({ caller }, db) => ({ data: await listViews(db, ownerOf(caller)) })),
  route(routes.saveView, async ({ body, caller }, trx) => ({ data: await saveView(trx, ownerOf(caller), body) })),
  route(routes.deleteView, async ({ params, caller }, trx) => {
    await deleteView(trx, ownerOf(caller), params.id);
    return { data: { id: params.id } };
  }),
  route(routes.saveSidebar, async ({ body, caller }, trx) => ({
    data: await saveSidebar(trx, ownerOf(caller), body),
  })),
];
