import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import {
  ArchiveError,
  archiveJournal,
  listArchives,
  restoreJournal,
} from '@regie/api/modules/privacy/journal-archive.service.ts';
import { CommandError, formatSize, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

/** Why a table stays whole (docs/decisions/450). */
const whole: Readonly<Record<string, string>> = {
  'grand-livre':
    'Le grand livre ne s’archive pas\u00A0: chaque solde est la somme de toutes ses écritures, et une annulation relit les plus anciennes.',
  rapports:
    'Les rapports ne s’archivent pas\u00A0: les revenus de chaque compte et de chaque titre en sont la somme, et le grand livre se vérifie par eux.',
  releves:
    'Les sommes des relevés ne s’archivent pas\u00A0: elles disent d’où vient chaque rapport, qui a attribué un revenu, et ce qui reste à comptabiliser. Leurs lignes sont déjà des fichiers, hors de la base.',
};

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { restore: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [what = '', yearText = ''] = positionals;
  const refusal = whole[what];
  if (refusal !== undefined) throw new CommandError(refusal);
  if (!values.list && (what !== 'journal' || !/^20\d\d$/.test(yearText) || positionals.length > 2)) {
    throw new CommandError(
      'Indiquez l’année\u00A0: npm run archive -- journal 2021. Avec --restore, elle revient\u00A0; --list dit ce qui est archivé.',
    );
  }
  const year = Number(yearText);
  const env = loadEnv(process.env, 'tool');
  await withDatabase(env, { create: false }, async ({ ownerUrl }) => {
    const db = createDatabase(ownerUrl, { max: 2 });
    try {
      if (values.list) {
        const archives = await listArchives(db);
        for (const { year: of, entries } of archives) say(`Journal de ${of}\u00A0: ${entries} entrées archivées.`);
        if (archives.length === 0) say('Rien n’est archivé.');
      } else if (values.restore) {
        say(
          `Journal de ${year}\u00A0: ${await restoreJournal(db, createStorage(env.storageUrl), year)} entrées remises en place.`,
        );
      } else {
        const { entries, kept, sizeBytes } = await archiveJournal(db, createStorage(env.storageUrl), year);
        say(
          `Journal de ${year}\u00A0: ${entries} entrées archivées (${formatSize(sizeBytes)}). Gardées dans la base, pour des règles ou des effacements\u00A0: ${kept}.`,
        );
      }
    } catch (error) {
      if (error instanceof ArchiveError) throw new CommandError(error.message);
      throw error;
    } finally {
      await db.destroy();
    }
  });
});
