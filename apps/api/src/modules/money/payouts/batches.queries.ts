import type { BatchState } from '@regie/contract/payouts.ts';
import { findNumber } from '@regie/values/search-text.ts';
import { type Selectable, sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import type { PayoutBatches } from '#src/lib/db.generated.ts';
import { type Database, queryRow, queryRows, queryValue, type Trx } from '#src/lib/db.ts';
import { conflict } from '#src/lib/errors.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import type { SepaDebtor } from '#src/lib/sepa.ts';
import { hasWords } from '#src/lib/text-search.ts';

export interface BatchRow extends Omit<Selectable<PayoutBatches>, 'debtor'> {
  state: BatchState;
  debtor: SepaDebtor | null;
  createdByName: string;
  exportedByName: string | null;
  paidByName: string | null;
  voidedByName: string | null;
}

const columns = sql`
  b.*, ${adminName('b.created_by')} AS created_by_name,
  ${adminName('b.exported_by')} AS exported_by_name, ${adminName('b.paid_by')} AS paid_by_name,
  ${adminName('b.voided_by')} AS voided_by_name`;

export const findBatch = (db: Database, id: number) =>
  queryRow<BatchRow>(db)`SELECT ${columns} FROM payout_batches b WHERE b.id = ${id}`;

/** Lock the payouts first: `lockPayouts` defines the lock order. */
export async function lockBatch(trx: Trx, id: number): Promise<void> {
  await sql`SELECT 1 FROM payout_batches WHERE id = ${id} FOR UPDATE`.execute(trx);
}

/** A batch's number, or words of its reference or author. */
function matches(q: string) {
  const number = findNumber(q, 'batch');
  if (number !== undefined) return sql<boolean>`b.id = ${number}::bigint`;
  return hasWords(sql`fold(concat_ws(' ', 'Lot', b.id, b.message_id, ${adminName('b.created_by')}))`, q);
}

export async function listBatches(
  db: Database,
  query: ListQuery<'date'> & {
    state?: BatchState | undefined;
  },
) {
  const page = keyset(query, { date: { expression: sql`b.id`, type: 'bigint' } }, sql`b.id`);
  return readPage<BatchRow>(db, page, {
    columns,
    from: sql`payout_batches b`,
    row: 'b',
    where: [
      query.state === undefined ? sql`true` : sql`b.state = ${query.state}`,
      query.q ? matches(query.q) : sql`true`,
    ],
    sum: { amount: sql`CASE WHEN b.voided_at IS NULL THEN b.total_eur ELSE 0 END`, currency: sql`'EUR'` },
  });
}

export async function insertBatch(
  trx: Trx,
  batch: { messageId: string; createdBy: number; payoutIds: readonly number[] },
): Promise<number> {
  const id = await queryValue<number>(trx)`
    INSERT INTO payout_batches (message_id, created_by, payouts_count, total_eur)
    SELECT ${batch.messageId}, ${batch.createdBy}, count(*), sum(amount_eur)
      FROM payouts WHERE id = ANY(${batch.payoutIds}::bigint[])
    RETURNING id`;
  await sql`UPDATE payouts SET batch_id = ${id} WHERE id = ANY(${batch.payoutIds}::bigint[])`.execute(trx);
  return id;
}

/** @throws conflict when the batch is no draft any more */
export async function changeMembership(
  trx: Trx,
  payoutId: number,
  batchId: number,
  { isIn }: { isIn: boolean },
): Promise<void> {
  await sql`UPDATE payouts SET batch_id = ${isIn ? batchId : null} WHERE id = ${payoutId}`.execute(trx);
  const sign = isIn ? 1 : -1;
  const rows = await queryRows(trx)`
    UPDATE payout_batches b SET payouts_count = b.payouts_count + ${sign}, total_eur = b.total_eur + ${sign} * p.amount_eur
      FROM payouts p WHERE p.id = ${payoutId} AND b.id = ${batchId} AND b.state = 'draft' RETURNING b.id`;
  if (rows.length === 0) throw conflict();
}
