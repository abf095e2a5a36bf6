import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { AppError } from '@regie/api/lib/errors.ts';
import { vouchOnServer } from '@regie/api/modules/staff/vouching.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const { email } = parseArgs({ options: { email: { type: 'string' } } }).values;
  if (email === undefined) {
    throw new CommandError('Indiquez son adresse\u00A0: npm run admin:vouch -- --email prenom.nom@exemple.fr');
  }
  await withDatabase(loadEnv(process.env, 'tool'), { create: false }, async ({ ownerUrl }) => {
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      await vouchOnServer(db, email);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found')
        throw new CommandError(`Aucun administrateur n’a l’adresse ${email}`);
      throw error;
    } finally {
      await db.destroy();
    }
  });
  say(`${email} est indépendant de ceux qui l’ont ajouté.`);
});
