import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { describeSettings, saveSettings } from './settings.service.ts';

export const settingsRoutes = [
  route(routes.getSettings, async (_, db) => ({ data: await describeSettings(db) })),
  route(routes.putSettings, async ({ body, caller }, trx) => ({ data: await saveSettings(trx, caller, body) })),
];
