import { Gauge, Registry } from 'prom-client';
import { queryRows, queryValue } from './db.ts';
import type { Deps } from './deps.ts';

/** Figures read from the database, as Prometheus text; without the database only `regie_database_up`. */
export async function readSharedMetrics({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<string> {
  const registers = [new Registry()];
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `regie_${name}`, help, labelNames, registers });
  const up = gauge('database_up', 'Whether the database answered');
  try {
    const queue = await queryRows<{ task: string; state: string; jobs: number; oldestSeconds: number }>(db)`
      SELECT task, state, jobs, oldest_seconds FROM job_queue()`;
    const files = await queryRows<{ status: string; count: number; oldestSeconds: number }>(db)`
      SELECT status, count(*) AS count, extract(epoch FROM now() - min(created_at))::float8 AS oldest_seconds
        FROM statements GROUP BY status`;
    const months = await queryValue<number>(db)`SELECT count(DISTINCT month) FROM analytics_marks`;
    const backupSeconds = await queryValue<number | null>(db)`
      SELECT extract(epoch FROM now() - max(ended_at))::float8 FROM backups WHERE error IS NULL`;
    const jobs = gauge('jobs', 'Background jobs that are due, run or were given up, by task', ['task', 'state']);
    const oldest = gauge('job_oldest_seconds', 'Since when the oldest of them is due or runs', ['task', 'state']);
    for (const { task, state, ...of } of queue) {
      jobs.set({ task, state }, of.jobs);
      oldest.set({ task, state }, of.oldestSeconds);
    }
    const statements = gauge('statements', 'Statement files by status', ['status']);
    for (const { status, count } of files) statements.set({ status }, count);
    const unread = files.filter(({ status }) => status === 'received' || status === 'reading');
    gauge('statement_oldest_unread_seconds', 'Age of the oldest statement file that is not read yet').set(
      Math.max(0, ...unread.map(({ oldestSeconds }) => oldestSeconds)),
    );
    gauge('analytics_months_waiting', 'Months whose analysis is to be added up again').set(months);
    if (backupSeconds !== null) gauge('backup_age_seconds', 'Since the last backup').set(backupSeconds);
    up.set(1);
  } catch (error) {
    up.set(0);
    log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'the database gave no figures');
  }
  return (registers[0] as Registry).metrics();
}
