import { signatureRoutes as contract } from '@regie/contract/routes/signatures.ts';
import { route } from '#src/lib/route.ts';
import * as service from './signatures.service.ts';

export const signatureRoutes = [
  route(contract.listSignables, async ({ deps, caller }, db) => ({
    data: await service.listSignables(db, deps, caller),
  })),
  route(contract.getSignable, async ({ deps, caller, params }, db) => ({
    data: await service.getSignable(db, deps, caller, params),
  })),
  route(contract.startSigning, async ({ deps, caller, params, body }, trx) => ({
    data: await service.startSigning(trx, deps, caller, params, body.version),
  })),
  route(contract.sign, async ({ deps, caller, params, body }, trx) => ({
    data: { isComplete: await service.sign(trx, deps, caller, params, body) },
  })),
  route(contract.withdrawSignature, ({ caller, params }, trx) => service.withdraw(trx, caller, params)),
  route(contract.askSignature, async ({ deps, caller, params }, trx) => ({
    data: { asked: await service.ask(trx, deps, caller, params) },
  })),
];
