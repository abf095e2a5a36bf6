import { createDatabase } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import { medianTimes } from './lists.ts';
import { startServer, type World } from './world.ts';

/** The pages for missing codes, duplicates and similar titles. */
const pages = {
  'tracks without ISRC': '/tools/empty-isrc-barcode?kind=tracks&limit=50',
  'releases without barcode': '/tools/empty-isrc-barcode?kind=libraries&limit=50',
  'shared ISRCs': '/tools/isrc-redundancy?kind=isrc&limit=50',
  'shared barcodes': '/tools/isrc-redundancy?kind=barcode&limit=50',
  'alike titles': '/tools/naming-redundancy?kind=tracks&limit=50',
  'alike titles, largest groups first': '/tools/naming-redundancy?kind=tracks&limit=50&sort=size&order=desc',
};

/**
 * Creates tracks, ten per release: one in ten without an ISRC, one in twenty with a duplicate ISRC, one in twenty with
 * a shared title, one in fifty with a title that differs by one letter from another of its artist.
 */
async function createTracks(world: World, database: string, tracks: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  const releases = Math.ceil(tracks / 10);
  // Groups are filled once at the end, as a migration does; other triggers do not affect these pages.
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile) SELECT 'Prénom', 'Nom ' || n, 'c' || n || '@exemple.fr', 80, 80 FROM generate_series(1, 1000) n`.execute(
    db,
  );
  await sql`INSERT INTO people (full_name) SELECT 'Artiste ' || n FROM generate_series(1, ${sql.lit(releases)}) n`.execute(
    db,
  );
  await sql`
    INSERT INTO releases (account_id, title, status, barcode, artist_name)
    SELECT 1 + n % 1000, 'Sortie ' || n, 'delivered',
           CASE WHEN n % 10 = 0 THEN NULL ELSE lpad((n - CASE WHEN n % 20 = 11 THEN 10 ELSE 0 END)::text, 12, '0') END,
           'Artiste ' || n
      FROM generate_series(1, ${sql.lit(releases)}) n`.execute(db);
  await sql`
    INSERT INTO tracks (release_id, account_id, position, title, isrc)
    SELECT r.id, r.account_id, p,
           CASE WHEN p = 1 AND r.id % 2 = 0 THEN 'Refrain ' || r.id % ${sql.lit(Math.ceil(tracks / 1000))}
                WHEN p = 2 AND r.id % 5 = 0 THEN 'La chanson étoilée des rivages ' || r.id
                WHEN p = 3 AND r.id % 5 = 0 THEN 'Chanson étoilée des rivagse ' || r.id
                ELSE 'Titre ' || r.id || '-' || p END,
           CASE WHEN p = 10 THEN NULL
                ELSE 'FRBT1' || lpad((r.id * 10 + CASE WHEN p = 5 AND r.id % 2 = 0 THEN 4 ELSE p END)::text, 7, '0') END
      FROM releases r, generate_series(1, 10) p`.execute(db);
  await sql`
    INSERT INTO track_credits (track_id, person_id, kind, role)
    SELECT id, release_id, 'artist', 'Primary Artist' FROM tracks`.execute(db);
  await sql`SET session_replication_role = origin`.execute(db);
  await sql`SELECT fill_duplicates()`.execute(db);
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}

/** Median times, ms, of each page in both catalogues. */
export async function compareTools(
  world: World,
  few: { database: string; tracks: number },
  many: { database: string; tracks: number },
  repeats: number,
): Promise<{ name: string; fewMs: number; manyMs: number }[]> {
  for (const { database, tracks } of [few, many]) await createTracks(world, database, tracks);
  const [ofFew, ofMany] = [await startServer(world, few.database), await startServer(world, many.database)];
  const found = [];
  for (const [name, path] of Object.entries(pages)) {
    const targets = [ofFew, ofMany].map((client) => ({ client, path }));
    const [fewMs = 0, manyMs = 0] = await medianTimes(targets, repeats);
    found.push({ name, fewMs, manyMs });
  }
  await Promise.all([ofFew.stop(), ofMany.stop()]);
  return found;
}
