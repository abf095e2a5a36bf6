import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { createJobs } from '#src/jobs.ts';
import { createDatabase } from '#src/lib/db.ts';
import { startWorker } from '#src/lib/jobs.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';

/**
 * A worker that never finishes sending a mail, for tests that kill it: `node worker-process.ts <owner's database url>`.
 */
const [ownerUrl = ''] = process.argv.slice(2);
await startWorker({
  ownerUrl,
  jobs: createJobs({
    sendMail: async ({ to }) => {
      process.send?.({ to });
      await new Promise(() => undefined);
    },
    publicUrl: 'http://localhost',
    lines: createLineStore({ storage: createFolderStorage(tmpdir()), folder: tmpdir() }),
    uploadsDir: tmpdir(),
    ownerUrl,
  }),
  deps: { db: createDatabase(ownerUrl, { max: 2 }), log: pino({ level: 'silent' }) },
});
// Exit with the parent.
process.on('disconnect', () => process.exit(0));
