import { signatureRoutes as contract } from '@regie/contract/routes/signatures.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as service from './signatures.service.ts';

export const signatureRoutes = [
  dataRoute(contract.listSignables, ({ deps, caller }, db) => service.listSignables(db, deps, caller)),
  dataRoute(contract.getSignable, ({ deps, caller, params }, db) => service.getSignable(db, deps, caller, params)),
  dataRoute(contract.startSigning, ({ deps, caller, params, body }, trx) =>
    service.startSigning(trx, deps, caller, params, body.version),
  ),
  dataRoute(contract.sign, async ({ deps, caller, params, body }, trx) => ({
    isComplete: await service.sign(trx, deps, caller, params, body),
  })),
  route(contract.withdrawSignature, ({ caller, params }, trx) => service.withdraw(trx, caller, params)),
  dataRoute(contract.askSignature, async ({ deps, caller, params }, trx) => ({
    asked: await service.ask(trx, deps, caller, params),
  })),
];
