import type { EcbRates } from '@regie/contract/routes/accounting.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import type { Trx } from '#src/lib/db.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { readEcbRates } from './ecb.rules.ts';
import { isFutureMonth, listRateChanges, lockRates, setRates } from './exchange-rates.service.ts';

const shownSeries = 10;

/** Currencies that have a rate or occur in a statement. */
async function listUsedCurrencies(trx: Trx): Promise<Set<string>> {
  const { rows } = await sql<{ currency: string }>`
    SELECT currency FROM exchange_rates UNION SELECT currency FROM statement_months`.execute(trx);
  return new Set(rows.map(({ currency }) => currency));
}

/**
 * Imports the monthly averages of an ECB file since 2020, for currencies in use or all of them (`withUnused`); a dry
 * run only returns the changes.
 * @throws AppError validation_failed on `text`
 */
export async function importEcbRates(
  trx: Trx,
  caller: Caller,
  { text, withUnused, dryRun }: { text: string; withUnused: boolean; dryRun: boolean },
  nowMs = Date.now(),
): Promise<EcbRates> {
  const { rates, tooEarly, leftOut } = readEcbRates(text);
  if (!dryRun) await lockRates(trx);
  const used = await listUsedCurrencies(trx);
  const taken = rates.filter(({ currency }) => withUnused || used.has(currency));
  const changes = await listRateChanges(trx, taken);
  if (!dryRun) await setRates(trx, caller, changes, 'exchange_rate.import_ecb');
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
