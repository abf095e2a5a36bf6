import { routes } from '@regie/contract/routes.ts';
import { findMonth, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { queryRow } from '#src/lib/db.ts';
import { countUpTo, cutPage, keyset } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { route } from '#src/lib/route.ts';
import { hasWords, shownMonth } from '#src/lib/text-search.ts';
import { importEcbRates } from './ecb.service.ts';
import { setExchangeRate } from './exchange-rates.service.ts';

interface RateRow {
  month: string;
  currency: string;
  rate: string;
  updatedAt: Date;
  updatedBy: string | null;
}

const toWire = (row: RateRow) => ({
  month: monthToMs(row.month),
  currency: row.currency,
  rate: toWireNumber(row.rate),
  updatedAt: row.updatedAt.getTime(),
  updatedBy: row.updatedBy,
});

// Rates have no id: the cursor uses the month, then the currency code as a number.
const currencyNumber = sql`(ascii(e.currency) * 65536 + ascii(substr(e.currency, 2)) * 256 + ascii(substr(e.currency, 3)))::bigint`;

export const exchangeRateRoutes = [
  route(routes.listExchangeRates, async ({ query }, db) => {
    const page = keyset(query, { month: { expression: sql`e.month`, type: 'date' } }, currencyNumber);
    const inText = query.q
      ? hasWords(sql`fold(concat_ws(' ', e.currency, ${shownMonth(sql`e.month`)}))`, query.q)
      : sql`true`;
    const matches = sql<boolean>`(e.currency LIKE upper(${query.currency ?? ''}) || '%' AND ${inText})`;
    const [{ rows }, count] = await Promise.all([
      sql<RateRow & { id: number; cursorValue: string }>`
        SELECT e.month, e.currency, e.rate, e.updated_at, a.first_name || ' ' || a.last_name AS updated_by,
               ${currencyNumber} AS id, e.month::text AS cursor_value
          FROM exchange_rates e LEFT JOIN admins a ON a.id = e.updated_by
         WHERE ${matches} AND ${page.after} ORDER BY ${page.orderBy} LIMIT ${page.limit + 1}`.execute(db),
      countUpTo(db, sql`FROM exchange_rates e WHERE ${matches}`),
    ]);
    const cut = cutPage(rows, page);
    return { data: cut.rows.map(toWire), meta: { nextCursor: cut.nextCursor, ...count } };
  }),

  route(routes.putExchangeRate, async ({ body, caller }, trx) => {
    await setExchangeRate(trx, caller, body);
    const after = await queryRow<RateRow>(trx)`
      SELECT e.month, e.currency, e.rate, e.updated_at, a.first_name || ' ' || a.last_name AS updated_by
        FROM exchange_rates e LEFT JOIN admins a ON a.id = e.updated_by
         WHERE e.currency = ${body.currency} AND e.month = ${toDate(findMonth(body.month))}::date`;
    if (!after) throw new Error('the rate just written is missing');
    return { data: toWire(after) };
  }),

  route(routes.importEcbRates, async ({ body, caller }, trx) => ({
    data: await importEcbRates(trx, caller, body),
    ...(body.dryRun ? { message: '' } : {}),
  })),
];
