import { exchangeRateMessages, toFrench } from '@regie/contract/exchange-rates.ts';
import type { ExchangeRateForm } from '@regie/contract/routes/accounting.ts';
import { de } from '@regie/values/elision.ts';
import { addMonths, findMonth, type Month, monthOfInstant } from '@regie/values/month.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Actor, writeAudits } from '#src/lib/audit.ts';
import { exists, queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import { invalid } from '#src/lib/errors.ts';
import { toDate } from '#src/lib/months.ts';
import type { EcbRate } from './ecb.rules.ts';

/**
 * The month's rate, or the latest earlier one (product §33.4): units per euro, decimal text.
 * @throws validation_failed on `fromDate` without a rate
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

/** The same in SQL; null without a rate. */
export const rateOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`rate_of(${currency}, ${month})`;

/** The month whose rate is used. */
export const rateMonthOf = (currency: RawBuilder<unknown>, month: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`CASE WHEN ${currency} = 'EUR' THEN ${month}
           ELSE (SELECT max(e.month) FROM exchange_rates e WHERE e.currency = ${currency} AND e.month <= ${month}) END`;

export interface UsedRate {
  month: string;
  currency: string;
  rateMonth: string;
  rate: string;
}

/** More than two months older than the month it is used for. */
export const isStaleRate = ({ month, rateMonth }: Pick<UsedRate, 'month' | 'rateMonth'>): boolean =>
  rateMonth.slice(0, 7) < addMonths(month, -2);

/** Whether a month (`YYYY-MM` or its first day) is still to come in Paris. */
export const isFutureMonth = (month: string, nowMs: number): boolean => month.slice(0, 7) > monthOfInstant(nowMs);

/** Rates that need a confirmation. */
export const findUnconfirmed = <Used extends UsedRate>(used: readonly Used[], nowMs: number): Used[] =>
  used.filter((rate) => isStaleRate(rate) || isFutureMonth(rate.month, nowMs));

const sameUse = (one: UsedRate, other: UsedRate) => one.month === other.month && one.currency === other.currency;

/** Whether staff confirmed this rate: a stale one with its month and value, one of a future month by its month. */
export const isConfirmedRate = (used: UsedRate, confirmed: readonly UsedRate[]): boolean =>
  confirmed.some(
    (known) =>
      sameUse(known, used) && (!isStaleRate(used) || (known.rateMonth === used.rateMonth && known.rate === used.rate)),
  );

/** Merges confirmations; the last one of a currency and month counts. */
export const withConfirmed = (confirmed: readonly UsedRate[], used: readonly UsedRate[]): UsedRate[] => [
  ...confirmed.filter((known) => !used.some((rate) => sameUse(known, rate))),
  ...used,
];

const frenchMonth = new Intl.DateTimeFormat('fr-FR', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameMonth = (month: string) => frenchMonth.format(new Date(`${month.slice(0, 7)}-01`));

/** `330 HUF en octobre 2020 (taux de janvier 2020)` */
export const describeRates = (used: readonly UsedRate[]): string[] =>
  used.map(({ month, currency, rateMonth, rate }) => {
    const of = rateMonth.slice(0, 7) === month.slice(0, 7) ? '' : ` (taux ${de(nameMonth(rateMonth))})`;
    return `${toFrench(rate)}\u00a0${currency} en ${nameMonth(month)}${of}`;
  });

/* Setting rates */

export async function lockRates(trx: Trx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(7243, 4)`.execute(trx);
}

export interface RateChange {
  /** First day of the month. */
  month: string;
  currency: string;
  rate: string;
  former: string | null;
  /** The rate that differs too much: the present one, or the previous month's. */
  farFrom: string | null;
}

/** Monthly averages seldom change by more than this factor. */
const farTimes = 1.2;

/** The rates that differ from the present ones: replaced ones first, newest month first. */
export const listRateChanges = (trx: Trx, rates: readonly EcbRate[]) => queryRows<RateChange>(trx)`
    WITH given AS MATERIALIZED (
      SELECT month, currency, round(rate, 10) AS rate
        FROM unnest(${rates.map(({ month }) => `${month}-01`)}::date[], ${rates.map(({ currency }) => currency)}::text[],
                          ${rates.map(({ rate }) => rate)}::numeric[]) AS g (month, currency, rate)
    ),
    -- New rates replace those of their month.
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

/** Large differences raise an alert. Imported reports keep their rates. */
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

/** @throws validation_failed on `confirmFar` for a currency's first rate or a large difference, when not confirmed */
export async function setExchangeRate(trx: Trx, actor: Actor, form: z.output<typeof ExchangeRateForm>): Promise<void> {
  await lockRates(trx);
  const month = toDate(findMonth(form.month)).slice(0, 7) as Month;
  const changes = await listRateChanges(trx, [{ month, currency: form.currency, rate: String(form.rate) }]);
  if (!form.confirmFar) {
    const farFrom = changes[0]?.farFrom;
    if (typeof farFrom === 'string') throw invalid({ confirmFar: exchangeRateMessages.far(farFrom) });
    const isKnown = await exists(trx)`SELECT FROM exchange_rates WHERE currency = ${form.currency}`;
    if (!isKnown) throw invalid({ confirmFar: exchangeRateMessages.first(form.currency, String(form.rate)) });
  }
  await setRates(trx, actor, changes, 'exchange_rate.set');
}
