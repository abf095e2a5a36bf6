import { type RawBuilder, sql } from 'kysely';
import { type Database, prepared, type Trx } from './db.ts';

/**
 * Reads each row as one text, as PostgreSQL writes a record: pg takes longer for each value than PostgreSQL to find it,
 * so a page of many columns takes half the time. @param from what follows the columns: `FROM …`
 */
export async function readRecords<Row extends Record<keyof Row, string | null>>(
  db: Database | Trx,
  columns: Record<keyof Row & string, RawBuilder<unknown>>,
  from: RawBuilder<unknown>,
): Promise<Row[]> {
  const names = Object.keys(columns);
  const { rows } = await sql<{ record: string }>`${prepared}
    SELECT ROW(${sql.join(Object.values<RawBuilder<unknown>>(columns))})::text AS record ${from}`.execute(
    db.withoutPlugins(),
  );
  return rows.map(({ record }) => splitRecord(record, names) as Row);
}

/** The fields of a record's text: `(1,"a, ""b""",)`, where nothing is null and a backslash is doubled. */
function splitRecord(record: string, names: readonly string[]): Record<string, string | null> {
  const row: Record<string, string | null> = {};
  let start = 1;
  for (const name of names) {
    let end = record.indexOf(',', start);
    if (record[start] === '"') {
      end = record.indexOf('"', start + 1);
      while (record[end + 1] === '"') end = record.indexOf('"', end + 2);
      const text = record.slice(start + 1, end);
      row[name] = text.replaceAll('""', '"').replaceAll('\\\\', '\\');
      end += 1;
    } else {
      if (end === -1) end = record.length - 1;
      row[name] = end === start ? null : record.slice(start, end);
    }
    start = end + 1;
  }
  return row;
}
