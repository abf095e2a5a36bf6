import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import {
  approveProposal,
  describeSettings,
  listProposals,
  saveSettings,
  withdrawProposal,
} from './settings.service.ts';

export const settingsRoutes = [
  route(routes.getSettings, async ({ caller }, db) => ({ data: await describeSettings(db, caller) })),
  route(routes.putSettings, async ({ body, caller }, trx) => ({ data: await saveSettings(trx, caller, body) })),
  route(routes.listSettingProposals, async ({ caller }, db) => ({ data: await listProposals(db, caller) })),
  route(routes.approveSettingProposal, async ({ params, body, caller }, trx) => {
    await approveProposal(trx, caller, params.key, body.value);
    return { data: { key: params.key, value: body.value } };
  }),
  route(routes.withdrawSettingProposal, ({ params, caller }, trx) => withdrawProposal(trx, caller, params.key)),
];
