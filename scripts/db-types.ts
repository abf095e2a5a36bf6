import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@regie/api/lib/migrate.ts';
import { generateDbTypes } from '@regie/api/test/db-types.ts';
import { startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';

// Generates the types of every table from a migrated database.
const dataDir = await mkdtemp(join(tmpdir(), 'regie-types-'));
await chmod(dataDir, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
try {
  await migrate({ ownerUrl: postgres.url(), appPassword: 'for the length of this command' });
  process.exitCode = (await generateDbTypes(postgres.url(), { verify: false })) ? 0 : 1;
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
