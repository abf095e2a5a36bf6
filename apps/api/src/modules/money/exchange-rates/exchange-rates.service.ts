import { exchangeRateMessages, toFrench } from '@regie/contract/exchange-rates.ts';
import type { ExchangeRateForm } from '@regie/contract/routes/accounting.ts';
import { de } from '@regie/values/elision.ts';
import { addMonths, findMonth, type Month, monthOfInstant } from '@regie/values/month.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Actor, writeAudits } from '#src/lib/audit.ts';
import { queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { invalid } from '#src/lib/errors.ts';
import { toDate } from '#src/lib/months.ts';
import type { EcbRate } from './ecb.rules.ts';

/**
 * The rate of a month: its own row, or the latest earlier one (product §33.4), as decimal text in units of the
 * currency per euro.
 * @throws AppError validation_failed on `fromDate` when no rate is known
 */
export async function getRate(trx: Trx, currency: string, monthDate: string): Promise<string> {
  const row = await queryRow<{ rate: string }>(trx)`
    SELECT rate FROM exchange_rates WHERE currency = ${currency} AND month <= ${monthDate} ORDER BY month DESC LIMIT 1`;
  if (!row)
    throw invalid({
      fromDate: `Aucun taux de change ${currency} pour ce mois\u00a0: ajoutez-le dans Comptabilité → Taux de change`,
    });
  return row.rate;
}

/** The same rule in SQL: units of a currency per euro in a month, null when unknown. */
export const rateOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`rate_of(${currency}, ${month})`;

/** The month the used rate belongs to; for the euro always the month itself. */
export const rateMonthOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`CASE WHEN ${currency} = 'EUR' THEN ${month}
           ELSE (SELECT max(e.month) FROM exchange_rates e WHERE e.currency = ${currency} AND e.month <= ${month}) END`;

/** A rate used for a currency in a month; dates and rate as text from the database. */
export interface UsedRate {
  month: string;
  currency: string;
  rateMonth: string;
  rate: string;
}

/** Whether a rate is more than two months older than the month it is used for: April's is good enough for June. */
export const isStaleRate = ({ month, rateMonth }: Pick<UsedRate, 'month' | 'rateMonth'>): boolean =>
  rateMonth.slice(0, 7) < addMonths(month, -2);

/** Whether a month (`YYYY-MM` or its first day) is after the current one in Paris. */
export const isFutureMonth = (month: string, nowMs: number): boolean => month.slice(0, 7) > monthOfInstant(nowMs);

/** Rates that need a confirmation: stale ones, and those of future months. */
export const findUnconfirmed = <Used extends UsedRate>(used: readonly Used[], nowMs: number): Used[] =>
  used.filter((rate) => isStaleRate(rate) || isFutureMonth(rate.month, nowMs));

const sameUse = (one: UsedRate, other: UsedRate) => one.month === other.month && one.currency === other.currency;

/**
 * Whether staff confirmed this rate: for a stale one, its month and value must be equal; for a future month, only the
 * month.
 */
export const isConfirmedRate = (used: UsedRate, confirmed: readonly UsedRate[]): boolean =>
  confirmed.some(
    (known) =>
      sameUse(known, used) && (!isStaleRate(used) || (known.rateMonth === used.rateMonth && known.rate === used.rate)),
  );

/** Merges confirmations: the last one of a currency and month counts. */
export const withConfirmed = (confirmed: readonly UsedRate[], used: readonly UsedRate[]): UsedRate[] => [
  ...confirmed.filter((known) => !used.some((rate) => sameUse(known, rate))),
  ...used,
];

const frenchMonth = new Intl.DateTimeFormat('fr-FR', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameMonth = (month: string) => frenchMonth.format(new Date(`${month.slice(0, 7)}-01`));

/** `330 HUF en octobre 2020 (taux de janvier 2020)`, for the journal and warnings. */
export const describeRates = (used: readonly UsedRate[]): string[] =>
  used.map(({ month, currency, rateMonth, rate }) => {
    const of = rateMonth.slice(0, 7) === month.slice(0, 7) ? '' : ` (taux ${de(nameMonth(rateMonth))})`;
    return `${toFrench(rate)}\u00a0${currency} en ${nameMonth(month)}${of}`;
  });

/* Setting rates */

/** Serialises changes of rates, so that each sees the previous one. */
export async function lockRates(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 4)`.execute(trx);
}

export interface RateChange {
  /** First day of the month. */
  month: string;
  currency: string;
  rate: string;
  former: string | null;
  /** The rate to compare with: the present one, or the currency's previous month. */
  farFrom: string | null;
}

/** Monthly averages seldom change by more than this factor. */
const farTimes = 1.2;

/** The rates that differ from the present ones: replaced ones first, then new ones, newest month first. */
export const listRateChanges = (trx: Trx, rates: readonly EcbRate[]) => queryRows<RateChange>(trx)`
    WITH given AS MATERIALIZED (
      SELECT month, currency, round(rate, 10) AS rate
        FROM unnest(${rates.map(({ month }) => `${month}-01`)}::date[], ${rates.map(({ currency }) => currency)}::text[],
                          ${rates.map(({ rate }) => rate)}::numeric[]) AS g (month, currency, rate)
    ),
    -- Rates given together stand before those that they replace.
    known AS (
      SELECT month, currency, rate FROM given
       UNION ALL
      SELECT e.month, e.currency, e.rate FROM exchange_rates e
       WHERE e.currency IN (SELECT currency FROM given)
         AND NOT EXISTS (SELECT FROM given o WHERE o.currency = e.currency AND o.month = e.month)
    )
    SELECT g.month, g.currency, g.rate, e.rate AS former,
           CASE WHEN ${isFar(sql`e.rate`)} THEN e.rate WHEN ${isFar(sql`g.before`)} THEN g.before END AS far_from
      FROM (SELECT month, currency, rate, lag(rate) OVER (PARTITION BY currency ORDER BY month) AS before FROM known) g
      JOIN given USING (month, currency)
      LEFT JOIN exchange_rates e ON e.currency = g.currency AND e.month = g.month
     WHERE e.rate IS DISTINCT FROM g.rate
     ORDER BY e.rate IS NULL, g.month DESC, g.currency`;

const isFar = (rate: RawBuilder<unknown>) =>
  sql`NOT ${rate} BETWEEN g.rate / ${farTimes}::numeric AND g.rate * ${farTimes}::numeric`;

/** Sets rates; large differences raise an alert. Imported reports keep their rates. */
export async function setRates(
  trx: Trx,
  actor: Actor,
  changes: readonly RateChange[],
  action: 'exchange_rate.set' | 'exchange_rate.import_ecb',
): Promise<void> {
  await sql`
    SELECT set_exchange_rates(${changes.map(({ month }) => month)}::date[], ${changes.map(({ currency }) => currency)}::text[],
                              ${changes.map(({ rate }) => rate)}::numeric[], ${actor.adminId}::bigint)`.execute(trx);
  await writeAudits(
    trx,
    actor,
    changes.map(({ month, currency, rate, former, farFrom }) => ({
      action,
      entityId: `${month.slice(0, 7)} ${currency}`,
      before: former === null ? null : { rate: former },
      after: { rate },
      alert:
        farFrom === null
          ? undefined
          : { kind: 'rate', text: exchangeRateMessages.farAlert(currency, month.slice(0, 7), rate, farFrom) },
    })),
  );
}

/**
 * Sets a rate by hand.
 * @throws AppError validation_failed on `confirmFar` for an unconfirmed first rate of a currency, or large difference from the
 * replaced rate or the previous month's
 */
export async function setExchangeRate(trx: Trx, actor: Actor, form: z.output<typeof ExchangeRateForm>): Promise<void> {
  await lockRates(trx);
  const month = toDate(findMonth(form.month)).slice(0, 7) as Month;
  const changes = await listRateChanges(trx, [{ month, currency: form.currency, rate: String(form.rate) }]);
  if (!form.confirmFar) {
    const farFrom = changes[0]?.farFrom;
    if (typeof farFrom === 'string') throw invalid({ confirmFar: exchangeRateMessages.far(farFrom) });
    const { rows } = await sql`SELECT FROM exchange_rates WHERE currency = ${form.currency} LIMIT 1`.execute(trx);
    if (rows.length === 0) throw invalid({ confirmFar: exchangeRateMessages.first(form.currency, String(form.rate)) });
  }
  await setRates(trx, actor, changes, 'exchange_rate.set');
}
