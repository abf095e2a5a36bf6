// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

type Started = {
  child: ChildProcess;
  text: () => string;
  exit: Promise<number | null>;
  until: (text: string) => Promise<void>;
};

const children: ChildProcess[] = [];
let dataDir: string;
let port: number;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'regie-start-'));
  await chmod(dataDir, 0o755);
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  probe.close();
  await once(probe, 'close');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  const exit = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null));
  const until = (wanted: string) =>
    new Promise<void>((done, fail) => {
      const look = () => {
        if (text.includes(wanted)) done();
      };
      child.stdout.on('data', look);
      void exit.then(() => fail(new Error(`ended before « ${wanted} »:\n${text}`)));
      look();
    });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').prependListener('data', (part: string) => {
      text += part;
    });
  }
  return { child, text: () => text, exit, until };
}

async function processesIn(folder: string): Promise<number> {
  const cluster = await realpath(join(folder, 'postgres'));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return folders.filter((cwd) => cwd === cluster).length;
}

async function signIn(email: string, password: string): Promise<number> {
  const origin = `http://localhost:${port}`;
  const check = await fetch(`http://127.0.0.1:${port}/api/auth/check`);
  const { csrf }: { csrf: string } = JSON.parse(await check.text());
  const cookie = check.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const answer = await fetch(`http://127.0.0.1:${port}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf, origin, cookie },
    body: JSON.stringify({ email, password }),
  });
  return answer.status;
}

// The demo is created twice.
const fullCycleTimeoutMs = 300_000;

test(
  'a start killed while creating the demo leaves no partial data; the next one serves it and stops cleanly',
  async () => {
    const first = start();
    await first.until('Création du catalogue de démonstration');
    first.child.kill('SIGKILL');
    await first.exit;

    const second = start();
    await second.until('Mot de passe: ');
    const found = /Régie: http:\/\/localhost:(\d+)\nE-mail: (.+)\nMot de passe: (.+)\n$/.exec(second.text());
    expect(found?.[1]).toBe(String(port));
    expect(second.text()).toContain('Création du catalogue de démonstration');
    expect(await signIn(found?.[2] ?? '', found?.[3] ?? '')).toBe(200);

    const third = start({ PORT: '0' });
    expect(await third.exit).toBe(1);
    expect(third.text()).toContain('Régie est déjà en marche sur ces données');

    second.child.kill('SIGTERM');
    expect(await second.exit).toBe(0);
    expect(await processesIn(dataDir)).toBe(0);

    const again = start({ DEMO_PASSWORD: 'Chanterelle-bleue' });
    await again.until('Mot de passe: Chanterelle-bleue\n');
    expect(again.text()).not.toContain('catalogue');
    expect(await signIn(found?.[2] ?? '', 'Chanterelle-bleue')).toBe(200);
    again.child.kill('SIGINT');
    expect(await again.exit).toBe(0);
  },
  fullCycleTimeoutMs,
);

test('a port in use is reported in French, and PostgreSQL is stopped', async () => {
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  const started = start();
  expect(await started.exit).toBe(1);
  expect(started.text()).toBe(
    `Le port ${port} est déjà pris par un autre programme\u00A0: arrêtez-le, ou choisissez un autre port, par exemple PORT=${port + 1}.\n`,
  );
  taken.close();
  expect(await readdir(dataDir)).toEqual([]);
});

test('DATABASE_URL requires npm run serve, and every invalid variable is reported', async () => {
  const production = start({ DATABASE_URL: 'postgres://regie@127.0.0.1:1/regie' });
  expect(await production.exit).toBe(1);
  expect(production.text()).toContain('npm run serve');

  const malformed = start({ PORT: 'abc', ROLE: 'cook' });
  expect(await malformed.exit).toBe(1);
  expect(malformed.text().trim().split('\n')).toHaveLength(2);
  expect(malformed.text()).toMatch(/PORT.*\n.*ROLE/);
});
