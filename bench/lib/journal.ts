import { createDatabase } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import { medianTimes } from './lists.ts';
import type { Client, World } from './world.ts';

/** Writes entries of orders, imports and accounts, as years of work leave them, and one with a name of its own. */
export async function createEntries(world: World, database: string, entries: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  await sql`
    INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile)
    SELECT 'Prénom ' || n, 'Nom ' || n, 'compte' || n || '@exemple.fr', 70, 80 FROM generate_series(1, 4000) n`.execute(
    db,
  );
  await sql`
    INSERT INTO audit_log (action, entity, entity_id, before, after)
    SELECT (ARRAY['order.pay', 'import.batch', 'account.edit'])[1 + n % 3], (ARRAY['order', 'import', 'account'])[1 + n % 3],
           (1 + n % 4000)::text,
           CASE n % 3 WHEN 0 THEN '{"status": "PENDING"}'::jsonb WHEN 2 THEN jsonb_build_object('city', 'Ville ' || n % 90) END,
           CASE n % 3
             WHEN 0 THEN jsonb_build_object('status', 'PAID', 'total', n % 900 + 0.9, 'invoiceNumber', '2026-' || lpad(n::text, 7, '0'))
             WHEN 1 THEN jsonb_build_object('file', 'ventes-' || n % 500 || '.csv', 'batch', n % 20, 'rows', 5000, 'saved', 4990,
                                            'month', '2026-10', 'grossUsd', n * 1.5, 'accountsEur', n * 0.7)
             ELSE jsonb_build_object('city', 'Bourg ' || n % 70) END
      FROM generate_series(1, ${entries}) n`.execute(db);
  await sql`INSERT INTO audit_log (action, entity, after) VALUES ('settings.edit', 'settings', '{"house.name": "Ondine"}')`.execute(
    db,
  );
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}

/** Texts as typed: words of actions, fields and values, of many entries, of few and of none. */
const questions = ['commande payée', 'envoi ventes', 'oct. 2026', 'Nom 3999', 'ondine', '2026-0000082', 'introuvable'];

/** Median times, ms, of each search in a small journal and a large one. */
export async function compareJournals(few: Client, many: Client, repeats: number) {
  const found = [];
  for (const q of questions) {
    const path = `/journal?limit=50&q=${encodeURIComponent(q)}`;
    const [fewMs = 0, manyMs = 0] = await medianTimes(
      [
        { client: few, path },
        { client: many, path },
      ],
      repeats,
    );
    found.push({ q, fewMs, manyMs });
  }
  return found;
}
