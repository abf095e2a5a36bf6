import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Env } from '@regie/api/env.ts';
import type { BackupSource } from '@regie/api/lib/backup-archive.ts';
import { fileSource } from '@regie/api/modules/platform/backups/backup.service.ts';
import {
  listStoredBackups,
  openBackups,
  storedSource,
} from '@regie/api/modules/platform/backups/stored-backups.service.ts';
import { CommandError } from './cli.ts';

/** A file of this machine, or a backup in the place of BACKUP_URL: by its name there, or the newest without a name. */
export async function findBackup({ backup: { url } }: Env, name: string | undefined): Promise<BackupSource> {
  const file = name === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', name);
  if (file !== undefined && (url === undefined || existsSync(file))) return fileSource(file);
  const storage = openBackups(url ?? '');
  const stored = await listStoredBackups(storage);
  const found = name === undefined ? stored[0] : stored.find(({ key }) => key === name || key === `backups/${name}`);
  if (found !== undefined) return storedSource(storage, found.key);
  throw new CommandError(
    name === undefined
      ? "Il n'y a aucune sauvegarde à l'adresse BACKUP_URL."
      : `La sauvegarde ${name} est introuvable, ici et à l'adresse BACKUP_URL\u00A0: npm run backup -- --list les nomme.`,
  );
}
