import { monthToMs } from '@regie/contract/month.ts';
import type { EcbRates } from '@regie/contract/routes/accounting.ts';
import { sql } from 'kysely';
import { writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { type EcbRate, readEcbRates } from './ecb.rules.ts';

const shownSeries = 10;

interface Change {
  month: string;
  currency: string;
  rate: string;
  former: string | null;
}

/** Currencies that have a rate, or in which a statement is. */
async function listUsedCurrencies(trx: Trx): Promise<Set<string>> {
  const { rows } = await sql<{ currency: string }>`
    SELECT currency FROM exchange_rates UNION SELECT currency FROM statement_months`.execute(trx);
  return new Set(rows.map(({ currency }) => currency));
}

/** Those that are not in the table as they are: what differs first, then what is new, newest month first. */
async function listChanges(trx: Trx, rates: readonly EcbRate[]): Promise<Change[]> {
  const { rows } = await sql<Change>`
    SELECT g.month, g.currency, g.rate, e.rate AS former
      FROM (SELECT month, currency, round(rate, 10) AS rate
              FROM unnest(${rates.map(({ month }) => `${month}-01`)}::date[], ${rates.map(({ currency }) => currency)}::text[],
                          ${rates.map(({ rate }) => rate)}::numeric[]) AS g (month, currency, rate)) g
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
): Promise<EcbRates> {
  const { rates, tooEarly, leftOut } = readEcbRates(text);
  // As when one rate is set: the second one sees what the first wrote.
  if (!dryRun) await sql`SELECT pg_advisory_xact_lock(7243, 4)`.execute(trx);
  const used = await listUsedCurrencies(trx);
  const taken = rates.filter(({ currency }) => withUnused || used.has(currency));
  const changes = await listChanges(trx, taken);
  if (!dryRun) await setRates(trx, caller, changes);
  return {
    changes: changes.map(({ month, currency, rate, former }) => ({
      month: monthToMs(month),
      currency,
      rate: toWireNumber(rate),
      former: former === null ? null : toWireNumber(former),
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
