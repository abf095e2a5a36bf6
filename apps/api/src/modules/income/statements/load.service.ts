import { Readable } from 'node:stream';
import { type Charset, statementMessages } from '@regie/contract/statements.ts';
import type { Client } from 'pg';
import { connectClient } from '#src/lib/db.ts';
import {
  compareLines,
  copyIn,
  exactly,
  forgetLines,
  type LineStore,
  LineWriter,
} from '#src/modules/income/lines/lines.service.ts';
import type { StoredFile } from '#src/reading/archives.ts';
import { type LineOffset, withLineOffsets } from '#src/reading/line-offsets.ts';
import { builtInPresets, parsePreset } from '#src/reading/presets.ts';
import { findMembers, type OpenedStatement, type OpenedSummary, openStatement } from '#src/reading/read-statement.ts';
import type { KnownPreset } from '#src/reading/recognise.ts';
import { StatementRefusal } from '#src/reading/refusal.ts';
import { Abandoned, reportsProgress, takeLines } from './take-lines.service.ts';
import { unpackArchive } from './unpack.service.ts';

export interface FileChoices {
  currency?: string;
  charset?: Charset;
  decimalMark?: '.' | ',';
  /** The sheets of a workbook to read; the files of an archive to read without a preset. */
  sheets?: string[];
  members?: string[];
}

export interface LoadTarget {
  statementId: number;
  file: StoredFile;
  /** Its storage also takes the files of an archive. */
  lines: LineStore;
}

/** A file that crashed its reader this often is not retried automatically. */
const maxAttempts = 3;

/** Loads statements one after the other on the same two connections. */
export async function openLoader(ownerUrl: string) {
  await using stack = new AsyncDisposableStack();
  const main = stack.use(await connectClient(ownerUrl, 'regie statement'));
  const side = stack.use(await connectClient(ownerUrl, 'regie statement'));
  // The next load repeats these writes, so losing them is harmless.
  await side.query('SET synchronous_commit = off');
  const opened = stack.move();
  return {
    async load(target: LoadTarget): Promise<boolean> {
      const isLoaded = await loadWith(main, side, target);
      await main.query('SELECT pg_advisory_unlock_all()');
      return isLoaded;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** As `openLoader`, for a single statement. */
export async function loadStatement(ownerUrl: string, target: LoadTarget): Promise<boolean> {
  await using loader = await openLoader(ownerUrl);
  return await loader.load(target);
}

/**
 * Reads a statement in one transaction, all or nothing. Items are committed separately; those without sums are ignored.
 * @returns false when another worker is reading it
 * @throws anything that is not the file's fault: the job is retried
 */
async function loadWith(main: Client, side: Client, target: LoadTarget): Promise<boolean> {
  const { rows } = await main.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(hashtext('statement'), $1::int) AS taken`,
    [target.statementId],
  );
  if (!rows[0]?.taken) return false;
  const noting = withLineOffsets(target.file);
  const found: Found = {};
  try {
    await load(main, side, { ...target, file: noting.file }, noting.offsets, found);
  } catch (error) {
    await main.query('ROLLBACK');
    if (!(error instanceof Abandoned || error instanceof StatementRefusal)) throw error;
    if (error instanceof Abandoned) return true;
    await storeLineOffsets(side, target.statementId, noting.offsets);
    const refusal = { message: error.message, line: error.line ?? null, asksSheets: error.asksSheets };
    await settle(side, target.statementId, 'refused', { refusal }, found);
  }
  return true;
}

type Found = { preset?: string; source?: string };

/** Ends a load without lines; stores the preset that refused the file. */
const settle = (client: Client, statementId: number, status: string, findings: unknown, found: Found = {}) =>
  client.query(
    `UPDATE statements SET status = $2, findings = $3, attempts = 0, preset = coalesce($4, preset), source = coalesce($5, source)
      WHERE id = $1 AND status IN ('received', 'reading')`,
    [statementId, status, JSON.stringify(findings), found.preset, found.source],
  );

/** A property of the file, so they may be committed separately. */
const storeLineOffsets = (client: Client, statementId: number, offsets: readonly LineOffset[]) =>
  client.query(
    `INSERT INTO statement_line_offsets (statement_id, line, byte_offset)
     SELECT $1, * FROM unnest($2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    [statementId, offsets.map(({ line }) => line), offsets.map(({ byteOffset }) => byteOffset)],
  );

interface Claim {
  attempts: number;
  preset: string | null;
  /** `YYYY-MM-01`, when the file names no month. */
  month: string | null;
  choices: FileChoices;
}

async function load(main: Client, side: Client, target: LoadTarget, lineOffsets: readonly LineOffset[], found: Found) {
  const { statementId, file } = target;
  // What is asked for is read here: an earlier job of the statement may start after it is asked for again.
  const claimed = await side.query<Claim>(
    `UPDATE statements SET status = 'reading', findings = '{}', attempts = attempts + 1
      WHERE id = $1 AND status IN ('received', 'reading')
     RETURNING attempts, preset, accounting_month::text AS month, choices`,
    [statementId],
  );
  const [claim] = claimed.rows;
  if (!claim) throw new Abandoned();
  // Every load that ends resets this counter.
  if (claim.attempts > maxAttempts) throw new StatementRefusal(statementMessages.killedReader);
  const { choices } = claim;
  const presets = await readPresets(side);
  const members = await findMembers(file);
  if (members) {
    const archive = { statementId, file, members, wanted: choices.members ?? [] };
    if (!(await unpackArchive(main, target.lines.storage, archive, presets))) throw new Abandoned();
    return;
  }
  const opened = await openStatement(file, presets, {
    ...choices,
    chosen: claim.preset ?? undefined,
    month: claim.month ?? undefined,
  });
  if (opened.is === 'summary') return keepSummary(main, opened, statementId);
  if (opened.is !== 'recognised') return void (await settle(side, statementId, opened.is, opened.findings));
  found.preset = opened.known.key;
  found.source = opened.known.preset.source;
  await main.query('BEGIN');
  const { lines, sums } = await writeLines(main, side, opened, target);
  const { known, sheets, leftOut, totals } = opened;
  const contains = await findDuplicates(main, target, known.key, totals.counted);
  await matchSums(main, statementId, sums);
  await storeLineOffsets(main, statementId, lineOffsets);
  // Update the row last, so that deleting the statement does not wait for the load.
  const ended = await main.query(
    `UPDATE statements
        SET status = 'loaded', preset = $2, source = $3, rows = $4, counted_rows = $5, findings = $6, loaded_at = now(), attempts = 0,
            lines = $7
      WHERE id = $1 AND status = 'reading'`,
    [
      statementId,
      known.key,
      known.preset.source,
      totals.rows,
      totals.counted,
      JSON.stringify({
        skipped: Object.fromEntries(totals.skipped),
        contains,
        sheets,
        leftOut,
        mayBeCutAt: totals.mayBeCutAt,
        announced: totals.announced,
        equalTotals: totals.equalTotals,
        deduction: known.preset.deduction,
      }),
      lines,
    ],
  );
  if (ended.rowCount === 0) throw new Abandoned();
  if (totals.counted > 0) {
    await main.query(
      `UPDATE statement_presets SET verified_at = now() WHERE 'custom:' || id = $1 AND verified_at IS NULL`,
      [known.key],
    );
  }
  await main.query('COMMIT');
}

/** Stores the amounts a summary declares, replacing those of an earlier load. */
async function keepSummary(main: Client, summary: OpenedSummary, statementId: number): Promise<void> {
  const { known } = summary;
  const amounts = await summary.amounts();
  await main.query('BEGIN');
  await forgetLines(main, statementId);
  await main.query(
    `INSERT INTO declared_amounts (statement_id, source, month, currency, earned, rounding, owed, bank_rate, bank_currency, proceeds)
     SELECT $1, $2, a.month, a.currency, sum(a.earned), sum(a.rounding), sum(a.owed), a."bankRate", a."bankCurrency", sum(a.proceeds)
       FROM jsonb_to_recordset($3::jsonb) AS a (month date, currency text, earned numeric, rounding numeric, owed numeric,
                                                "bankRate" numeric, "bankCurrency" text, proceeds numeric)
      GROUP BY a.month, a.currency, a."bankRate", a."bankCurrency"`,
    [statementId, known.preset.source, JSON.stringify(amounts)],
  );
  const ended = await main.query(
    `UPDATE statements SET status = 'summary', preset = $2, source = $3, rows = $4, findings = $5, loaded_at = now(), attempts = 0
      WHERE id = $1 AND status = 'reading'`,
    [statementId, known.key, known.preset.source, amounts.length, JSON.stringify({ banks: summary.banks })],
  );
  if (ended.rowCount === 0) throw new Abandoned();
  await main.query('COMMIT');
}

async function readPresets(client: Client): Promise<readonly KnownPreset[]> {
  const { rows } = await client.query<{ key: string; definition: unknown; is_verified: boolean }>(
    `SELECT 'custom:' || id AS key, definition, verified_at IS NOT NULL AS is_verified
       FROM statement_presets WHERE removed_at IS NULL ORDER BY id`,
  );
  const own = rows.flatMap(({ key, definition, is_verified }) => {
    const preset = parsePreset(definition, is_verified);
    return preset ? [{ key, preset }] : [];
  });
  return [...builtInPresets, ...own];
}

/** @returns the numbers of lines and sums @throws Error when other lines were stored than were read */
async function writeLines(main: Client, side: Client, statement: OpenedStatement, target: LoadTarget) {
  const { statementId, file } = target;
  let sums = 0;
  await using writer = await LineWriter.create(target.lines);
  const report = reportsProgress(side, statementId, () => ({
    bytes: statement.bytesRead,
    sizeBytes: file.sizeBytes,
    rows: statement.totals.rows,
  }));
  const { lines, rows, places } = await takeLines(side, writer, statement.lines(), report);
  const useSums = async () => {
    await storePlaces(main, statementId, places);
    sums = await storeSums(main, statementId, rows);
  };
  await writer.end(main, { statementId, lines, useSums });
  return { lines, sums };
}

async function storePlaces(main: Client, statementId: number, places: readonly string[]): Promise<void> {
  await main.query(
    `CREATE TEMPORARY TABLE loaded_places (month date, store text COLLATE "C", country text COLLATE "C", kind text, currency text, quantity numeric, amount numeric, rows bigint)
     ON COMMIT DROP`,
  );
  await copyIn(main, 'loaded_places', Readable.from(places));
  await main.query(
    `INSERT INTO statement_rollups (statement_id, dimension, value, month, kind, currency, quantity, amount, rows)
     SELECT $1, CASE WHEN grouping(store) = 0 THEN 'store' ELSE 'country' END, CASE WHEN grouping(store) = 0 THEN store ELSE country END,
            month, kind, currency, sum(quantity), sum(amount), sum(rows)
       FROM loaded_places GROUP BY month, kind, currency, GROUPING SETS ((store), (country))`,
    [statementId],
  );
}

/**
 * @param rows file rows in the lines
 * @returns number of sums
 * @throws Error when the sums do not cover all rows, or differ from the amounts by place
 */
async function storeSums(main: Client, statementId: number, rows: number): Promise<number> {
  const { rowCount } = await main.query(
    `INSERT INTO statement_sums (statement_id, month, item, kind, currency, quantity, amount, rows, track_id)
     SELECT $1, s.month, s.item, s.kind, s.currency, ${exactly('s.quantity', 's.quantity_rest')}, ${exactly('s.amount', 's.amount_rest')}, s.rows, i.track_id
       FROM loaded_sums s JOIN income_items i ON i.key = s.item`,
    [statementId],
  );
  const checked = await main.query<{ rows: string; is_same: boolean }>(
    `SELECT coalesce(s.rows, 0) AS rows, (s.rows, s.amount, s.quantity) IS NOT DISTINCT FROM (p.rows, p.amount, p.quantity) AS is_same
       FROM (SELECT sum(rows) AS rows, sum(amount) AS amount, sum(quantity) AS quantity FROM statement_sums WHERE statement_id = $1) s,
            (SELECT sum(rows) AS rows, sum(amount) AS amount, sum(quantity) AS quantity FROM loaded_places) p`,
    [statementId],
  );
  const [sums] = checked.rows;
  if (Number(sums?.rows) !== rows || !sums?.is_same) {
    throw new Error(`${rows} rows were read, ${sums?.rows} are added up, or to other amounts than by place`);
  }
  return rowCount ?? 0;
}

/** Above this, keys are matched in one query: one by one would take minutes and block others. */
const manySums = 20_000;

/**
 * Matches items whose track changed during the load. Waits for open changes of tracks; later ones wait for this
 * transaction (`match_items`).
 */
async function matchSums(main: Client, statementId: number, sums: number): Promise<void> {
  await main.query(`SELECT pg_advisory_xact_lock(hashtext('match_items'))`);
  if (sums > manySums) await main.query('SET LOCAL enable_nestloop = off');
  const { rows } = await main.query<{ keys: string[] | null }>(
    `WITH own AS MATERIALIZED (SELECT DISTINCT item, track_id FROM statement_sums WHERE statement_id = $1),
     changed AS (
       SELECT o.item FROM own o JOIN income_items i ON i.key = o.item WHERE o.track_id IS DISTINCT FROM i.track_id
       -- Another track that has the ISRC: of several of one account the oldest delivered one is meant, of two accounts' none.
       UNION SELECT o.item FROM own o JOIN tracks t ON t.isrc = o.item WHERE t.id IS DISTINCT FROM o.track_id
       -- One that has it no more; what staff decided has its own reasons.
       UNION SELECT o.item FROM own o JOIN tracks t ON t.id = o.track_id JOIN income_items i ON i.key = o.item
              WHERE t.isrc IS DISTINCT FROM o.item AND i.alias_track_id IS NULL
     )
     SELECT array_agg(item) AS keys FROM changed`,
    [statementId],
  );
  if (sums > manySums) await main.query('SET LOCAL enable_nestloop = on');
  const keys = rows[0]?.keys;
  if (keys) await main.query('SELECT match_items($1::text[])', [keys]);
}

/**
 * Compares a statement with earlier ones. A cumulative file contains the earlier one's lines, with grown amounts, so
 * checking and posting show both.
 * @returns earlier statements of the preset that this one contains and extends, and may replace
 */
async function findDuplicates(
  main: Client,
  { statementId, lines }: LoadTarget,
  preset: string,
  countedRows: number,
): Promise<number[]> {
  const equal = await main.query<{ formers: string[] | null; others: string[] | null }>(
    'SELECT * FROM find_equal_sums($1, $2)',
    [statementId, preset],
  );
  const { formers, others } = equal.rows[0] ?? {};
  if (!others) return [];
  await compareLines(main, lines, statementId, others.map(Number));
  await main.query('SELECT store_duplicates($1)', [statementId]);
  // Files of one archive belong together; a file with fewer rows is missing some; a single larger sum may be chance.
  const { rows } = await main.query<{ id: string }>(
    `SELECT f.id
       FROM unnest($1::bigint[]) WITH ORDINALITY AS found (id, place)
       JOIN statements f ON f.id = found.id JOIN statements s ON s.id = $2
      WHERE f.counted_rows <= $3 AND (SELECT sum(m.sums) FROM statement_months m WHERE m.statement_id = f.id) > 1
        AND (f.unpacked_from IS NULL OR f.unpacked_from IS DISTINCT FROM s.unpacked_from)
      ORDER BY found.place`,
    [formers ?? [], statementId, countedRows],
  );
  await main.query(
    `WITH common AS (
       SELECT f.statement_id AS former_id, own.month, own.currency, sum(least(own.rows, f.rows)) AS rows, sum(f.amount) AS amount
         FROM statement_sums f
         JOIN statement_sums own
           ON own.statement_id = $1 AND own.month = f.month AND own.item = f.item AND own.kind = f.kind AND own.currency = f.currency
        WHERE f.statement_id = ANY($2::bigint[])
        GROUP BY f.statement_id, own.month, own.currency
     )
     INSERT INTO statement_duplicates (statement_id, other_id, month, currency, rows, amount)
     SELECT d.statement_id, d.other_id, c.month, c.currency, c.rows, c.amount
       FROM common c CROSS JOIN LATERAL (VALUES ($1::bigint, c.former_id), (c.former_id, $1::bigint)) d (statement_id, other_id)
     ON CONFLICT (statement_id, other_id, month, currency) DO UPDATE SET rows = excluded.rows, amount = excluded.amount`,
    [statementId, rows.map(({ id }) => id)],
  );
  return rows.map(({ id }) => Number(id));
}
