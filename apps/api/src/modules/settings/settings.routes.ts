import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { approveProposal, describeSettings, getProposal, saveSettings, withdrawProposal } from './settings.service.ts';

export const settingsRoutes = [
  route(routes.getSettings, async ({ caller }, db) => ({ data: await describeSettings(db, caller) })),
  route(routes.putSettings, async ({ body, caller }, trx) => ({ data: await saveSettings(trx, caller, body) })),
  route(routes.getApprovalProposal, async ({ caller }, db) => ({ data: await getProposal(db, caller) })),
  route(routes.approveApprovalProposal, async ({ body, caller }, trx) => ({
    data: { payoutApprovalEur: await approveProposal(trx, caller, body.payoutApprovalEur) },
  })),
  route(routes.withdrawApprovalProposal, async ({ caller }, trx) => {
    await withdrawProposal(trx, caller);
    return { data: {} };
  }),
];
