import { routes } from '@regie/contract/routes.ts';
import { dataRoute, fileRoute, route } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { eraseAccount, eraseAdmin, previewErasure } from './erasure.service.ts';
import { exportAccount, exportAdmin } from './export.service.ts';
import { listLeftAdmins } from './privacy.queries.ts';

export const privacyRoutes = [
  fileRoute(routes.exportAccount, ({ params, caller }, db) => exportAccount(db, caller, params.id)),
  fileRoute(routes.exportAdmin, ({ params, caller }, db) => exportAdmin(db, caller, params.id)),
  dataRoute(routes.getErasure, ({ params }, db) => previewErasure(db, params.id)),
  dataRoute(routes.eraseAccount, ({ params, body, caller }, trx) => eraseAccount(trx, caller, params.id, body.reason)),
  dataRoute(routes.eraseAdmin, ({ params, body, caller }, trx) => eraseAdmin(trx, caller, params.id, body.reason)),
  route(routes.listLeftAdmins, async ({ query }, db) => {
    const { rows, meta } = await listLeftAdmins(db, query);
    return { data: rows.map((row) => toWireRow(row)), meta };
  }),
];
