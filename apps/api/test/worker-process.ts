import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { createJobs } from '#src/jobs.ts';
import { createDatabase } from '#src/lib/db.ts';
import { startWorker } from '#src/lib/jobs.ts';
import { createMailer } from '#src/lib/mail.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';

/**
 * A worker for tests that kill it: `node worker-process.ts <owner's database url> [mail server]`. Without a mail server
 * it never finishes sending a mail.
 */
const [ownerUrl = '', smtpUrl] = process.argv.slice(2);
const send = createMailer({ smtpUrl, from: 'Régie <regie@localhost>', dataDir: tmpdir() });
await startWorker({
  ownerUrl,
  jobs: createJobs({
    sendMail: async (message) => {
      process.send?.({ to: message.to });
      await (smtpUrl === undefined ? new Promise(() => undefined) : send(message));
    },
    publicUrl: 'http://localhost',
    sessionSecret: 'secret',
    lettersPerMinute: 60_000,
    lines: createLineStore({ storage: createFolderStorage(tmpdir()), folder: tmpdir() }),
    uploadsDir: tmpdir(),
    ownerUrl,
  }),
  deps: { db: createDatabase(ownerUrl, { max: 4 }), log: pino({ level: 'silent' }) },
});
// Exit with the parent.
process.on('disconnect', () => process.exit(0));
