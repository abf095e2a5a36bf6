import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export type CopyValue = string | number | boolean | null | readonly string[];

/** Loads rows into a table by COPY, in the client's transaction; the columns are those of the first row, in snake case. */
export async function copyRows(
  client: ClientBase,
  table: string,
  rows: readonly Readonly<Record<string, CopyValue>>[],
): Promise<void> {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return;
  const columns = names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const stream = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  const lines = rows.map((row) => `${names.map((name) => encodeValue(row[name] ?? null)).join('\t')}\n`);
  await pipeline(Readable.from(lines, { objectMode: false }), stream);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeValue(value: CopyValue): string {
  if (value === null) return '\\N';
  // Array members are codes and slugs, which need no quoting.
  const text = typeof value === 'object' ? `{${value.join(',')}}` : String(value);
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
