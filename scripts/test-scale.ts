import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Compares DuckDB with ClickHouse's engine (docs/decisions/440): chdb, 550 MB, is no dependency. */
const chdb = 'chdb@3.4.0';
const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'node_modules', '.cache', chdb);

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

if (!existsSync(folder)) {
  process.stderr.write('Installation de chdb, 550 Mo, dans node_modules/.cache…\n');
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, 'package.json'), '{ "private": true }\n');
  const options = ['--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await run('npm', ['install', ...options, '--prefix', partial, chdb]);
  if (code !== 0) process.exit(code);
  await rename(partial, folder);
}
process.exitCode = await run(join(root, 'node_modules', '.bin', 'vitest'), ['run', '--project', 'scale'], {
  REGIE_CHDB: folder,
});
