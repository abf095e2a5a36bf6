import { monthToMs } from '@regie/contract/month.ts';
import type { EcbRates } from '@regie/contract/routes/accounting.ts';
import { sql } from 'kysely';
import { writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { type EcbRate, readEcbRates } from './ecb.rules.ts';
import { isFutureMonth } from './exchange-rates.service.ts';

const shownSeries = 10;

interface Change {
  month: string;
  currency: string;
  rate: string;
  former: string | null;
  /** What the rate is far from: what stands for its month, else the rate of the currency's last month before. */
  farFrom: string | null;
}

/** The average of no month is so many times, or so small a part of, the one before but where a currency collapsed. */
const farTimes = 2;

/** Currencies that have a rate, or in which a statement is. */
async function listUsedCurrencies(trx: Trx): Promise<Set<string>> {
  const { rows } = await sql<{ currency: string }>`
    SELECT currency FROM exchange_rates UNION SELECT currency FROM statement_months`.execute(trx);
  return new Set(rows.map(({ currency }) => currency));
}

/** Those that are not in the table as they are: what differs first, then what is new, newest month first. */
async function listChanges(trx: Trx, rates: readonly EcbRate[]): Promise<Change[]> {
  const { rows } = await sql<Change>`
    WITH given AS MATERIALIZED (
      SELECT month, currency, round(rate, 10) AS rate
        FROM unnest(${rates.map(({ month }) => `${month}-01`)}::date[], ${rates.map(({ currency }) => currency)}::text[],
                          ${rates.map(({ rate }) => rate)}::numeric[]) AS g (month, currency, rate)
    ),
    -- The file's own rates stand before those that it replaces.
    known AS (
      SELECT month, currency, rate FROM given
       UNION ALL
      SELECT e.month, e.currency, e.rate FROM exchange_rates e
       WHERE e.currency IN (SELECT currency FROM given)
         AND NOT EXISTS (SELECT FROM given o WHERE o.currency = e.currency AND o.month = e.month)
    )
    SELECT g.month, g.currency, g.rate, e.rate AS former,
           CASE WHEN NOT coalesce(e.rate, g.before) BETWEEN g.rate / ${farTimes}::numeric AND g.rate * ${farTimes}::numeric
                THEN coalesce(e.rate, g.before) END AS far_from
      FROM (SELECT month, currency, rate, lag(rate) OVER (PARTITION BY currency ORDER BY month) AS before FROM known) g
      JOIN given USING (month, currency)
      LEFT JOIN exchange_rates e ON e.currency = g.currency AND e.month = g.month
     WHERE e.rate IS DISTINCT FROM g.rate
     ORDER BY e.rate IS NULL, g.month DESC, g.currency`.execute(trx);
  return rows;
}

/**
 * Sets the monthly averages of a file of the ECB, of months from 2020 on and of currencies that are used, or of all with
 * `withUnused`; a dry run only tells what that would change.
 * @throws AppError validation_failed on `text`
 */
export async function importEcbRates(
  trx: Trx,
  caller: Caller,
  { text, withUnused, dryRun }: { text: string; withUnused: boolean; dryRun: boolean },
  nowMs = Date.now(),
): Promise<EcbRates> {
  const { rates, tooEarly, leftOut } = readEcbRates(text);
  // As when one rate is set: the second one sees what the first wrote.
  if (!dryRun) await sql`SELECT pg_advisory_xact_lock(7243, 4)`.execute(trx);
  const used = await listUsedCurrencies(trx);
  const taken = rates.filter(({ currency }) => withUnused || used.has(currency));
  const changes = await listChanges(trx, taken);
  if (!dryRun) await setRates(trx, caller, changes);
  return {
    changes: changes.map((change) => ({
      month: monthToMs(change.month),
      currency: change.currency,
      rate: toWireNumber(change.rate),
      former: change.former === null ? null : toWireNumber(change.former),
      isFuture: isFutureMonth(change.month, nowMs),
      farFrom: change.farFrom === null ? null : toWireNumber(change.farFrom),
    })),
    unchanged: taken.length - changes.length,
    unused: [...new Set(rates.map(({ currency }) => currency))].filter((currency) => !used.has(currency)).sort(),
    tooEarly,
    leftOut: [...leftOut].map(([reason, series]) => ({
      reason,
      count: series.size,
      series: [...series].slice(0, shownSeries),
    })),
  };
}

async function setRates(trx: Trx, caller: Caller, changes: readonly Change[]): Promise<void> {
  await sql`
    SELECT set_exchange_rates(${changes.map(({ month }) => month)}::date[], ${changes.map(({ currency }) => currency)}::text[],
                              ${changes.map(({ rate }) => rate)}::numeric[], ${caller.adminId}::bigint)`.execute(trx);
  await writeAudits(
    trx,
    caller,
    changes.map(({ month, currency, rate, former }) => ({
      action: 'exchange_rate.import_ecb',
      entity: 'exchange_rate',
      entityId: `${month.slice(0, 7)} ${currency}`,
      before: former === null ? null : { rate: former },
      after: { rate },
    })),
  );
}
