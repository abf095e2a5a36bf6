import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { noticeLostMachine } from '#src/lib/db.ts';
import { exactly, type LineStore, LineWriter, textOptions } from './lines.service.ts';

/** Control signs, which a text of today has none of, would separate columns. */
const withoutControls = (name: string) => `regexp_replace(${name}, '[[:cntrl:]]', ' ', 'g')`;

/** A number in the three columns of `inParts`. */
const inParts = (name: string) => `
  trunc(${name}), trunc(${name} - trunc(${name}), 18),
  CASE WHEN ${name} = trunc(${name}, 18) THEN '' ELSE trunc((${name} - trunc(${name}, 18)) * 1e48)::text END`;

/**
 * Moves the lines of a database of before version 0.3 from their table into files, statement by statement: where it was
 * killed, the next start goes on. Then the table is dropped.
 * @returns the number of statements moved
 * @throws Error when the files would not add up to the statement's sums
 */
export async function moveLines(ownerUrl: string, store: LineStore): Promise<number> {
  const main = new Client({ ...noticeLostMachine, connectionString: ownerUrl, application_name: 'regie lines' });
  main.on('error', () => undefined);
  await main.connect();
  try {
    const { rows: tables } = await main.query<{ name: string | null }>(
      `SELECT to_regclass('public.statement_lines')::text AS name`,
    );
    if (tables[0]?.name == null) return 0;
    // A second process waits here, then finds nothing left.
    await main.query(`SELECT pg_advisory_lock(hashtext('move_lines'))`);
    const { rows } = await main.query<{ id: string }>(
      `SELECT id FROM statements s WHERE status IN ('loaded', 'checked') AND lines > 0
          AND NOT EXISTS (SELECT FROM statement_line_files f WHERE f.statement_id = s.id) ORDER BY id`,
    );
    for (const { id } of rows) await moveStatement(main, store, Number(id));
    await main.query('DROP TABLE IF EXISTS statement_lines');
    return rows.length;
  } finally {
    await main.end();
  }
}

async function moveStatement(main: Client, store: LineStore, statementId: number): Promise<void> {
  await using writer = await LineWriter.create(store);
  await main.query('BEGIN');
  const { rows } = await main.query<{ lines: string }>(
    'SELECT count(*) AS lines FROM statement_lines WHERE statement_id = $1',
    [statementId],
  );
  const copied: Readable = main.query(
    copyTo(
      `COPY (SELECT month, ${withoutControls('store')}, ${withoutControls('country')}, item, kind, currency, ${inParts('quantity')}, ${inParts('amount')}, rows, first_line
               FROM statement_lines WHERE statement_id = ${statementId}) TO STDOUT (${textOptions})`,
    ),
  );
  for await (const text of copied) await writer.add(text as Buffer);
  await writer.end(main, { statementId, lines: Number(rows[0]?.lines) });
  const { rows: checked } = await main.query<{ is_same: boolean }>(
    `SELECT (s.amount, s.quantity) IS NOT DISTINCT FROM (l.amount, l.quantity) AS is_same
       FROM (SELECT sum(amount) AS amount, sum(quantity) AS quantity FROM statement_sums WHERE statement_id = $1) s,
            (SELECT sum(${exactly('amount', 'amount_rest')}) AS amount, sum(${exactly('quantity', 'quantity_rest')}) AS quantity
               FROM loaded_sums) l`,
    [statementId],
  );
  if (!checked[0]?.is_same) throw new Error(`the lines of statement ${statementId} do not add up to its sums`);
  await main.query('COMMIT');
}
