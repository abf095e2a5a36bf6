import { routes } from '@regie/contract/routes.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { createTicket, editTicket, getTicket, listTickets } from './tickets.service.ts';

export const ticketRoutes = [
  route(routes.listTickets, ({ params, query }, db) => listTickets(db, params.status, query)),
  dataRoute(routes.getTicket, ({ params, query }, db) => getTicket(db, params.id, query)),
  dataRoute(routes.editTicket, ({ params, body, caller }, trx) => editTicket(trx, caller, params.id, body)),
  dataRoute(routes.createTicket, ({ body, caller }, trx) => createTicket(trx, caller, body)),
];
