import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '#src/app.ts';
import { createDatabase } from '#src/lib/db.ts';
import { growHeapSteadily } from '#src/lib/heap.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { testOrigin } from './origin.ts';

/** The server in a process of its own, to be killed: `node server-process.ts <database url> <secret> [folder of files]`. */
const [appUrl = '', secret = '', dataDir = await mkdtemp(join(tmpdir(), 'regie-server-'))] = process.argv.slice(2);
growHeapSteadily();
const app = await buildApp({
  deps: {
    db: createDatabase(appUrl, { max: 6 }),
    cookies: { isSecure: false, secret },
    publicUrl: testOrigin,
    smartlinkBaseUrl: `${testOrigin}/s/`,
    storage: createFolderStorage(join(dataDir, 'files')),
    uploadsDir: join(dataDir, 'uploads'),
    log: pino({ level: 'silent' }),
  },
  trustProxy: [],
  webDir: undefined,
  metricsToken: undefined,
});
process.send?.({ address: await app.listen({ port: 0, host: '127.0.0.1' }) });
// Without a parent to answer to, there is nothing left to do.
process.on('disconnect', () => process.exit(0));
