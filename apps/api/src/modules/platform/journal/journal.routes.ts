import { journalRoutes as contract } from '@regie/contract/routes/staff.ts';
import { route } from '#src/lib/route.ts';
import { listJournal } from './journal.service.ts';

export const journalRoutes = [route(contract.listJournal, ({ query }, db) => listJournal(db, query))];
