import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buildApp } from '@regie/api/app.ts';
import { writeAudit } from '@regie/api/lib/audit.ts';
import { findCoverKey, thumbnailKey } from '@regie/api/lib/cover-keys.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { raiseHeapGrowth } from '@regie/api/lib/heap.ts';
import { fileRoute, registerRoute, route } from '@regie/api/lib/route.ts';
import { findSession, isCsrfTokenValid } from '@regie/api/lib/session.ts';
import { createSessionLimits } from '@regie/api/lib/session-limits.ts';
import { createFolderStorage, newStorageKey } from '@regie/api/lib/storage.ts';
import { appUrl } from '@regie/api/main.ts';
import { createLineStore } from '@regie/api/modules/income/lines/lines.service.ts';
import { maxAudioBytes } from '@regie/contract/audio.ts';
import { defineRoute } from '@regie/contract/route.ts';
import { PayoutRequestForm } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { z } from '@regie/contract/zod.ts';
import { sql } from 'kysely';
import { pino } from 'pino';
import { writePayoutRows } from './payouts.ts';

/**
 * A server in its own process with one extra route that only runs `select 1` after the same session check: the baseline
 * for lists.
 */
const [ownerUrl = '', secret = '', givenFilesDir = ''] = process.argv.slice(2);
raiseHeapGrowth();
const db = createDatabase(appUrl(ownerUrl, secret), { max: 12 });
const dataDir = await mkdtemp(join(tmpdir(), 'regie-bench-files-'));
const filesDir = givenFilesDir || join(dataDir, 'files');
// A static folder, served like the interface.
const webDir = join(dataDir, 'web');
await mkdir(webDir);
await writeFile(join(webDir, 'index.html'), '');
const storage = createFolderStorage(filesDir);
const deps = {
  db,
  cookies: { isSecure: false, secret },
  lettersPerMinute: 60,
  publicUrl: 'http://localhost:0',
  smartlinkBaseUrl: 'http://localhost:0/s/',
  storage,
  lines: createLineStore({ storage, folder: join(dataDir, 'uploads', 'lines') }),
  uploadsDir: join(dataDir, 'uploads'),
  // All measurements share one session.
  sessionLimits: createSessionLimits(db, { requestsPerMinute: 1e8, streams: 1000, uploadBytesPerDay: 1e12 }),
  // Written as in production, to nowhere.
  log: pino({ base: null }, pino.destination({ dest: '/dev/null', sync: true })),
};
const app = await buildApp({ deps, trustProxy: [], webDir, metricsToken: undefined });
/** The floor. */
const selectOne = defineRoute('GET /bench/select-one', routes.listReports.capability, {
  response: z.object({ one: z.number() }),
});
registerRoute(
  app,
  deps,
  route(selectOne, async (_input, pool) => {
    const { rows } = await sql<{ one: number }>`SELECT 1 AS one`.execute(pool);
    return { data: { one: rows[0]?.one ?? 0 } };
  }),
);
/** The floor of a cover picture: its bytes, read at each call. */
const pictureFromDisk = defineRoute('GET /bench/picture/:key', 'session', {
  params: z.object({ key: z.string() }),
  isFile: true,
});
registerRoute(
  app,
  deps,
  fileRoute(pictureFromDisk, async ({ params }) => {
    const content = await readFile(join(filesDir, thumbnailKey(findCoverKey(params.key) ?? '', 365)));
    return { content, sizeBytes: content.length, contentType: 'image/webp', etag: `"${params.key}"` };
  }),
);
/** The floor of a payout request: its rows, and nothing looked at before. */
const barePayout = defineRoute('POST /bench/payout', routes.requestPayout.capability, {
  body: PayoutRequestForm,
  response: z.object({ payoutId: z.number() }),
});
registerRoute(
  app,
  deps,
  route(barePayout, async ({ body, caller }, trx) => {
    const payoutId = await writePayoutRows(trx, { ...body, adminId: caller.adminId });
    await writeAudit(trx, caller, { action: 'payout.request', entityId: payoutId, after: body });
    return { data: { payoutId } };
  }),
);
// The minimum work for a file: session check and streaming to the same storage.
await app.register(async (scope) => {
  scope.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body));
  scope.put<{ Body: Readable }>('/api/bench/store', { bodyLimit: maxAudioBytes }, async (request, reply) => {
    const session = await findSession(db, deps.cookies, request);
    if (!session || !isCsrfTokenValid(deps.cookies, session, request)) return reply.code(401).send();
    await deps.storage.put(newStorageKey('audio', 'wav'), request.body, Number(request.headers['content-length']));
    return {};
  });
  scope.put<{ Body: Readable }>('/api/bench/page', async (request) => {
    await writeFile(join(webDir, 'page.html'), request.body);
    return {};
  });
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ address });
process.on('disconnect', () => {
  void app.close().then(() => Promise.all([db.destroy(), rm(dataDir, { recursive: true })]));
});
