import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { getLicenceContract } from './contract.service.ts';

export const contractRoutes = [
  route(routes.getLicenceContract, async ({ params, caller }, db) => ({
    data: await getLicenceContract(db, caller, params.id),
  })),
];
