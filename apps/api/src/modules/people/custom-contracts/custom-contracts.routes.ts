import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import {
  createCustomContract,
  deleteCustomContract,
  getCustomContract,
  listContractTemplates,
  listCustomContracts,
  readContractValues,
} from './custom-contracts.service.ts';

export const customContractRoutes = [
  route(routes.createCustomContract, async ({ body, caller }, trx) => ({
    data: await createCustomContract(trx, caller, body),
  })),
  route(routes.listContractTemplates, async (_, db) => ({ data: await listContractTemplates(db) })),
  route(routes.getContractValues, async ({ query }, db) => ({ data: await readContractValues(db, query.userId) })),
  route(routes.listCustomContracts, ({ query }, db) => listCustomContracts(db, query)),
  route(routes.getCustomContract, async ({ params }, db) => ({ data: await getCustomContract(db, params.id) })),
  route(routes.deleteCustomContract, async ({ params, caller }, trx) => ({
    data: await deleteCustomContract(trx, caller, params.id),
  })),
];
