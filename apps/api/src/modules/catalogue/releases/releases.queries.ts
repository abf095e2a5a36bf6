import type { ListMeta } from '@regie/contract/envelope.ts';
import { isBarcodeValid } from '@regie/values/barcode.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Releases } from '#src/lib/db.generated.ts';
import { exists, prepared, queryColumn, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { countUpTo, cutPage, type Keyset, keyset, type ListQuery, type SortKey } from '#src/lib/keyset.ts';
import { containsPattern, hasWords } from '#src/lib/text-search.ts';
import { type Found, findMatches, releaseIndex, type Search, trackIndex } from '#src/lib/word-search.ts';
import type { QualityFacts, StoredStatus } from './releases.rules.ts';

const and = (conditions: readonly RawBuilder<boolean>[]) => sql.join(conditions, sql` AND `);

/** ISRCs are often pasted with the prefix ISRC, hyphens or spaces. */
const pastedIsrc = /^(?:ISRC:?\s*)?([A-Z]{2})[\s-]?([A-Z0-9]{3})[\s-]?(\d{0,2})[\s-]?(\d{0,5})$/i;

/** In stored form; undefined when the text could be a word. */
function findIsrcBeginning(q: string): string | undefined {
  const code = pastedIsrc
    .exec(q.replaceAll(/[\u00a0\u2010-\u2015_]/g, '-'))
    ?.slice(1)
    .join('')
    .toUpperCase();
  return code !== undefined && /\d/.test(code) ? code : undefined;
}

/** Then the search is for ISRCs. */
const isIsrcKnown = (db: Trx, code: string) => exists(db)`
    SELECT FROM tracks x WHERE ${isIsrc('x', code)} AND x.deleted_at IS NULL`;
const isIsrc = (alias: string, code: string) =>
  sql<boolean>`${sql.ref(`${alias}.isrc`)} >= ${code} AND ${sql.ref(`${alias}.isrc`)} < ${`${code}~`}`;

/** Barcodes are often pasted with spaces. */
const toText = (q: string) => (/^\d[\d\s-]{5,}$/.test(q) ? q.replaceAll(/[\s-]/g, '') : q);

/** With more matches, addresses are not searched. */
const maxAddresses = 50;
const findAccountsByEmail = (db: Trx, q: string) => queryColumn<number>(db)`
    SELECT id FROM accounts WHERE ${hasWords(sql`search`, q)} AND lower(email::text) LIKE lower(${containsPattern(q).slice(1)})
     ORDER BY id LIMIT ${sql.lit(maxAddresses)}`;

export interface ReleaseFilter extends ListQuery {
  genre?: string | undefined;
  userId?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

export interface ReleaseRow extends Selectable<Releases> {
  coverKey: string | null;
  firstName: string;
  lastName: string;
  email: string | null;
  address: string | null;
  city: string | null;
  postcode: string | null;
  country: string | null;
}

const releaseColumns = sql`
  r.*, f.storage_key AS cover_key, a.first_name, a.last_name, a.email, a.address, a.city, a.postcode, a.country`;

const releaseSorts: Record<string, SortKey> = {
  createdAt: { expression: sql`r.created_at`, type: 'timestamptz' },
  title: { expression: sql`r.title`, type: 'text' },
  artist: { expression: sql`coalesce(r.artist_name, '')`, type: 'text' },
};

interface Page {
  ids: RawBuilder<unknown>;
  count: () => Promise<Pick<ListMeta, 'total' | 'totalIsExact'>>;
}

async function findPage(
  db: Trx,
  statuses: readonly StoredStatus[],
  filter: ReleaseFilter,
  page: Keyset,
): Promise<Page> {
  const filters = (alias: string) => {
    const conditions: RawBuilder<boolean>[] = [];
    const createdAt = sql.ref(`${alias}.created_at`);
    if (filter.genre !== undefined) conditions.push(sql`${sql.ref(`${alias}.genre`)} = ${filter.genre}`);
    if (filter.from !== undefined) conditions.push(sql`${createdAt} >= to_timestamp(${filter.from}::numeric / 1000)`);
    if (filter.to !== undefined) conditions.push(sql`${createdAt} < to_timestamp((${filter.to}::numeric + 1) / 1000)`);
    return conditions;
  };
  const recordFilters: RawBuilder<boolean>[] = [];
  if (filter.userId !== undefined) recordFilters.push(sql`r.account_id = ${filter.userId}`);
  if (filter.q?.includes('@')) {
    recordFilters.push(sql`r.account_id = ANY(${await findAccountsByEmail(db, filter.q)}::bigint[])`);
  } else if (filter.q) {
    const matches = await findReleases(db, statuses, filter.q, filter, { filters, recordFilters });
    return { ids: sql`unnest(${matches.ids}::bigint[])`, count: matches.count };
  }
  const conditions = [sql<boolean>`r.deleted_at IS NULL`, ...filters('r'), ...recordFilters];
  const limit = sql.lit(page.limit + 1);
  // Each status is a range of the index in the list's order: merging their first rows avoids a sort.
  const heads = statuses.map(
    (status) => sql`(SELECT r.id, r.created_at, r.title, r.artist_name FROM releases r
      WHERE r.status = ${sql.lit(status)} AND ${and([...conditions, page.after])} ORDER BY ${page.orderBy} LIMIT ${limit})`,
  );
  return {
    ids: sql`(SELECT r.id FROM (${sql.join(heads, sql` UNION ALL `)}) r ORDER BY ${page.orderBy} LIMIT ${limit})`,
    count: () => countUpTo(db, sql`FROM releases r WHERE r.status IN (${literals(statuses)}) AND ${and(conditions)}`),
  };
}

/** A known ISRC's start, or words. */
async function toSearch(db: Trx, q: string): Promise<Pick<Search, 'q' | 'code'>> {
  const isrc = findIsrcBeginning(q);
  if (isrc === undefined || !(await isIsrcKnown(db, isrc))) return { q: toText(q) };
  return {
    q,
    code: {
      ids: sql`SELECT x.release_id AS id FROM tracks x WHERE ${isIsrc('x', isrc)} AND x.deleted_at IS NULL`,
      holds: (id) => sql<boolean>`
        EXISTS (SELECT 1 FROM tracks x WHERE x.release_id = ${id} AND ${isIsrc('x', isrc)} AND x.deleted_at IS NULL OFFSET 0)`,
    },
  };
}

/** The ids that a text finds, and the page they are of. */
async function findReleases(
  db: Trx,
  scope: readonly StoredStatus[],
  q: string,
  query: ListQuery,
  conditions: Pick<Search, 'filters' | 'recordFilters'> = {},
) {
  const page = keyset(query, releaseSorts, sql`r.id`);
  const { order: direction, sort } = query;
  const search = { index: releaseIndex, scope, page, direction, isOwnOrder: sort === 'createdAt', ...conditions };
  return { page, ...(await findMatches(db, { ...(await toSearch(db, q)), ...search })) };
}

export async function listReleases(db: Trx, statuses: readonly StoredStatus[], filter: ReleaseFilter) {
  const page = keyset(filter, releaseSorts, sql`r.id`);
  const { ids, count: counting } = await findPage(db, statuses, filter, page);
  const cursorValue =
    filter.sort === 'createdAt' ? sql`r.created_at::text` : (releaseSorts[filter.sort]?.expression ?? sql`NULL`);
  const [{ rows }, count] = await Promise.all([
    sql<ReleaseRow & { cursorValue: string }>`
      SELECT ${releaseColumns}, ${cursorValue} AS cursor_value
        FROM ${ids} AS p (id)
        JOIN releases r ON r.id = p.id
        JOIN accounts a ON a.id = r.account_id
        LEFT JOIN files f ON f.id = r.cover_file_id
       ORDER BY ${page.orderBy}`.execute(db),
    counting(),
  ]);
  return { ...cutPage(rows, page), ...count };
}

const literals = (statuses: readonly StoredStatus[]) => sql.join(statuses.map((status) => sql.lit(status)));

/** At most 10 000. */
export async function countReleases(db: Trx, statuses: readonly StoredStatus[]): Promise<number> {
  const from = sql`FROM releases r WHERE r.status IN (${literals(statuses)}) AND r.deleted_at IS NULL`;
  return (await countUpTo(db, from)).total;
}

const isShouted = (column: string) =>
  sql<boolean>`(length(${sql.ref(column)}) > 4 AND ${sql.ref(column)} = upper(${sql.ref(column)})
    AND ${sql.ref(column)} <> lower(${sql.ref(column)}))`;

export async function findQualityFacts(db: Trx, ids: readonly number[]): Promise<Map<number, QualityFacts>> {
  if (ids.length === 0) return new Map();
  // JIT takes longer than the query.
  const rows = await queryRows<Omit<QualityFacts, 'isBarcodeValid'> & { id: number }>(db)`${prepared}
    WITH judged AS MATERIALIZED (SELECT * FROM releases WHERE id = ANY(${ids}::bigint[])),
    of_tracks AS (
      SELECT t.release_id, count(*) AS tracks,
             count(*) FILTER (WHERE t.audio_file_id IS NULL) AS without_audio,
             count(*) FILTER (WHERE f.bit_depth < 16 OR f.sample_rate_hz < 44100) AS poor_audio,
             count(*) FILTER (WHERE f.is_clipped) AS clipped_audio, count(*) FILTER (WHERE f.is_silent) AS silent_audio,
             array_agg(DISTINCT left(t.isrc, 2)) FILTER (WHERE t.isrc IS NOT NULL) AS isrc_prefixes,
             count(*) FILTER (WHERE t.recording_ai IS NULL OR t.composition_ai IS NULL) AS without_ai,
             count(*) FILTER (WHERE t.isrc IS NULL) AS without_isrc,
             count(*) FILTER (WHERE EXISTS (
               SELECT 1 FROM tracks o WHERE o.isrc = t.isrc AND o.id <> t.id AND o.deleted_at IS NULL)) AS doubled_isrc,
             count(*) FILTER (WHERE NOT EXISTS (
               SELECT 1 FROM track_credits c
                WHERE c.track_id = t.id AND c.kind = 'artist' AND c.role = 'Primary Artist')) AS without_primary_artist,
             count(*) FILTER (WHERE ${isShouted('t.title')}) AS in_capitals
        FROM judged r JOIN tracks t ON t.release_id = r.id AND t.deleted_at IS NULL
        LEFT JOIN files f ON f.id = t.audio_file_id
       GROUP BY t.release_id)
    SELECT r.id, r.status, r.cover_file_id IS NOT NULL AS has_cover, r.barcode,
           EXISTS (SELECT 1 FROM releases o
                    WHERE o.barcode = r.barcode AND o.id <> r.id AND o.deleted_at IS NULL) AS is_barcode_elsewhere,
           coalesce(r.digital_release_date < (now() AT TIME ZONE 'Europe/Paris')::date, false) AS is_date_past,
           ${isShouted('r.title')} AS is_in_capitals,
           (r.cover_file_id IS NOT NULL AND r.cover_ai IS NULL OR coalesce(t.without_ai, 0) > 0)
             AND coalesce(coalesce(r.digital_release_date, r.created_at::date) >= (
               SELECT (value #>> '{}')::date FROM settings WHERE key = 'aiDeclaredFrom'), false) AS is_ai_undeclared,
           coalesce(t.tracks, 0) AS tracks, coalesce(t.without_audio, 0) AS without_audio,
           coalesce(t.poor_audio, 0) AS poor_audio, coalesce(t.clipped_audio, 0) AS clipped_audio,
           coalesce(t.silent_audio, 0) AS silent_audio, coalesce(t.isrc_prefixes, '{}') AS isrc_prefixes, coalesce(t.without_isrc, 0) AS without_isrc,
           coalesce(t.doubled_isrc, 0) AS doubled_isrc,
           coalesce(t.without_primary_artist, 0) AS without_primary_artist, coalesce(t.in_capitals, 0) AS in_capitals
      FROM judged r LEFT JOIN of_tracks t ON t.release_id = r.id`;
  return new Map(
    rows.map(({ id, ...facts }) => [
      id,
      { ...facts, isBarcodeValid: facts.barcode !== null && isBarcodeValid(facts.barcode) },
    ]),
  );
}

export const findRelease = (db: Trx, id: number) => queryRow<ReleaseRow>(db)`
    SELECT ${releaseColumns} FROM releases r JOIN accounts a ON a.id = r.account_id LEFT JOIN files f ON f.id = r.cover_file_id
     WHERE r.id = ${id} AND r.deleted_at IS NULL`;

/** The paid order, else the pending one, else the latest. */
export function findOrder(db: Trx, releaseId: number) {
  return db
    .selectFrom('orders as o')
    .innerJoin('accounts as a', 'a.id', 'o.accountId')
    .leftJoin('promoCodes as c', 'c.id', 'o.promoCodeId')
    .leftJoin('creditNotes as n', (join) =>
      join.onRef('n.invoiceYear', '=', 'o.invoiceYear').onRef('n.invoiceNumber', '=', 'o.invoiceNumber'),
    )
    .select(['n.year as creditYear', 'n.number as creditNumber'])
    .select(['o.id', 'o.plan', 'o.status', 'o.currency', 'o.planPrice', 'o.labelFees', 'o.expressPrice', 'o.total'])
    .select(['o.cardTransactionId', 'o.paymentReference', 'o.receiptEmail', 'a.firstName', 'a.lastName'])
    .select(['o.discount', 'o.vatPercent', 'o.invoiceYear', 'o.invoiceNumber', 'o.paidAt', 'c.name as promoCode'])
    .where('o.releaseId', '=', releaseId)
    .orderBy(sql`array_position(ARRAY['paid', 'pending', 'cancelled'], o.status)`)
    .orderBy('o.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The release of a live track. */
export const findReleaseOf = (db: Trx, trackId: number) => queryRow<{ releaseId: number }>(db)`
    SELECT release_id FROM tracks WHERE id = ${trackId} AND deleted_at IS NULL`;

/** @param trackId only this one */
export function listTracks(db: Trx, releaseId: number, trackId?: number) {
  return db
    .selectFrom('tracks as t')
    .leftJoin('files as f', 'f.id', 't.audioFileId')
    .select(['t.id', 't.title', 't.version', 't.isrc', 't.youtubeVideoId', 't.previewStartSeconds', 't.hasNoVoice'])
    .select(['t.language', 't.genre', 't.subgenre', 't.recordingOwner', 't.recordingYear', 't.releaseId'])
    .select([
      't.recordingAi',
      't.compositionAi',
      't.audioFileId',
      'f.originalName',
      'f.sizeBytes',
      'f.durationMs',
      'f.sampleRateHz',
      'f.bitDepth',
    ])
    .select(['f.channels', 'f.isClipped', 'f.isSilent', 't.updatedAt'])
    .where('t.releaseId', '=', releaseId)
    .where('t.deletedAt', 'is', null)
    .$if(trackId !== undefined, (query) => query.where('t.id', '=', trackId ?? 0))
    .orderBy('t.position')
    .orderBy('t.id')
    .execute();
}
export type TrackRow = Awaited<ReturnType<typeof listTracks>>[number];

export interface CreditRow {
  trackId: number;
  kind: 'artist' | 'contributor' | 'musician' | 'editor';
  role: string;
  id: number;
  fullname: string;
  spotifyId: string | null;
  appleMusicId: string | null;
}

/** Track by track. @param trackId only this one */
export const listCredits = (db: Trx, releaseId: number, trackId?: number) => queryRows<CreditRow>(db)`
    SELECT c.track_id, c.kind, c.role, p.id, p.full_name AS fullname, p.spotify_id, p.apple_music_id
      FROM tracks t JOIN track_credits c ON c.track_id = t.id JOIN people p ON p.id = c.person_id
     WHERE t.release_id = ${releaseId} AND t.deleted_at IS NULL ${trackId === undefined ? sql`` : sql`AND t.id = ${trackId}`}
     ORDER BY t.position, t.id, c.position, c.id`;

/** A live release. */
export function lockRelease(trx: Trx, id: number) {
  return trx
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Its files go to the bin (product §34.10). */
export const deleteRelease = (trx: Trx, id: number) => queryRows<{ id: number; isrc: string | null }>(trx)`
    WITH gone AS (UPDATE releases SET deleted_at = now() WHERE id = ${id} RETURNING cover_file_id),
    gone_tracks AS (UPDATE tracks SET deleted_at = now() WHERE release_id = ${id} AND deleted_at IS NULL RETURNING id, isrc, audio_file_id),
    binned AS (
      UPDATE files SET binned_at = now()
       WHERE binned_at IS NULL
         AND id IN (SELECT cover_file_id FROM gone UNION SELECT audio_file_id FROM gone_tracks))
    SELECT id, isrc FROM gone_tracks ORDER BY id`;

export const listTrackIds = (trx: Trx, releaseId: number) => queryColumn<number>(trx)`
    SELECT id FROM tracks WHERE release_id = ${releaseId} AND deleted_at IS NULL ORDER BY position, id`;

export async function orderTracks(trx: Trx, releaseId: number, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE tracks t SET position = o.position
      FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS o (id, position)
     WHERE t.id = o.id AND t.release_id = ${releaseId} AND t.position <> o.position`.execute(trx);
}

/** At most 20 by title, artist, barcode or account. */
export async function lookupReleases(db: Trx, statuses: readonly StoredStatus[], q: string) {
  if (statuses.length === 0) return [];
  const { ids } = await findReleases(db, statuses, q, { sort: 'title', order: 'asc', limit: lookedUp - 1 });
  return queryRows<{ id: number; label: string; hint: string }>(db)`
    SELECT r.id, r.title AS label,
           concat_ws(' · ', nullif(r.artist_name, ''), r.barcode, nullif(trim(a.first_name || ' ' || a.last_name), '')) AS hint
      FROM releases r JOIN accounts a ON a.id = r.account_id
     WHERE r.id = ANY(${ids}::bigint[]) ORDER BY r.title, r.id`;
}
const lookedUp = 20;

export interface FoundRelease {
  id: number;
  title: string;
  artistName: string | null;
  barcode: string | null;
  status: StoredStatus;
  firstName: string;
  lastName: string;
}

/** Newest first, by title, artist, barcode, account or ISRC. */
export async function searchReleases(
  db: Trx,
  statuses: readonly StoredStatus[],
  q: string,
  limit: number,
): Promise<FoundRelease[]> {
  if (statuses.length === 0) return [];
  const { ids, page } = await findReleases(db, statuses, q, { sort: 'createdAt', order: 'desc', limit });
  return queryRows<FoundRelease>(db)`
    SELECT r.id, r.title, r.artist_name, r.barcode, r.status, a.first_name, a.last_name
      FROM releases r JOIN accounts a ON a.id = r.account_id
     WHERE r.id = ANY(${ids.slice(0, limit)}::bigint[]) ORDER BY ${page.orderBy}`;
}

const trackSorts: Record<string, SortKey> = {
  title: { expression: sql`r.title`, type: 'text' },
  id: { expression: sql`r.id`, type: 'bigint' },
};

export interface LibraryTrackRow {
  id: number;
  title: string;
  version: string | null;
  isrc: string | null;
  releaseId: number;
  releaseTitle: string;
  status: string;
  userId: number;
  firstName: string;
  lastName: string;
  artists: string;
}

/** Pickers skip the count. */
export async function listLibraryTracks(
  db: Trx,
  statuses: readonly StoredStatus[] | 'all',
  query: ListQuery,
  isCounted = true,
) {
  const page = keyset(query, trackSorts, sql`r.id`);
  // Live tracks have live releases, so all statuses need no join.
  const filters =
    statuses === 'all'
      ? []
      : [sql<boolean>`(SELECT l.status = ANY(${statuses}::text[]) FROM releases l WHERE l.id = r.release_id)`];
  const matches = await findTracks(db, query, page, filters);
  const [{ rows }, count] = await Promise.all([
    sql<LibraryTrackRow>`
      SELECT r.id, r.title, r.version, r.isrc, r.release_id, l.title AS release_title, l.status, r.account_id AS user_id,
             a.first_name, a.last_name,
             coalesce((SELECT string_agg(p.full_name, ', ' ORDER BY c.position, c.id)
                         FROM track_credits c JOIN people p ON p.id = c.person_id
                        WHERE c.track_id = r.id AND c.kind = 'artist'), '') AS artists
        FROM tracks r JOIN releases l ON l.id = r.release_id JOIN accounts a ON a.id = r.account_id
       WHERE r.id = ANY(${matches.ids}::bigint[])
       ORDER BY ${page.orderBy}`.execute(db),
    isCounted ? matches.count() : { total: 0, totalIsExact: false },
  ]);
  return { ...cutPage(rows, page, (row) => (query.sort === 'id' ? row.id : row.title)), ...count };
}

async function findTracks(
  db: Trx,
  query: ListQuery,
  page: Keyset,
  filters: readonly RawBuilder<boolean>[],
): Promise<Found> {
  if (query.q) {
    const isrc = findIsrcBeginning(query.q);
    const isCode = isrc !== undefined && (await isIsrcKnown(db, isrc));
    return await findMatches(db, {
      index: trackIndex,
      scope: [''],
      q: query.q,
      page,
      direction: query.order,
      isOwnOrder: query.sort === 'title',
      recordFilters: filters,
      code: isCode
        ? {
            ids: sql`SELECT x.id FROM tracks x WHERE ${isIsrc('x', isrc)}`,
            holds: (id) =>
              sql<boolean>`EXISTS (SELECT 1 FROM tracks x WHERE x.id = ${id} AND ${isIsrc('x', isrc)} OFFSET 0)`,
          }
        : undefined,
    });
  }
  const from = sql`FROM tracks r WHERE ${and([sql<boolean>`r.deleted_at IS NULL`, ...filters])}`;
  const rows = await queryRows<{ id: number }>(db)`
    SELECT r.id ${from} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${sql.lit(page.limit + 1)}`;
  return { ids: rows.map((row) => row.id), count: () => countUpTo(db, from) };
}

/** Online unless the release is withdrawn. */
export const listSmartlinkSlugs = (db: Trx, releaseId: number) => queryColumn<string>(db)`
    SELECT slug FROM smartlinks WHERE release_id = ${releaseId} AND status = 'enabled' ORDER BY id`;
