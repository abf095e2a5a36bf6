import { statementMessages } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import { type Database, queryColumn, queryRow } from '#src/lib/db.ts';
import type { ByteRange } from '#src/lib/file-answer.ts';
import type { JobDeps } from '#src/lib/jobs.ts';
import { loadedRows, loadSeconds } from '#src/lib/metrics.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import { loadStatement } from './load.service.ts';
import { loadInThread } from './load-in-thread.service.ts';
import type { StatementDetailRow } from './statements.queries.ts';
import { progressChannel } from './take-lines.service.ts';

export interface StatementJobOptions {
  lines: LineStore;
  /** The owner's login; a load opens its own connections. */
  ownerUrl: string;
  /** For loads in their own thread, which opens storage and folder itself. */
  thread?: { storageUrl: string; linesDir: string } | undefined;
}

type Waiting = Pick<StatementDetailRow, 'sizeBytes' | 'storageKey' | 'findings'>;

const findWaiting = (db: Database, id: number) => queryRow<Waiting>(db)`
    SELECT s.size_bytes, f.storage_key, s.findings
      FROM statements s LEFT JOIN files f ON f.id = s.file_id
     WHERE s.id = ${id} AND s.status IN ('received', 'reading')`;

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

function sentenceOf(error: unknown): string {
  const code = codeOf(error);
  if (code === '53100' || code === 'ENOSPC') return statementMessages.diskFull;
  if (
    /^(57P0|08|ECONN|EPIPE)/.test(code) ||
    (error instanceof Error && /connection terminated|not queryable|connection error/i.test(error.message))
  ) {
    return statementMessages.databaseGone;
  }
  if (error instanceof Error && error.name === 'StorageMissing') return statementMessages.fileMissing;
  return statementMessages.readingFailed;
}

const notifyEnd = (db: Database, statementId: number) =>
  sql`SELECT pg_notify(${progressChannel}, ${JSON.stringify({ statementId })})`.execute(db);

/** Once for statements that end together. */
const queueAnalyticsRefresh = (db: Database) =>
  sql`SELECT enqueue_job('refresh_analytics', '{}'::json, job_key => 'refresh_analytics')`.execute(db);

async function run(
  { storageKey, sizeBytes }: Waiting,
  { lines, ownerUrl, thread }: StatementJobOptions,
  statementId: number,
): Promise<boolean> {
  if (storageKey === null) throw Object.assign(new Error('no file'), { name: 'StorageMissing' });
  if (thread) return loadInThread({ statementId, ...thread, ownerUrl, storageKey, sizeBytes });
  const file = { sizeBytes, open: (range?: ByteRange) => lines.storage.open(storageKey, range) };
  return loadStatement(ownerUrl, { statementId, file, lines });
}

/** Errors that are not the file's fault are recorded and retried by `resumeStatements`. */
export const readStatementJob =
  (options: StatementJobOptions) =>
  async ({ statementId }: { statementId: number }, { db, log }: JobDeps): Promise<void> => {
    const waiting = await findWaiting(db, statementId);
    if (!waiting) return;
    const startedAt = performance.now();
    try {
      await run(waiting, options, statementId);
      const loaded = await queryRow<{ rows: number }>(db)`
        SELECT rows FROM statements WHERE id = ${statementId} AND status = 'loaded'`;
      if (loaded) {
        loadedRows.inc(loaded.rows);
        loadSeconds.inc((performance.now() - startedAt) / 1000);
      }
    } catch (error) {
      log.error(
        { statementId, error: error instanceof Error ? error.name : 'unknown', code: codeOf(error) },
        'a statement was not read',
      );
      const attempts = (waiting.findings.failure?.attempts ?? 0) + 1;
      const failure = { message: sentenceOf(error), attempts, at: new Date().toISOString() };
      // When the database itself is down, this fails too, and so does the job.
      await sql`
        UPDATE statements SET findings = ${JSON.stringify({ failure })}::jsonb,
               attempts = CASE WHEN ${codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'} THEN attempts ELSE 0 END
         WHERE id = ${statementId} AND status IN ('received', 'reading')`.execute(db);
    }
    await notifyEnd(db, statementId);
    await queueAnalyticsRefresh(db);
  };

/** A statement waiting longer than this has lost its job. */
const forgottenSeconds = 30;
const longestPauseMinutes = 60;

/**
 * Queues statements without a job: their worker was killed, or a retry is due, with growing intervals. @returns their
 * ids
 */
export async function resumeStatements({ db, log }: JobDeps, now = new Date()): Promise<number[]> {
  const ids = await queryColumn<number>(db)`
    SELECT s.id FROM statements s
     WHERE s.status IN ('received', 'reading')
       AND s.created_at < ${now}::timestamptz - ${sql.lit(`${forgottenSeconds} seconds`)}::interval
       AND (s.findings -> 'failure' IS NULL
            OR (s.findings #>> '{failure,at}')::timestamptz
               + least(power(2, (s.findings #>> '{failure,attempts}')::int) / 2, ${sql.lit(longestPauseMinutes)}) * interval '1 minute' <= ${now}::timestamptz)
       AND NOT EXISTS (
         SELECT FROM pg_locks l
          WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND l.classid::bigint = hashtext('statement')::bigint & 4294967295 AND l.objid::bigint = s.id)
     ORDER BY s.id`;
  for (const id of ids) {
    // The job key avoids duplicates; jobs locked by a dead worker are left alone.
    await sql`
      SELECT enqueue_job('read_statement', ${JSON.stringify({ statementId: id })}::json, job_key => ${`read_statement:${id}`})`.execute(
      db,
    );
  }
  if (ids.length > 0) log.info({ statements: ids.length }, 'statements are read again');
  return ids;
}

export const resumeStatementsJob = async (_payload: Record<string, never>, deps: JobDeps): Promise<void> => {
  await resumeStatements(deps);
};

/** Of a replaced or deleted statement; the files go to the bin. */
export const dropStatementJob = async ({ statementId }: { statementId: number }, { db }: JobDeps): Promise<void> => {
  await sql`
    WITH gone AS (
      DELETE FROM statement_line_files f USING statements s
       WHERE f.statement_id = ${statementId} AND s.id = f.statement_id AND s.status IN ('replaced', 'removed')
      RETURNING f.file_id
    )
    UPDATE files SET binned_at = now() FROM gone WHERE files.id = gone.file_id`.execute(db);
  await queueAnalyticsRefresh(db);
};
