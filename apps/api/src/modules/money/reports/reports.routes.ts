import { messages } from '@regie/contract/messages.ts';
import { routes } from '@regie/contract/routes.ts';
import { notFound } from '#src/lib/errors.ts';
import { route } from '#src/lib/route.ts';
import { previewReversal } from '#src/modules/money/ledger/ledger.service.ts';
import { signPosted } from '#src/modules/money/signatures/signatures.service.ts';
import { discardImport, importBatch, postImport } from './import-batches.service.ts';
import { listReportLines, listReportStatements } from './report-statements.queries.ts';
import { findImport, findImportIds, findReport, listImports, listReports, listUnsavedRows } from './reports.queries.ts';
import { deleteMonth, deleteReport, reverseImport } from './reversals.service.ts';
import { createReport, createYoutubeReport } from './single-reports.service.ts';

export const reportRoutes = [
  route(routes.listReports, ({ query }, db) => listReports(db, query)),
  route(routes.getReport, async ({ params }, db) => {
    const report = await findReport(db, params.id);
    if (!report) throw notFound();
    return { data: report };
  }),
  route(routes.listReportStatements, async ({ params }, db) => ({ data: await listReportStatements(db, params.id) })),
  route(routes.listReportLines, async ({ params, deps }, db) => ({
    data: await listReportLines(db, deps.lines, params.id, params.statement),
  })),
  route(routes.deleteReport, async ({ params, caller }, trx) => ({ data: await deleteReport(trx, caller, params.id) })),
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
  route(routes.getImport, async ({ params }, db) => {
    const row = await findImport(db, params.id);
    if (!row) throw notFound();
    return { data: row };
  }),
  route(routes.listUnsavedRows, async ({ params, query }, db) => {
    if (!(await findImport(db, params.id))) throw notFound();
    return listUnsavedRows(db, params.id, query);
  }),
  route(routes.postImport, async ({ params, body, caller }, trx) => {
    const answer = await postImport(trx, caller, params.id, body);
    await signPosted(trx, caller, [params.id]);
    return answer;
  }),
  route(routes.discardImport, async ({ params, caller }, trx) => ({
    data: await discardImport(trx, caller, params.id),
  })),
  route(routes.previewReversal, async ({ params }, db) => ({ data: await previewReversal(db, params.id) })),
  route(routes.reverseImport, async ({ params, caller }, trx) => ({
    data: await reverseImport(trx, caller, params.id),
  })),
];
