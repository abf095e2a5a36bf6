import { staffRoutes as contract } from '@regie/contract/routes/staff.ts';
import { route } from '#src/lib/route.ts';
import { checkLocalSignIn } from '#src/modules/auth/auth.service.ts';
import * as lifts from './factor-lifts.service.ts';
import * as staff from './staff.service.ts';
import { vouchForAdmin } from './vouching.service.ts';

export const staffRoutes = [
  route(contract.listAdmins, ({ deps, caller, query }, db) => staff.listStaff(db, deps, caller, query)),
  route(contract.createAdmin, async ({ caller, body }, trx) => ({
    data: { id: await staff.createAdmin(trx, caller, body) },
  })),
  route(contract.editAdmin, async ({ deps, caller, params, body }, trx) => {
    await staff.editAdmin(trx, deps, caller, params.id, body);
    return { data: { id: params.id } };
  }),
  route(contract.vouchForAdmin, async ({ caller, params, body }, trx) => {
    await vouchForAdmin(trx, caller, params.id, body.version);
    return { data: { id: params.id } };
  }),
  route(contract.deleteAdmin, ({ caller, params }, trx) => staff.deleteAdmin(trx, caller, params.id)),
  route(contract.askFactorLift, async ({ caller, params }, trx) => ({
    data: { dueAt: (await lifts.askFactorLift(trx, caller, params.id)).getTime() },
  })),
  route(contract.confirmFactorLift, ({ caller, params, body }, trx) =>
    lifts.confirmFactorLift(trx, caller, params.id, body.dueAt),
  ),
  route(contract.cancelFactorLift, ({ caller, params }, trx) => lifts.cancelFactorLift(trx, caller, params.id)),
  route(contract.inviteAdmin, async ({ deps, caller, body }, trx) => {
    // The invitation leads to choosing a password.
    checkLocalSignIn(deps);
    return { data: { id: await staff.inviteAdmin(trx, caller, body) } };
  }),
  route(contract.cancelInvitation, ({ caller, params }, trx) => staff.cancelInvitation(trx, caller, params.id)),
];
