import type { states } from '@regie/contract/states.ts';
import { sql } from 'kysely';
import { queryRow, queryRows, type Trx } from '#src/lib/db.ts';
import type { LineKey } from '#src/modules/income/lines/lines.service.ts';

interface Person {
  accountId: number;
  firstName: string;
  lastName: string;
}

const shown = { payees: 50, reports: 6, others: 5 };

/** @param from `YYYY-MM-01` */
export const listPayees = (db: Trx, trackId: number, from: string) => queryRows<
  Person & { isReferrer: boolean; lowestPercentile: string; highestPercentile: string; amountEur: string }
>(db)`
    WITH r AS (SELECT * FROM reports WHERE track_id = ${trackId} AND month >= ${from}::date AND reversed_at IS NULL)
    SELECT p.account_id, a.first_name, a.last_name, p.is_referrer, min(p.percentile) AS lowest_percentile,
           max(p.percentile) AS highest_percentile, sum(p.amount_eur) AS amount_eur
      FROM (SELECT account_id, false AS is_referrer, percentile, account_eur AS amount_eur FROM r
             UNION ALL
            SELECT s.referrer_id, true, s.percentile, s.amount_eur FROM r JOIN report_referral_shares s ON s.report_id = r.id) p
      JOIN accounts a ON a.id = p.account_id
     GROUP BY p.account_id, a.first_name, a.last_name, p.is_referrer
     ORDER BY p.is_referrer, sum(p.amount_eur) DESC, p.account_id LIMIT ${sql.lit(shown.payees)}`;

export const listReports = (db: Trx, trackId: number) => queryRows<
  Person & { id: number; month: string; grossEur: string; accountEur: string; total: number }
>(db)`
    SELECT r.id, r.month, r.account_id, a.first_name, a.last_name, r.gross_eur, r.account_eur, count(*) OVER () AS total
      FROM reports r JOIN accounts a ON a.id = r.account_id
     WHERE r.track_id = ${trackId} AND r.reversed_at IS NULL
     ORDER BY r.month DESC, r.id DESC LIMIT ${sql.lit(shown.reports)}`;

export const listAliases = (db: Trx, trackId: number) => queryRows<{
  key: string;
  title: string;
  artist: string;
  code: string | null;
  total: number;
}>(db)`
    SELECT key, title, artist, coalesce(isrc, upc) AS code, count(*) OVER () AS total
      FROM income_items WHERE alias_track_id = ${trackId} ORDER BY alias_at DESC, id LIMIT ${sql.lit(shown.others)}`;

export const listTickets = (db: Trx, trackId: number) => queryRows<{
  id: number;
  title: string;
  status: keyof typeof states.ticket.toWire;
  total: number;
}>(db)`
    SELECT id, title, status, count(*) OVER () AS total
      FROM tickets WHERE track_id = ${trackId} ORDER BY status DESC, id DESC LIMIT ${sql.lit(shown.others)}`;

/** The latest live one with income of the track. */
export const findStatement = (db: Trx, trackId: number) => queryRow<{
  id: number;
  fileName: string;
  source: string;
  month: string;
}>(db)`
    SELECT st.id, st.file_name, st.source, coalesce(st.accounting_month, max(s.month)) AS month
      FROM statement_sums s JOIN statements st ON st.id = s.statement_id
     WHERE s.track_id = ${trackId} AND st.status IN ('loaded', 'checked')
     GROUP BY st.id ORDER BY 4 DESC, st.id DESC LIMIT 1`;

export const listKeys = (db: Trx, trackId: number, statementId: number) => queryRows<LineKey>(db)`
    SELECT item, month, kind, currency FROM statement_sums WHERE track_id = ${trackId} AND statement_id = ${statementId}`;
