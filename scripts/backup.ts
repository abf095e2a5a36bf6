import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { isEncrypting, readBackupKeys } from '@regie/api/lib/backup-encryption.ts';
import { localFolderOf } from '@regie/api/lib/open-storage.ts';
import { fileTarget, verifyBackup } from '@regie/api/modules/platform/backups/backup.service.ts';
import {
  backUpAndRecord,
  backUpToStore,
  listStoredBackups,
  openBackups,
} from '@regie/api/modules/platform/backups/stored-backups.service.ts';
import { findBackup } from './lib/backups.ts';
import { CommandError, formatSize, runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { verify: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [name] = positionals;
  const env = loadEnv(process.env, 'tool');
  const { url } = env.backup;
  if (positionals.length > 1 || (name === undefined && url === undefined)) {
    throw new CommandError(
      'Indiquez le fichier\u00A0: npm run backup -- sauvegarde.regie. Sans fichier, la sauvegarde va à BACKUP_URL.',
    );
  }
  if (values.list && url !== undefined) {
    for (const { key, sizeBytes } of await listStoredBackups(openBackups(url)))
      say(`${key} (${formatSize(sizeBytes)})`);
    return;
  }
  if (values.verify) {
    const source = await findBackup(env, name);
    const keys = await readBackupKeys(env.backup);
    const { header, tables, files, isEncrypted } = await verifyBackup(source, keys);
    const when = new Date(header.createdAt).toLocaleString('fr-FR', {
      timeZone: 'Europe/Paris',
      dateStyle: 'long',
      timeStyle: 'short',
    });
    say(
      `Sauvegarde lisible en entier\u00A0: ${source.name} (du ${when}, ${tables} tables, ${files} fichiers, ${isEncrypted ? 'chiffrée' : 'non chiffrée'}).`,
    );
    return;
  }
  const filesDir = localFolderOf(env.storageUrl);
  await withOwner(env, async (db, { ownerUrl }) => {
    const target = name === undefined ? undefined : fileTarget(resolve(process.env.INIT_CWD ?? '.', name));
    const written =
      target === undefined
        ? await backUpToStore(db, { ownerUrl, filesDir, settings: env.backup, url: url ?? '' })
        : { key: target.name, ...(await backUpAndRecord(db, { ownerUrl, filesDir, target, settings: env.backup })) };
    say(
      `Sauvegarde écrite\u00A0: ${written.key} (${formatSize(written.sizeBytes)}, ${written.tables} tables, ${written.files} fichiers).`,
    );
  });
  if (!isEncrypting(env.backup)) {
    say(
      "Elle n'est pas chiffrée\u00A0: gardez-la en lieu sûr, ou indiquez BACKUP_PASSPHRASE_FILE ou BACKUP_RECIPIENTS.",
    );
  }
  if (filesDir === undefined) say("Les pochettes et les sons sont dans le stockage S3\u00A0: ils n'y sont pas.");
});
