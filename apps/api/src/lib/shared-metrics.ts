import { sql } from 'kysely';
import { Gauge, Registry } from 'prom-client';
import type { Deps } from './deps.ts';

/**
 * The figures that every process reads alike from the database: queue, statements, insight, backups.
 * @returns their text for Prometheus; without the database only `regie_database_up` is in it
 */
export async function readSharedMetrics({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<string> {
  const registers = [new Registry()];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `regie_${name}`, help, labelNames, registers });
  const up = gauge('database_up', 'Whether the database answered');
  try {
    const queue = await sql<{ task: string; state: string; jobs: number; oldestSeconds: number }>`
      SELECT task, state, jobs, oldest_seconds FROM job_queue()`.execute(db);
    const files = await sql<{ status: string; count: number; oldestSeconds: number }>`
      SELECT status, count(*) AS count, extract(epoch FROM now() - min(created_at))::float8 AS oldest_seconds
        FROM statements GROUP BY status`.execute(db);
    const house = await sql<{ months: number; backupSeconds: number | null }>`
      SELECT (SELECT count(DISTINCT month) FROM insight_marks) AS months,
             (SELECT extract(epoch FROM now() - max(ended_at))::float8 FROM backups WHERE error IS NULL) AS backup_seconds`.execute(
      db,
    );
    const jobs = gauge('jobs', 'Background jobs that are due, run or were given up, by task', ['task', 'state']);
    const oldest = gauge('job_oldest_seconds', 'Since when the oldest of them is due or runs', ['task', 'state']);
    for (const { task, state, ...of } of queue.rows) {
      jobs.set({ task, state }, of.jobs);
      oldest.set({ task, state }, of.oldestSeconds);
    }
    const statements = gauge('statements', 'Statement files by status', ['status']);
    for (const { status, count } of files.rows) statements.set({ status }, count);
    const unread = files.rows.filter(({ status }) => status === 'received' || status === 'reading');
    gauge('statement_oldest_unread_seconds', 'Age of the oldest statement file that is not read yet').set(
      Math.max(0, ...unread.map(({ oldestSeconds }) => oldestSeconds)),
    );
    const { months = 0, backupSeconds = null } = house.rows[0] ?? {};
    gauge('insight_months_waiting', 'Months whose analysis is to be added up again').set(months);
    if (backupSeconds !== null) gauge('backup_age_seconds', 'Since the last backup').set(backupSeconds);
    up.set(1);
  } catch (error) {
    up.set(0);
    log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'the database gave no figures');
  }
  return (registers[0] as Registry).metrics();
}
