import { findNumber } from '@regie/values/search-text.ts';
import { type Selectable, sql } from 'kysely';
import type { Tickets } from '#src/lib/db.generated.ts';
import { type Database, queryRow, querySingle, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import { accountsWith, hasEachWord, hasWords } from '#src/lib/text-search.ts';

export type StoredStatus = 'opened' | 'closed';

export interface TicketValues {
  status: StoredStatus;
  url: string;
  startSeconds: number | null;
  endSeconds: number | null;
  isClaimed: boolean;
  isProtected: boolean;
  note?: string | undefined;
}

export interface TicketRow extends Selectable<Tickets> {
  status: StoredStatus;
  trackTitle: string | null;
  isrc: string | null;
  releaseId: number | null;
  firstName: string | null;
  lastName: string | null;
}

export interface TicketFilter {
  q?: string | undefined;
  userId?: number | undefined;
}

const columns = sql`
  k.*, t.title AS track_title, t.isrc, CASE WHEN t.deleted_at IS NULL AND r.deleted_at IS NULL THEN r.id END AS release_id,
  a.first_name, a.last_name`;
const joins = sql`
  LEFT JOIN tracks t ON t.id = k.track_id
  LEFT JOIN releases r ON r.id = t.release_id
  LEFT JOIN accounts a ON a.id = k.account_id`;

/** The number, or words of title, link, customer or track. */
function matches(q: string) {
  const number = findNumber(q, 'ticket');
  if (number !== undefined) return sql<boolean>`k.id = ${number}::bigint`;
  return hasEachWord(
    q,
    (word) => sql`
      ${hasWords(sql`k.search`, word)} OR k.account_id IN ${accountsWith(word)}
      OR k.track_id IN (SELECT id FROM tracks WHERE ${hasWords(sql`search`, word)})`,
  );
}

function conditionsOf(status: StoredStatus, filter: TicketFilter) {
  const conditions = [sql<boolean>`k.status = ${status}`];
  if (filter.userId !== undefined) conditions.push(sql<boolean>`k.account_id = ${filter.userId}`);
  if (filter.q) conditions.push(matches(filter.q));
  return conditions;
}

export async function listTickets(db: Database, status: StoredStatus, filter: TicketFilter & ListQuery<'id'>) {
  const page = keyset(filter, { id: { expression: sql`k.id`, type: 'bigint' } }, sql`k.id`);
  return readPage<TicketRow>(db, page, {
    columns,
    from: sql`tickets k`,
    row: 'k',
    where: conditionsOf(status, filter),
    joins,
  });
}

export const findTicket = (db: Database, id: number) => queryRow<TicketRow>(db)`
    SELECT ${columns} FROM tickets k ${joins} WHERE k.id = ${id}`;

/** The tickets before and after it by number, in the list of its status. */
export const findNeighbours = (db: Database, { id, status }: TicketRow, filter: TicketFilter) =>
  querySingle<{ newerId: number | null; olderId: number | null }>(db)`
    SELECT min(k.id) FILTER (WHERE k.id > ${id}) AS newer_id, max(k.id) FILTER (WHERE k.id < ${id}) AS older_id
      FROM tickets k WHERE ${sql.join(conditionsOf(status, filter), sql` AND `)}`;

export const lockTicket = (trx: Trx, id: number) => queryRow<TicketRow>(trx)`
    SELECT ${columns} FROM tickets k ${joins} WHERE k.id = ${id} FOR UPDATE OF k`;

export async function updateTicket(trx: Trx, id: number, values: TicketValues): Promise<void> {
  await trx
    .updateTable('tickets')
    .set({ ...values, updatedAt: new Date() })
    .where('id', '=', id)
    .execute();
}

export async function insertTicket(
  trx: Trx,
  values: TicketValues & { title: string; accountId: number | null; trackId: number | null; createdBy: number | null },
): Promise<number> {
  const { id } = await trx.insertInto('tickets').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Undefined for an unknown or deleted track. */
export const findTrackOwner = (trx: Trx, id: number) =>
  trx.selectFrom('tracks').select('accountId').where('id', '=', id).where('deletedAt', 'is', null).executeTakeFirst();
