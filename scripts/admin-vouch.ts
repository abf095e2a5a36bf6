import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { AppError } from '@regie/api/lib/errors.ts';
import { describeVouching, vouchOnServer } from '@regie/api/modules/staff/vouching.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const { email, seen } = parseArgs({ options: { email: { type: 'string' }, seen: { type: 'string' } } }).values;
  if (email === undefined) {
    throw new CommandError('Indiquez son adresse\u00A0: npm run admin:vouch -- --email prenom.nom@exemple.fr');
  }
  await withDatabase(loadEnv(process.env, 'tool'), { create: false }, async ({ ownerUrl }) => {
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      if (seen === undefined) {
        const { dependsOn, version } = await describeVouching(db, email);
        say(
          dependsOn.length === 0
            ? `${email} ne dépend de personne.`
            : `${email} dépend de\u00A0: ${dependsOn.join(', ')}.\nSi c’est ce que vous attendez\u00A0: npm run admin:vouch -- --email ${email} --seen ${version}`,
        );
        return;
      }
      await vouchOnServer(db, email, seen);
      say(`${email} est indépendant de ceux qui l’ont ajouté.`);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found')
        throw new CommandError(`Aucun administrateur n’a l’adresse ${email}`);
      if (error instanceof AppError && error.code === 'conflict') throw new CommandError(error.message);
      throw error;
    } finally {
      await db.destroy();
    }
  });
});
