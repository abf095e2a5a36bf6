import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Dirent, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { waitForLock } from '@regie/embedded-postgres/folder-lock.mjs';
import { CommandError } from './cli.ts';

const root = join(import.meta.dirname, '..', '..');
const webDir = join(root, 'apps', 'web');
const distDir = join(webDir, 'dist');
const marker = '.regie-build';
const sources = ['apps/web', 'packages/contract', 'packages/documents', 'packages/values', 'package-lock.json'];
const notSources = new Set(['node_modules', 'dist']);

/** Builds the interface when its sources have changed since the last build. Two processes may call it at once. */
export async function buildWebIfChanged(log: (line: string) => void): Promise<void> {
  const hash = await hashSources();
  if ((await builtFrom()) === hash) return;
  const cacheDir = join(root, '.cache');
  const lock = await waitForLock(join(cacheDir, 'web-build.lock'));
  try {
    if ((await builtFrom()) === hash) return;
    log("Construction de l'interface…");
    for (const name of await fs.readdir(cacheDir)) {
      if (name.startsWith('web-dist-')) await fs.rm(join(cacheDir, name), { recursive: true, force: true });
    }
    const draft = `web-dist-${process.pid}`;
    await runVite(['build', '--outDir', `../../.cache/${draft}`, '--emptyOutDir', '--logLevel', 'error']);
    await fs.writeFile(join(cacheDir, draft, marker), hash);
    // Replaced by one rename: an interrupted build keeps the former one, and a running server always has files.
    if (existsSync(distDir)) await fs.rename(distDir, join(cacheDir, `${draft}-former`));
    await fs.rename(join(cacheDir, draft), distDir);
    await fs.rm(join(cacheDir, `${draft}-former`), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}

async function builtFrom(): Promise<string | undefined> {
  return await fs.readFile(join(distDir, marker), 'utf8').catch(() => undefined);
}

async function hashSources(): Promise<string> {
  const files = (await Promise.all(sources.map((source) => listFiles(join(root, source))))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files) {
    const content = await fs.readFile(file);
    hash.update(`${file.slice(root.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function listFiles(path: string): Promise<string[]> {
  if ((await fs.stat(path)).isFile()) return [path];
  const entries = await fs.readdir(path, { withFileTypes: true });
  const isSource = (entry: Dirent) =>
    !notSources.has(entry.name) && !entry.isSymbolicLink() && !/\.test\.tsx?$/.test(entry.name);
  const lists = await Promise.all(entries.filter(isSource).map((entry) => listFiles(join(path, entry.name))));
  return lists.flat();
}

/** In its own process, to use the second core while the database is prepared. */
async function runVite(arguments_: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), ...arguments_], {
    cwd: webDir,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopChild = () => child.kill();
  process.once('exit', stopChild);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const [code] = await once(child, 'close');
  process.removeListener('exit', stopChild);
  if (code !== 0) {
    const detail = output.join('').trim().split('\n').slice(-30);
    throw new CommandError(
      ["L'interface n'a pas pu être construite (vite build)\u00A0:", ...detail.map((line) => `  ${line}`)].join('\n'),
    );
  }
}
