import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { liftFactorsOnServer } from '@regie/api/modules/people/staff/access.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

await runCommand(async () => {
  const { email } = parseArgs({ options: { email: { type: 'string' } } }).values;
  if (email === undefined) {
    throw new CommandError('Indiquez son adresse\u00A0: npm run admin:lift-factor -- --email prenom.nom@exemple.fr');
  }
  await withOwner(loadEnv(process.env, 'tool'), (db) => liftFactorsOnServer(db, email));
  say(`${email} peut se connecter avec son mot de passe, et un e-mail l’en avertit.`);
});
