import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJobs } from '#src/jobs.ts';
import { useDatabase } from '#test/database.ts';
import { createDatabase, type Database } from './db.ts';
import { enqueue, type JobPayloads, type Jobs, startWorker } from './jobs.ts';
import { createFolderStorage } from './storage.ts';

const database = useDatabase();
let owner: Database;

beforeAll(() => {
  owner = createDatabase(database.ownerUrl, { max: 3 });
});
afterAll(() => owner.destroy());

const add = <Name extends keyof JobPayloads>(name: Name, payload: JobPayloads[Name]) =>
  owner.transaction().execute((trx) => enqueue(trx, name, payload));

it('sends mail while more statements wait than can be read at once', async () => {
  const reading = new Set<number>();
  const read: number[] = [];
  const mails: string[] = [];
  const held = Promise.withResolvers<void>();
  const jobs: Jobs = {
    ...createJobs({
      sendMail: async ({ to }) => void mails.push(to),
      publicUrl: 'http://localhost',
      storage: createFolderStorage(tmpdir()),
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
