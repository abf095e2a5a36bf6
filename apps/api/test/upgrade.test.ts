// @module-tag slow
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { createDatabase } from '#src/lib/db.ts';
import { isMigrated } from '#src/lib/migrate.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { createLineStore } from '#src/modules/income/lines/lines.service.ts';
import { fileSource, restore, verifyBackup } from '#src/modules/platform/backups/backup.service.ts';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { findReleaseFigures } from './release-figures.ts';
import { databaseUrl, runAsAdmin } from './template.ts';

const releases = join(import.meta.dirname, 'releases');
const keys = { passphrase: undefined, recipients: [], identities: [] };
const { adminUrl, appPassword } = inject('postgres');
let name: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-upgrade-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  name = `test_${randomUUID().replaceAll('-', '')}`;
  await runAsAdmin(adminUrl, `CREATE DATABASE ${name}`);
});
afterEach(() => runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));

const versions = (await readdir(releases)).flatMap((file) => (file.endsWith('.regie') ? [file.slice(0, -6)] : []));

it('there is data of the last release', async () => {
  const changelog = await readFile(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
  const [, last] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? [];
  expect(versions).toContain(last);
});

it.each(versions)(
  'data of version %s is upgraded: same figures, an exact ledger, a database that works',
  async (version) => {
    const source = fileSource(join(releases, `${version}.regie`));
    await verifyBackup(source, keys);
    const ownerUrl = databaseUrl(adminUrl, name);
    // Fills a database at the release's level, then migrates it.
    const filesDir = join(folder, version);
    await restore({ ownerUrl, appPassword, filesDir, source, keys, force: false });
    const lines = createLineStore({ storage: createFolderStorage(filesDir), folder: join(folder, 'lines') });
    expect(await isMigrated(databaseUrl(adminUrl, name, { user: 'regie_app', password: appPassword }))).toBe(true);
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      expect(await findReleaseFigures(db)).toEqual(
        JSON.parse(await readFile(join(releases, `${version}.json`), 'utf8')),
      );
      expect(await verifyLedger(db, lines)).toEqual([]);
      const next = `INSERT INTO accounts (last_name, library_percentile, youtube_percentile) VALUES ('Suivant', 80, 80)`;
      await sql.raw(next).execute(db);
    } finally {
      await db.destroy();
      await lines.close();
    }
  },
);
