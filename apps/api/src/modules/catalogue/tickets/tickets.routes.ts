import { routes } from '@regie/contract/routes.ts';
import { route } from '#src/lib/route.ts';
import { createTicket, editTicket, listTickets } from './tickets.service.ts';

export const ticketRoutes = [
  route(routes.listTickets, ({ params, query }, db) => listTickets(db, params.status, query)),
  route(routes.editTicket, async ({ params, body, caller }, trx) => ({
    data: await editTicket(trx, caller, params.id, body),
  })),
  route(routes.createTicket, async ({ body, caller }, trx) => ({ data: await createTicket(trx, caller, body) })),
];
