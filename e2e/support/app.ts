import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@regie/embedded-postgres/server.ts';

const repositoryRoot = resolve(import.meta.dirname, '..', '..');
const startTimeoutMs = 180_000;
const stopTimeoutMs = 20_000;

/** A developer's environment variables must not reach the tested app. */
const settings = [
  'BACKUP_IDENTITY_FILE',
  'BACKUP_PASSPHRASE_FILE',
  'BACKUP_RECIPIENTS',
  'BACKUP_URL',
  'DATABASE_URL',
  'LOCAL_SIGN_IN',
  'MAIL_FROM',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_ISSUER',
  'OIDC_LABEL',
  'OIDC_PRESETS',
  'OIDC_ROLES_CLAIM',
  'PUBLIC_URL',
  'ROLE',
  'SESSION_SECRET',
  'SMARTLINK_BASE_URL',
  'SMTP_URL',
  'STORAGE_URL',
  'STRIPE_PUBLIC_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'TRUST_PROXY',
];

export type RunningApp = {
  /** Without a trailing slash. */
  url: string;
  /** The demo's first admin, who has every capability. */
  email: string;
  password: string;
  dataDir: string;
  /** Stops the app and removes its data. */
  stop(): Promise<void>;
};

/**
 * Starts the app like `npm start` (embedded PostgreSQL, migrations, demo catalogue, built interface), on a free port
 * with its own data.
 * @throws when it exits or prints nothing for three minutes; the message has its output
 */
export async function startApp(extraEnv: Record<string, string> = {}): Promise<RunningApp> {
  // PostgreSQL does not run as root; its unprivileged user needs access to this folder.
  const dataDir = await mkdtemp(join(tmpdir(), 'regie-e2e-'));
  await chmod(dataDir, 0o755);
  const port = await freePort();
  const password = 'Trois-Faders-2026';
  const child = spawn(process.execPath, ['scripts/start.ts'], {
    cwd: repositoryRoot,
    env: {
      ...environmentWithout(settings),
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      DEMO_PASSWORD: password,
      ...extraEnv,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');

  async function stop(): Promise<void> {
    const hurry = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    child.kill('SIGTERM');
    await closed;
    clearTimeout(hurry);
    await rm(dataDir, { recursive: true, force: true });
  }

  try {
    const { url, email } = await new Promise<{ url: string; email: string }>((done, fail) => {
      const printed: string[] = [];
      let announcedUrl: string | undefined;
      const giveUp = (reason: string) => fail(new Error([reason, ...printed.slice(-40)].join('\n')));
      const timer = setTimeout(() => giveUp('The app did not announce itself in time.'), startTimeoutMs);
      child.once('error', fail);
      child.once('exit', (code, signal) => giveUp(`The app ended with ${code ?? signal} instead of serving.`));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          printed.push(line);
          announcedUrl ??= /^Régie\s?:\s*(\S+)/.exec(line)?.[1];
          const announcedEmail = /^E-mail\s?:\s*(\S+)/.exec(line)?.[1];
          if (!announcedUrl || !announcedEmail) return;
          clearTimeout(timer);
          done({ url: announcedUrl.replace(/\/$/, ''), email: announcedEmail });
        });
      }
    });
    return { url, email, password, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environmentWithout(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)));
}
