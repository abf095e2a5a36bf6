import { loadEnv } from '@regie/api/env.ts';
import { listSignatories } from '@regie/api/modules/money/signing/signing.service.ts';
import { changeSignatoryOnServer } from '@regie/api/modules/people/staff/signatories.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withOwner } from './lib/with-database.ts';

await runCommand(async () => {
  const [verb = 'list', email] = process.argv.slice(2);
  if (!['add', 'remove', 'list'].includes(verb) || (verb !== 'list' && email === undefined)) {
    throw new CommandError('npm run signatory -- list | add ADRESSE | remove ADRESSE');
  }
  const signatories = await withOwner(loadEnv(process.env, 'tool'), async (db) => {
    if (verb !== 'list' && email !== undefined) await changeSignatoryOnServer(db, email, verb === 'add');
    return listSignatories(db);
  });
  for (const one of signatories) say(`${one.name} (${one.email})`);
  if (signatories.length === 0) {
    say('Aucun signataire\u00A0: rien de ce qui demande une signature ne peut se faire.');
  }
});
