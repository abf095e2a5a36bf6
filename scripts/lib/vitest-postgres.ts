import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readRowTypes } from '@regie/api/test/row-types.ts';
import { createTemplate, type TestPostgres } from '@regie/api/test/template.ts';
import { startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import type { TestProject } from 'vitest/node';

const serverFolder = resolve(import.meta.dirname, '../../apps/api');

/** Starts one PostgreSQL for all server tests, without durability because it is deleted afterwards. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'regie-test-'));
  // PostgreSQL runs as an unprivileged user, who needs access to this folder.
  await chmod(dataDir, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  const tearDown = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const postgres: TestPostgres = {
      adminUrl: server.url('postgres'),
      appPassword: randomBytes(16).toString('hex'),
      template: 'regie_template',
    };
    await createTemplate(postgres);
    project.provide('postgres', postgres);
    project.provide('rowTypes', process.env.REGIE_ROW_TYPES ? readRowTypes(serverFolder) : {});
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}
