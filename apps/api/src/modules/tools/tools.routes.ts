import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { assignIsrcs, fillBarcode, fillIsrc, listNextIsrcs } from './codes.service.ts';
import { listCodeDoubles, listEmptyCodes, listTitleDoubles } from './tools.service.ts';

export const toolRoutes = [
  route(routes.listEmptyCodes, ({ query }, db) => listEmptyCodes(db, query)),
  route(routes.listCodeDoubles, ({ query }, db) => listCodeDoubles(db, query)),
  route(routes.listTitleDoubles, ({ query }, db) => listTitleDoubles(db, query)),
  route(routes.fillIsrc, async ({ params, body, caller }, trx) => ({
    data: { isrc: await fillIsrc(trx, caller, params.id, body.isrc) },
  })),
  route(routes.fillBarcode, async ({ params, body, caller }, trx) => ({
    data: { barcode: await fillBarcode(trx, caller, params.id, body.barcode) },
  })),
  route(routes.listNextIsrcs, async (_input, db) => ({ data: await listNextIsrcs(db) })),
  route(routes.assignIsrcs, async ({ body, caller }, trx) => ({
    data: await assignIsrcs(trx, caller, body.trackIds, body.prefix),
  })),
];
