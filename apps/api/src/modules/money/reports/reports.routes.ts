import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { notFound, orNotFound } from '#src/lib/errors.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { previewReversal } from '#src/modules/money/ledger/ledger.service.ts';
import { signPosted } from '#src/modules/money/signatures/signatures.service.ts';
import { discardImport, importBatch, postImport } from './import-batches.service.ts';
import { listReportLines, listReportStatements } from './report-statements.queries.ts';
import { findImport, findImportIds, findReport, listImports, listReports, listUnsavedRows } from './reports.queries.ts';
import { deleteMonth, deleteReport, reverseImport } from './reversals.service.ts';
import { createReport, createYoutubeReport } from './single-reports.service.ts';

export const reportRoutes = [
  route(routes.listReports, ({ query }, db) => listReports(db, query)),
  dataRoute(routes.getReport, async ({ params }, db) => orNotFound(await findReport(db, params.id))),
  dataRoute(routes.listReportStatements, ({ params }, db) => listReportStatements(db, params.id)),
  dataRoute(routes.listReportLines, ({ params, deps }, db) =>
    listReportLines(db, deps.lines, params.id, params.statement),
  ),
  dataRoute(routes.deleteReport, ({ params, caller }, trx) => deleteReport(trx, caller, params.id)),
  route(routes.createReport, async ({ body, caller }, trx) => {
    const answer = await createReport(trx, caller, body);
    await signPosted(trx, caller, await findImportIds(trx, answer.data.id));
    return answer;
  }),
  route(routes.createYoutubeReport, async ({ body, caller }, trx) => {
    const answer = await createYoutubeReport(trx, caller, body);
    await signPosted(trx, caller, await findImportIds(trx, answer.data.id));
    return answer;
  }),
  route(routes.importReportBatch, async ({ query, body, caller }, trx) => {
    const data = await importBatch(trx, caller, {
      monthMs: query.date,
      toMs: query.to,
      fileKey: query.import,
      fileName: query.name,
      batch: query.batch,
      batches: query.batches,
      rows: body,
      again: query.again,
    });
    if (data.isPosted) await signPosted(trx, caller, [data.importId]);
    return { data, warnings: data.warnings, message: data.alreadyCounted ? messages.batchCounted : '' };
  }),
  route(routes.deleteReportsByMonth, async ({ query, caller }, trx) => {
    const data = await deleteMonth(trx, caller, { monthMs: query.date, type: query.type, isDryRun: query.dryRun });
    const message = data.deleted === 0 ? messages.noReports : '';
    return { data, ...(query.dryRun || message ? { message } : {}) };
  }),
  route(routes.listImports, ({ query }, db) => listImports(db, query)),
  dataRoute(routes.getImport, async ({ params }, db) => orNotFound(await findImport(db, params.id))),
  route(routes.listUnsavedRows, async ({ params, query }, db) => {
    if (!(await findImport(db, params.id))) throw notFound();
    return listUnsavedRows(db, params.id, query);
  }),
  route(routes.postImport, async ({ params, body, caller }, trx) => {
    const answer = await postImport(trx, caller, params.id, body);
    await signPosted(trx, caller, [params.id]);
    return answer;
  }),
  dataRoute(routes.discardImport, ({ params, caller }, trx) => discardImport(trx, caller, params.id)),
  dataRoute(routes.previewReversal, ({ params }, db) => previewReversal(db, params.id)),
  dataRoute(routes.reverseImport, ({ params, caller }, trx) => reverseImport(trx, caller, params.id)),
];
