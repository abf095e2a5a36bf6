import { journalRoutes as contract } from '@regie/contract/routes/staff.ts';
import { route } from '#src/lib/route.ts';
import { listJournal } from './journal.queries.ts';

export const journalRoutes = [
  route(contract.listJournal, async ({ query }, db) => {
    const { rows, ...meta } = await listJournal(db, query);
    return {
      data: rows.map((row) => ({
        id: row.id,
        at: row.at.getTime(),
        admin: row.adminId === null ? null : { id: row.adminId, name: `${row.firstName} ${row.lastName}` },
        action: row.action,
        entity: row.entity,
        entityId: row.entityId,
        before: row.before,
        after: row.after,
        requestId: row.requestId,
        address: row.address,
        agent: row.agent,
      })),
      meta,
    };
  }),
];
