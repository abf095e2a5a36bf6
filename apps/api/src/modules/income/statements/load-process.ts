import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { createDatabase } from '#src/lib/db.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { readStatementJob } from './statements.jobs.ts';

/** Reads one statement in a separate process that tests kill: `node load-process.ts <url> <folder> <id>`. */
const [ownerUrl = '', filesDir = '', id = ''] = process.argv.slice(2);
const linesDir = join(filesDir, '..', 'lines');
const db = createDatabase(ownerUrl, { max: 2 });
const read = readStatementJob({
  lines: createLineStore({ storage: createFolderStorage(filesDir), folder: linesDir }),
  ownerUrl,
  thread: { storageUrl: pathToFileURL(filesDir).href, linesDir },
});
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
await read({ statementId: Number(id) }, { db, log: pino({ level: 'silent' }) });
await db.destroy();
process.send?.('read');
process.disconnect();
