import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import type { ErrorCode, FieldErrors, ListMeta } from '@regie/contract/envelope.ts';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { runOnce } from 'graphile-worker';
import { sql } from 'kysely';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { buildApp } from '#src/app.ts';
import { createJobs } from '#src/jobs.ts';
import { createDatabase, createPool, type Database } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { toRunnerLogger, toTaskList } from '#src/lib/jobs.ts';
import { createMailer } from '#src/lib/mail.ts';
import { createNotices } from '#src/lib/notices.ts';
import { newToken } from '#src/lib/secrets.ts';
import { progressChannel } from '#src/modules/income/statements/take-lines.service.ts';
import { type TestDatabase, useDatabase } from './database.ts';
import { findUnnamed } from './journal-fields.ts';
import { testLines } from './lines.ts';
import { testOrigin } from './origin.ts';
import { checkRowTypes } from './row-types.ts';

export const testPassword = 'huit faders bleus';
/** A real hash costs more time than the rest of a sign-in; a stored one names its parameters. */
const cheapHash = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export interface TestAdmin {
  id: number;
  email: string;
  capabilities: readonly Capability[];
}

/** A parsed API answer; the test checks `data`. */
export interface Reply {
  status: number;
  code: 'success' | ErrorCode;
  message: string;
  data: unknown;
  errors: FieldErrors;
  csrf: string | undefined;
  meta: (ListMeta & { warnings?: string[] }) | undefined;
  headers: LightMyRequestResponse['headers'];
  cookies: LightMyRequestResponse['cookies'];
  /** The raw bytes of the answer. */
  bytes: Buffer;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';

export interface CallOptions {
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  rawBody?: string | Buffer;
  headers?: Record<string, string>;
  /** The client's address. */
  address?: string;
}

/** A browser: keeps cookies and sends the CSRF token with mutating calls. */
export interface TestClient {
  cookies: Map<string, string>;
  csrf: string | undefined;
  call(method: Method, url: string, options?: CallOptions): Promise<Reply>;
  get(url: string): Promise<Reply>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(url: string, headers?: Record<string, string>): Promise<Reply>;
  /** PUT of a form with one file. `fileName` is not escaped. */
  upload(
    url: string,
    file: { field: string; fileName: string; bytes: Buffer; type?: string },
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** GET /api/auth/check; keeps its token. */
  check(): Promise<Reply>;
}

export interface TestMail {
  to: string;
  subject: string;
  text: string;
}

export interface TestApp {
  database: TestDatabase;
  app: FastifyInstance;
  deps: Deps;
  db: Database;
  /** The owner's login, for set-up the application may not do. */
  owner: Database;
  buildAdmin(options?: { capabilities?: readonly Capability[]; email?: string }): Promise<TestAdmin>;
  /** A signed-out client with a CSRF token. */
  visitor(): Promise<TestClient>;
  signIn(admin: TestAdmin, password?: string): Promise<TestClient>;
  /** A new admin with these capabilities (all by default), signed in. */
  signInWith(capabilities?: readonly Capability[]): Promise<TestClient & { admin: TestAdmin }>;
  /** Puts these admins in the set of signatories. */
  addSignatories(...admins: readonly { id: number }[]): Promise<void>;
  /** Runs the pending jobs and returns the letters they sent. */
  runJobs(options?: { smtpUrl?: string }): Promise<TestMail[]>;
  /** The journal, oldest first. */
  journal(
    action: string,
  ): Promise<
    { adminId: number | null; entityId: string | null; before: unknown; after: unknown; requestId: string | null }[]
  >;
}

/** Builds the whole application on the test file's own database. Usable from `beforeAll` on. */
export function useApp(): TestApp {
  const database = useDatabase();
  let app: FastifyInstance | undefined;
  let deps: Deps | undefined;
  let owner: Database | undefined;
  let dataDir: string | undefined;
  let passwordHash: Promise<string> | undefined;
  let admins = 0;

  const need = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('useApp() works from beforeAll on');
    return value;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'regie-app-'));
    owner = createDatabase(database.ownerUrl, { max: 3 });
    const log = pino({ level: 'silent' });
    deps = {
      db: createDatabase(database.appUrl, { max: 10 }).withPlugin(checkRowTypes(inject('rowTypes'))),
      cookies: { isSecure: false, secret: newToken() },
      publicUrl: testOrigin,
      smartlinkBaseUrl: `${testOrigin}/s/`,
      lettersPerMinute: 60_000,
      storage: testLines.storage,
      lines: testLines,
      uploadsDir: join(dataDir, 'uploads'),
      statementNotices: createNotices(database.appUrl, progressChannel, log),
      log,
    };
    app = await buildApp({ deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
    await app.ready();
  });
  afterAll(async () => {
    // Everything that tests store must have a label in the journal.
    const unnamed = await findUnnamed(need(owner));
    await app?.close();
    await deps?.statementNotices?.close();
    await deps?.db.destroy();
    await owner?.destroy();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
    expect(unnamed, 'missing in packages/contract/src/entities').toEqual([]);
  });

  function createClient(): TestClient {
    const client: TestClient = {
      cookies: new Map(),
      csrf: undefined,
      async call(method, url, { body, rawBody, headers, address } = {}) {
        const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
        const response = await need(app).inject({
          method,
          url,
          cookies: Object.fromEntries(client.cookies),
          ...(address === undefined ? {} : { remoteAddress: address }),
          ...(payload === undefined ? {} : { payload }),
          headers: {
            ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
            ...(method !== 'GET' && client.csrf !== undefined ? { 'x-csrf-token': client.csrf } : {}),
            ...headers,
          },
        });
        for (const cookie of response.cookies) {
          if (cookie.value === '') client.cookies.delete(cookie.name);
          else client.cookies.set(cookie.name, cookie.value);
        }
        const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
        const envelope =
          isJson && response.payload !== ''
            ? response.json<Partial<Omit<Reply, 'status' | 'headers' | 'cookies' | 'bytes'>>>()
            : {};
        return {
          status: response.statusCode,
          code: envelope.code ?? (response.statusCode < 400 ? 'success' : 'server_error'),
          message: envelope.message ?? '',
          data: envelope.data,
          errors: envelope.errors ?? {},
          csrf: envelope.csrf,
          meta: envelope.meta,
          headers: response.headers,
          cookies: response.cookies,
          bytes: response.rawPayload,
        };
      },
      get: (url) => client.call('GET', url),
      post: (url, body, headers) => client.call('POST', url, { body, ...(headers ? { headers } : {}) }),
      put: (url, body, headers) => client.call('PUT', url, { body, ...(headers ? { headers } : {}) }),
      delete: (url, headers) => client.call('DELETE', url, headers ? { headers } : {}),
      upload(url, { field, fileName, bytes, type = 'application/octet-stream' }, headers) {
        const boundary = `----${newToken()}`;
        const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${fileName}"\r\ncontent-type: ${type}\r\n\r\n`;
        return client.call('PUT', url, {
          rawBody: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
        });
      },
      async check() {
        const reply = await client.get('/api/auth/check');
        client.csrf = reply.csrf;
        return reply;
      },
    };
    return client;
  }

  const testApp: TestApp = {
    database,
    get app() {
      return need(app);
    },
    get deps() {
      return need(deps);
    },
    get db() {
      return need(deps).db;
    },
    get owner() {
      return need(owner);
    },
    async buildAdmin({ capabilities = capabilityNames, email } = {}) {
      passwordHash ??= hash(testPassword, cheapHash);
      admins += 1;
      const address = email ?? `admin${admins}@regie.example`;
      const { id } = await need(deps)
        .db.insertInto('admins')
        .values({
          firstName: 'Camille',
          lastName: `Essai ${admins}`,
          email: address,
          passwordHash: await passwordHash,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (capabilities.length > 0) {
        await need(deps)
          .db.insertInto('adminCapabilities')
          .values(capabilities.map((capability) => ({ adminId: id, capability })))
          .execute();
      }
      return { id, email: address, capabilities };
    },
    async visitor() {
      const client = createClient();
      await client.check();
      return client;
    },
    async signIn(admin, password = testPassword) {
      const client = await testApp.visitor();
      const reply = await client.post('/api/auth/signin', { email: admin.email, password });
      if (reply.status !== 200) throw new Error(`sign-in refused: ${reply.status} ${reply.message}`);
      await client.check();
      return client;
    },
    async signInWith(capabilities = capabilityNames) {
      const admin = await testApp.buildAdmin({ capabilities });
      return Object.assign(await testApp.signIn(admin), { admin });
    },
    async addSignatories(...signatories) {
      await need(owner)
        .insertInto('signatories')
        .values(signatories.map(({ id }) => ({ adminId: id })))
        .execute();
    },
    async runJobs({ smtpUrl }: { smtpUrl?: string } = {}) {
      const outbox = join(need(dataDir), 'outbox');
      const sendMail = createMailer({ smtpUrl, from: 'Régie <regie@localhost>', dataDir: need(dataDir) });
      // Repeated: the worker does not wait until the completion of its last job is written, and may skip a job meanwhile.
      for (let round = 0; round < 20; round += 1) {
        if (round > 0) await setTimeout(20 * round);
        // Our own: the worker's pool may still be closing when the test's database is dropped, whose error ends the process.
        const pgPool = createPool(database.ownerUrl, { max: 10 });
        await runOnce({
          pgPool,
          taskList: toTaskList(
            createJobs({
              sendMail,
              publicUrl: testOrigin,
              sessionSecret: need(deps).cookies.secret,
              lettersPerMinute: 60_000,
              lines: need(deps).lines,
              uploadsDir: need(deps).uploadsDir,
              ownerUrl: database.ownerUrl,
            }),
            {
              db: need(owner),
              log: need(deps).log,
            },
          ),
          noHandleSignals: true,
          logger: toRunnerLogger(need(deps).log),
        });
        await pgPool.end();
        const left = await sql`
          SELECT 1 FROM graphile_worker.jobs WHERE locked_at IS NOT NULL OR (run_at <= now() AND attempts = 0)`.execute(
          need(owner),
        );
        if (left.rows.length === 0) break;
      }
      const names = await readdir(outbox).catch(() => []);
      const mails = await Promise.all(
        names.sort().map(async (name) => {
          const mail = await PostalMime.parse(await readFile(join(outbox, name)));
          return { to: mail.to?.[0]?.address ?? '', subject: mail.subject ?? '', text: mail.text ?? '' };
        }),
      );
      await rm(outbox, { recursive: true, force: true });
      return mails;
    },
    journal: (action) =>
      need(deps)
        .db.selectFrom('auditLog')
        .select(['adminId', 'entityId', 'before', 'after', 'requestId'])
        .where('action', '=', action)
        .orderBy('id')
        .execute(),
  };
  return testApp;
}

/** The token in a letter's link. */
export function tokenIn(mail: TestMail | undefined): string {
  const token = /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
  if (!token) throw new Error('no link in this letter');
  return token;
}
