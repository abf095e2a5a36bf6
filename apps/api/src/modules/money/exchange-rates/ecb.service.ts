import { monthToMs } from '@regie/values/month.ts';
import { queryRows, type Trx } from '#src/lib/db.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { readEcbRates } from './ecb.rules.ts';
import { isFutureMonth, listRateChanges, lockRates, setRates } from './exchange-rates.service.ts';

const shownSeries = 10;

async function listUsedCurrencies(trx: Trx): Promise<Set<string>> {
  const rows = await queryRows<{ currency: string }>(trx)`
    SELECT currency FROM exchange_rates UNION SELECT currency FROM statement_months`;
  return new Set(rows.map(({ currency }) => currency));
}

/**
 * Imports an ECB file for the currencies in use, or all; a dry run only returns the changes.
 * @throws validation_failed on `text`
 */
export async function importEcbRates(
  trx: Trx,
  caller: Caller,
  { text, withUnused, dryRun }: { text: string; withUnused: boolean; dryRun: boolean },
  nowMs = Date.now(),
) {
  const { rates, tooEarly, leftOut } = readEcbRates(text);
  if (!dryRun) await lockRates(trx);
  const used = await listUsedCurrencies(trx);
  const taken = rates.filter(({ currency }) => withUnused || used.has(currency));
  const changes = await listRateChanges(trx, taken);
  if (!dryRun) await setRates(trx, caller, changes, 'exchange_rate.import_ecb');
  return {
    changes: changes.map((change) => ({
      ...toWireRow(change, 'rate', 'former', 'farFrom'),
      month: monthToMs(change.month),
      isFuture: isFutureMonth(change.month, nowMs),
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
