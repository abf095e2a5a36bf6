import { routes } from '@regie/contract/routes.ts';
import { findMonth, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { adminName } from '#src/lib/audit.ts';
import { querySingle } from '#src/lib/db.ts';
import { keyset, readPage } from '#src/lib/keyset.ts';
import { toDate } from '#src/lib/months.ts';
import { dataRoute, route } from '#src/lib/route.ts';
import { hasWords, shownMonth } from '#src/lib/text-search.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { importEcbRates } from './ecb.service.ts';
import { setExchangeRate } from './exchange-rates.service.ts';

interface RateRow {
  month: string;
  currency: string;
  rate: string;
  updatedAt: Date;
  updatedBy: string | null;
}

const toWire = (row: RateRow) => ({ ...toWireRow(row, 'rate'), month: monthToMs(row.month) });

const columns = sql`e.month, e.currency, e.rate, e.updated_at, ${adminName('e.updated_by')} AS updated_by`;
// Rates have no id: the cursor uses the month, then the currency code as a number.
const currencyNumber = sql`(ascii(e.currency) * 65536 + ascii(substr(e.currency, 2)) * 256 + ascii(substr(e.currency, 3)))::bigint`;

export const exchangeRateRoutes = [
  route(routes.listExchangeRates, async ({ query }, db) => {
    const page = keyset(query, { month: { expression: sql`e.month`, type: 'date' } }, currencyNumber);
    const { rows, meta } = await readPage<RateRow & { id: number }>(db, page, {
      columns: sql`${columns}, ${currencyNumber} AS id`,
      from: sql`exchange_rates e`,
      row: 'e',
      where: [
        sql`e.currency LIKE upper(${query.currency ?? ''}) || '%'`,
        query.q ? hasWords(sql`fold(concat_ws(' ', e.currency, ${shownMonth(sql`e.month`)}))`, query.q) : sql`true`,
      ],
    });
    return { data: rows.map(toWire), meta };
  }),
  dataRoute(routes.putExchangeRate, async ({ body, caller }, trx) => {
    await setExchangeRate(trx, caller, body);
    const month = toDate(findMonth(body.month));
    return toWire(
      await querySingle<RateRow>(trx)`
        SELECT ${columns} FROM exchange_rates e WHERE e.currency = ${body.currency} AND e.month = ${month}::date`,
    );
  }),

  route(routes.importEcbRates, async ({ body, caller }, trx) => ({
    data: await importEcbRates(trx, caller, body),
    ...(body.dryRun ? { message: '' } : {}),
  })),
];
