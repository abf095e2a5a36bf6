import { loadEnv } from '@regie/api/env.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { AppError } from '@regie/api/lib/errors.ts';
import { changeSignatoryOnServer } from '@regie/api/modules/signatures/signatories.service.ts';
import { listSignatories } from '@regie/api/modules/signatures/signing.service.ts';
import { CommandError, runCommand, say } from './lib/cli.ts';
import { withDatabase } from './lib/with-database.ts';

await runCommand(async () => {
  const [verb = 'list', email] = process.argv.slice(2);
  if (!['add', 'remove', 'list'].includes(verb) || (verb !== 'list' && email === undefined)) {
    throw new CommandError('npm run signatory -- list | add ADRESSE | remove ADRESSE');
  }
  await withDatabase(loadEnv(process.env, 'tool'), { create: false }, async ({ ownerUrl }) => {
    const db = createDatabase(ownerUrl, { max: 1 });
    try {
      if (verb !== 'list' && email !== undefined) await changeSignatoryOnServer(db, email, verb === 'add');
      const signatories = await listSignatories(db);
      say(
        signatories.length === 0
          ? 'Aucun signataire\u00A0: rien de ce qui demande une signature ne peut se faire.'
          : signatories.map((one) => `${one.name} (${one.email})`).join('\n'),
      );
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') {
        throw new CommandError(`Aucun administrateur n’a l’adresse ${email}`);
      }
      if (error instanceof AppError) throw new CommandError(error.message);
      throw error;
    } finally {
      await db.destroy();
    }
  });
});
