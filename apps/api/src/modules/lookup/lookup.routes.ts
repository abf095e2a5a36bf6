import { routes } from '@regie/contract/routes.ts';
import { sql } from 'kysely';
import { containsPattern } from '#src/lib/keyset.ts';
import { route } from '#src/lib/route.ts';
import {
  listDeliveredTracks,
  lookupPeople,
  lookupReleases,
  lookupTracks,
} from '#src/modules/releases/releases.service.ts';

const found = 20;

export const lookupRoutes = [
  route(routes.lookupAccounts, async ({ query }, db) => {
    const { rows } = await sql<{ id: number; label: string; hint: string }>`
      SELECT id, coalesce(nullif(trim(first_name || ' ' || last_name), ''), company, email::text, 'Compte ' || id) AS label,
             concat_ws(' · ', nullif(company, ''), email::text) AS hint
        FROM accounts WHERE search LIKE fold(${containsPattern(query.q)})
       ORDER BY last_name, id LIMIT ${sql.lit(found)}`.execute(db);
    return { data: rows };
  }),
  route(routes.lookupReleases, async ({ query, caller }, db) => ({ data: await lookupReleases(db, caller, query.q) })),
  route(routes.lookupPeople, async ({ query }, db) => ({ data: await lookupPeople(db, query.q) })),
  route(routes.lookupTracks, async ({ query }, db) => ({ data: await lookupTracks(db, query.q) })),
  route(routes.listDeliveredTracks, ({ query }, db) => listDeliveredTracks(db, query)),
];
