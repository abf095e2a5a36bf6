import type { Pool, PoolClient } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { traceQuery } from './tracing.ts';

/** The figures of this process that `/metrics` shows; each process has its own. */
export const registry = new Registry();

let isCollecting = false;
/** Memory, event loop and garbage collection of a process that serves `/metrics`. */
export function collectProcessMetrics(): void {
  if (!isCollecting) collectDefaultMetrics({ register: registry });
  isCollecting = true;
}

const registers = [registry];
export const requestSeconds = new Histogram({
  name: 'regie_http_request_seconds',
  help: 'Time to answer, by route',
  labelNames: ['method', 'route'],
  buckets: [0.05, 0.3, 1, 10],
  registers,
});
export const requests = new Counter({
  name: 'regie_http_requests_total',
  help: 'Answers, by route and class of status',
  labelNames: ['method', 'route', 'status'],
  registers,
});
const querySeconds = new Histogram({
  name: 'regie_database_query_seconds',
  help: 'Time of a database query, without the wait for a connection',
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 30],
  registers,
});
const poolWaitSeconds = new Histogram({
  name: 'regie_database_pool_wait_seconds',
  help: 'Wait for a free database connection',
  buckets: [0.001, 0.01, 0.1, 1, 5, 10],
  registers,
});
export const jobSeconds = new Histogram({
  name: 'regie_job_seconds',
  help: 'Time of a background job, by task and outcome',
  labelNames: ['task', 'outcome'],
  buckets: [1, 60],
  registers,
});
export const questionSeconds = new Histogram({
  name: 'regie_question_seconds',
  help: 'Time of a question to the lines of statements, by engine and outcome',
  labelNames: ['engine', 'outcome'],
  buckets: [0.1, 0.3, 1, 3, 10, 30, 60],
  registers,
});
export const loadedRows = new Counter({
  name: 'regie_statement_rows_loaded_total',
  help: 'Rows of the statement files that this process has loaded',
  registers,
});
export const loadSeconds = new Counter({
  name: 'regie_statement_load_seconds_total',
  help: 'Time that this process has spent loading them',
  registers,
});

/** Queries above this are logged with their text, which holds no values. */
const slowMs = 1000;
export type SlowLog = { warn: (details: { ms: number; query: string }, message: string) => void };

/** Measures and traces a query, and logs a slow one. */
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
    const sum = (of: (pool: Pool) => number) => [...pools].reduce((total, pool) => total + of(pool), 0);
    this.set(
      { state: 'busy' },
      sum((pool) => pool.totalCount - pool.idleCount),
    );
    this.set(
      { state: 'idle' },
      sum((pool) => pool.idleCount),
    );
    this.set(
      { state: 'waiting' },
      sum((pool) => pool.waitingCount),
    );
  },
});

/** Measures the wait for connections until the pool ends. */
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
