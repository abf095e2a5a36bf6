import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { listMonths, postAutomaticReport } from './months.service.ts';

export const monthRoutes = [
  route(routes.listMonths, async ({ query }, db) => ({ data: await listMonths(db, query) })),
  route(routes.automaticReport, async ({ body, caller }, trx) => ({
    data: await postAutomaticReport(trx, caller, {
      monthMs: body.fromDate,
      isDryRun: body.dryRun,
      version: body.version,
      confirmRates: body.confirmRates,
      confirmDuplicates: body.confirmDuplicates,
    }),
    ...(body.dryRun ? { message: '' } : {}),
  })),
];
