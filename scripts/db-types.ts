import { generateDbTypes } from '@regie/api/test/db-types.ts';
import { withNewDatabase } from './lib/with-database.ts';

// Generates the types of every table from a migrated database.
await withNewDatabase(async (ownerUrl) => {
  process.exitCode = (await generateDbTypes(ownerUrl, { verify: false })) ? 0 : 1;
});
