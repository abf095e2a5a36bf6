import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CommandError, runCommand, say } from './lib/cli.ts';

const root = resolve(import.meta.dirname, '..');
const comingHeading = '## À venir\n';

/**
 * One version in every package.json and compose.yaml, what comes next in CHANGELOG.md under its number, a commit and a
 * tag; in `release/` the notes with the commits, and a bill of materials (CycloneDX). Nothing is pushed.
 */
await runCommand(async () => {
  const [version, ...others] = process.argv.slice(2);
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version) || others.length > 0) {
    throw new CommandError('Indiquez la version\u00A0: npm run release -- 0.3.0');
  }
  const tag = `v${version}`;
  if (run('git', ['status', '--porcelain']) !== '') {
    throw new CommandError('Des modifications ne sont pas enregistrées dans git\u00A0: rien n’est publié.');
  }
  if (run('git', ['tag', '--list', tag]) !== '') throw new CommandError(`La version ${version} existe déjà.`);
  const { version: present } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  if (present.localeCompare(version, 'en', { numeric: true }) > 0) {
    throw new CommandError(`La version présente est déjà ${present}.`);
  }
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const [before, after] = changelog.split(comingHeading);
  const changes = after?.slice(0, after.search(/^## /m)).trim();
  if (before === undefined || after === undefined || !changes) {
    throw new CommandError('CHANGELOG.md n’a rien sous « À venir »\u00A0: dites ce que la version change.');
  }
  if (!existsSync(join(root, `apps/api/test/releases/${version}.regie`))) {
    throw new CommandError(
      `Gardez d’abord les données de cette version, qu’essaient les mises à jour suivantes\u00A0: npm run release:data -- ${version}`,
    );
  }

  const last = run('git', ['tag', '--list', 'v*', '--sort=-version:refname']).split('\n')[0];
  const commits = run('git', ['log', '--no-merges', '--format=- %s (%h)', last ? `${last}..HEAD` : 'HEAD']);
  await writeVersion(version);
  const compose = await readFile(join(root, 'compose.yaml'), 'utf8');
  await writeFile(join(root, 'compose.yaml'), compose.replace(/(image: regie:)\S+/, `$1${version}`));
  const day = new Date().toISOString().slice(0, 10);
  await writeFile(join(root, 'CHANGELOG.md'), `${before}${comingHeading}\n## ${version} (${day})\n${after}`);
  const materials = run('npm', [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--package-lock-only',
  ]);
  await mkdir(join(root, 'release'), { recursive: true });
  await writeFile(join(root, 'release', `regie-${version}.cdx.json`), `${materials}\n`);
  await writeFile(
    join(root, 'release', `regie-${version}.md`),
    `# Régie ${version}\n\n${changes}\n\n## Commits\n\n${commits}\n`,
  );
  run('git', ['commit', '--all', `--message=Release ${version}`]);
  run('git', ['tag', '--annotate', tag, `--message=Régie ${version}`]);
  say(`Version ${version}\u00A0: étiquette ${tag}, notes et composants dans release/.`);
  say(`Pour la publier\u00A0: git push --follow-tags`);
});

/** Into every package.json of ours, and the lock file's entries for them. */
async function writeVersion(version: string): Promise<void> {
  const manifests = run('git', ['ls-files', 'package.json', 'apps/*/package.json', 'packages/*/package.json']).split(
    '\n',
  );
  for (const path of manifests) await editJson(path, (manifest) => Object.assign(manifest, { version }));
  await editJson('package-lock.json', (lock: { version: string; packages: Record<string, { version: string }> }) => {
    lock.version = version;
    for (const path of manifests)
      Object.assign(lock.packages[dirname(path) === '.' ? '' : dirname(path)] ?? {}, { version });
  });
}

async function editJson<Content extends object>(path: string, edit: (content: Content) => void): Promise<void> {
  const content: Content = JSON.parse(await readFile(join(root, path), 'utf8'));
  edit(content);
  await writeFile(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
}

/** @throws CommandError with what the program said when it fails */
function run(program: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new CommandError(`${program} ${args[0]} a échoué\u00A0:\n${error?.message ?? stderr}`);
  return stdout.trim();
}
