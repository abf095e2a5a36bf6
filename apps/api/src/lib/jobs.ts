import type { FastifyBaseLogger } from 'fastify';
import { Logger, run as runWorker, type TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import { createPool, type Database, type Trx } from './db.ts';
import type { MailMessage } from './mail.ts';

/** Every job there is, with what it is given. */
export interface JobPayloads {
  send_mail: MailMessage;
  /** Asked for known and unknown addresses alike; `requestedAt` in ISO 8601. */
  send_password_reset: { email: string; requestedAt: string };
  send_invitation: { invitationId: number };
  send_factor_code: { adminId: number };
  lift_factor: { liftId: number };
  tidy_up: Record<string, never>;
  tidy_files: Record<string, never>;
  verify_ledger: Record<string, never>;
  recount_doubles: Record<string, never>;
  read_statement: { statementId: number };
  resume_statements: Record<string, never>;
  drop_statement: { statementId: number };
  refresh_insight: Record<string, never>;
}

export interface JobDeps {
  /** The owner's login: jobs may do what the application may not, such as removing old keys. */
  db: Database;
  log: FastifyBaseLogger;
}

export type Jobs = { [Name in keyof JobPayloads]: (payload: JobPayloads[Name], deps: JobDeps) => Promise<void> };

/** Adds a job in the transaction of the change that calls for it: both happen or neither. It runs at once, or at `runAt`. */
export async function enqueue<Name extends keyof JobPayloads>(
  trx: Trx,
  name: Name,
  payload: JobPayloads[Name],
  runAt: Date = new Date(),
): Promise<void> {
  await sql`SELECT enqueue_job(${name}, ${JSON.stringify(payload)}::json, ${runAt})`.execute(trx);
}

// Paris nights, one after the other; and every minute, what a killed worker has left.
const crontab = [
  '10 3 * * * tidy_up',
  '25 3 * * * tidy_files',
  '40 3 * * * verify_ledger',
  '55 3 * * * recount_doubles',
  '* * * * * resume_statements',
  '* * * * * refresh_insight',
].join('\n');
/** What an ended worker has left need not wait for the next minute. */
const atStart = 'resume_statements' satisfies keyof JobPayloads;
/** At once, of either: what takes minutes has workers of its own, so that no mail waits for it. */
const concurrency = 2;
const longJobs: ReadonlySet<string> = new Set<keyof JobPayloads>([
  'read_statement',
  'drop_statement',
  'refresh_insight',
]);

/** The jobs as the runner wants them. */
export function toTaskList(jobs: Jobs, deps: JobDeps): TaskList {
  return Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [
      name,
      (payload: unknown) => (job as (payload: unknown, deps: JobDeps) => Promise<void>)(payload, deps),
    ]),
  );
}

/** The runner's own messages through the house's log. */
export function toRunnerLogger(log: JobDeps['log']): Logger {
  return new Logger(() => (level, message) => {
    // A mail server's refusal quotes the address; the job row keeps the whole of it.
    const text = message.replace(/ with error .*/s, ' with an error');
    const name = String(level);
    if (name === 'error') log.error(text);
    else if (name === 'warning') log.warn(text);
    else log.debug(text);
  });
}

/** Starts a worker on the owner's connection; several may run at once. `stop` ends its connections too. */
export async function startWorker(options: {
  ownerUrl: string;
  jobs: Jobs;
  deps: JobDeps;
}): Promise<{ stop: () => Promise<void> }> {
  // A pool of our own: the worker would leave the end of its connections to whoever stops the database.
  const pgPool = createPool(options.ownerUrl, { max: 2 * (concurrency + 2) });
  const tasks = Object.entries(toTaskList(options.jobs, options.deps));
  const runners = await Promise.all(
    [false, true].map((isLong) =>
      runWorker({
        pgPool,
        concurrency,
        noHandleSignals: true,
        logger: toRunnerLogger(options.deps.log),
        taskList: Object.fromEntries(tasks.filter(([name]) => longJobs.has(name) === isLong)),
        crontab: isLong ? '' : crontab,
      }),
    ),
  );
  await runners[0]?.addJob(atStart, {}, { jobKey: atStart });
  return {
    stop: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
      await pgPool.end();
    },
  };
}
