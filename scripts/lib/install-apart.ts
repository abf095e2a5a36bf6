import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');
export const cache = join(root, 'node_modules', '.cache');

/** @returns its exit code */
export async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** Installs packages that are no dependencies, once. @returns their folder; undefined when npm failed */
export async function installApart(packages: readonly string[], size: string): Promise<string | undefined> {
  const folder = join(cache, packages.join('+'));
  if (existsSync(folder)) return folder;
  process.stderr.write(`Installation de ${packages.join(' et ')}, ${size}, dans node_modules/.cache…\n`);
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, 'package.json'), '{ "private": true }\n');
  const options = ['--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error'];
  if ((await run('npm', ['install', ...options, '--prefix', partial, ...packages])) !== 0) return undefined;
  await rename(partial, folder);
  return folder;
}
