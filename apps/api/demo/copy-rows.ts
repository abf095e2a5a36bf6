import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export type CopyValue = string | number | boolean | null | readonly string[];

const chunkLength = 64 * 1024;

/** Loads rows into a table by COPY, in the client's transaction, in constant memory. */
export async function copyRows(
  client: ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly CopyValue[]>,
): Promise<void> {
  const stream = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(encode(rows), { objectMode: false }), stream);
}

function* encode(rows: Iterable<readonly CopyValue[]>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += `${row.map(encodeValue).join('\t')}\n`;
    if (chunk.length > chunkLength) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeValue(value: CopyValue): string {
  if (value === null) return '\\N';
  // Array members are codes and slugs, which need no quoting.
  const text = typeof value === 'object' ? `{${value.join(',')}}` : String(value);
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);
}
