import { type SmartlinkPlatform, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { type Selectable, sql } from 'kysely';
import type { Smartlinks } from '#src/lib/db.generated.ts';
import { type Database, prepared, queryColumn, queryRow, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';

type StoredStatus = 'pending' | 'enabled';
export type StoredUrls = Partial<Record<SmartlinkPlatform, string>>;

export interface SmartlinkRow extends Selectable<Smartlinks> {
  status: StoredStatus;
  urls: StoredUrls;
  title: string;
  artistName: string | null;
  coverKey: string | null;
  coverOwner: string | null;
  coverYear: number | null;
  isWithdrawn: boolean;
  accountId: number;
  firstName: string;
  lastName: string;
}

export type SmartlinkFilter = ListQuery<'createdAt' | 'clicks' | 'title'>;

const today = sql`(now() AT TIME ZONE 'Europe/Paris')::date`;
const urls = sql`
  (SELECT coalesce(json_object_agg(u.platform, u.url), '{}') FROM smartlink_urls u WHERE u.smartlink_id = s.id) AS urls`;
/** Links of a withdrawn release are offline until it returns. */
const isWithdrawn = sql<boolean>`(r.status = 'cancelled')`;
const columns = sql`s.*, ${urls}, r.title, r.artist_name, f.storage_key AS cover_key, r.cover_owner, r.cover_year,
  ${isWithdrawn} AS is_withdrawn, r.account_id, a.first_name, a.last_name`;
/** Links of a deleted release are hidden. */
const joins = sql`smartlinks s JOIN releases r ON r.id = s.release_id AND r.deleted_at IS NULL
  JOIN accounts a ON a.id = r.account_id
  LEFT JOIN files f ON f.id = r.cover_file_id`;

const sorts: Record<SmartlinkFilter['sort'], SortKey> = {
  createdAt: { expression: sql`s.created_at`, type: 'timestamptz' },
  clicks: { expression: sql`s.clicks`, type: 'bigint' },
  title: { expression: sql`r.title`, type: 'text' },
};

/** `days` days of clicks, today last. */
export function listSmartlinks(db: Database, status: StoredStatus, days: number, filter: SmartlinkFilter) {
  const page = keyset(filter, sorts, sql`s.id`);
  return readPage<SmartlinkRow & { clicksByDay: number[] }>(db, page, {
    columns: sql`${columns},
      (SELECT json_agg(coalesce(c.clicks, 0) ORDER BY d.ago DESC)
         FROM generate_series(0, ${days - 1}::integer) AS d(ago)
         LEFT JOIN (SELECT day, sum(clicks)::bigint AS clicks FROM smartlink_clicks
                     WHERE smartlink_id = s.id AND day > ${today} - ${days}::integer GROUP BY day) c
           ON c.day = ${today} - d.ago) AS clicks_by_day`,
    from: joins,
    row: 's',
    where: [
      sql`s.status = ${status}`,
      filter.q ? hasWords(sql`fold(concat_ws(' ', r.title, r.artist_name, s.slug))`, filter.q) : sql`true`,
    ],
    joins: sql`JOIN releases r ON r.id = s.release_id JOIN accounts a ON a.id = r.account_id LEFT JOIN files f ON f.id = r.cover_file_id`,
  });
}

export const findSmartlink = (db: Database, id: number) =>
  queryRow<SmartlinkRow>(db)`SELECT ${columns} FROM ${joins} WHERE s.id = ${id}`;

export const lockSmartlink = (trx: Trx, id: number) => queryRow<SmartlinkRow>(trx)`
    SELECT ${columns} FROM ${joins} WHERE s.id = ${id} FOR UPDATE OF s`;

export interface PublicRow {
  id: number;
  slug: string;
  title: string;
  artistName: string | null;
  coverKey: string | null;
  urls: StoredUrls;
}

/** Undefined unless enabled, with a live release. */
export const findPublic = (db: Database, slug: string) => queryRow<PublicRow>(db)`${prepared}
    SELECT s.id, s.slug, r.title, r.artist_name, f.storage_key AS cover_key, ${urls}
      FROM ${joins}
     WHERE s.slug = ${slug} AND s.status = 'enabled' AND NOT ${isWithdrawn}`;

export function findRelease(db: Database, id: number) {
  return queryRow<{ id: number; title: string; artistName: string | null }>(db)`
    SELECT id, title, artist_name FROM releases WHERE id = ${id} AND deleted_at IS NULL`;
}

export async function listSlugsOf(db: Database, base: string): Promise<Set<string>> {
  const slugs = await queryColumn<string>(db)`
    SELECT slug FROM smartlinks WHERE slug = ${base} OR slug LIKE ${`${base}-%`}`;
  return new Set(slugs);
}

/** Undefined for a slug taken meanwhile. */
export async function insertSmartlink(
  trx: Trx,
  values: { releaseId: number; slug: string; createdBy: number | null },
): Promise<number | undefined> {
  const added = await trx
    .insertInto('smartlinks')
    .values(values)
    .onConflict((existing) => existing.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id;
}

export async function writeSmartlink(trx: Trx, id: number, status: StoredStatus, given: StoredUrls): Promise<void> {
  await trx.deleteFrom('smartlinkUrls').where('smartlinkId', '=', id).execute();
  const rows = smartlinkPlatforms.flatMap((platform) => {
    const url = given[platform];
    return url === undefined ? [] : [{ smartlinkId: id, platform, url }];
  });
  if (rows.length > 0) await trx.insertInto('smartlinkUrls').values(rows).execute();
  await sql`UPDATE smartlinks SET status = ${status}, updated_at = clock_timestamp() WHERE id = ${id}`.execute(trx);
}

export async function deleteSmartlink(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('smartlinks').where('id', '=', id).execute();
}

export interface DayClicks {
  day: string;
  platform: SmartlinkPlatform;
  clicks: number;
}

const yearDays = 366;

/** By day for a year, newest first, and by platform. */
export async function listClicks(db: Database, id: number) {
  const [byDay, byPlatform] = await Promise.all([
    sql<DayClicks>`
      SELECT day, platform, clicks FROM smartlink_clicks
       WHERE smartlink_id = ${id} AND day > ${today} - ${yearDays}::integer
       ORDER BY day DESC, clicks DESC, platform`.execute(db),
    sql<{ platform: SmartlinkPlatform; clicks: number }>`
      SELECT platform, sum(clicks)::bigint AS clicks FROM smartlink_clicks
       WHERE smartlink_id = ${id} GROUP BY platform ORDER BY 2 DESC, 1`.execute(db),
  ]);
  return { byDay: byDay.rows, byPlatform: byPlatform.rows };
}

export interface Click {
  smartlinkId: number;
  platform: string;
  clicks: number;
}

/** On the day in Paris; clicks of deleted links are dropped. */
export async function addClicks(db: Database, clicks: readonly Click[]): Promise<void> {
  await sql`
    WITH given AS (
      SELECT * FROM unnest(${clicks.map((click) => click.smartlinkId)}::bigint[],
                           ${clicks.map((click) => click.platform)}::text[],
                           ${clicks.map((click) => click.clicks)}::bigint[]) AS g(id, platform, clicks)),
    -- In one order, so that two servers do not deadlock.
    locked AS (SELECT id FROM smartlinks WHERE id IN (SELECT id FROM given) ORDER BY id FOR NO KEY UPDATE),
    counted AS (
      INSERT INTO smartlink_clicks AS c (smartlink_id, day, platform, clicks)
      SELECT g.id, ${today}, g.platform, g.clicks FROM given g JOIN locked USING (id)
      ON CONFLICT (smartlink_id, day, platform) DO UPDATE SET clicks = c.clicks + excluded.clicks)
    UPDATE smartlinks s SET clicks = s.clicks + t.clicks
      FROM (SELECT g.id, sum(g.clicks)::bigint AS clicks FROM given g JOIN locked USING (id) GROUP BY g.id) t
     WHERE s.id = t.id`.execute(db);
}
