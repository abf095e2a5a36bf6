import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJobs } from '#src/jobs.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { useDatabase } from '#test/database.ts';
import { createDatabase, type Database } from './db.ts';
import { enqueue, type JobPayloads, type Jobs, startWorker, toRunnerLogger } from './jobs.ts';
import { createFolderStorage } from './storage.ts';

const database = useDatabase();
let owner: Database;

beforeAll(() => {
  owner = createDatabase(database.ownerUrl, { max: 3 });
});
afterAll(() => owner.destroy());

const add = <Name extends keyof JobPayloads>(name: Name, payload: JobPayloads[Name]) =>
  owner.transaction().execute((trx) => enqueue(trx, name, payload));

it('sends mail while more statements are queued than can be read at once', async () => {
  const reading = new Set<number>();
  const read: number[] = [];
  const mails: string[] = [];
  const held = Promise.withResolvers<void>();
  const jobs: Jobs = {
    ...createJobs({
      sendMail: async ({ to }) => void mails.push(to),
      publicUrl: 'http://localhost',
      sessionSecret: '',
      lettersPerMinute: 60,
      lines: createLineStore({ storage: createFolderStorage(tmpdir()), folder: tmpdir() }),
      uploadsDir: tmpdir(),
      ownerUrl: database.ownerUrl,
    }),
    read_statement: async ({ statementId }) => {
      reading.add(statementId);
      await held.promise;
      read.push(statementId);
    },
  };
  const worker = await startWorker({
    ownerUrl: database.ownerUrl,
    jobs,
    deps: { db: owner, log: pino({ level: 'silent' }) },
  });
  try {
    for (const statementId of [1, 2, 3, 4, 5]) await add('read_statement', { statementId });
    await expect.poll(() => reading.size).toBe(2);
    await add('send_mail', { to: 'camille@regie.example', subject: 'x', text: 'x' });
    await expect.poll(() => mails).toEqual(['camille@regie.example']);
    expect(read).toEqual([]);
    held.resolve();
    await expect.poll(() => read.toSorted()).toEqual([1, 2, 3, 4, 5]);
  } finally {
    held.resolve();
    await worker.stop();
  }
});

it('resumes mail of a killed worker, and not the jobs of a running worker', { tags: ['slow'] }, async () => {
  const start = async (...addresses: string[]) => {
    const child = fork(new URL('../../test/worker-process.ts', import.meta.url), [database.ownerUrl]);
    const taken: unknown[] = [];
    child.on('message', (message) => taken.push(message));
    for (const to of addresses) await add('send_mail', { to, subject: 'x', text: 'x' });
    await expect.poll(() => taken.length, { timeout: 30_000 }).toBe(addresses.length);
    return child;
  };
  const killed = await start('perdu@regie.example');
  const ended = once(killed, 'exit');
  killed.kill('SIGKILL');
  await ended;
  // It is busy with two, so the released jobs go to the next worker.
  const living = await start('en-cours@regie.example', 'aussi@regie.example');
  // Backdates both locks: recently locked jobs are never released.
  await sql`UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '1 minute' WHERE locked_at IS NOT NULL`.execute(
    owner,
  );
  const mails: string[] = [];
  const worker = await startWorker({
    ownerUrl: database.ownerUrl,
    jobs: createJobs({
      sendMail: async ({ to }) => void mails.push(to),
      publicUrl: 'http://localhost',
      sessionSecret: '',
      lettersPerMinute: 60,
      lines: createLineStore({ storage: createFolderStorage(tmpdir()), folder: tmpdir() }),
      uploadsDir: tmpdir(),
      ownerUrl: database.ownerUrl,
    }),
    deps: { db: owner, log: pino({ level: 'silent' }) },
  });
  try {
    await expect.poll(() => mails, { timeout: 30_000 }).toEqual(['perdu@regie.example']);
    const countHeld = async () => {
      const { rows } =
        await sql`SELECT FROM graphile_worker.jobs WHERE locked_by IS NOT NULL AND task_identifier = 'send_mail'`.execute(
          owner,
        );
      return rows.length;
    };
    // The sent mail's job ends a moment later.
    await expect.poll(countHeld).toBe(2);
    expect(mails).toHaveLength(1);
  } finally {
    await worker.stop();
    const gone = once(living, 'exit');
    living.kill('SIGKILL');
    await gone;
  }
});

it("the runner's messages include the error of a job, unless it may quote an address", () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const logger = toRunnerLogger(log);
  logger.error("Failed task 9 (back_up, 12.00ms, attempt 1 of 1) with error 'EROFS: read-only file system'");
  logger.error("Failed task 8 (send_mail, 12.00ms, attempt 1 of 25) with error '550 zoe@exemple.fr unknown'");
  expect(lines).toEqual([
    "Failed task 9 (back_up, 12.00ms, attempt 1 of 1) with error 'EROFS: read-only file system'",
    'Failed task 8 (send_mail, 12.00ms, attempt 1 of 25) with an error',
  ]);
});
