import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Pool, types } from 'pg';
import type { DB } from './db.generated.ts';

export type Database = Kysely<DB>;
export type Trx = Transaction<DB>;

const int8 = 20;
const date = 1082;
// Ids and counts stay far below 2^53; sums of them come back as numeric, hence text.
types.setTypeParser(int8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`integer out of range: ${text}`);
  return value;
});
// A day is a day in every time zone: never through a Date.
types.setTypeParser(date, (text) => text);

const idleTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;

/** A pool of connections. `statementTimeoutMs` bounds a request's longest statement. */
export function createPool(url: string, options: { max: number; statementTimeoutMs?: number }): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'regie',
    ...(options.statementTimeoutMs ? { statement_timeout: options.statementTimeoutMs } : {}),
  });
  // A connection that dies while idle is replaced at the next request; without a listener it ends the process.
  pool.on('error', () => undefined);
  return pool;
}

export function createDatabase(url: string, options: { max: number; statementTimeoutMs?: number }): Database {
  return fromPool(createPool(url, options));
}

export function fromPool(pool: Pool): Database {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}
