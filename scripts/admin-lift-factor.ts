import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { AppError } from '@regie/api/lib/errors.ts';
import { liftFactorsOnServer } from '@regie/api/modules/staff/access.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const { email } = parseArgs({ options: { email: { type: 'string' } } }).values;
  if (email === undefined) {
    throw new CommandError('Indiquez son adresse\u00A0: npm run admin:lift-factor -- --email prenom.nom@exemple.fr');
  }
  await withDatabase(loadEnv(process.env, 'tool'), { create: false }, async ({ ownerUrl }) => {
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      await liftFactorsOnServer(db, email);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') {
        throw new CommandError(`Aucun administrateur n’a l’adresse ${email}`);
      }
      throw error;
    } finally {
      await db.destroy();
    }
  });
  say(`${email} peut se connecter avec son mot de passe, et un e-mail l’en avertit.`);
});
