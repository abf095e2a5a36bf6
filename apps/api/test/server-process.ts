import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '#src/app.ts';
import { createDatabase } from '#src/lib/db.ts';
import { raiseHeapGrowth } from '#src/lib/heap.ts';
import { createStorage } from '#src/lib/open-storage.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { testOrigin } from './origin.ts';

/**
 * A server in its own process for tests that kill it: `node server-process.ts <database url> <secret> [data folder]
 * [URL of the files]`.
 */
const [appUrl = '', secret = '', dataDir = await mkdtemp(join(tmpdir(), 'regie-server-')), storageUrl] =
  process.argv.slice(2);
raiseHeapGrowth();
const storage = storageUrl === undefined ? createFolderStorage(join(dataDir, 'files')) : createStorage(storageUrl);
const uploadsDir = join(dataDir, 'uploads');
const app = await buildApp({
  deps: {
    db: createDatabase(appUrl, { max: 6 }),
    cookies: { isSecure: false, secret },
    publicUrl: testOrigin,
    smartlinkBaseUrl: `${testOrigin}/s/`,
    lettersPerMinute: 60,
    storage,
    lines: createLineStore({ storage, folder: join(uploadsDir, 'lines') }),
    uploadsDir,
    log: pino({ level: 'silent' }),
  },
  trustProxy: [],
  webDir: undefined,
  metricsToken: undefined,
});
process.send?.({ address: await app.listen({ port: 0, host: '127.0.0.1' }) });
// Exit with the parent.
process.on('disconnect', () => process.exit(0));
