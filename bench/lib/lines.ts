import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createDatabase } from '@regie/api/lib/db.ts';
import { createFolderStorage } from '@regie/api/lib/storage.ts';
import { copyIn, createLineStore, LineWriter } from '@regie/api/modules/income/lines/lines.service.ts';
import { sql } from 'kysely';
import { Client } from 'pg';
import { rowsPerTrack } from './store-files.ts';
import type { World } from './world.ts';

export interface LinesMeasured {
  /** Seconds to write files and sums from the text of the lines, and to COPY that text into a table. */
  writeSeconds: number;
  copySeconds: number;
  /** Of the files in the storage. */
  fileBytes: number;
}

const linesPerPiece = 8192;

/** Text as `LineSummer` gives it: fifty lines for each track, in no order of places. */
function* linesOf(lines: number): Generator<Buffer> {
  let text = '';
  let seed = 7;
  const number = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let line = 0; line < lines; line += 1) {
    const isrc = `FRBCH${String(Math.floor(line / rowsPerTrack)).padStart(7, '0')}`;
    text += `2025-01-01\tStore ${number(12)}\tC${number(60)}\t${isrc}\tstream\tUSD\t${number(300)}\t0\t\t0\t0.0${String(number(9_999_999)).padStart(7, '0')}\t\t1\t${line + 2}\n`;
    if (line % linesPerPiece === linesPerPiece - 1 || line === lines - 1) {
      yield Buffer.from(text);
      text = '';
    }
  }
}

/** Compares the storing of a statement's lines, without the reading of its file, with a COPY of the same lines. */
export async function measureLines(world: World, database: string, lines: number): Promise<LinesMeasured> {
  const folder = await mkdtemp(join(tmpdir(), 'regie-bench-lines-'));
  const store = createLineStore({ storage: createFolderStorage(join(folder, 'files')), folder: join(folder, 'work') });
  const main = new Client({ connectionString: world.url(database) });
  await main.connect();
  const db = createDatabase(world.url(database), { max: 1 });
  try {
    const texts = [...linesOf(lines)];
    // Started and idle, as in a worker that has read the file meanwhile.
    await store.engine.run(['SELECT 1']);
    const { rows } = await sql<{ id: number }>`
      INSERT INTO statements (file_name, size_bytes, sha256) VALUES ('lines', 1, sha256(random()::text::bytea)) RETURNING id`.execute(
      db,
    );
    let start = performance.now();
    await main.query('BEGIN');
    {
      await using writer = await LineWriter.create(store);
      for (const text of texts) await writer.add(text);
      await writer.end(main, { statementId: rows[0]?.id ?? 0, lines });
    }
    await main.query('COMMIT');
    const writeSeconds = (performance.now() - start) / 1000;
    const found = await sql<{
      bytes: number;
    }>`SELECT sum(size_bytes)::bigint AS bytes FROM files WHERE kind = 'lines'`.execute(db);
    await main.query(
      `CREATE TABLE copied_lines (month date, store text, country text, item text, kind text, currency text, quantity numeric,
         quantity_part numeric, quantity_end text, amount numeric, amount_part numeric, amount_end text, rows integer, first_line bigint)`,
    );
    start = performance.now();
    await copyIn(main, 'copied_lines', Readable.from(texts));
    const copySeconds = (performance.now() - start) / 1000;
    await main.query('DROP TABLE copied_lines');
    return { writeSeconds, copySeconds, fileBytes: found.rows[0]?.bytes ?? 0 };
  } finally {
    await db.destroy();
    await main.end();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Bytes of a database that grow with statements, without the catalogue. */
export async function statementBytes(world: World, database: string): Promise<number> {
  const db = createDatabase(world.url(database), { max: 1 });
  try {
    const { rows } = await sql<{ bytes: number }>`
      SELECT sum(pg_total_relation_size(c.oid))::bigint AS bytes FROM pg_class c
       WHERE c.relkind = 'r' AND (c.relname LIKE 'statement%' OR c.relname IN ('income_items', 'unmatched_totals', 'unmatched_counts'))`.execute(
      db,
    );
    return rows[0]?.bytes ?? 0;
  } finally {
    await db.destroy();
  }
}
