import { routes } from '@regie/contract/routes.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import { dataRoute, eventRoute, fileRoute, route, routeWithOwnTransactions, uploadRoute } from '#src/lib/route.ts';
import { createPreset, deletePreset, listPresets } from '#src/modules/income/presets/presets.service.ts';
import { removeReceived } from '#src/modules/platform/uploads/uploads.service.ts';
import { openEvents } from './events.service.ts';
import { downloadLines } from './lines-file.service.ts';
import * as checks from './statement-checks.service.ts';
import * as contents from './statement-contents.service.ts';
import * as readings from './statement-readings.service.ts';
import * as uploads from './statement-upload.service.ts';
import * as views from './statement-views.service.ts';
import * as statements from './statements.service.ts';

export const statementRoutes = [
  dataRoute(routes.beginStatementUpload, ({ body, caller, deps }, trx) => uploads.beginUpload(trx, deps, caller, body)),
  uploadRoute(routes.uploadStatement, {
    prepare: ({ params, caller, deps, request, upload }, db) =>
      uploads.prepareChunk(db, deps, caller, params.id, request, upload),
    settled: (prepared) => {
      const data = uploads.settledChunk(prepared);
      return data && { data, message: '' };
    },
    apply: async ({ caller, deps }, prepared, trx) => ({
      data: await uploads.finishUpload(trx, deps, caller, prepared),
    }),
    discard: (prepared, deps) => uploads.discardChunk(deps, prepared),
    committed: async ({ upload, stored }, deps) => removeReceived(deps, stored && upload),
  }),
  route(routes.cancelStatementUpload, ({ params, caller, deps }, trx) =>
    uploads.cancelUpload(trx, deps, caller, params.id),
  ),
  route(routes.listStatements, ({ query }, db) => views.listStatements(db, query)),
  dataRoute(routes.listStatementSources, (_input, db) => statements.listSources(db)),
  eventRoute(routes.followStatements, ({ deps, request }) => openEvents(deps, request)),
  dataRoute(routes.getStoreStatement, ({ params }, db) => views.getStatement(db, params.id)),
  dataRoute(routes.getStatementDifferences, ({ params }, db) => views.getDifferences(db, params.id)),
  dataRoute(routes.editStatement, ({ params, body, caller }, trx) =>
    readings.editStatement(trx, caller, params.id, body),
  ),
  dataRoute(routes.readStatementWith, ({ params, body, caller }, trx) =>
    readings.readWith(trx, caller, params.id, body),
  ),
  dataRoute(routes.checkStatement, ({ params, body, caller }, trx) =>
    checks.checkStatement(trx, caller, params.id, body),
  ),
  route(routes.checkStatements, async ({ body, caller }, trx) => {
    const data = await checks.checkStatements(trx, caller, body.statements);
    return { data, message: statementMessages.checked(data.checked.length) };
  }),
  dataRoute(routes.uncheckStatement, ({ params, caller }, trx) => checks.uncheckStatement(trx, caller, params.id)),
  route(routes.replaceStatement, async ({ params, body, caller }, trx) => ({
    data: await statements.replaceStatement(trx, caller, params.id, { isDryRun: body.dryRun, replaces: body.replaces }),
    ...(body.dryRun ? { message: '' } : {}),
  })),
  dataRoute(routes.deleteStatement, ({ params, caller }, trx) => statements.deleteStatement(trx, caller, params.id)),
  fileRoute(routes.downloadStatement, ({ params, deps }, db) => contents.downloadStatement(db, deps, params.id)),
  fileRoute(routes.downloadLines, ({ query, deps }, db) =>
    downloadLines(
      db,
      deps.lines,
      query.month === undefined ? { statement: query.statement ?? 0 } : { month: `${monthOfInstant(query.month)}-01` },
      query.format,
    ),
  ),
  dataRoute(routes.getStatementHead, ({ params, query, deps }, db) => contents.getHead(db, deps, params.id, query)),
  // It writes nothing, and holds no connection while it reads.
  routeWithOwnTransactions(routes.previewStatement, async ({ params, body: { preset, month, ...options }, deps }) => ({
    data: await contents.previewReading(deps, params.id, preset, {
      ...options,
      month: month === undefined ? undefined : `${monthOfInstant(month)}-01`,
    }),
  })),
  dataRoute(routes.readStatementMember, ({ params, body, caller }, trx) =>
    readings.readMember(trx, caller, params.id, body.name),
  ),
  dataRoute(routes.getStatementLines, ({ params, query, deps }, db) => contents.getLines(db, deps, params.id, query)),
  dataRoute(routes.getStatementLine, ({ params, deps }, db) => contents.getLine(db, deps, params.id, params.line)),
  dataRoute(routes.listPresets, (_input, db) => listPresets(db)),
  dataRoute(routes.createPreset, async ({ body, caller }, trx) => ({ key: await createPreset(trx, caller, body) })),
  route(routes.deletePreset, ({ params, caller }, trx) => deletePreset(trx, caller, params.id)),
];
