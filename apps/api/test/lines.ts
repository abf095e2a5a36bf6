import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { literal } from '#src/lib/column-engine.ts';
import type { Database } from '#src/lib/db.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore, exactly, type LineStore } from '#src/modules/income/lines/lines.service.ts';

/** Where the running test file keeps its files and the lines of its statements. */
export let testLines: LineStore;

/** Gives the test file a storage of its own, removed after its tests. `useDatabase` calls it. */
export function useLines(): void {
  let folder: string;
  let lines: LineStore;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'regie-lines-'));
    lines = createLineStore({ storage: createFolderStorage(join(folder, 'files')), folder: join(folder, 'work') });
    testLines = lines;
  });
  afterAll(async () => {
    await lines.close();
    await rm(folder, { recursive: true, force: true });
  });
}

async function pathsOf(owner: Database, lines: LineStore, statementId: number): Promise<string[]> {
  const { rows } = await sql<{ storageKey: string }>`
    SELECT f.storage_key FROM statement_line_files l JOIN files f ON f.id = l.file_id
     WHERE l.statement_id = ${statementId} ORDER BY l.month`.execute(owner);
  return Promise.all(rows.map(({ storageKey }) => lines.pathOf(storageKey)));
}

export interface TestLine {
  month: string;
  store: string;
  country: string;
  item: string;
  kind: string;
  currency: string;
  quantity: string;
  amount: string;
  rows: number;
  firstLine: number;
}

/** The stored lines of a statement in the order of its file. */
export async function readLines(owner: Database, statementId: number, lines = testLines): Promise<TestLine[]> {
  const paths = await pathsOf(owner, lines, statementId);
  if (paths.length === 0) return [];
  const found = await lines.engine.run([`SELECT * FROM read_parquet([${paths.map(literal)}])`]);
  const { rows } = await sql<TestLine>`
    SELECT month, store, country, item, kind, currency, rows, first_line,
           ${sql.raw(exactly('quantity', 'quantity_rest'))} AS quantity, ${sql.raw(exactly('amount', 'amount_rest'))} AS amount
      FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb) AS l (month date, store text, country text, item text, kind text,
             currency text, quantity numeric, quantity_rest numeric, amount numeric, amount_rest numeric, rows integer, first_line bigint)
     ORDER BY first_line, item, month`.execute(owner);
  return rows;
}

/** Sets the currency of a statement, as if its file had said so. */
export async function setCurrency(owner: Database, statementId: number, currency: string): Promise<void> {
  for (const table of ['statement_sums', 'statement_months', 'statement_rollups']) {
    await sql`UPDATE ${sql.table(table)} SET currency = ${currency} WHERE statement_id = ${statementId}`.execute(owner);
  }
  for (const path of await pathsOf(owner, testLines, statementId)) {
    await testLines.engine.run([
      `COPY (SELECT * REPLACE (${literal(currency)} AS currency) FROM ${literal(path)}) TO ${literal(`${path}.new`)} (FORMAT parquet)`,
    ]);
    await rename(`${path}.new`, path);
  }
}
