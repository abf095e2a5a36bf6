// @module-tag slow
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const call = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
let copy: string;
const git = async (...args: string[]) => (await call('git', args, { cwd: copy })).stdout.trim();
const release = (version: string) => call(process.execPath, ['scripts/release.ts', version], { cwd: copy });
const readJson = async (path: string) => JSON.parse(await readFile(join(copy, path), 'utf8'));

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'regie-release-'));
  const { stdout } = await call(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '*package.json',
      'package-lock.json',
      'scripts',
      'apps/api/src',
      'packages',
      'CHANGELOG.md',
      'compose.yaml',
      '.gitignore',
    ],
    { cwd: root },
  );
  for (const path of stdout.trim().split('\n')) await cp(join(root, path), join(copy, path));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await mkdir(join(copy, 'apps/api/test/releases'), { recursive: true });
  await writeFile(join(copy, 'apps/api/test/releases/97.0.0.regie'), '');
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.org');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=Begin');
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('every package has the version of package.json', async () => {
  const { workspaces, version } = await readJson('package.json');
  expect(workspaces).toEqual(['apps/*', 'packages/*']);
  const paths = (await git('ls-files', 'apps/*package.json', 'packages/*package.json')).split('\n');
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) expect([path, (await readJson(path)).version]).toEqual([path, version]);
});

test('a release has one version, a tag, notes and its components', async () => {
  await expect(release('96.0.0')).rejects.toThrow('npm run release:data -- 96.0.0');
  await release('97.0.0');
  expect((await readJson('package.json')).version).toBe('97.0.0');
  expect((await readJson('apps/api/package.json')).version).toBe('97.0.0');
  expect((await readJson('package-lock.json')).packages['apps/api'].version).toBe('97.0.0');
  expect(await readFile(join(copy, 'compose.yaml'), 'utf8')).toContain('image: regie:97.0.0\n');
  expect(await git('log', '-1', '--format=%s %D')).toMatch(/^Release 97\.0\.0 .*tag: v97\.0\.0/);
  expect(await git('status', '--porcelain')).toBe('');
  expect(await readFile(join(copy, 'CHANGELOG.md'), 'utf8')).toMatch(
    /## À venir\n\n## 97\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n- /,
  );
  expect(await readFile(join(copy, 'release/regie-97.0.0.md'), 'utf8')).toContain('- Begin (');
  const materials = await readJson('release/regie-97.0.0.cdx.json');
  expect(materials).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: '97.0.0' } } });
  const names = materials.components.map(({ name }: { name: string }) => name);
  expect(names).toContain('fastify');
  expect(names).not.toContain('vitest');

  // Nothing new to say, the same version, an older one.
  await expect(release('98.0.0')).rejects.toThrow('rien sous « À venir »');
  await expect(release('97.0.0')).rejects.toThrow('existe déjà');
  await expect(release('96.0.0')).rejects.toThrow('La version présente est déjà 97.0.0');
});
