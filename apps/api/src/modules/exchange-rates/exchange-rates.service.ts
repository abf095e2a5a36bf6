import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { invalid } from '#src/lib/errors.ts';

/**
 * The rate of a month: its own row, or the latest earlier one (decisions §3), as decimal text in units of the
 * currency per euro.
 * @throws AppError validation_failed on `fromDate` when no rate is known
 */
export async function getRate(trx: Trx, currency: string, monthDate: string): Promise<string> {
  const row = await trx
    .selectFrom('exchangeRates')
    .select('rate')
    .where('currency', '=', currency)
    .where('month', '<=', monthDate)
    .orderBy('month', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row)
    throw invalid({
      fromDate: `Aucun taux de change ${currency} pour ce mois : ajoutez-le dans Comptabilité → Taux de change`,
    });
  return row.rate;
}

/** The same rule as SQL, by the database's own function (migration 052): units of a currency per euro in a month, null where none is known. */
export const rateOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`rate_of(${currency}, ${month})`;
