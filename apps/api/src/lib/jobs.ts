import { EventEmitter } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import { Logger, run as runWorker, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import { Client } from 'pg';
import { createPool, type Database, noticeLostMachineAtWork, queryRow, type Trx } from './db.ts';
import type { MailMessage } from './mail.ts';
import { jobSeconds } from './metrics.ts';
import { traceJob } from './tracing.ts';

export interface JobPayloads {
  send_mail: MailMessage;
  /** Also for unknown addresses; `requestedAt` in ISO 8601; admins linked to `provider` get no link. */
  send_password_reset: { email: string; requestedAt: string; provider?: { issuer: string; label: string } };
  send_invitation: { invitationId: number };
  send_factor_code: { adminId: number };
  lift_factor: { proposalId?: number };
  tidy_up: Record<string, never>;
  tidy_files: Record<string, never>;
  back_up: Record<string, never>;
  report_late_backup: Record<string, never>;
  verify_ledger: Record<string, never>;
  report_failed_jobs: Record<string, never>;
  seal_chain: Record<string, never>;
  anchor_chain: Record<string, never>;
  recount_duplicates: Record<string, never>;
  read_statement: { statementId: number };
  resume_jobs: Record<string, never>;
  resume_statements: Record<string, never>;
  drop_statement: { statementId: number };
  publish_royalty_run: { runId: number };
  send_royalty_letter: { statementId: number };
  refresh_analytics: Record<string, never>;
  apply_retention: Record<string, never>;
}

export interface JobDeps {
  /** The owner's login: jobs may delete old keys, which the application may not. */
  db: Database;
  log: FastifyBaseLogger;
}

export type Jobs = { [Name in keyof JobPayloads]: (payload: JobPayloads[Name], deps: JobDeps) => Promise<void> };

/** In the transaction of its change; runs at once, or at `runAt`. */
export async function enqueue<Name extends keyof JobPayloads>(
  trx: Trx,
  name: Name,
  payload: JobPayloads[Name],
  runAt = new Date(),
): Promise<void> {
  await sql`SELECT enqueue_job(${name}, ${JSON.stringify(payload)}::json, ${runAt})`.execute(trx);
}

// Nightly jobs (Paris time), staggered.
const crontab = [
  '15 2 * * * back_up ?max=3',
  '10 3 * * * tidy_up',
  '15 3 * * * apply_retention',
  '25 3 * * * tidy_files',
  '40 3 * * * verify_ledger',
  '55 3 * * * recount_duplicates',
  '* * * * * refresh_analytics',
  '* * * * * seal_chain',
  '5 * * * * report_failed_jobs',
  '7 * * * * report_late_backup',
  '50 3 * * * anchor_chain',
].join('\n');
/** Work of a dead worker resumes within a minute, though its end may be noticed half a minute late. */
const resumeEveryMs = 20_000;
const resuming = ['resume_jobs', 'resume_statements'] satisfies (keyof JobPayloads)[];
/** Per pool: long jobs have their own pool, so that they do not delay mail. */
const concurrency = 2;
const longJobs: readonly string[] = [
  'back_up',
  'read_statement',
  'drop_statement',
  'refresh_analytics',
  'publish_royalty_run',
] satisfies (keyof JobPayloads)[];

export function toTaskList(jobs: Jobs, deps: JobDeps): TaskList {
  return Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [
      name,
      async (payload: unknown) => {
        const stop = jobSeconds.startTimer({ task: name });
        let outcome = 'failed';
        try {
          await traceJob(name, () => (job as (payload: unknown, deps: JobDeps) => Promise<void>)(payload, deps));
          outcome = 'done';
        } finally {
          stop({ outcome });
        }
      },
    ]),
  );
}

const mailTask = /\((send_\w+|lift_factor)\b/;

export function toRunnerLogger(log: JobDeps['log']): Logger {
  return new Logger(() => (level, message) => {
    // Mail errors quote the address; the job row keeps the full text.
    const text = mailTask.test(message) ? message.replace(/ with error .*/s, ' with an error') : message.slice(0, 1000);
    const name = String(level);
    if (name === 'error') log.error(text);
    else if (name === 'warning') log.warn(text);
    else log.debug(text);
  });
}

/** First key of the advisory lock of a running worker; the second is the hash of its pool id. */
const presenceLock = sql.lit('worker pool');
/** A new worker may lock a job before its own lock is visible. */
const startupGraceSeconds = 5;

/** Releases jobs of killed workers, which would otherwise stay locked for four hours. */
export const resumeJobsJob = async (_payload: Record<string, never>, { db, log }: JobDeps): Promise<void> => {
  const job = await queryRow<{ workers: number }>(db)`
    WITH dead AS (
      SELECT array_agg(DISTINCT j.locked_by) AS pools, count(DISTINCT j.locked_by) AS workers
        FROM graphile_worker._private_jobs j
       WHERE j.locked_at < now() - ${sql.lit(`${startupGraceSeconds} seconds`)}::interval
         AND NOT EXISTS (
           SELECT FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
              AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND l.classid::bigint = hashtext(${presenceLock})::bigint & 4294967295
              AND l.objid::bigint = hashtext(j.locked_by)::bigint & 4294967295))
    SELECT workers FROM dead CROSS JOIN LATERAL graphile_worker.force_unlock_workers(dead.pools) WHERE workers > 0`;
  if (job) log.info({ workers: job.workers }, 'jobs of ended workers are done again');
};

const presenceRetryMs = 1000;

/** Holds locks that show other workers which pools are running; reconnects. */
function createPresence(url: string) {
  const pools: string[] = [];
  let client: Client | undefined;
  let isClosed = false;
  let isWaiting = false;

  const hold = (pool: string) =>
    client?.query(`SELECT pg_advisory_lock_shared(hashtext('worker pool'), hashtext($1))`, [pool]);

  async function open(): Promise<void> {
    client = new Client({ ...noticeLostMachineAtWork, connectionString: url, application_name: 'regie-worker' });
    client.on('error', () => undefined);
    client.once('end', reopen);
    await client.connect();
    for (const pool of pools) await hold(pool);
  }

  function reopen(): void {
    if (isClosed || isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      if (!isClosed) open().catch(reopen);
    }, presenceRetryMs).unref();
  }

  return {
    open,
    async add(pool: string): Promise<void> {
      pools.push(pool);
      await hold(pool);
    },
    async close(): Promise<void> {
      isClosed = true;
      await client?.end();
    },
  };
}

/** With the owner's login; several may run. `stop` also closes its connections. */
export async function startWorker(options: {
  ownerUrl: string;
  jobs: Jobs;
  deps: JobDeps;
}): Promise<{ stop: () => Promise<void> }> {
  // Our own pool: the worker does not close its connections itself.
  const pgPool = createPool(options.ownerUrl, { max: 2 * (concurrency + 2) });
  const tasks = Object.entries(toTaskList(options.jobs, options.deps));
  const presence = createPresence(options.ownerUrl);
  await presence.open();
  const events: WorkerEvents = new EventEmitter();
  // A reconnected pool takes its lock again.
  events.on('pool:create', ({ workerPool }) => void presence.add(workerPool.id).catch(() => undefined));
  const runners = await Promise.all(
    [false, true].map((isLong) =>
      runWorker({
        pgPool,
        events,
        concurrency,
        noHandleSignals: true,
        logger: toRunnerLogger(options.deps.log),
        taskList: Object.fromEntries(tasks.filter(([name]) => longJobs.includes(name) === isLong)),
        crontab: isLong ? '' : crontab,
      }),
    ),
  );
  const add = async (names: readonly (keyof JobPayloads)[]) => {
    for (const name of names) await runners[0]?.addJob(name, {}, { jobKey: name });
  };
  await add(resuming);
  // Without the database, the next time.
  const timer = setInterval(() => void add(resuming).catch(() => undefined), resumeEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(runners.map((runner) => runner.stop()));
      await presence.close();
      await pgPool.end();
    },
  };
}
