import { routes } from '@regie/contract/routes.ts';
import { dataRoute } from '#src/lib/route.ts';
import { getLicenceContract } from './licence-contract.service.ts';

export const licenceContractRoutes = [
  dataRoute(routes.getLicenceContract, ({ params, caller }, db) => getLicenceContract(db, caller, params.id)),
];
