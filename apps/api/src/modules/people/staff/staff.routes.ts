import { staffRoutes as contract } from '@regie/contract/routes/staff.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as access from './access.service.ts';
import { checkLocalSignIn } from './auth.service.ts';
import { proposeSignatory } from './signatories.service.ts';
import * as staff from './staff.service.ts';

export const staffRoutes = [
  route(contract.listAdmins, ({ deps, caller, query }, db) => staff.listStaff(db, deps, caller, query)),
  dataRoute(contract.createAdmin, async ({ caller, body }, trx) => ({
    id: await staff.createAdmin(trx, caller, body),
  })),
  route(contract.editAdmin, async ({ deps, caller, params, body }, trx) => {
    const answer = await staff.editAdmin(trx, deps, caller, params.id, body);
    return { data: { id: params.id }, ...answer };
  }),
  dataRoute(contract.addSignatory, async ({ caller, params }, trx) => ({
    isDone: await proposeSignatory(trx, caller, params.id, true),
  })),
  dataRoute(contract.removeSignatory, async ({ caller, params }, trx) => ({
    isDone: await proposeSignatory(trx, caller, params.id, false),
  })),
  route(contract.deleteAdmin, ({ caller, params }, trx) => staff.deleteAdmin(trx, caller, params.id)),
  dataRoute(contract.askFactorLift, async ({ caller, params }, trx) => ({
    dueAt: (await access.askFactorLift(trx, caller, params.id))?.getTime() ?? null,
  })),
  route(contract.cancelFactorLift, ({ caller, params }, trx) => access.cancelFactorLift(trx, caller, params.id)),
  route(contract.inviteAdmin, async ({ deps, caller, body }, trx) => {
    // The invitation leads to choosing a password.
    checkLocalSignIn(deps);
    return { data: { id: await staff.inviteAdmin(trx, caller, body) } };
  }),
  route(contract.cancelInvitation, ({ caller, params }, trx) => staff.cancelInvitation(trx, caller, params.id)),
];
