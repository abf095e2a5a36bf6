import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RoyaltyHouse } from '@regie/contract/routes/royalty-statements.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import type { ClientBase as Client } from 'pg';
import { literal } from '#src/lib/column-engine.ts';
import {
  copyIn,
  copyOut,
  exactly,
  type LineStore,
  readText,
  storeFile,
} from '#src/modules/income/lines/lines.service.ts';
import { ledgerNameOf } from '#src/modules/money/ledger/ledger.service.ts';

/** The last ledger transaction: waits for those being posted, so that none with a lower number comes later. */
async function findLedgerPoint(main: Client): Promise<string> {
  await main.query('BEGIN');
  await main.query('LOCK TABLE ledger_transactions IN SHARE MODE');
  const { rows } = await main.query<{ id: string }>('SELECT coalesce(max(id), 0) AS id FROM ledger_transactions');
  await main.query('COMMIT');
  return rows[0]?.id ?? '0';
}

const due = `
  CREATE TEMPORARY TABLE royalty_due ON COMMIT DROP AS
  SELECT account_id, number, from_month, after_id FROM due_statements($1)`;

/** The ledger entries of each; a first statement begins with its period, what was before is its opening. */
const entries = `
  CREATE TEMPORARY TABLE royalty_entries ON COMMIT DROP AS
  SELECT d.account_id, t.id, p.occurred_at, p.amount, coalesce(o.kind, t.kind) AS kind, t.kind = 'reversal' AS is_reversal,
         t.account_id = d.account_id AS is_own, t.account_id AS earner_id, t.import_id, t.reverses, t.payout_id, t.memo
    FROM royalty_due d
    JOIN ledger_postings p
      ON p.account = ${ledgerNameOf('account', 'd.account_id')} AND p.currency = 'EUR' AND p.transaction_id <= $1::bigint
     AND CASE WHEN d.after_id IS NULL THEN p.occurred_at >= d.from_month::timestamp AT TIME ZONE 'Europe/Paris'
              ELSE p.transaction_id > d.after_id END
    JOIN ledger_transactions t ON t.id = p.transaction_id
    LEFT JOIN ledger_transactions o ON o.id = t.reverses`;

const balances = `
  CREATE TEMPORARY TABLE royalty_balances ON COMMIT DROP AS
  SELECT d.*, b.amount - e.amount AS opening, b.amount AS closing
    FROM royalty_due d
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(amount), 0) AS amount FROM ledger_postings
      WHERE account = ${ledgerNameOf('account', 'd.account_id')} AND currency = 'EUR' AND transaction_id <= $1::bigint) b
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(amount), 0) AS amount, count(*) AS entries FROM royalty_entries e WHERE e.account_id = d.account_id) e
   WHERE e.entries > 0 OR b.amount <> 0`;

/** The reports behind the account's own income, reversed ones too: their reversal is an entry of its own. */
const reports = `
  CREATE TEMPORARY TABLE royalty_reports ON COMMIT DROP AS
  WITH posted AS (
    SELECT account_id, import_id, sum(amount) AS amount FROM royalty_entries
     WHERE kind = 'report' AND is_own AND NOT is_reversal GROUP BY account_id, import_id
  ), found AS (
    SELECT p.account_id, p.import_id, r.id, r.track_id, r.num_streams + r.num_downloads + r.num_youtube AS quantity,
           r.gross_usd, r.percentile, r.account_eur
      FROM posted p
      JOIN imports i ON i.id = p.import_id
     CROSS JOIN LATERAL (
       SELECT * FROM reports r WHERE r.account_id = p.account_id AND r.month = i.month AND r.import_id = i.id AND r.reversed_at IS NULL
       UNION ALL
       SELECT * FROM reports r WHERE r.account_id = p.account_id AND r.import_id = i.id AND r.reversed_at IS NOT NULL) r
  ), sums AS (
    SELECT account_id, import_id, sum(account_eur) AS amount FROM found GROUP BY account_id, import_id
  )
  SELECT row_number() OVER () AS key, f.*, i.kind, i.month, i.rate AS usd_rate, i.file_name, t.title, t.isrc, l.title AS release
    FROM (
      SELECT f.* FROM found f JOIN posted p USING (account_id, import_id) JOIN sums s USING (account_id, import_id)
       WHERE s.amount = p.amount
      UNION ALL
      -- Of a file that was posted in parts, before and after the former statement: no report tells them apart.
      SELECT p.account_id, p.import_id, NULL, NULL, NULL, NULL, NULL, p.amount
        FROM posted p LEFT JOIN sums s USING (account_id, import_id) WHERE s.amount IS DISTINCT FROM p.amount
    ) f
    JOIN imports i ON i.id = f.import_id
    LEFT JOIN tracks t ON t.id = f.track_id
    LEFT JOIN releases l ON l.id = t.release_id`;

/** What an automatic report was posted from: keys of statements' lines. */
const keys = `
  SELECT r.key, s.statement_id, s.item, s.month, s.kind, s.currency
    FROM royalty_reports r JOIN statement_sums s ON s.import_id = r.import_id AND s.track_id = r.track_id
   WHERE r.kind = 'automatic'`;
const keyColumns = {
  key: 'BIGINT',
  statement_id: 'BIGINT',
  item: 'VARCHAR',
  month: 'DATE',
  kind: 'VARCHAR',
  currency: 'VARCHAR',
};

const lineFiles = `
  SELECT DISTINCT f.statement_id, f.month::text, o.storage_key
    FROM royalty_reports r
    JOIN statement_postings p ON p.import_id = r.import_id
    JOIN statement_line_files f ON f.statement_id = p.statement_id AND f.month = p.month
    JOIN files o ON o.id = f.file_id
   WHERE r.kind = 'automatic'`;

const readLines = `
  CREATE TEMPORARY TABLE royalty_read (
    key bigint, statement_id bigint, store text, country text, month date, kind text, currency text,
    quantity numeric, quantity_rest numeric, amount numeric, amount_rest numeric, first_line bigint) ON COMMIT DROP`;

/**
 * Each line's part, rounded to the micro-euro; a report's last line takes the remainder. Reports that no file's lines
 * add up to are one line.
 */
const lines = `
  CREATE TEMPORARY TABLE royalty_lines ON COMMIT DROP AS
  WITH read AS (
    SELECT l.*, ${exactly('l.quantity', 'l.quantity_rest')} AS counted, ${exactly('l.amount', 'l.amount_rest')} AS gross,
           CASE l.currency WHEN 'USD' THEN r.usd_rate ELSE k.rate END AS rate, r.usd_rate, r.gross_usd
      FROM royalty_read l
      JOIN royalty_reports r ON r.key = l.key
      LEFT JOIN import_rates k ON k.import_id = r.import_id AND k.currency = l.currency
  ), whole AS (
    SELECT key FROM read GROUP BY key, gross_usd
    HAVING abs(sum(to_usd(gross, currency, usd_rate, rate)) - gross_usd) < 0.000001
  ), source AS (
    SELECT key, statement_id, store, country, month, kind, currency, counted AS quantity, gross, rate, first_line
      FROM read JOIN whole USING (key)
    UNION ALL
    SELECT key, NULL, NULL, NULL, month, NULL, CASE WHEN gross_usd IS NULL THEN 'EUR' ELSE 'USD' END, quantity,
           coalesce(gross_usd, account_eur), CASE WHEN gross_usd IS NULL THEN 1 ELSE usd_rate END, NULL
      FROM royalty_reports r WHERE NOT EXISTS (SELECT FROM whole w WHERE w.key = r.key)
  ), ranked AS (
    SELECT r.account_id, r.key, r.track_id, r.title, r.isrc, r.release, s.statement_id,
           coalesce(f.file_name, r.file_name) AS file_name, s.first_line, s.store, s.country, s.month, s.kind, s.quantity,
           s.gross, s.currency, s.rate, s.gross / s.rate AS gross_eur, coalesce(r.percentile, 100) AS percentile, r.account_eur,
           row_number() OVER of_report AS place, count(*) OVER (PARTITION BY r.key) AS places
      FROM royalty_reports r
      JOIN source s USING (key)
      LEFT JOIN statements f ON f.id = s.statement_id
    WINDOW of_report AS (PARTITION BY r.key ORDER BY s.statement_id, s.first_line, s.month, s.kind, s.store, s.country, s.currency)
  ), rounded AS (
    SELECT *, round(gross_eur * percentile / 100, 6) AS part FROM ranked
  )
  SELECT account_id, row_number() OVER (PARTITION BY account_id ORDER BY release, title, track_id, key, place) AS line,
         track_id, title, isrc, release, store, country, month, kind, quantity, gross, currency, rate,
         round(gross_eur, 6) AS gross_eur, percentile,
         CASE WHEN place < places THEN part
              ELSE account_eur - sum(part) OVER (PARTITION BY key) + part END AS net_eur,
         statement_id, file_name, first_line
    FROM rounded`;

const nameOf = (account: string) =>
  `coalesce(nullif(trim(${account}.first_name || ' ' || ${account}.last_name), ''), ${account}.company, 'Compte ' || ${account}.id)`;
/** The sums of an account's lines by a column, largest first. */
const linesBy = (column: string) => `coalesce((
      SELECT jsonb_agg(jsonb_build_object('name', name, 'netEur', net) ORDER BY net DESC, name) FROM (
        SELECT ${column} AS name, sum(net_eur) AS net FROM royalty_lines l WHERE l.account_id = b.account_id GROUP BY ${column}) s), '[]')`;
const listOf = (value: string, from: string, order: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_build_object(${value}) ORDER BY ${order}) FROM ${from}), '[]')`;
/** Months in Paris, days of the ledger. */
const day = `to_char(e.occurred_at AT TIME ZONE 'Europe/Paris', 'YYYY-MM-DD')`;
const monthOf = (column: string) => `to_char(${column}, 'YYYY-MM')`;

/** Amounts are EUR to 6 decimals; kinds of sections are open. */
const records = `
  CREATE TEMPORARY TABLE royalty_records ON COMMIT DROP AS
  SELECT b.*, coalesce(n.lines, 0) AS lines, coalesce(n.income, 0) AS income, jsonb_build_object(
    'version', 1, 'number', b.number, 'from', ${monthOf('b.from_month')}, 'to', ${monthOf('$1::date')},
    'house', (SELECT jsonb_object_agg(key, value)
                FROM jsonb_each($3::jsonb || coalesce((SELECT value FROM settings WHERE key = 'house'), '{}')) WHERE key = ANY($4)),
    'account', jsonb_build_object('id', a.id, 'name', ${nameOf('a')}),
    'openingEur', b.opening, 'closingEur', b.closing, 'isFirst', b.after_id IS NULL,
    'pendingEur', (SELECT coalesce(sum(amount), 0) FROM ledger_postings p JOIN payouts o ON p.account = ${ledgerNameOf('payout', 'o.id')}
                    WHERE o.account_id = b.account_id AND p.currency = 'EUR' AND p.transaction_id <= $2::bigint),
    'income', jsonb_build_object(
      'totalEur', coalesce(n.income, 0), 'lines', coalesce(n.lines, 0),
      'tracks', ${listOf(
        `'trackId', s.track_id, 'title', s.title, 'isrc', s.isrc, 'release', s.release, 'quantity', s.quantity, 'netEur', s.net`,
        `(SELECT track_id, title, isrc, release, sum(quantity) AS quantity, sum(net_eur) AS net FROM royalty_lines l
           WHERE l.account_id = b.account_id GROUP BY track_id, title, isrc, release) s`,
        's.release NULLS LAST, s.net DESC, s.title, s.track_id',
      )},
      'stores', ${linesBy('store')}, 'countries', ${linesBy('country')}),
    'referrals', ${listOf(
      `'name', s.name, 'month', s.month, 'percentile', s.percentile, 'netEur', s.net`,
      `(SELECT ${nameOf('f')} AS name, ${monthOf('i.month')} AS month, x.percentile, sum(e.amount) AS net
          FROM royalty_entries e JOIN accounts f ON f.id = e.earner_id JOIN imports i ON i.id = e.import_id
         CROSS JOIN LATERAL (
           SELECT max(h.percentile) AS percentile FROM reports r JOIN report_referral_shares h ON h.report_id = r.id
            WHERE r.import_id = e.import_id AND r.account_id = e.earner_id AND h.referrer_id = e.account_id) x
         WHERE e.account_id = b.account_id AND e.kind = 'report' AND NOT e.is_own AND NOT e.is_reversal
         GROUP BY f.id, i.month, x.percentile) s`,
      's.month, s.name',
    )},
    'corrections', ${listOf(
      `'day', ${day}, 'month', ${monthOf('i.month')}, 'file', i.file_name, 'referred', CASE WHEN e.is_own THEN NULL ELSE ${nameOf('f')} END,
       'beforeEur', x.before, 'afterEur', x.before + e.amount, 'netEur', e.amount, 'reason', coalesce(x.report, e.memo)`,
      `royalty_entries e JOIN imports i ON i.id = e.import_id LEFT JOIN accounts f ON f.id = e.earner_id
       CROSS JOIN LATERAL (
         SELECT sum(p.amount) AS before, (
                  SELECT 'Rapport supprimé\u00a0: ' || min(t.title) FROM reports r JOIN tracks t ON t.id = r.track_id
                   WHERE r.import_id = e.import_id AND r.account_id = e.earner_id AND r.reversed_at = e.occurred_at
                     AND e.is_own AND e.memo LIKE 'Rapport % supprimé') AS report
           FROM ledger_transactions t JOIN ledger_postings p ON p.transaction_id = t.id
          WHERE (t.id = e.reverses OR t.reverses = e.reverses) AND t.id < e.id
            AND p.account = ${ledgerNameOf('account', 'e.account_id')} AND p.currency = 'EUR') x
       WHERE e.account_id = b.account_id AND e.kind = 'report' AND e.is_reversal`,
      'e.occurred_at, e.id',
    )},
    'payouts', ${listOf(
      `'day', ${day}, 'payoutId', e.payout_id, 'isReturn', e.is_reversal, 'netEur', e.amount`,
      `royalty_entries e WHERE e.account_id = b.account_id AND e.kind = 'payout'`,
      'e.occurred_at, e.id',
    )},
    'adjustments', ${listOf(
      `'day', ${day}, 'reason', e.memo, 'netEur', e.amount`,
      `royalty_entries e WHERE e.account_id = b.account_id AND e.kind = 'adjustment'`,
      'e.occurred_at, e.id',
    )}) AS record
    FROM royalty_balances b
    JOIN accounts a ON a.id = b.account_id
    LEFT JOIN (SELECT account_id, count(*) AS lines, sum(net_eur) AS income FROM royalty_lines GROUP BY account_id) n
      ON n.account_id = b.account_id`;

const linesText = `
  SELECT account_id, line, coalesce(track_id, 0), coalesce(title, ''), coalesce(isrc, ''), coalesce(release, ''), coalesce(store, ''),
         coalesce(country, ''), month, coalesce(kind, ''), coalesce(quantity, 0), gross, currency, rate, gross_eur, percentile, net_eur,
         coalesce(statement_id, 0), coalesce(file_name, ''), coalesce(first_line, 0)
    FROM royalty_lines ORDER BY account_id, line`;
/** Exact decimals as text: only the net amounts are added up. Zero and empty stand for nothing. */
const lineColumns = {
  account_id: 'BIGINT',
  line: 'BIGINT',
  track_id: 'BIGINT',
  title: 'VARCHAR',
  isrc: 'VARCHAR',
  release: 'VARCHAR',
  store: 'VARCHAR',
  country: 'VARCHAR',
  month: 'DATE',
  kind: 'VARCHAR',
  quantity: 'VARCHAR',
  gross: 'VARCHAR',
  currency: 'VARCHAR',
  rate: 'VARCHAR',
  gross_eur: 'DECIMAL(20,6)',
  percentile: 'DECIMAL(5,2)',
  net_eur: 'DECIMAL(20,6)',
  statement_id: 'BIGINT',
  file_name: 'VARCHAR',
  first_line: 'BIGINT',
};

/** Reads the lines of the files behind automatic reports into `royalty_read`. */
async function readFileLines(main: Client, store: LineStore, folder: string): Promise<void> {
  await main.query(readLines);
  const { rows } = await main.query<{ statement_id: string; month: string; storage_key: string }>(lineFiles);
  if (rows.length === 0) return;
  const [asked, found] = [join(folder, 'keys.tsv'), join(folder, 'read.tsv')];
  await copyOut(main, `(${keys})`, asked);
  const parts: string[] = [];
  for (const { statement_id, month, storage_key } of rows) {
    parts.push(
      `SELECT k.key, k.statement_id, l.* EXCLUDE (item, rows) FROM keys k
         JOIN read_parquet(${literal(await store.pathOf(storage_key))}) l USING (item, month, kind, currency)
        WHERE k.statement_id = ${statement_id} AND k.month = DATE ${literal(month)}`,
    );
  }
  await store.engine.run([
    `COPY (WITH keys AS MATERIALIZED (SELECT * FROM ${readText(asked, keyColumns)})
           SELECT key, statement_id, store, country, month, kind, currency, quantity, quantity_rest, amount, amount_rest, first_line
             FROM (${parts.join(' UNION ALL BY NAME ')}))
       TO ${literal(found)} (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '')`,
  ]);
  await copyIn(main, 'royalty_read', createReadStream(found));
}

/** Stores the lines of all statements as one file; undefined without lines. */
async function storeLines(main: Client, store: LineStore, folder: string, month: string): Promise<number | undefined> {
  const [text, path] = [join(folder, 'lines.tsv'), join(folder, 'lines.parquet')];
  await copyOut(main, `(${linesText})`, text);
  if ((await stat(text)).size === 0) return undefined;
  await store.engine.run([
    `COPY (SELECT * FROM ${readText(text, lineColumns, true)})
       TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  ]);
  const { key, sizeBytes, sha256 } = await storeFile(store, path);
  const { rows } = await main.query<{ id: string }>(
    `INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256)
     VALUES ($1, 'lines', $2, 'application/vnd.apache.parquet', $3, decode($4, 'hex')) RETURNING id`,
    [key, `releves-clients-${month.slice(0, 7)}.parquet`, sizeBytes, sha256],
  );
  return Number(rows[0]?.id);
}

/**
 * Publishes the statements of all accounts whose period ends with the run's month, with their lines: all or none.
 * @returns how many; undefined when the run is published already
 * @throws Error when a statement's movements do not lead from its opening to its closing
 */
export async function publishRun(main: Client, store: LineStore, runId: number): Promise<number | undefined> {
  await using folder = await store.makeFolder();
  await main.query(`SELECT pg_advisory_lock(hashtext('royalty_run'))`);
  const through = await findLedgerPoint(main);
  await main.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    const { rows: open } = await main.query<{ month: string }>(
      'SELECT month::text FROM royalty_runs WHERE id = $1 AND published_at IS NULL',
      [runId],
    );
    if (!open[0]) {
      await main.query('ROLLBACK');
      return undefined;
    }
    const { month } = open[0];
    await main.query(due, [month]);
    await main.query(entries, [through]);
    await main.query('CREATE INDEX ON royalty_entries (account_id); ANALYZE royalty_entries');
    await main.query(balances, [through]);
    await main.query(reports);
    await main.query('CREATE INDEX ON royalty_reports (key); ANALYZE royalty_reports');
    await readFileLines(main, store, folder.path);
    await main.query(lines);
    await main.query('CREATE INDEX ON royalty_lines (account_id); ANALYZE royalty_lines');
    await main.query(records, [month, through, defaultSettings.house, Object.keys(RoyaltyHouse.shape)]);
    const fileId = await storeLines(main, store, folder.path, month);
    const { rows } = await main.query<{ statements: string; differing: string | null }>(
      `WITH run AS (
         UPDATE royalty_runs SET through_id = $2, file_id = $3, published_at = now(), failed_at = NULL,
                                 lines = (SELECT count(*) FROM royalty_lines)
          WHERE id = $1 RETURNING id
       ), added AS (
         INSERT INTO royalty_statements
           (run_id, account_id, number, from_month, opening_eur, closing_eur, income_eur, lines, record, sha256)
         SELECT run.id, account_id, number, from_month, opening, closing, income, lines, record, sha256(convert_to(record::text, 'UTF8'))
           FROM royalty_records, run
         RETURNING account_id
       )
       SELECT (SELECT count(*) FROM added) AS statements, (
         SELECT min(r.account_id) FROM royalty_records r
          WHERE r.closing - r.opening <> r.income + (
            SELECT coalesce(sum((part ->> 'netEur')::numeric), 0)
              FROM jsonb_array_elements(r.record -> 'referrals' || (r.record -> 'corrections') || (r.record -> 'payouts')
                                        || (r.record -> 'adjustments')) part)) AS differing`,
      [runId, through, fileId ?? null],
    );
    const [run] = rows;
    if (!run || run.differing !== null) throw new Error(`the statement of account ${run?.differing} does not add up`);
    await main.query('COMMIT');
    return Number(run.statements);
  } catch (error) {
    await main.query('ROLLBACK');
    throw error;
  } finally {
    await main.query(`SELECT pg_advisory_unlock(hashtext('royalty_run'))`);
  }
}
