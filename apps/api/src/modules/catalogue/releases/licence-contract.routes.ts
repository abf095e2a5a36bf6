import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { getLicenceContract } from './licence-contract.service.ts';

export const licenceContractRoutes = [
  route(routes.getLicenceContract, async ({ params, caller }, db) => ({
    data: await getLicenceContract(db, caller, params.id),
  })),
];
