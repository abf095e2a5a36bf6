import { join, resolve } from 'node:path';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { fastify } from 'fastify';
import { pino } from 'pino';
import { createClickHouse } from '#src/modules/income/analytics/clickhouse.service.ts';
import { linesDirOf, openLines } from '#src/modules/income/lines/lines.service.ts';
import { progressChannel } from '#src/modules/income/statements/take-lines.service.ts';
import { findBackupFault } from '#src/modules/platform/backups/stored-backups.service.ts';
import { deleteLeftovers } from '#src/modules/platform/files/files.jobs.ts';
import { isWithoutSignatory, type SystemSettings } from '#src/modules/platform/system/system.service.ts';
import { buildApp } from './app.ts';
import type { Env } from './env.ts';
import { createJobs } from './jobs.ts';
import { createDatabase } from './lib/db.ts';
import { registerHealth } from './lib/health.ts';
import { raiseHeapGrowth } from './lib/heap.ts';
import { startWorker } from './lib/jobs.ts';
import { createMailer } from './lib/mail.ts';
import { createNotices } from './lib/notices.ts';
import { createOidc } from './lib/oidc.ts';
import { createStorage, localFolderOf } from './lib/open-storage.ts';
import { deriveAppPassword } from './lib/secrets.ts';
import { createSessionLimits } from './lib/session-limits.ts';
import { startTracing } from './lib/tracing.ts';

export interface RunningServer {
  origin: string;
  close(): Promise<void>;
}

const appConnections = 20;
const ownerConnections = 5;
/** Concurrent players, downloads and event listeners per session. */
const streamsPerSession = 30;
const statementTimeoutMs = 110_000;

/** The owner's URL with the application's login. */
export function appUrl(ownerUrl: string, secret: string): string {
  return appLogin(ownerUrl, deriveAppPassword(secret));
}

export function appLogin(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl);
  url.username = 'regie_app';
  url.password = password;
  return url.href;
}

/** What the system checks look at in this process. */
export function systemSettings(env: Env): SystemSettings {
  const folders = [env.dataDir, localFolderOf(env.storageUrl), env.backup.url && localFolderOf(env.backup.url)];
  return {
    smtpUrl: env.smtpUrl,
    isSending: env.role !== 'web' || env.smtpUrl !== undefined,
    folders: folders.filter((folder) => folder !== undefined),
    backup: env.backup,
  };
}

/**
 * Starts the processes of ROLE on a migrated database.
 * @throws the error of `listen` when the port is in use, after closing everything; StorageUnavailable
 */
export async function startServer(env: Env & { databaseUrl: string; sessionSecret: string }): Promise<RunningServer> {
  raiseHeapGrowth();
  // Synchronous, so that lines stay in order with the commands' output and none is lost on exit.
  const log = pino({ level: env.logLevel, base: null }, pino.destination({ dest: 1, sync: true }));
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  if (env.traceEndpoint !== undefined) closers.push(await startTracing(env.traceEndpoint, env.role));
  const storage = createStorage(env.storageUrl);
  const uploadsDir = join(env.dataDir, 'uploads');
  const lines = openLines(env, storage);
  // The nightly job does this on one machine of several. Not awaited: a folder that cannot be read fails at its use.
  void deleteLeftovers(uploadsDir).catch(() => undefined);
  closers.push(() => lines.close());
  // Fail at startup rather than at the first upload.
  await storage.check();
  try {
    if (env.role !== 'web') {
      const owner = createDatabase(env.databaseUrl, { max: ownerConnections, log });
      closers.push(() => owner.destroy());
      const sendMail = createMailer({ smtpUrl: env.smtpUrl, from: env.mailFrom, dataDir: env.dataDir });
      const runner = await startWorker({
        ownerUrl: env.databaseUrl,
        jobs: createJobs({
          ...env,
          sendMail,
          lines,
          uploadsDir,
          outboxDir: join(env.dataDir, 'outbox'),
          ownerUrl: env.databaseUrl,
          thread: { storageUrl: env.storageUrl, linesDir: linesDirOf(env) },
        }),
        deps: { db: owner, log },
      });
      closers.push(() => runner.stop());
      // Not awaited: an unreachable bucket would delay the start.
      void findBackupFault(env.backup).then((reason) => {
        if (reason !== undefined) log.error({ reason }, 'the nightly backup cannot work');
      });
      if (env.role === 'worker' && env.metricsPort !== undefined) {
        const health = fastify();
        registerHealth(health, { deps: { db: owner, storage, log }, metricsToken: env.metricsToken });
        closers.push(() => health.close());
        await health.listen({ port: env.metricsPort, host: env.host });
      }
    }
    if (env.role !== 'worker') {
      const databaseUrl = appUrl(env.databaseUrl, env.sessionSecret);
      const db = createDatabase(databaseUrl, { max: appConnections, statementTimeoutMs, log });
      closers.push(() => db.destroy());
      if (await isWithoutSignatory(db)) log.error({ reason: signatureMessages.none(true) }, 'nobody may sign');
      const statementNotices = createNotices(databaseUrl, progressChannel, log);
      closers.push(() => statementNotices.close());
      const analytics = env.analytics && createClickHouse(env.analytics, storage);
      closers.push(async () => analytics?.close());
      const app = await buildApp({
        ...env,
        deps: {
          db,
          cookies: { isSecure: env.publicUrl.startsWith('https:'), secret: env.sessionSecret },
          publicUrl: env.publicUrl,
          smartlinkBaseUrl: env.smartlinkBaseUrl,
          lettersPerMinute: env.lettersPerMinute,
          storage,
          lines,
          ...(analytics && { analytics }),
          uploadsDir,
          statementNotices,
          ...(env.oidc && { oidc: createOidc(env.oidc, { publicUrl: env.publicUrl, log }) }),
          isLocalSignInClosed: env.isLocalSignInClosed,
          // The SDK is large.
          ...(env.stripe && {
            cards: (await import('./lib/card-payments.ts')).createCardPayments(env.stripe, { log }),
          }),
          sessionLimits: createSessionLimits(db, { ...env, streams: streamsPerSession }),
          system: systemSettings(env),
          log,
        },
        webDir: resolve(import.meta.dirname, '../../web/dist'),
        databaseUrl,
      });
      closers.push(() => app.close());
      await app.listen({ port: env.port, host: env.host });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { origin: env.publicUrl, close };
}
