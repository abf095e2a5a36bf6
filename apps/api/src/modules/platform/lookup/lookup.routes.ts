import { routes } from '@regie/contract/routes.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { sql } from 'kysely';
import { queryRows } from '#src/lib/db.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { hasWords } from '#src/lib/text-search.ts';
import * as releases from '#src/modules/catalogue/releases/release-views.service.ts';

const maxRows = 20;
/** Their screens show every e-mail address. */
const readsEmails = ['manage_profiles', 'edit_reports', 'edit_pending_payout'] as const;

export const lookupRoutes = [
  route(routes.lookupAccounts, async ({ query, caller }, db) => {
    const number = findNumber(query.q, 'account');
    const mayReadEmails = readsEmails.some((capability) => caller.can(capability));
    const email = mayReadEmails ? sql`email::text` : sql`NULL::text`;
    // The index contains addresses, by which others must not find accounts.
    const byName = mayReadEmails
      ? sql``
      : sql`AND ${hasWords(sql`fold(first_name || ' ' || last_name || ' ' || coalesce(company, ''))`, query.q)}`;
    const rows = await queryRows<{ id: number; label: string; hint: string }>(db)`
      SELECT id, coalesce(nullif(trim(first_name || ' ' || last_name), ''), company, ${email}, 'Compte ' || id) AS label,
             concat_ws(' · ', nullif(company, ''), ${email}) AS hint
        FROM accounts
       WHERE erased_at IS NULL AND (${hasWords(sql`search`, query.q)} ${byName} OR id = ${number ?? null}::bigint)
       ORDER BY id = ${number ?? 0}::bigint DESC, last_name, id LIMIT ${sql.lit(maxRows)}`;
    return { data: rows };
  }),
  dataRoute(routes.lookupReleases, ({ query, caller }, db) => releases.lookupReleases(db, caller, query.q)),
  dataRoute(routes.lookupPeople, ({ query }, db) => releases.lookupPeople(db, query.q)),
  dataRoute(routes.lookupTracks, ({ query }, db) => releases.lookupTracks(db, query.q)),
  route(routes.listDeliveredTracks, ({ query }, db) => releases.listDeliveredTracks(db, query)),
];
