import { securityRoutes as contract } from '@regie/contract/routes/security.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { dataRoute, route, routeWithOwnTransactions } from '#src/lib/route.ts';
import { describeLifts, refuseFactorLift } from './access.service.ts';
import { changeOwnPassword } from './auth.service.ts';
import { spendFactorMail } from './auth.throttle.ts';
import * as factors from './factors.service.ts';
import * as sessions from './sessions.service.ts';

export const securityRoutes = [
  dataRoute(contract.getSecurity, async ({ caller }, db) => ({
    ...(await factors.describeSecurity(db, caller)),
    ...(await sessions.describeSessions(db, caller)),
    factorLift: (await describeLifts(db)).get(caller.adminId ?? 0) ?? null,
  })),
  routeWithOwnTransactions(contract.changeOwnPassword, ({ body, ...call }) => changeOwnPassword(call, body)),
  route(contract.refuseFactorLift, ({ caller }, trx) => refuseFactorLift(trx, caller)),
  route(contract.endSession, ({ caller, params }, trx) => sessions.endSession(trx, caller, params.id)),
  route(contract.endOtherSessions, ({ caller }, trx) => sessions.endOtherSessions(trx, caller)),
  dataRoute(contract.startStepUp, ({ deps, caller }, trx) => factors.startStepUp(trx, deps, caller)),
  routeWithOwnTransactions(contract.stepUp, ({ deps, caller, body }) => factors.stepUp(deps, caller, body)),
  route(contract.sendFactorCode, async ({ deps, caller }, trx) => {
    const adminId = caller.adminId ?? 0;
    await spendFactorMail(deps, adminId);
    await enqueue(trx, 'send_factor_code', { adminId });
  }),
  routeWithOwnTransactions(contract.startTotp, async ({ deps, caller, body }) => ({
    data: await factors.startTotp(deps, caller, body),
  })),
  dataRoute(contract.addTotp, ({ deps, caller, body }, trx) => factors.addTotp(trx, deps, caller, body)),
  routeWithOwnTransactions(contract.startPasskey, async ({ deps, caller, body }) => ({
    data: await factors.startPasskey(deps, caller, body),
  })),
  dataRoute(contract.addPasskey, ({ deps, caller, body }, trx) => factors.addPasskey(trx, deps, caller, body)),
  route(contract.removeFactor, ({ caller, params }, trx) => factors.removeFactor(trx, caller, params.id)),
  dataRoute(contract.renewRecoveryCodes, ({ caller }, trx) => factors.renewRecoveryCodes(trx, caller)),
];
