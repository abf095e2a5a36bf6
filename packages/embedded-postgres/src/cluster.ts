import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError, type Place } from './place.ts';

/** Creates and checks the cluster. */

export const role = 'regie';

export const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password');

export async function readOrCreatePassword(dataDir: string, place: Place): Promise<string> {
  const file = passwordFile(dataDir);
  const stored = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (stored.trim() !== '') return stored.trim();
  if (existsSync(join(place.clusterDir, 'PG_VERSION'))) {
    throw new EmbeddedPostgresError(
      `Le mot de passe de la base manque (${file})\u00A0: remettez ce fichier en place, ou restaurez une sauvegarde dans un dossier DATA_DIR vide.`,
    );
  }
  const password = randomBytes(24).toString('hex');
  const draft = `${file}.${process.pid}`;
  await fs.writeFile(draft, `${password}\n`, { mode: 0o600, flush: true });
  await fs.rename(draft, file);
  return password;
}

/** Creates the cluster under a temporary name and renames it, so that an interrupted initdb leaves no partial one. */
export async function createCluster(place: Place, password: string, noSync: boolean): Promise<void> {
  const parent = dirname(place.clusterDir);
  for (const name of await fs.readdir(parent)) {
    if (name.startsWith('postgres.new-')) await fs.rm(join(parent, name), { recursive: true, force: true });
  }
  const draft = await fs.mkdtemp(join(parent, 'postgres.new-'));
  const passwordCopy = join(draft, 'password');
  const cluster = join(draft, 'cluster');
  await fs.writeFile(passwordCopy, password, { mode: 0o600 });
  await fs.mkdir(cluster, { mode: 0o700 });
  if (place.identity !== undefined) {
    for (const path of [draft, passwordCopy, cluster]) await fs.chown(path, place.identity.uid, place.identity.gid);
  }
  // With the character type C, pg_trgm treats accented letters as separators. Older versions of macOS have no C.UTF-8.
  const characterType = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const first = runInitdb(place, cluster, passwordCopy, characterType, noSync);
  const result =
    first.failed && /locale/i.test(first.output) ? runInitdb(place, cluster, passwordCopy, 'C', noSync) : first;
  if (result.failed) {
    await fs.rm(draft, { recursive: true, force: true });
    throw new EmbeddedPostgresError(
      `La base de données n'a pas pu être créée (initdb)\u00A0:\n${lastLines(result.output)}`,
    );
  }
  await fs.rename(cluster, place.clusterDir);
  await fs.rm(draft, { recursive: true, force: true });
}

const runInitdb = (place: Place, cluster: string, passwordCopy: string, characterType: string, noSync: boolean) =>
  runProgram(place, 'initdb', [
    `--pgdata=${cluster}`,
    `--username=${role}`,
    `--pwfile=${passwordCopy}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    `--lc-ctype=${characterType}`,
    '--locale-provider=icu',
    '--icu-locale=fr-FR',
    ...(noSync ? ['--no-sync'] : []),
  ]);

function runProgram({ nativeDir, identity }: Place, name: string, args: string[]) {
  const { status, stdout, stderr, error } = spawnSync(join(nativeDir, 'bin', name), args, {
    ...identity,
    cwd: '/',
    env: serverEnvironment(),
    encoding: 'utf8',
  });
  return { failed: status !== 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` };
}

export async function assertSameVersion(place: Place): Promise<void> {
  const cluster = (await fs.readFile(join(place.clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const { output } = runProgram(place, 'postgres', ['--version']);
  const programs = /^postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (programs === undefined) {
    throw new EmbeddedPostgresError(`PostgreSQL ne s'exécute pas sur cette machine\u00A0:\n${lastLines(output)}`);
  }
  if (programs !== cluster) {
    throw new EmbeddedPostgresError(
      `La base a été créée par PostgreSQL ${cluster}, le programme est en version ${programs}\u00A0: ` +
        'sauvegardez avec la version précédente de Régie, puis restaurez dans un dossier DATA_DIR vide.',
    );
  }
}

/** The caller's PG* variables and locale must not affect the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: undefined, LANG: 'C', TZ: 'UTC' };
}

export function lastLines(text: string): string {
  return text
    .trim()
    .split('\n')
    .slice(-12)
    .map((line) => `  ${line}`)
    .join('\n');
}
