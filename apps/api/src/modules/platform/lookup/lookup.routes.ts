import { routes } from '@regie/contract/routes.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { sql } from 'kysely';
import { route } from '#src/lib/route.ts';
import { hasWords } from '#src/lib/text-search.ts';
import {
  listDeliveredTracks,
  lookupPeople,
  lookupReleases,
  lookupTracks,
} from '#src/modules/catalogue/releases/release-views.service.ts';

const maxRows = 20;
/** Capabilities whose screens show every account's e-mail address. */
const readsEmails = ['manage_profiles', 'edit_reports', 'edit_pending_payout'] as const;

export const lookupRoutes = [
  route(routes.lookupAccounts, async ({ query, caller }, db) => {
    const number = findNumber(query.q, 'account');
    const mayReadEmails = readsEmails.some((capability) => caller.can(capability));
    const email = mayReadEmails ? sql`email::text` : sql`NULL::text`;
    // The index contains addresses; callers who may not read them must not find accounts by them.
    const byName = mayReadEmails
      ? sql``
      : sql`AND ${hasWords(sql`fold(first_name || ' ' || last_name || ' ' || coalesce(company, ''))`, query.q)}`;
    const { rows } = await sql<{ id: number; label: string; hint: string }>`
      SELECT id, coalesce(nullif(trim(first_name || ' ' || last_name), ''), company, ${email}, 'Compte ' || id) AS label,
             concat_ws(' · ', nullif(company, ''), ${email}) AS hint
        FROM accounts
       WHERE erased_at IS NULL AND (${hasWords(sql`search`, query.q)} ${byName} OR id = ${number ?? null}::bigint)
       ORDER BY id = ${number ?? 0}::bigint DESC, last_name, id LIMIT ${sql.lit(maxRows)}`.execute(db);
    return { data: rows };
  }),
  route(routes.lookupReleases, async ({ query, caller }, db) => ({ data: await lookupReleases(db, caller, query.q) })),
  route(routes.lookupPeople, async ({ query }, db) => ({ data: await lookupPeople(db, query.q) })),
  route(routes.lookupTracks, async ({ query }, db) => ({ data: await lookupTracks(db, query.q) })),
  route(routes.listDeliveredTracks, ({ query }, db) => listDeliveredTracks(db, query)),
];
