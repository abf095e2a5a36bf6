import { CamelCasePlugin, Kysely, PostgresDialect, type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import { Client, Pool, types } from 'pg';
import type { DB } from './db.generated.ts';
import { observeQuery, type SlowLog, watchPool } from './metrics.ts';

export type Database = Kysely<DB>;
export type Trx = Transaction<DB>;

const int8 = 20;
const date = 1082;
// Ids and counts stay far below 2^53; sums of them are numeric, hence text.
types.setTypeParser(int8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`integer out of range: ${text}`);
  return value;
});
// Dates stay text: a Date would depend on the time zone.
types.setTypeParser(date, (text) => text);

const idleTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;

/**
 * Either end notices within half a minute that the other machine is gone; PostgreSQL would keep its locks two hours.
 */
export const noticeLostMachine = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
};
/**
 * The same during a query, instead of after 16 minutes. It also ends connections whose answers are not read for that
 * long, so this is for short answers.
 */
export const noticeLostMachineAtWork = {
  ...noticeLostMachine,
  options: `${noticeLostMachine.options} -c tcp_user_timeout=25000`,
};

export function createPool(url: string, options: { max: number; statementTimeoutMs?: number }): Pool {
  const pool = new Pool({
    ...noticeLostMachine,
    connectionString: url,
    max: options.max,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'regie',
    ...(options.statementTimeoutMs ? { statement_timeout: options.statementTimeoutMs } : {}),
  });
  // A lost connection is replaced at the next request; without listeners, 'error' would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** One connection, with a name that the server shows. */
export async function connectClient(url: string, name: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ ...noticeLostMachineAtWork, connectionString: url, application_name: name });
  // Connection errors fail the pending query; without a listener, 'error' would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

type DatabaseOptions = { max: number; statementTimeoutMs?: number; log?: SlowLog };

export function createDatabase(url: string, options: DatabaseOptions): Database {
  const pool = createPool(url, options);
  if (options.log) watchPool(pool);
  return fromPool(pool, options.log);
}

/** The rows of an SQL text: queryRows<Row>(db)`SELECT …`. */
export const queryRows =
  <Row>(db: QueryExecutorProvider) =>
  async (...text: Parameters<typeof sql>): Promise<Row[]> =>
    (await sql<Row>(...text).execute(db)).rows;

/** The first row of an SQL text, which has one at most. */
export const queryRow =
  <Row>(db: QueryExecutorProvider) =>
  async (...text: Parameters<typeof sql>): Promise<Row | undefined> =>
    (await sql<Row>(...text).execute(db)).rows[0];

/** The row of an SQL text that always returns one, such as sums. */
export const querySingle =
  <Row>(db: QueryExecutorProvider) =>
  async (...text: Parameters<typeof sql>): Promise<Row> => {
    const row = await queryRow<Row>(db)(...text);
    if (row === undefined) throw new Error('the query returned no row');
    return row;
  };

export const queryColumn =
  <Value>(db: QueryExecutorProvider) =>
  async (...text: Parameters<typeof sql>): Promise<Value[]> =>
    (await sql<Record<string, Value>>(...text).execute(db)).rows.flatMap((row) => Object.values(row));

/** The value of an SQL text that always returns one, such as a count. */
export const queryValue =
  <Value>(db: QueryExecutorProvider) =>
  async (...text: Parameters<typeof sql>): Promise<Value> => {
    const [value] = await queryColumn<Value>(db)(...text);
    if (value === undefined) throw new Error('the query returned no row');
    return value;
  };

export const exists =
  (db: QueryExecutorProvider) =>
  (...text: Parameters<typeof sql>): Promise<boolean> =>
    queryValue<boolean>(db)`SELECT EXISTS (${sql(...text)})`;

/** Prefix for frequent statements: their plan is cached on each connection. */
export const prepared = sql.raw('/* prepared */');
const preparedMark = '/* prepared */';
/** A list has one text per combination of filters; the rarer ones are planned each time. */
const maxPreparedStatements = 200;
const statementNames = new Map<string, string>();

function statementName(text: string): string | undefined {
  const prepared = statementNames.get(text);
  if (prepared !== undefined || statementNames.size >= maxPreparedStatements) return prepared;
  const name = `s${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

function prepareMarked(pool: Pool): Pool {
  pool.on('connect', (client) => {
    const send: (...given: unknown[]) => unknown = client.query.bind(client);
    const query = (first: unknown, values: unknown, ...rest: unknown[]) => {
      const name = typeof first === 'string' && first.startsWith(preparedMark) ? statementName(first) : undefined;
      return name === undefined ? send(first, values, ...rest) : send({ name, text: first, values });
    };
    Object.assign(client, { query });
  });
  return pool;
}

export function fromPool(pool: Pool, log?: SlowLog): Database {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: prepareMarked(pool) }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    ...(log && { log: ({ queryDurationMillis, query }) => observeQuery(queryDurationMillis, query.sql, log) }),
  });
}
