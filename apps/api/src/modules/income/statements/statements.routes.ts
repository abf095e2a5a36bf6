import { routes } from '@regie/contract/routes.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { monthOfInstant } from '@regie/values/month.ts';
import { eventRoute, fileRoute, route, routeWithOwnTransactions, uploadRoute } from '#src/lib/route.ts';
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
  route(routes.beginStatementUpload, async ({ body, caller, deps }, trx) => ({
    data: await uploads.beginUpload(trx, deps, caller, body),
  })),
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
  route(routes.listStatementSources, async (_input, db) => ({ data: await statements.listSources(db) })),
  eventRoute(routes.followStatements, ({ deps, request }) => openEvents(deps, request)),
  route(routes.getStoreStatement, async ({ params }, db) => ({ data: await views.getStatement(db, params.id) })),
  route(routes.getStatementDifferences, async ({ params }, db) => ({
    data: await views.getDifferences(db, params.id),
  })),
  route(routes.editStatement, async ({ params, body, caller }, trx) => ({
    data: await readings.editStatement(trx, caller, params.id, body),
  })),
  route(routes.readStatementWith, async ({ params, body, caller }, trx) => ({
    data: await readings.readWith(trx, caller, params.id, body),
  })),
  route(routes.checkStatement, async ({ params, body, caller }, trx) => ({
    data: await checks.checkStatement(trx, caller, params.id, body),
  })),
  route(routes.checkStatements, async ({ body, caller }, trx) => {
    const data = await checks.checkStatements(trx, caller, body.statements);
    return { data, message: statementMessages.checked(data.checked.length) };
  }),
  route(routes.uncheckStatement, async ({ params, caller }, trx) => ({
    data: await checks.uncheckStatement(trx, caller, params.id),
  })),
  route(routes.replaceStatement, async ({ params, body, caller }, trx) => ({
    data: await statements.replaceStatement(trx, caller, params.id, { isDryRun: body.dryRun, replaces: body.replaces }),
    ...(body.dryRun ? { message: '' } : {}),
  })),
  route(routes.deleteStatement, async ({ params, caller }, trx) => ({
    data: await statements.deleteStatement(trx, caller, params.id),
  })),
  fileRoute(routes.downloadStatement, ({ params, deps }, db) => contents.downloadStatement(db, deps, params.id)),
  fileRoute(routes.downloadLines, ({ query, deps }, db) =>
    downloadLines(
      db,
      deps.lines,
      query.month === undefined ? { statement: query.statement ?? 0 } : { month: `${monthOfInstant(query.month)}-01` },
      query.format,
    ),
  ),
  route(routes.getStatementHead, async ({ params, query, deps }, db) => ({
    data: await contents.getHead(db, deps, params.id, query),
  })),
  // It writes nothing, and holds no connection while it reads.
  routeWithOwnTransactions(routes.previewStatement, async ({ params, body: { preset, month, ...options }, deps }) => ({
    data: await contents.previewReading(deps, params.id, preset, {
      ...options,
      month: month === undefined ? undefined : `${monthOfInstant(month)}-01`,
    }),
  })),
  route(routes.readStatementMember, async ({ params, body, caller }, trx) => ({
    data: await readings.readMember(trx, caller, params.id, body.name),
  })),
  route(routes.getStatementLines, async ({ params, query, deps }, db) => ({
    data: await contents.getLines(db, deps, params.id, query),
  })),
  route(routes.getStatementLine, async ({ params, deps }, db) => ({
    data: await contents.getLine(db, deps, params.id, params.line),
  })),
  route(routes.listPresets, async (_input, db) => ({ data: await listPresets(db) })),
  route(routes.createPreset, async ({ body, caller }, trx) => ({
    data: { key: await createPreset(trx, caller, body) },
  })),
  route(routes.deletePreset, ({ params, caller }, trx) => deletePreset(trx, caller, params.id)),
];
