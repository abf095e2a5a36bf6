import { parseArgs } from 'node:util';
import { loadEnv } from '@regie/api/env.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { createAdminWithAllCapabilities } from '@regie/api/modules/people/staff/staff.service.ts';
import { askPassword } from './lib/ask-password.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      email: { type: 'string' },
      fname: { type: 'string' },
      lname: { type: 'string' },
    },
  });
  const { email } = values;
  if (email === undefined || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw new CommandError('Indiquez son adresse\u00A0: npm run admin:create -- --email prenom.nom@exemple.fr');
  }
  // Admins with equal names would be indistinguishable in the journal.
  const [first = '', ...rest] = email
    .replace(/@.*/, '')
    .split(/[._-]+/)
    .map(capitalised);
  const { fname = first, lname = rest.join(' ') || email } = values;
  const env = loadEnv(process.env, 'tool');
  const password = process.env.ADMIN_PASSWORD || (await askPassword(`Mot de passe de ${email}\u00A0: `));
  await withOwner(
    env,
    async (db, { ownerUrl, appPassword }) => {
      await migrate({ ownerUrl, appPassword: appPassword() });
      await createAdminWithAllCapabilities(db, { email, password, fname, lname });
    },
    { create: true },
  );
  say(`${email} peut se connecter, avec tous les droits.`);
});
