import type { Pool, PoolClient } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { traceQuery } from './tracing.ts';

export const registry = new Registry();

let isCollecting = false;
export function collectProcessMetrics(): void {
  if (!isCollecting) collectDefaultMetrics({ register: registry });
  isCollecting = true;
}

const registers = [registry];
const histogram = <Label extends string = never>(
  name: string,
  help: string,
  buckets: number[],
  labelNames: Label[] = [],
) => new Histogram({ name: `regie_${name}`, help, buckets, labelNames, registers });
const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
  new Counter({ name: `regie_${name}`, help, labelNames, registers });

const httpBuckets = [0.05, 0.3, 1, 10];
export const requestSeconds = histogram('http_request_seconds', 'Time to answer, by route', httpBuckets, [
  'method',
  'route',
]);
export const requests = counter('http_requests_total', 'Answers, by route and class of status', [
  'method',
  'route',
  'status',
]);
const querySeconds = histogram(
  'database_query_seconds',
  'Time of a database query, without the wait for a connection',
  [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 30],
);
const poolWaitSeconds = histogram(
  'database_pool_wait_seconds',
  'Wait for a free database connection',
  [0.001, 0.01, 0.1, 1, 5, 10],
);
export const jobSeconds = histogram(
  'job_seconds',
  'Time of a background job, by task and outcome',
  [1, 60],
  ['task', 'outcome'],
);
export const questionSeconds = histogram(
  'question_seconds',
  'Time of a question to the lines of statements, by engine and outcome',
  [0.1, 0.3, 1, 3, 10, 30, 60],
  ['engine', 'outcome'],
);
export const loadedRows = counter(
  'statement_rows_loaded_total',
  'Rows of the statement files that this process has loaded',
);
export const loadSeconds = counter('statement_load_seconds_total', 'Time that this process has spent loading them');

/** Queries above this are logged with their text, which holds no values. */
const slowMs = 1000;
export type SlowLog = { warn: (details: { ms: number; query: string }, message: string) => void };

export function observeQuery(ms: number, query: string, log: SlowLog): void {
  querySeconds.observe(ms / 1000);
  const text = () => query.replaceAll(/\s+/g, ' ').slice(0, 500);
  traceQuery(ms, text);
  if (ms >= slowMs) log.warn({ ms: Math.round(ms), query: text() }, 'slow query');
}

const pools = new Set<Pool>();
new Gauge({
  name: 'regie_database_connections',
  help: 'Database connections of this process by state; waiting: callers without one',
  labelNames: ['state'],
  registers,
  collect() {
    const sum = (of: 'totalCount' | 'idleCount' | 'waitingCount') =>
      [...pools].reduce((total, pool) => total + pool[of], 0);
    this.set({ state: 'busy' }, sum('totalCount') - sum('idleCount'));
    this.set({ state: 'idle' }, sum('idleCount'));
    this.set({ state: 'waiting' }, sum('waitingCount'));
  },
});

export function watchPool(pool: Pool): void {
  pools.add(pool);
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const connectThen = pool.connect.bind(pool) as (callback: unknown) => void;
  const end = pool.end.bind(pool);
  Object.assign(pool, {
    // The callback form is for the pool's own queries.
    connect: async (callback?: unknown) => {
      if (callback) return connectThen(callback);
      const stop = poolWaitSeconds.startTimer();
      try {
        return await connect();
      } finally {
        stop();
      }
    },
    end: () => {
      pools.delete(pool);
      return end();
    },
  });
}
