import { routes } from '@regie/contract/routes.ts';
import { sql } from 'kysely';
import { containsPattern, countUpTo, cutPage, keyset } from '#src/lib/keyset.ts';
import { route } from '#src/lib/route.ts';
import { lookupPeople, lookupReleases } from '#src/modules/releases/releases.service.ts';

const found = 20;
const isDelivered = sql`r.status IN ('delivered', 'closed') AND r.deleted_at IS NULL AND t.deleted_at IS NULL`;

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
  route(routes.lookupTracks, async ({ query }, db) => {
    // An ISRC is often pasted with its hyphens.
    const code = query.q.replaceAll(/[\s-]/g, '');
    const { rows } = await sql<{ id: number; label: string; hint: string; accountId: number }>`
      SELECT t.id, t.title AS label, t.account_id,
             concat_ws(' · ', t.isrc, r.title, nullif(trim(a.first_name || ' ' || a.last_name), '')) AS hint
        FROM tracks t JOIN releases r ON r.id = t.release_id JOIN accounts a ON a.id = t.account_id
       WHERE ${isDelivered} AND (t.search LIKE fold(${containsPattern(query.q)}) OR t.search LIKE fold(${containsPattern(code)}))
       ORDER BY t.title, t.id LIMIT ${sql.lit(found)}`.execute(db);
    return { data: rows };
  }),
  route(routes.listDeliveredTracks, async ({ query }, db) => {
    const page = keyset(
      query,
      { title: { expression: sql`t.title`, type: 'text' }, id: { expression: sql`t.id`, type: 'bigint' } },
      sql`t.id`,
    );
    const from = sql`
      FROM tracks t JOIN releases r ON r.id = t.release_id
     WHERE ${isDelivered} AND (${query.q ?? ''} = '' OR t.search LIKE fold(${containsPattern(query.q ?? '')}))`;
    const cursorValue = query.sort === 'id' ? sql`t.id` : sql`t.title`;
    const [{ rows }, count] = await Promise.all([
      sql<{
        id: number;
        title: string;
        isrc: string | null;
        releaseTitle: string;
        userId: number;
        cursorValue: string | number;
      }>`
        SELECT t.id, t.title, t.isrc, r.title AS release_title, t.account_id AS user_id, ${cursorValue} AS cursor_value
        ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${page.limit + 1}`.execute(db),
      countUpTo(db, from),
    ]);
    const cut = cutPage(rows, page);
    return { data: cut.rows, meta: { nextCursor: cut.nextCursor, ...count } };
  }),
];
