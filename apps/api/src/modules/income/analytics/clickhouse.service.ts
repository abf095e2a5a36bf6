import { Readable } from 'node:stream';
import type { BaseQueryParams, ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { pivotLimits } from '@regie/contract/analytics.ts';
import type { ClickHouseAddress } from '#src/lib/clickhouse-address.ts';
import { EngineFailure } from '#src/lib/column-engine.ts';
import { newToken } from '#src/lib/secrets.ts';
import { checkKey, newStorageKey, type Storage } from '#src/lib/storage.ts';
import type { AnalyticsEngine, ColumnType } from './analytics-engine.service.ts';

const typeNames = {
  text: 'String',
  whole: 'Int64',
  date: 'Date32',
  float: 'Nullable(Float64)',
  decimal: 'Decimal(76, 18)',
};
/** The columns that questions read. Sums of 38 digits overflow without an error; 76 digits hold them all. */
const lineColumns = `month Date32, store String, country String, item String, kind String, currency String,
  quantity Decimal(76, 18), quantity_rest Decimal(76, 0), amount Decimal(76, 18), amount_rest Decimal(76, 0)`;

const literal = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
const structure = (columns: Record<string, ColumnType>) => {
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${typeNames[type]}`);
  return literal(typed.join(', '));
};

const bytesPerGb = 1_000_000_000;
/** Above the limit of a question, which answers first. */
const requestTimeoutMs = (pivotLimits.seconds + 10) * 1000;
const killTimeoutMs = 5000;

const settingsOf = ({ memoryGb }: ClickHouseAddress): ClickHouseSettings => ({
  // As in SQL: null without a match.
  join_use_nulls: 1,
  // Read `\N` as text.
  input_format_null_as_default: 0,
  max_execution_time: pivotLimits.seconds,
  max_memory_usage: String(memoryGb * bytesPerGb),
  // Questions name each file of the period.
  max_query_size: String(256 * 1024 * 1024),
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
  // An error in the middle of an answer would be part of its text.
  wait_end_of_query: 1,
  // For users with a read-only profile.
  cancel_http_readonly_queries_on_client_close: 1,
});

async function connectOverHttp({ url, username, password }: ClickHouseAddress): Promise<ClickHouseClient> {
  const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client');
  return createClient({
    url,
    username,
    password,
    request_timeout: requestTimeoutMs,
    // The client would write to the console.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

const limitOf = (error: unknown): 'size' | 'time' | undefined => {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'MEMORY_LIMIT_EXCEEDED') return 'size';
  return type === 'TIMEOUT_EXCEEDED' ? 'time' : undefined;
};

/** A ClickHouse server or cluster that reads the files of a bucket. Connects on first use. */
export function createClickHouse(
  address: ClickHouseAddress,
  storage: Storage,
  connect: (address: ClickHouseAddress) => Promise<ClickHouseClient> = connectOverHttp,
): AnalyticsEngine {
  const settings = settingsOf(address);
  let connecting: Promise<ClickHouseClient> | undefined;
  const client = () => {
    connecting ??= connect(address);
    return connecting;
  };
  // ClickHouse takes such an argument for a column: no table of a question has one called `filename`.
  const file = (keys: readonly string[], format: string, columns: string) =>
    `${address.collection}, filename = ${literal(keys.length === 1 ? checkKey(keys[0] ?? '') : `{${keys.map(checkKey).join(',')}}`)}, format = ${literal(format)}, structure = ${columns}`;

  async function ask<Answer>(
    signal: AbortSignal,
    read: (client: ClickHouseClient, options: Omit<BaseQueryParams, 'query'>) => Promise<Answer>,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const connected = await client();
    const queryId = newToken();
    // Behind a proxy, closing the connection does not end the query.
    const kill = () => {
      const query = 'KILL QUERY WHERE query_id = {id:String} ASYNC';
      const ended = AbortSignal.timeout(killTimeoutMs);
      connected.command({ query, query_params: { id: queryId }, abort_signal: ended }).catch(() => undefined);
    };
    signal.addEventListener('abort', kill, { once: true });
    try {
      return await read(connected, { query_id: queryId, abort_signal: signal, clickhouse_settings: settings });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EngineFailure) throw error;
      throw new EngineFailure(error instanceof Error ? error.message : String(error), limitOf(error));
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  return {
    async close() {
      await (await connecting?.catch(() => undefined))?.close();
    },
    async open(signal) {
      const stored: string[] = [];
      return {
        isOfNodes: true,
        literal,
        values(columns, rows) {
          const written = (cell: string | number | null) =>
            typeof cell === 'string' ? literal(cell) : (cell ?? 'NULL');
          const tuples = rows.map((row) => `(${row.map(written).join(', ')})`);
          return `values(${structure(columns)}, ${tuples.join(', ')})`;
        },
        async readLines(storageKeys) {
          const files = file(storageKeys, 'Parquet', literal(lineColumns));
          return {
            table: address.cluster === undefined ? `s3(${files})` : `s3Cluster(${literal(address.cluster)}, ${files})`,
            filename: '_file',
            names: storageKeys.map((key) => key.slice(key.lastIndexOf('/') + 1)),
          };
        },
        async readText(columns, pieces) {
          const key = newStorageKey('lines', 'tsv');
          stored.push(key);
          await storage.put(key, Readable.from(pieces, { objectMode: false }), undefined);
          signal.throwIfAborted();
          return `s3(${file([key], 'TSVRaw', structure(columns))})`;
        },
        rows: <Row>(query: string) =>
          ask(signal, async (connected, options) =>
            (await connected.query({ ...options, query, format: 'JSONEachRow' })).json<Row>(),
          ),
        text: (query, maxBytes) =>
          ask(signal, async (connected, options) => {
            const { stream } = await connected.exec({ ...options, query: `${query} FORMAT TSVRaw` });
            const pieces: Buffer[] = [];
            let bytes = 0;
            for await (const piece of stream as AsyncIterable<Buffer>) {
              bytes += piece.length;
              if (bytes > maxBytes) throw new EngineFailure('the answer is too long', 'size');
              pieces.push(piece);
            }
            return Buffer.concat(pieces).toString('utf8');
          }),
        async [Symbol.asyncDispose]() {
          // The nightly job removes what stays.
          await Promise.all(stored.map((key) => storage.remove(key).catch(() => undefined)));
        },
      };
    },
  };
}
