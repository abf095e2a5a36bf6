import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { PromoCodes } from '#src/lib/db.generated.ts';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { keyset, type ListQuery, readPage, type SortKey } from '#src/lib/keyset.ts';
import { hasWords } from '#src/lib/text-search.ts';

export interface PromoCodeRow extends Selectable<PromoCodes> {
  isExpired: boolean;
  uses: number;
}

export interface PromoCodeFilter extends ListQuery<'createdAt' | 'name' | 'amount' | 'dueDate'> {
  state?: 'valid' | 'expired' | undefined;
}

const isExpired = sql<boolean>`p.due_date < (now() AT TIME ZONE 'Europe/Paris')::date`;
const columns = sql`
  p.*, ${isExpired} AS is_expired,
  (SELECT count(*) FROM orders o WHERE o.promo_code_id = p.id AND o.status <> 'cancelled') AS uses`;

const sorts: Record<PromoCodeFilter['sort'], SortKey> = {
  createdAt: { expression: sql`p.created_at`, type: 'timestamptz' },
  name: { expression: sql`p.name::text`, type: 'text' },
  amount: { expression: sql`p.percent`, type: 'numeric' },
  dueDate: { expression: sql`p.due_date`, type: 'date' },
};

export async function listPromoCodes(db: Trx, filter: PromoCodeFilter) {
  const page = keyset(filter, sorts, sql`p.id`);
  const conditions: RawBuilder<boolean>[] = [sql<boolean>`p.deleted_at IS NULL`];
  if (filter.state === 'expired') conditions.push(isExpired);
  if (filter.state === 'valid') conditions.push(sql<boolean>`NOT ${isExpired}`);
  if (filter.q) {
    conditions.push(hasWords(sql`fold(p.name::text || ' ' || coalesce(p.description, ''))`, filter.q));
  }
  return readPage<PromoCodeRow>(db, page, { columns, from: sql`promo_codes p`, row: 'p', where: conditions });
}

export const findPromoCode = (db: Trx, id: number) => queryRow<PromoCodeRow>(db)`
    SELECT ${columns} FROM promo_codes p WHERE p.id = ${id} AND p.deleted_at IS NULL`;

/** Undefined for a name in use, in any case. */
export async function insertPromoCode(
  trx: Trx,
  values: { name: string; description: string | null; percent: string; dueDate: string; createdBy: number | null },
): Promise<number | undefined> {
  const added = await trx
    .insertInto('promoCodes')
    .values(values)
    .onConflict((existing) => existing.column('name').where('deletedAt', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id;
}

/** False when it was deleted already. */
export async function removePromoCode(trx: Trx, id: number): Promise<boolean> {
  const removed = await queryRow(trx)`
    UPDATE promo_codes SET deleted_at = clock_timestamp() WHERE id = ${id} AND deleted_at IS NULL RETURNING id`;
  return removed !== undefined;
}
