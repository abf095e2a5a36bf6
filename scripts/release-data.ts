import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { backUp, fileTarget } from '@regie/api/modules/platform/backups/backup.service.ts';
import { findReleaseFigures } from '@regie/api/test/release-figures.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withNewDatabase } from './lib/with-database.ts';

const folder = resolve(import.meta.dirname, '../apps/api/test/releases');

/** Keeps the demo's rows as this version stores them: the upgrade test of later versions restores them. */
await runCommand(async () => {
  const [version, ...others] = process.argv.slice(2);
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version) || others.length > 0) {
    throw new CommandError('Indiquez la version\u00A0: npm run release:data -- 0.3.0');
  }
  const target = fileTarget(join(folder, `${version}.regie`));
  await withNewDatabase(async (ownerUrl, data) => {
    const filesDir = join(data, 'files');
    await loadDemo({ ownerUrl, storage: createStorage(pathToFileURL(filesDir).href), scale: 1, log: say });
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      const figures = await findReleaseFigures(db);
      await writeFile(join(folder, `${version}.json`), `${JSON.stringify(figures, null, 2)}\n`);
    } finally {
      await db.destroy();
    }
    // Of the files, the lines of statements are figures too; covers and audio would make the release's data large.
    for (const name of await readdir(filesDir))
      if (name !== 'lines') await rm(join(filesDir, name), { recursive: true });
    await backUp({ ownerUrl, filesDir, target, keys: { passphrase: undefined, recipients: [], identities: [] } });
  });
  say(`Données de la version ${version} gardées\u00A0: ${target.name}`);
});
