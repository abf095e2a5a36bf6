import { expect, it } from 'vitest';
import { useDatabase } from './database.ts';
import { generateDbTypes } from './db-types.ts';

const database = useDatabase();

it('db.generated.ts matches the migrated database', async () => {
  expect(await generateDbTypes(database.ownerUrl, { verify: true })).toBe(true);
});
