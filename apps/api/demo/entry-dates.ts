import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { at } from './random.ts';

interface LastIds {
  imports: number;
  transactions: number;
  entries: number;
}

/**
 * Backdates the rows that the demo's transaction writes: PostgreSQL itself would give all of them the transaction's
 * start.
 */
export class EntryDates {
  readonly #trx: Trx;
  #last: LastIds;

  private constructor(trx: Trx, last: LastIds) {
    this.#trx = trx;
    this.#last = last;
  }

  /** Tracks rows written from now on. */
  static async start(trx: Trx): Promise<EntryDates> {
    return new EntryDates(trx, await EntryDates.#findLast(trx));
  }

  static async #findLast(trx: Trx): Promise<LastIds> {
    const { rows } = await sql<LastIds>`
      SELECT (SELECT coalesce(max(id), 0) FROM imports) AS imports,
             (SELECT coalesce(max(id), 0) FROM ledger_transactions) AS transactions,
             (SELECT coalesce(max(id), 0) FROM audit_log) AS entries`.execute(trx);
    return at(rows, 0);
  }

  /** Sets that time on rows written since the last call; reversals only on request. */
  async date(instant: string, options: { hasReversals?: boolean } = {}): Promise<void> {
    const { imports, transactions, entries } = this.#last;
    await sql`
      WITH dated AS (
        UPDATE imports SET created_at = ${instant}, posted_at = ${instant} WHERE id > ${imports} AND created_at = now() RETURNING id
      )
      UPDATE import_batches SET created_at = ${instant} WHERE import_id IN (SELECT id FROM dated)`.execute(this.#trx);
    await sql`
      SELECT backdate_transactions(array_agg(id), array_agg(${instant}::timestamptz))
        FROM ledger_transactions WHERE id > ${transactions} AND occurred_at = now()`.execute(this.#trx);
    await sql`UPDATE audit_log SET at = ${instant} WHERE id > ${entries} AND at >= now()`.execute(this.#trx);
    if (options.hasReversals) {
      await sql`UPDATE imports SET reversed_at = ${instant} WHERE reversed_at = now()`.execute(this.#trx);
      await sql`UPDATE reports SET reversed_at = ${instant} WHERE reversed_at = now()`.execute(this.#trx);
    }
    this.#last = await EntryDates.#findLast(this.#trx);
  }
}
