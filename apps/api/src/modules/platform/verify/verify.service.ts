import { type RawBuilder, sql } from 'kysely';
import { type Database, queryColumn, type Trx } from '#src/lib/db.ts';
import { exactly, type LineStore, sumLines } from '#src/modules/income/lines/lines.service.ts';
import { liveMonths } from '#src/modules/income/revenue/revenue.service.ts';
import { type Anchor, findChainFaults } from '#src/modules/money/ledger/chain.service.ts';
import { findSignatureFaults } from '#src/modules/money/signatures/assertions.service.ts';

const shown = 50;

/** What violates an invariant, by its name. */
const checks: Readonly<Record<string, RawBuilder<unknown>>> = {
  'postings of a transaction do not sum to zero': sql`
    SELECT format('transaction %s: %s %s', transaction_id, sum(amount), currency)
      FROM ledger_postings p GROUP BY transaction_id, currency HAVING sum(amount) <> 0`,
  'stored balance differs from the sum of its postings': sql`
    SELECT format('%s: stored %s, postings %s %s', account, b.amount, p.amount, currency)
      FROM ledger_balances b
      FULL JOIN (SELECT account, currency, sum(amount) AS amount FROM ledger_postings a GROUP BY 1, 2) p
     USING (account, currency)
     WHERE coalesce(b.amount, 0) <> coalesce(p.amount, 0)`,
  // The accounting pages read these sums.
  'income of an account, month or type differs from its postings': sql`
    WITH posted AS MATERIALIZED (
      SELECT p.account, i.type, i.month, p.amount
        FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
        JOIN imports i ON i.id = t.import_id
       WHERE p.account LIKE 'account:%' AND p.currency = 'EUR'
    ),
    stored AS (
      SELECT account, 'platform' AS type, platform_income AS amount FROM ledger_balances WHERE currency = 'EUR'
      UNION ALL SELECT account, 'youtube', youtube_income FROM ledger_balances WHERE currency = 'EUR'
      UNION ALL SELECT to_char(month, 'YYYY-MM'), type, credited_eur FROM income_months
    ),
    expected AS (
      SELECT account, type, sum(amount) AS amount FROM posted GROUP BY 1, 2
      UNION ALL SELECT to_char(month, 'YYYY-MM'), type, sum(amount) FROM posted GROUP BY 1, 2
    )
    SELECT format('%s, %s: stored %s, postings %s EUR', account, type, s.amount, e.amount)
      FROM stored s FULL JOIN expected e USING (account, type)
     WHERE coalesce(s.amount, 0) <> coalesce(e.amount, 0)`,
  'the amounts owed or paid in a month differ from the postings': sql`
    WITH expected AS (
      SELECT month_in_paris(occurred_at) AS month,
             sum(amount) FILTER (WHERE account LIKE 'account:%' OR account LIKE 'payout:%') AS owed,
             sum(amount) FILTER (WHERE account = 'paid') AS paid
        FROM ledger_postings p WHERE currency = 'EUR' GROUP BY 1
    )
    SELECT format('%s: stored %s owed, %s paid; postings %s, %s EUR', month, m.owed_eur, m.paid_eur, e.owed, e.paid)
      FROM ledger_months m FULL JOIN expected e USING (month)
     WHERE (coalesce(m.owed_eur, 0), coalesce(m.paid_eur, 0)) <> (coalesce(e.owed, 0), coalesce(e.paid, 0))`,
  // Statements read the time from the posting.
  'a posting has another time than its transaction': sql`
    SELECT format('transaction %s: %s', t.id, p.account)
      FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
     WHERE p.occurred_at <> t.occurred_at ORDER BY t.id`,
  'a posting names an account or payout that does not exist': sql`
    SELECT account FROM ledger_balances b
     WHERE (account LIKE 'account:%' AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = b.account_id))
        OR (account LIKE 'payout:%' AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = substr(account, 8)::bigint))`,
  "a payout's balance differs from what it reserves or has sent": sql`
    WITH held AS (
      SELECT t.payout_id AS id,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'payout:' || t.payout_id AND p.amount > 0
                                              AND t.kind = 'payout'), 0) AS asked,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'payout:' || t.payout_id), 0) AS reserved,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'paid'), 0) AS sent,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'account:' || t.account_id), 0) AS taken,
             bool_and(p.account IN ('paid', 'platform', 'payout:' || t.payout_id, 'account:' || t.account_id)) AS known
        FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
       WHERE t.payout_id IS NOT NULL GROUP BY 1
    ),
    expected AS (
      SELECT id, amount_eur AS asked,
             CASE WHEN state = 'pending' AND deleted_at IS NULL THEN amount_eur ELSE 0 END AS reserved,
             CASE WHEN state = 'paid' AND deleted_at IS NULL THEN amount_eur - fee_eur ELSE 0 END AS sent,
             CASE WHEN state <> 'cancelled' AND deleted_at IS NULL THEN -amount_eur ELSE 0 END AS taken
        FROM payouts
    )
    SELECT format('payout %s: was asked for %s, reserves %s, has sent %s, took %s EUR', id, h.asked, h.reserved, h.sent, -h.taken)
      FROM expected e FULL JOIN held h USING (id)
     WHERE (e.asked, e.reserved, e.sent, e.taken, true)
           IS DISTINCT FROM (coalesce(h.asked, 0), coalesce(h.reserved, 0), coalesce(h.sent, 0), coalesce(h.taken, 0), coalesce(h.known, true))`,
  // Only a payout's transactions reserve and send money; only an import's receive it.
  'a transaction has a posting its kind does not allow': sql`
    SELECT format('transaction %s (%s): %s %s EUR', t.id, t.kind, p.account, p.amount)
      FROM ledger_postings p JOIN ledger_transactions t ON t.id = p.transaction_id
     WHERE (t.payout_id IS NULL AND (p.account = 'paid' OR p.account LIKE 'payout:%'))
        OR (t.import_id IS NULL AND p.account = 'store')
        OR (t.payout_id IS NULL AND t.import_id IS NULL AND p.account LIKE 'account:%'
            AND p.account IS DISTINCT FROM 'account:' || t.account_id)
        OR (t.payout_id IS NOT NULL AND t.import_id IS NOT NULL)
     ORDER BY t.id`,
  'a reversal differs from the transaction it names': sql`
    SELECT format('transaction %s reverses %s', r.id, t.id)
      FROM ledger_transactions r JOIN ledger_transactions t ON t.id = r.reverses
     WHERE (r.payout_id, r.import_id) IS DISTINCT FROM (t.payout_id, t.import_id) OR t.kind = 'reversal'
        OR (r.payout_id IS NOT NULL AND EXISTS (
              SELECT FROM (SELECT * FROM ledger_postings p WHERE transaction_id = r.id) n
                FULL JOIN (SELECT * FROM ledger_postings p WHERE transaction_id = t.id) o USING (account, currency)
               WHERE coalesce(n.amount, 0) + coalesce(o.amount, 0) <> 0))
     ORDER BY r.id`,
  'a batch does not match its payouts': sql`
    SELECT format('batch %s (%s): counts %s for %s EUR, has %s for %s EUR, %s of them out of step',
                  b.id, b.state, b.payouts_count, b.total_eur, coalesce(p.n, 0), coalesce(p.total, 0),
                  coalesce(p.strays, 0))
      FROM payout_batches b
      LEFT JOIN LATERAL (
        SELECT count(*) AS n, sum(p.amount_eur) AS total,
               count(*) FILTER (WHERE p.deleted_at IS NOT NULL
                 OR (b.state = 'draft' AND (p.state <> 'pending' OR p.exported_at IS NOT NULL))
                 OR (b.state = 'exported' AND (p.state <> 'pending' OR p.exported_at IS NULL))
                 OR (b.state = 'paid' AND (p.state = 'pending' OR p.exported_at IS NULL))) AS strays
          FROM payouts p WHERE p.batch_id = b.id) p ON true
     WHERE coalesce(p.strays, 0) > 0
        OR CASE WHEN b.state = 'void' THEN p.n > 0
                ELSE (b.payouts_count, b.total_eur) <> (p.n, coalesce(p.total, 0)) END
     ORDER BY b.id`,
  "a referral's share of a report differs from its percentage at import": sql`
    WITH agreed AS (
      SELECT r.id AS report_id, f.id AS referral_id, f.referrer_id, f.percentile
        FROM reports r JOIN imports i ON i.id = r.import_id
        JOIN referrals f ON f.referred_id = r.account_id AND f.created_version <= i.terms_version
                        AND (f.deleted_version IS NULL OR f.deleted_version > i.terms_version)
       WHERE r.reversed_at IS NULL
    ),
    given AS (
      SELECT s.* FROM report_referral_shares s JOIN reports r ON r.id = s.report_id WHERE r.reversed_at IS NULL
    )
    SELECT format('report %s, referral %s: agreed %s %%, given %s %%', report_id, referral_id, a.percentile,
                  g.percentile)
      FROM agreed a FULL JOIN given g USING (report_id, referral_id)
     WHERE (a.referrer_id, a.percentile) IS DISTINCT FROM (g.referrer_id, g.percentile)`,
  "an import's postings to an account differ from its reports' shares": sql`
    WITH shares AS (
      SELECT import_id, 'account:' || account_id AS account, account_eur AS amount FROM reports r WHERE reversed_at IS NULL
      UNION ALL SELECT import_id, 'platform', platform_eur FROM reports r WHERE reversed_at IS NULL
      UNION ALL SELECT import_id, 'store', -gross_eur FROM reports r WHERE reversed_at IS NULL
      UNION ALL SELECT r.import_id, 'account:' || s.referrer_id, s.amount_eur
        FROM report_referral_shares s JOIN reports r ON r.id = s.report_id WHERE r.reversed_at IS NULL
    ),
    expected AS (SELECT import_id, account, sum(amount) AS amount FROM shares GROUP BY 1, 2),
    posted AS (
      SELECT t.import_id, p.account, sum(p.amount) AS amount
        FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
       WHERE t.import_id IS NOT NULL GROUP BY 1, 2
    )
    SELECT format('import %s, %s: reports %s, postings %s EUR', import_id, account, e.amount, p.amount)
      FROM expected e FULL JOIN posted p USING (import_id, account)
     WHERE coalesce(e.amount, 0) <> coalesce(p.amount, 0)`,
  // The reports list reads its total from this count.
  "an import's count of reports is wrong": sql`
    SELECT format('import %s: counted %s, has %s', i.id, i.reports, coalesce(r.live, 0))
      FROM imports i
      LEFT JOIN (SELECT import_id, count(*) AS live FROM reports r WHERE reversed_at IS NULL GROUP BY 1) r
        ON r.import_id = i.id
     WHERE i.reports <> coalesce(r.live, 0)`,
  "an import's credited amount differs from its batches' postings": sql`
    WITH posted AS (
      SELECT t.import_id,
             -coalesce(sum(p.amount) FILTER (WHERE p.account = 'store'), 0) AS gross,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'account:' || t.account_id), 0) AS accounts,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'platform'), 0) AS platform
        FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
       WHERE t.kind = 'report' GROUP BY 1
    )
    SELECT format('import %s: says %s to accounts, posted %s EUR', i.id, i.accounts_eur, coalesce(p.accounts, 0))
      FROM imports i LEFT JOIN posted p ON p.import_id = i.id
     WHERE (i.gross_eur, i.accounts_eur, i.platform_eur)
        <> (coalesce(p.gross, 0), coalesce(p.accounts, 0), coalesce(p.platform, 0))`,
  "a report's shares are not those its frozen rate and percentages give": sql`
    SELECT format('report %s', r.id)
      FROM reports r
      JOIN imports i ON i.id = r.import_id
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(s.amount_eur), 0) AS total,
               bool_and(s.amount_eur = round(r.account_eur * s.percentile * 0.01, 6)) AS exact
          FROM report_referral_shares s WHERE s.report_id = r.id
      ) s ON true
     WHERE r.reversed_at IS NULL
       AND (r.gross_eur <> share_eur(r.gross_usd, 100, i.rate)
         OR r.account_eur <> share_eur(r.gross_usd, r.percentile, i.rate)
         OR r.referrals_eur <> s.total
         OR s.exact IS FALSE)`,
  // product §33.18: a line has at most one posting, and posted sums equal those of the files.
  'reports of an automatic import differ from the statements they were made of': sql`
    WITH told AS (
      SELECT s.import_id, s.track_id, bool_and(i.kind = 'automatic' AND i.reversed_at IS NULL) AS is_live,
             sum(to_usd(s.amount, s.currency, i.rate, k.rate)) AS usd
        FROM (SELECT import_id, track_id, kind, currency, sum(amount) AS amount
                FROM statement_sums s WHERE import_id IS NOT NULL GROUP BY 1, 2, 3, 4) s
        LEFT JOIN imports i ON i.id = s.import_id
        LEFT JOIN import_rates k ON k.import_id = s.import_id AND k.currency = s.currency
       GROUP BY s.import_id, s.track_id
    ),
    reported AS (
      SELECT r.import_id, r.track_id, r.gross_usd FROM reports r JOIN imports i ON i.id = r.import_id
       WHERE i.kind = 'automatic' AND r.reversed_at IS NULL
    )
    SELECT format('import %s, track %s: reported %s, statements %s USD', import_id, track_id, r.gross_usd, t.usd)
      FROM reported r FULL JOIN told t USING (import_id, track_id)
     WHERE t.is_live IS NOT TRUE OR r.gross_usd IS DISTINCT FROM t.usd`,
  'the month board differs from the sums of the statements': sql`
    WITH expected AS (
      SELECT statement_id, month, currency, sum(amount) AS amount,
             coalesce(sum(amount) FILTER (WHERE track_id IS NULL), 0) AS unmatched,
             coalesce(sum(amount) FILTER (WHERE import_id IS NOT NULL), 0) AS posted,
             count(*) AS sums, count(*) FILTER (WHERE track_id IS NULL) AS unmatched_sums, count(import_id) AS posted_sums
        FROM statement_sums s GROUP BY 1, 2, 3
    )
    SELECT format('statement %s, %s: stored %s, %s, %s; sums %s, %s, %s %s', statement_id, to_char(month, 'YYYY-MM'),
                  m.amount, m.unmatched_amount, m.posted_amount, e.amount, e.unmatched, e.posted, currency)
      FROM statement_months m FULL JOIN expected e USING (statement_id, month, currency)
     WHERE (m.amount, m.unmatched_amount, m.posted_amount, m.sums, m.unmatched_sums, m.posted_sums)
           IS DISTINCT FROM (e.amount, e.unmatched, e.posted, e.sums, e.unmatched_sums, e.posted_sums)`,
  "the imports' postings of a statement differ from its sums": sql`
    WITH expected AS (
      SELECT statement_id, month, currency, import_id, sum(amount) AS amount, count(*) AS sums
        FROM statement_sums s WHERE import_id IS NOT NULL GROUP BY 1, 2, 3, 4
    )
    SELECT format('statement %s, %s, import %s: stored %s, sums %s %s', statement_id, to_char(month, 'YYYY-MM'), import_id,
                  p.amount, e.amount, currency)
      FROM statement_postings p FULL JOIN expected e USING (statement_id, month, currency, import_id)
     WHERE (p.amount, p.sums) IS DISTINCT FROM (e.amount, e.sums)`,
  // product §33.12: staff's choices first; posted income keeps its track.
  'waiting income has the wrong track': sql`
    SELECT format('%s: has track %s, means %s', i.key, i.track_id, coalesce(i.alias_track_id, t.track_id))
      FROM income_items i CROSS JOIN LATERAL matched_track(i.isrc) t
     WHERE i.track_id IS DISTINCT FROM coalesce(i.alias_track_id, t.track_id)
    UNION ALL
    SELECT format('%s: has track %s, waits for %s in statement %s', i.key, i.track_id, s.track_id, s.statement_id)
      FROM statement_sums s JOIN income_items i ON i.key = s.item
     WHERE s.import_id IS NULL AND s.track_id IS DISTINCT FROM i.track_id`,
  'the unmatched totals differ from the sums': sql`
    WITH rated AS MATERIALIZED (
      SELECT m.statement_id, m.month, m.currency, st.source, coalesce(st.accounting_month, m.month) AS posted_month,
             rate_of(m.currency, coalesce(st.accounting_month, m.month)) AS rate
        FROM statement_months m JOIN statements st ON st.id = m.statement_id AND st.status IN ('loaded', 'checked')
    ),
    expected AS (
      SELECT coalesce(r.source, '') AS source, coalesce(r.posted_month, '-infinity') AS month, i.id AS item_id,
             count(*) AS sums, sum(coalesce(round(s.amount / r.rate, 12), 0)) AS eur
        FROM statement_sums s JOIN rated r USING (statement_id, month, currency) JOIN income_items i ON i.key = s.item
       WHERE s.track_id IS NULL
       GROUP BY GROUPING SETS ((i.id), (i.id, r.source), (i.id, r.posted_month), (i.id, r.source, r.posted_month))
    )
    SELECT format('item %s of "%s" in %s: stored %s of %s, sums %s of %s EUR', item_id, source, month, w.eur, w.sums, e.eur, e.sums)
      FROM unmatched_totals w FULL JOIN expected e USING (source, month, item_id)
     WHERE (w.sums, w.eur) IS DISTINCT FROM (e.sums, e.eur)`,
  'the count of unmatched items is wrong': sql`
    WITH kept AS (SELECT source, month, sum(items) AS items FROM unmatched_counts GROUP BY 1, 2 HAVING sum(items) <> 0),
    found AS (SELECT source, month, count(*) AS items FROM unmatched_totals GROUP BY 1, 2)
    SELECT format('"%s" in %s: stored %s, items %s', source, month, k.items, f.items)
      FROM kept k FULL JOIN found f USING (source, month)
     WHERE k.items IS DISTINCT FROM f.items`,
  // Without months to recompute. Values have ten decimals.
  "a period's analytics differs from the revenue": sql`
    WITH dimensions (dimension) AS (VALUES ('total'), ('store'), ('country'), ('track'), ('release'), ('account')),
    spans (span) AS (VALUES ('month'), ('quarter'), ('year')),
    marked AS (SELECT DISTINCT span, date_trunc(span, month::timestamp)::date AS starts FROM analytics_marks, spans),
    ${liveMonths(() => sql`true`)},
    income AS (
      SELECT month, coalesce(posted_eur, 0) + coalesce(waiting_eur, 0) AS eur FROM live_month
      UNION ALL
      SELECT month, (gross_usd - deleted_usd) / rate FROM imports WHERE kind <> 'automatic' AND reversed_at IS NULL
    ),
    expected AS (
      SELECT dimension, span, date_trunc(span, month::timestamp)::date AS starts, coalesce(sum(eur), 0) AS eur
        FROM income, dimensions, spans GROUP BY 1, 2, 3
    ),
    told AS (SELECT dimension, span, starts, sum(amount_eur) AS eur FROM analytics_sums GROUP BY 1, 2, 3)
    SELECT format('%s of %s, by %s: %s, statements and imports %s EUR', span, to_char(starts, 'YYYY-MM'), dimension, round(t.eur, 6), round(e.eur, 6))
      FROM told t FULL JOIN expected e USING (dimension, span, starts) LEFT JOIN marked k USING (span, starts)
     WHERE k IS NULL AND abs(coalesce(t.eur, 0) - coalesce(e.eur, 0)) > 0.001`,
};

/** Of files elsewhere, a night reads recent ones and a thirtieth of the others. */
async function findLineDifferences(db: Trx, lines: LineStore, isShare: boolean): Promise<string[]> {
  const live = await queryColumn<number>(db)`
    SELECT id FROM statements
     WHERE status IN ('loaded', 'checked')
       AND (NOT ${isShare} OR loaded_at > now() - interval '40 days' OR id % 30 = extract(epoch FROM now())::bigint / 86400 % 30)`;
  const { sums, unreadable } = await sumLines(db, lines, live);
  const differences = await queryColumn<string>(db)`
    WITH live AS (
      SELECT id AS statement_id FROM unnest(${live}::bigint[]) AS l (id)
       WHERE id <> ALL (${unreadable}::bigint[])
    ),
    line AS (
      SELECT "statementId" AS statement_id, month, currency, ${sql.raw(exactly('amount', '"amountRest"'))} AS amount,
             ${sql.raw(exactly('quantity', '"quantityRest"'))} AS quantity
        FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb)
             AS l ("statementId" bigint, month date, currency text, amount numeric, "amountRest" numeric, quantity numeric, "quantityRest" numeric)
        JOIN live ON live.statement_id = "statementId"
    ),
    added AS (
      SELECT 'sums' AS by, statement_id, month, currency, sum(amount) AS amount, sum(quantity) AS quantity
        FROM statement_sums s JOIN live USING (statement_id) GROUP BY 2, 3, 4
      UNION ALL
      SELECT dimension, statement_id, month, currency, sum(amount), sum(quantity)
        FROM statement_rollups JOIN live USING (statement_id) GROUP BY 1, 2, 3, 4
    ),
    expected AS (SELECT by, line.* FROM line, (VALUES ('sums'), ('store'), ('country')) AS v (by))
    SELECT format('statement %s, %s, by %s: %s, lines %s %s', statement_id, to_char(month, 'YYYY-MM'), by, a.amount, e.amount, currency)
      FROM added a FULL JOIN expected e USING (by, statement_id, month, currency)
     WHERE (a.amount, a.quantity) IS DISTINCT FROM (e.amount, e.quantity) LIMIT ${sql.lit(shown)}`;
  const faults = unreadable.slice(0, shown).map((id) => `statement ${id}: a file of its lines cannot be read`);
  return [...differences, ...faults].map((fault) => `a statement's sums differ from its lines: ${fault}`);
}

/**
 * From the postings and the reports behind them (product §33.5).
 * @param options anchors stored elsewhere, and whether only a share of the lines is read
 * @returns one line per difference
 */
export async function verifyLedger(
  db: Database,
  lines: LineStore,
  { anchors = [], isShare = false }: { anchors?: readonly Anchor[]; isShare?: boolean } = {},
): Promise<string[]> {
  const differences: string[] = [];
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      for (const [name, check] of Object.entries(checks)) {
        const rows = await queryColumn<string>(trx)`${check} LIMIT ${sql.lit(shown)}`;
        differences.push(...rows.map((row) => `${name}: ${row}`));
      }
      differences.push(...(await findLineDifferences(trx, lines, isShare)));
      for (const fault of await findChainFaults(trx, anchors)) differences.push(`the chain is broken: ${fault}`);
      differences.push(...(await findSignatureFaults(trx)));
    });
  return differences;
}
