import { resolve } from 'node:path';
import { loadEnv } from '@regie/api/env.ts';
import { backUp } from './lib/backup.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { filesDirOf, withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const [name, ...others] = process.argv.slice(2);
  if (name === undefined || name.startsWith('-') || others.length > 0) {
    throw new CommandError('Indiquez le fichier à écrire\u00A0: npm run backup -- sauvegarde.regie');
  }
  const env = loadEnv(process.env, 'tool');
  const file = resolve(process.env.INIT_CWD ?? '.', name);
  const counts = await withDatabase(env, { create: false }, ({ ownerUrl }) =>
    backUp({ ownerUrl, filesDir: filesDirOf(env), file }),
  );
  say(
    `Sauvegarde écrite\u00A0: ${file} (${formatSize(counts.sizeBytes)}, ${counts.tables} tables, ${counts.files} fichiers).`,
  );
  if (filesDirOf(env) === undefined) say("Les pochettes et les sons sont dans le stockage S3\u00A0: ils n'y sont pas.");
});

function formatSize(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return `${megabytes.toLocaleString('fr-FR', { maximumFractionDigits: 1 })} Mo`.replaceAll('\u202F', '\u00A0');
}
