import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from '#src/lib/db.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { backUp, fileSource, fileTarget, restore } from '#src/modules/backups/backup.service.ts';
import { createLineStore } from '#src/modules/statements/lines.service.ts';
import type { TestApp } from './app.ts';
import type { TestDatabase } from './database.ts';

/** Backs up the database and files of `app` and restores them into `target`, whose content is replaced. */
export async function restoreElsewhere(app: TestApp, target: TestDatabase) {
  const folder = await mkdtemp(join(tmpdir(), 'regie-elsewhere-'));
  const file = join(folder, 'backup');
  const filesDir = join(folder, 'files');
  const keys = { passphrase: undefined, recipients: [], identities: [] };
  const { folder: ownFiles = '' } = app.deps.lines.storage;
  await backUp({ ownerUrl: app.database.ownerUrl, filesDir: ownFiles, target: fileTarget(file), keys });
  const { appPassword } = inject('postgres');
  await restore({ ownerUrl: target.ownerUrl, appPassword, filesDir, source: fileSource(file), keys, force: true });
  const owner = createDatabase(target.ownerUrl, { max: 3 });
  const lines = createLineStore({ storage: createFolderStorage(filesDir), folder: join(folder, 'work') });
  return {
    owner,
    lines,
    async [Symbol.asyncDispose]() {
      await owner.destroy();
      await lines.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
