import { routes } from '@regie/contract/routes.ts';
import { dataRoute } from '#src/lib/route.ts';
import { describeSettings, saveSettings } from './settings.service.ts';

export const settingsRoutes = [
  dataRoute(routes.getSettings, (_, db) => describeSettings(db)),
  dataRoute(routes.putSettings, ({ body, caller }, trx) => saveSettings(trx, caller, body)),
];
