import { createDatabase } from '@regie/api/lib/db.ts';
import { sql } from 'kysely';
import type { World } from './world.ts';

/** Search words and their frequency. */
export const searched = {
  /** in one title of ten */
  common: 'riviere',
  /** in another tenth of the titles: one in a hundred has both */
  alsoCommon: 'nocturne',
  /** in one title of a hundred */
  ordinary: 'lagune',
  /** in ten titles, whatever their number */
  rare: 'ornithorynque',
  absent: 'introuvable',
  /** of an artist with one release in a thousand */
  artist: 'Kassandra Vell',
  /** of the account with the most releases */
  account: 'Oriane Delacourt',
} as const;

/** An ISRC and a barcode of a release in the middle of the catalogue. */
export const isrcOf = (release: number, position: number) => `FRBL1${String(release * 3 + position).padStart(7, '0')}`;
export const barcodeOf = (release: number) => `3${String(release).padStart(11, '0')}`;

const tables = [
  'accounts',
  'releases',
  'tracks',
  'people',
  'track_credits',
  'release_words',
  'track_words',
  'people_words',
];

const wordKeys = {
  release_words: '(status, word, created_at, release_id) INCLUDE (genre)',
  track_words: '(word, title, track_id)',
  people_words: '(list, word, full_name, person_id)',
};

/**
 * Creates releases of three tracks: words with a Zipf distribution, few accounts and artists with many releases, all
 * statuses, five years of dates.
 */
export async function createReleases(world: World, database: string, releases: number): Promise<void> {
  const db = createDatabase(world.url(database), { max: 1 });
  const accounts = Math.ceil(releases / 50);
  const people = Math.ceil(releases / 4);
  // Indexes are built after inserting; words are filled as a migration would.
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
     WHERE i.tablename = ANY(${tables}) AND i.schemaname = 'public'
       AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname)`.execute(db);
  // Used by report searches only; slower to build than all others.
  const built = indexes.filter((index) => index.name !== 'tracks_search_idx');
  for (const index of indexes) await sql`DROP INDEX ${sql.id(index.name)}`.execute(db);
  for (const table of Object.keys(wordKeys)) {
    await sql`ALTER TABLE ${sql.table(table)} DROP CONSTRAINT ${sql.id(`${table}_pkey`)}`.execute(db);
  }
  await sql`SET session_replication_role = replica`.execute(db);
  await sql`SET maintenance_work_mem = '512MB'`.execute(db);
  await sql`SET work_mem = '256MB'`.execute(db);
  await sql`SELECT setseed(0.5)`.execute(db);
  // A made-up word per rank; the number of words grows with the catalogue.
  const words = Math.ceil(20 * Math.sqrt(releases));
  await sql`
    CREATE TEMP TABLE vocabulary AS
    SELECT n, (array['ba','ce','di','fo','gu','la','me','ni','po','ru','sa','te','vi','zo'])[1 + n % 14]
           || (array['ral','mi','ton','ve','lis','dra','go','nu'])[1 + n / 14 % 8]
           || (CASE WHEN n < 112 THEN '' ELSE (array['el','or','is','an','ude','ette'])[1 + n / 112 % 6] || coalesce(nullif(n / 672, 0)::text, '') END) AS word
      FROM generate_series(0, ${sql.lit(words)}) n`.execute(db);
  // A Zipf distribution: rank r has frequency 1/r.
  const skewed = (count: number) => sql`1 + floor(power(${sql.lit(count)}, random()))::int % ${sql.lit(count)}`;
  const rank = skewed(words);
  await sql`
    INSERT INTO accounts (first_name, last_name, email, library_percentile, youtube_percentile)
    SELECT CASE WHEN d.n = 2 THEN 'Oriane' ELSE initcap(v.word) END, CASE WHEN d.n = 2 THEN 'Delacourt' ELSE initcap(x.word) END,
           'compte' || d.n || '@exemple.fr', 80, 80
      FROM (SELECT n, ${rank} AS v, ${rank} AS x FROM generate_series(1, ${sql.lit(accounts)}) n OFFSET 0) d
      JOIN vocabulary v ON v.n = d.v JOIN vocabulary x ON x.n = d.x ORDER BY d.n`.execute(db);
  await sql`
    INSERT INTO people (id, full_name) OVERRIDING SYSTEM VALUE
    SELECT d.n, CASE WHEN d.n = 1 THEN 'Kassandra Vell' ELSE initcap(v.word) || ' ' || initcap(x.word) END
      FROM (SELECT n, ${rank} AS v, ${rank} AS x FROM generate_series(1, ${sql.lit(people)}) n OFFSET 0) d
      JOIN vocabulary v ON v.n = d.v JOIN vocabulary x ON x.n = d.x`.execute(db);
  await sql`
    CREATE TEMP TABLE drawn AS
    SELECT n, ${skewed(accounts)} AS account_id, CASE WHEN n % 1000 = 7 THEN 1 ELSE 1 + floor(random() * ${sql.lit(people)})::int END AS person_id,
           random() AS status, floor(random() * random() * 12)::int AS genre, ${rank} AS v, ${rank} AS x
      FROM generate_series(1, ${sql.lit(releases)}) n`.execute(db);
  await sql`ANALYZE drawn, vocabulary, people`.execute(db);
  await sql`
    INSERT INTO releases (id, account_id, title, artist_name, label, status, genre, barcode, original_release_date, digital_release_date, created_at)
    OVERRIDING SYSTEM VALUE
    SELECT d.n, d.account_id,
           initcap(v.word) || ' ' || x.word
           || CASE WHEN d.n % 10 = 3 THEN ' rivière' ELSE '' END || CASE WHEN d.n / 10 % 10 = 4 THEN ' nocturne' ELSE '' END
           || CASE WHEN d.n / 7 % 100 = 13 THEN ' lagune' ELSE '' END
           || CASE WHEN d.n % ${sql.lit(Math.floor(releases / 10))} = 5 THEN ' ornithorynque' ELSE '' END,
           p.full_name, '',
           CASE WHEN d.status < 0.6 THEN 'delivered' WHEN d.status < 0.75 THEN 'closed' WHEN d.status < 0.83 THEN 'pending'
                WHEN d.status < 0.85 THEN 'opened' WHEN d.status < 0.9 THEN 'paid' WHEN d.status < 0.96 THEN 'cancelled' ELSE 'draft' END,
           (array['Pop','Hip Hop/Rap','Rock','Dance/Electronic','Jazz','Soul/Funk','World Music','Reggae/Dancehall','Country/Folk','Arabic','Arabic Pop','Spoken Word'])[1 + d.genre],
           '3' || lpad(d.n::text, 11, '0'), '2020-01-01'::date + d.n % 2000, '2020-02-01'::date + d.n % 2000,
           '2020-01-01'::timestamptz + (d.n::float8 / ${sql.lit(releases)} * 2000 + random() * 20) * interval '1 day'
      FROM drawn d JOIN people p ON p.id = d.person_id JOIN vocabulary v ON v.n = d.v JOIN vocabulary x ON x.n = d.x`.execute(
    db,
  );
  await sql`
    INSERT INTO tracks (release_id, account_id, position, title, isrc, language, genre)
    SELECT d.n, d.account_id, d.p, initcap(v.word) || ' ' || x.word || CASE WHEN (d.n + d.p) % 10 = 3 THEN ' rivière' ELSE '' END
           || CASE WHEN d.p = 2 AND d.n % ${sql.lit(Math.floor(releases / 10))} = 5 THEN ' ornithorynque' ELSE '' END,
           'FRBL1' || lpad((d.n * 3 + d.p)::text, 7, '0'), 'French', 'Pop'
      FROM (SELECT d.n, d.account_id, p, ${rank} AS v, ${rank} AS x FROM drawn d, generate_series(1, 3) p OFFSET 0) d
      JOIN vocabulary v ON v.n = d.v JOIN vocabulary x ON x.n = d.x`.execute(db);
  // Each track has an artist and a random composer; one in four has an editor, out of few.
  await sql`
    INSERT INTO track_credits (track_id, person_id, kind, role)
    SELECT t.id, d.person_id, 'artist', 'Primary Artist' FROM tracks t JOIN drawn d ON d.n = t.release_id`.execute(db);
  await sql`
    INSERT INTO track_credits (track_id, person_id, kind, role)
    SELECT t.id, 1 + (t.id * 7919) % ${sql.lit(people)}, 'contributor', 'Composer' FROM tracks t WHERE t.position = 1
    UNION ALL
    SELECT t.id, 1 + (t.id * 104729) % ${sql.lit(Math.ceil(people / 10))}, 'editor', 'Publisher' FROM tracks t WHERE t.id % 4 = 0`.execute(
    db,
  );
  await sql`SELECT fill_search_words(), fill_account_words()`.execute(db);
  for (const [table, columns] of Object.entries(wordKeys)) {
    await sql`ALTER TABLE ${sql.table(table)} ADD PRIMARY KEY ${sql.raw(columns)}`.execute(db);
  }
  for (const index of built) await sql`${sql.raw(index.definition)}`.execute(db);
  for (const table of ['accounts', 'releases', 'tracks', 'people']) {
    await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), max(id)) FROM ${sql.table(table)}`.execute(db);
  }
  await sql`VACUUM ANALYZE`.execute(db);
  await db.destroy();
}
