import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { editCodes, judgeBulkRows, listCodeEdits, listUnsavedCodes, reverseCodeEdit } from './bulk.service.ts';
import { assignIsrcs, fillBarcode, fillIsrc, listNextIsrcs } from './codes.service.ts';
import { listDuplicateCodes, listDuplicateTitles, listEmptyCodes } from './tools.service.ts';

export const toolRoutes = [
  route(routes.listEmptyCodes, ({ query }, db) => listEmptyCodes(db, query)),
  route(routes.listDuplicateCodes, ({ query }, db) => listDuplicateCodes(db, query)),
  route(routes.listDuplicateTitles, ({ query, caller }, db) => listDuplicateTitles(db, caller, query)),
  dataRoute(routes.fillIsrc, async ({ params, body, caller }, trx) => ({
    isrc: await fillIsrc(trx, caller, params.id, body.isrc),
  })),
  dataRoute(routes.fillBarcode, async ({ params, body, caller }, trx) => ({
    barcode: await fillBarcode(trx, caller, params.id, body.barcode),
  })),
  dataRoute(routes.listNextIsrcs, (_input, db) => listNextIsrcs(db)),
  dataRoute(routes.assignIsrcs, ({ body, caller }, trx) => assignIsrcs(trx, caller, body.trackIds, body.prefix)),
  dataRoute(routes.judgeBulkRows, ({ body }, trx) => judgeBulkRows(trx, body.kind, body.rows)),
  route(routes.editIsrcs, ({ query, body, caller }, trx) => editCodes(trx, caller, 'isrc', body, query)),
  route(routes.editBarcodes, ({ query, body, caller }, trx) => editCodes(trx, caller, 'barcode', body, query)),
  route(routes.listCodeEdits, ({ query }, db) => listCodeEdits(db, query)),
  dataRoute(routes.listUnsavedCodes, ({ params }, db) => listUnsavedCodes(db, params.id)),
  dataRoute(routes.reverseCodeEdit, ({ params, caller }, trx) => reverseCodeEdit(trx, caller, params.id)),
];
