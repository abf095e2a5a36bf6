import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import * as contracts from './custom-contracts.service.ts';

export const customContractRoutes = [
  dataRoute(routes.createCustomContract, ({ body, caller }, trx) => contracts.createCustomContract(trx, caller, body)),
  dataRoute(routes.listContractTemplates, (_, db) => contracts.listContractTemplates(db)),
  dataRoute(routes.getContractValues, ({ query }, db) => contracts.readContractValues(db, query.userId)),
  route(routes.listCustomContracts, ({ query }, db) => contracts.listCustomContracts(db, query)),
  dataRoute(routes.getCustomContract, ({ params }, db) => contracts.getCustomContract(db, params.id)),
  dataRoute(routes.deleteCustomContract, ({ params, caller }, trx) =>
    contracts.deleteCustomContract(trx, caller, params.id),
  ),
];
