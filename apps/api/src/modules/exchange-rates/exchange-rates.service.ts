import { addMonths, monthOfInstant } from '@regie/contract/month.ts';
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

/** The month whose rate that is; the euro's is always the month itself. */
export const rateMonthOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`CASE WHEN ${currency} = 'EUR' THEN ${month}
           ELSE (SELECT max(e.month) FROM exchange_rates e WHERE e.currency = ${currency} AND e.month <= ${month}) END`;

/** A rate as it is used for a currency in a month: dates and the rate as the database writes them. */
export interface UsedRate {
  month: string;
  currency: string;
  rateMonth: string;
  rate: string;
}

/** Whether a rate is more than two months older than the month it is used for: April's is good enough for June. */
export const isStaleRate = ({ month, rateMonth }: Pick<UsedRate, 'month' | 'rateMonth'>): boolean =>
  rateMonth.slice(0, 7) < addMonths(month, -2);

/** Whether a month (`YYYY-MM` or its first day) comes after the current one in Paris. */
export const isFutureMonth = (month: string, nowMs: number): boolean => month.slice(0, 7) > monthOfInstant(nowMs);

/** The rates that may only be used once staff has confirmed them: old ones, and those of months in the future. */
export const findDoubtful = <Used extends UsedRate>(used: readonly Used[], nowMs: number): Used[] =>
  used.filter((rate) => isStaleRate(rate) || isFutureMonth(rate.month, nowMs));

const sameUse = (one: UsedRate, other: UsedRate) => one.month === other.month && one.currency === other.currency;

/**
 * Whether staff has confirmed exactly this: of an old rate its own month and its value. Of a rate that is not old, only the
 * month in the future was in doubt.
 */
export const isConfirmedRate = (used: UsedRate, confirmed: readonly UsedRate[]): boolean =>
  confirmed.some(
    (known) =>
      sameUse(known, used) && (!isStaleRate(used) || (known.rateMonth === used.rateMonth && known.rate === used.rate)),
  );

/** What is confirmed once these are too: the last confirmation of a currency and month counts. */
export const withConfirmed = (confirmed: readonly UsedRate[], used: readonly UsedRate[]): UsedRate[] => [
  ...confirmed.filter((known) => !used.some((rate) => sameUse(known, rate))),
  ...used,
];

/** As the journal tells it. */
export const toldRates = (used: readonly UsedRate[]): string[] =>
  used.map(
    ({ month, currency, rateMonth, rate }) => `${month.slice(0, 7)} ${currency} ${rate} (${rateMonth.slice(0, 7)})`,
  );
