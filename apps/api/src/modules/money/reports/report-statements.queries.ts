import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { exists, queryRows, type Trx } from '#src/lib/db.ts';
import { notFound } from '#src/lib/errors.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { type LineKey, type LineStore, listPlaces } from '#src/modules/income/lines/lines.service.ts';

interface PartRow {
  kind: 'stream' | 'download' | 'video';
  currency: string;
  quantity: string;
  amount: string;
  amountUsd: string | null;
  rows: string;
}

/** `i.rate` is the dollar rate and `k.rate` the currency's, both as frozen by the import. */
const ofReport = sql`
  FROM reports r
  JOIN imports i ON i.id = r.import_id AND i.kind = 'automatic'
  JOIN statement_sums s ON s.import_id = r.import_id AND s.track_id = r.track_id
  LEFT JOIN import_rates k ON k.import_id = r.import_id AND k.currency = s.currency`;
const isAsked = (reportId: number) => sql`r.id = ${reportId} AND r.reversed_at IS NULL`;

/** Above the rounding errors of thousands of parts. */
const roundingUsd = 0.000_001;

async function assertReport(db: Trx, reportId: number): Promise<void> {
  if (!(await exists(db)`SELECT FROM reports r WHERE ${isAsked(reportId)}`)) throw notFound();
}

/** Largest first. */
export async function listReportStatements(db: Trx, reportId: number) {
  await assertReport(db, reportId);
  const rows = await queryRows<
    PartRow & {
      statementId: number;
      fileName: string;
      source: string;
      month: string;
      rate: string | null;
      isAsPosted: boolean;
    }
  >(db)`
    WITH part AS MATERIALIZED (
      SELECT s.statement_id, s.month, s.kind, s.currency, sum(s.quantity) AS quantity, sum(s.amount) AS amount, sum(s.rows) AS rows,
             r.gross_usd, k.rate, to_usd(sum(s.amount), s.currency, i.rate, k.rate) AS amount_usd
        ${ofReport} WHERE ${isAsked(reportId)}
       GROUP BY s.statement_id, s.month, s.kind, s.currency, r.gross_usd, i.rate, k.rate
    )
    SELECT p.*, st.file_name, st.source,
           (SELECT abs(sum(coalesce(amount_usd, 0)) - max(gross_usd)) < ${sql.lit(roundingUsd)} FROM part) AS is_as_posted
      FROM part p JOIN statements st ON st.id = p.statement_id
     ORDER BY abs(p.amount_usd) DESC NULLS LAST, p.statement_id, p.month, p.kind, p.currency`;
  return {
    parts: rows.map((row) => ({
      ...toWireRow(row, 'quantity', 'amount', 'amountUsd', 'rows', 'rate'),
      month: monthToMs(row.month),
    })),
    isAsPosted: rows[0]?.isAsPosted ?? true,
  };
}

/** A report's income in a statement by store, country and kind, with the file's lines. */
export async function listReportLines(db: Trx, store: LineStore, reportId: number, statementId: number) {
  await assertReport(db, reportId);
  const keys = await queryRows<LineKey & { usdRate: string | null; rate: string | null }>(db)`
    SELECT s.item, s.month, s.kind, s.currency, i.rate AS usd_rate, k.rate
      ${ofReport} WHERE ${isAsked(reportId)} AND s.statement_id = ${statementId}`;
  const { places, total } = await listPlaces(db, store, statementId, keys);
  const inUsd = await queryRows<{ amountUsd: string | null }>(db)`
    SELECT to_usd(p.amount, p.currency, k.usd_rate, k.rate) AS amount_usd
      FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(places)}::jsonb) AS (amount numeric, currency text)) WITH ORDINALITY p
      JOIN (SELECT currency, max("usdRate") AS usd_rate, max(rate) AS rate
              FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS k (currency text, "usdRate" numeric, rate numeric)
             GROUP BY currency) k ON k.currency = p.currency
     ORDER BY p.ordinality`;
  const lines = places.map((place, index) =>
    toWireRow({ ...place, amountUsd: inUsd[index]?.amountUsd ?? null }, 'quantity', 'amount', 'amountUsd'),
  );
  return { lines, total };
}
