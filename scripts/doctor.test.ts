// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { freePort } from '@regie/embedded-postgres/server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-doctor-'));
  await chmod(folder, 0o755);
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test('fails with instructions, and passes once they are followed', async () => {
  const port = await freePort();
  const passphraseFile = join(folder, 'passphrase');
  await writeFile(passphraseFile, 'correct cheval pile agrafe');
  const env = {
    PATH: process.env.PATH,
    ...{ DATA_DIR: folder, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'silent' },
    ...{ DATABASE_URL: server.url(), SESSION_SECRET: 'un secret pour ces essais seulement' },
    ...{ BACKUP_URL: pathToFileURL(join(folder, 'backups')).href, BACKUP_PASSPHRASE_FILE: passphraseFile },
  };
  const start = (script: string, extra: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
      env: { ...env, ...extra },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const exit = once(child, 'close').then(([code]) => ({ code: code as number | null, lines: text.split('\n') }));
    return { child, text: () => text, exit };
  };
  const early = await start('doctor.ts').exit;
  expect(early.code).toBe(1);
  expect(early.lines).toContain(
    'ERREUR  Droits des comptes de la base\u00A0: La base n’est pas au niveau de cette version\u00A0: lancez npm run migrate.',
  );

  const running = start('serve.ts');
  try {
    await expect.poll(running.text, { timeout: 100_000 }).toContain('Régie: ');
    expect((await start('backup.ts').exit).code).toBe(0);
    const { code, lines } = await start('doctor.ts').exit;
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual(['']);
    expect(lines).toHaveLength(13);
    expect(code).toBe(0);
  } finally {
    running.child.kill('SIGTERM');
    await running.exit;
  }
  const gone = await start('doctor.ts', { DATABASE_URL: server.url().replace(/:\d+\//, ':9/') }).exit;
  expect(gone.code).toBe(1);
  expect(gone.lines[0]).toContain('La base de données ne répond pas ou refuse ce compte (ECONNREFUSED)');
});
