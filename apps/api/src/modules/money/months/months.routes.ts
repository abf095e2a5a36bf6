import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { signPosted } from '#src/modules/money/signatures/signatures.service.ts';
import { getMonthPayments } from './month-payments.service.ts';
import { getMonth, listMonths, postAutomaticReport } from './months.service.ts';

export const monthRoutes = [
  dataRoute(routes.listMonths, ({ query }, db) => listMonths(db, query)),
  dataRoute(routes.getMonth, ({ query }, db) => getMonth(db, query.month)),
  dataRoute(routes.getMonthPayments, ({ query, caller }, db) => getMonthPayments(db, caller, query.month)),
  route(routes.previewMonth, ({ body, caller }, trx) =>
    postAutomaticReport(trx, caller, { monthMs: body.fromDate, isDryRun: true, isForecast: body.withUnchecked }),
  ),
  route(routes.automaticReport, async ({ body, caller }, trx) => {
    const answer = await postAutomaticReport(trx, caller, {
      monthMs: body.fromDate,
      isDryRun: body.dryRun,
      version: body.version,
      confirmRates: body.confirmRates,
      confirmDuplicates: body.confirmDuplicates,
    });
    if (answer.data.importId !== null) await signPosted(trx, caller, [answer.data.importId]);
    return { ...answer, ...(body.dryRun ? { message: '' } : {}) };
  }),
];
