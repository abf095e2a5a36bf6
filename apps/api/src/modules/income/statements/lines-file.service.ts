import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { frKinds, type LineFileFormat, lineHeadings, statementMessages } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import { literal } from '#src/lib/column-engine.ts';
import { type Database, exists, queryRows } from '#src/lib/db.ts';
import { conflict, notFound } from '#src/lib/errors.ts';
import type { StreamAnswer } from '#src/lib/file-answer.ts';
import { type LineStore, readFiles, readText } from '#src/modules/income/lines/lines.service.ts';
import { csvOptions, csvText, openMadeFile } from '#src/modules/income/lines/lines-csv.service.ts';

type LinesOf = { statement: number } | { month: string };

type LineFile = Record<'storageKey' | 'postedMonth' | 'source' | 'fileName', string> & { statementId: number };

const listFiles = (db: Database, of: LinesOf) => queryRows<LineFile>(db)`
    SELECT l.statement_id, f.storage_key, coalesce(s.accounting_month, l.month) AS posted_month, s.source, s.file_name
      FROM statement_line_files l JOIN files f ON f.id = l.file_id JOIN statements s ON s.id = l.statement_id
     WHERE s.status IN ('loaded', 'checked')
       AND ${'statement' in of ? sql`s.id = ${of.statement}` : sql`coalesce(s.accounting_month, l.month) = ${of.month}`}
     ORDER BY l.statement_id, l.month`;

const itemsAtOnce = 20_000;
const itemColumns = { key: 'VARCHAR', isrc: 'VARCHAR', upc: 'VARCHAR', title: 'VARCHAR', artist: 'VARCHAR' };

async function* itemsText(db: Database, statementIds: readonly number[]): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const rows = await queryRows<Record<keyof typeof itemColumns, string | null>>(db)`
      SELECT i.key, i.isrc, i.upc, i.title, i.artist
        FROM (SELECT DISTINCT item FROM statement_sums
               WHERE statement_id = ANY (${statementIds}::bigint[]) AND item > ${after}
               ORDER BY item LIMIT ${sql.lit(itemsAtOnce)}) s
        JOIN income_items i ON i.key = s.item ORDER BY i.key`;
    const cell = (text: string | null) => (text ?? '').replace(/\p{Cc}/gu, ' ');
    yield rows.map((row) => `${[row.key, row.isrc, row.upc, row.title, row.artist].map(cell).join('\t')}\n`).join('');
    if (rows.length < itemsAtOnce) return;
    after = rows.at(-1)?.key ?? '';
  }
}

const exactText = (name: string) => `replace(
  CASE WHEN ${name}_rest = 0 AND ${name} = trunc(${name}) THEN CAST(CAST(${name} AS DECIMAL(38,0)) AS VARCHAR)
       ELSE rtrim((CASE WHEN ${name} < 0 OR ${name}_rest < 0 THEN '-' ELSE '' END) || CAST(abs(${name}) AS VARCHAR)
            || CASE WHEN ${name}_rest = 0 THEN '' ELSE lpad(CAST(abs(${name}_rest) AS VARCHAR), 30, '0') END, '0')
  END, '.', ',')`;

const asCsv = `
  SELECT strftime(posted_month, '%Y-%m'), ${csvText('source')}, ${csvText('file_name')}, strftime(month, '%Y-%m'), ${csvText('store')},
         ${csvText('country')}, isrc, nullif(upc, '') AS upc, ${csvText('title')}, ${csvText('artist')},
         CASE kind ${Object.entries(frKinds)
           .map(([kind, label]) => `WHEN ${literal(kind)} THEN ${literal(label)}`)
           .join(' ')} END,
         currency, ${exactText('quantity')}, ${exactText('amount')}, rows, first_line
    FROM line ORDER BY file_name, first_line`;

/**
 * The lines of a statement or month with their items' names: CSV for French spreadsheets (product §39.15), Parquet with
 * the columns of the storage (docs/decisions/400). @throws AppError not_found; conflict when there are none
 */
export async function downloadLines(
  db: Database,
  store: LineStore,
  of: LinesOf,
  format: LineFileFormat,
): Promise<StreamAnswer> {
  if ('statement' in of) {
    if (!(await exists(db)`SELECT FROM statements WHERE id = ${of.statement} AND ended_at IS NULL`)) throw notFound();
  }
  const files = await listFiles(db, of);
  const [first] = files;
  if (!first) throw conflict(statementMessages.noLines);
  const name = 'month' in of ? `lignes-${of.month.slice(0, 7)}` : `lignes-${first.fileName.replace(/\.\w+$/, '')}`;
  return {
    fileName: `${name}.${format}`,
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.apache.parquet',
    content: () =>
      openMadeFile(store, format === 'csv' ? lineHeadings : undefined, async (path, folder) => {
        const items = join(folder, 'items.tsv');
        await pipeline(
          itemsText(db, [...new Set(files.map(({ statementId }) => statementId))]),
          createWriteStream(items),
        );
        const parts: string[] = [];
        for (const file of files) {
          parts.push(`
            SELECT DATE ${literal(file.postedMonth)} AS posted_month, ${literal(file.source)} AS source,
                   ${literal(file.fileName)} AS file_name, * FROM ${await readFiles(store, [file])}`);
        }
        const lines = `
          WITH line AS (
            SELECT l.posted_month, l.source, l.file_name, l.month, l.store, l.country, l.item, i.isrc, i.upc, i.title, i.artist,
                   l.kind, l.currency, l.quantity, l.quantity_rest, l.amount, l.amount_rest, l.rows, l.first_line
              FROM (${parts.join(' UNION ALL ')}) l LEFT JOIN ${readText(items, itemColumns)} i ON i.key = l.item
          )`;
        const [text, options] =
          format === 'csv'
            ? [asCsv, csvOptions]
            : ['SELECT * FROM line ORDER BY item, store, country', 'FORMAT parquet, COMPRESSION zstd'];
        await store.engine.run([`COPY (${lines} ${text}) TO ${literal(path)} (${options})`]);
      }),
  };
}
