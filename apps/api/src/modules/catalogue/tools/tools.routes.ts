import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { editCodes, judgeBulkRows, listCodeEdits, listUnsavedCodes, reverseCodeEdit } from './bulk.service.ts';
import { assignIsrcs, fillBarcode, fillIsrc, listNextIsrcs } from './codes.service.ts';
import { listDuplicateCodes, listDuplicateTitles, listEmptyCodes } from './tools.service.ts';

export const toolRoutes = [
  route(routes.listEmptyCodes, ({ query }, db) => listEmptyCodes(db, query)),
  route(routes.listDuplicateCodes, ({ query }, db) => listDuplicateCodes(db, query)),
  route(routes.listDuplicateTitles, ({ query, caller }, db) => listDuplicateTitles(db, caller, query)),
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
  route(routes.judgeBulkRows, async ({ body }, trx) => ({ data: await judgeBulkRows(trx, body.kind, body.rows) })),
  route(routes.editIsrcs, ({ query, body, caller }, trx) => editCodes(trx, caller, 'isrc', body, query)),
  route(routes.editBarcodes, ({ query, body, caller }, trx) => editCodes(trx, caller, 'barcode', body, query)),
  route(routes.listCodeEdits, ({ query }, db) => listCodeEdits(db, query)),
  route(routes.listUnsavedCodes, async ({ params }, db) => ({ data: await listUnsavedCodes(db, params.id) })),
  route(routes.reverseCodeEdit, async ({ params, caller }, trx) => ({
    data: await reverseCodeEdit(trx, caller, params.id),
  })),
];
