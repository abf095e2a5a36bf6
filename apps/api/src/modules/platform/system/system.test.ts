import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SystemCheckName, SystemState } from '@regie/contract/routes/system.ts';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp } from '#src/app.ts';
import { readAnalyticsUrl } from '#src/lib/clickhouse-address.ts';
import type { Trx } from '#src/lib/db.ts';
import { createFolderStorage } from '#src/lib/storage.ts';
import { localEngine } from '#src/modules/income/analytics/analytics-engine.service.ts';
import { createClickHouse } from '#src/modules/income/analytics/clickhouse.service.ts';
import { useApp } from '#test/app.ts';
import { buildStatement } from '#test/statements.ts';
import { checkSystem, type SystemSettings } from './system.service.ts';

const app = useApp();
let folder: string;
let served: FastifyInstance;
let origin: string;
const noBackup = { url: undefined, passphraseFile: undefined, recipients: [], identityFile: undefined, keepDays: 30 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regie-system-'));
  served = await buildApp({ deps: app.deps, trustProxy: [], webDir: undefined, metricsToken: undefined });
  origin = await served.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

type Options = Partial<Parameters<typeof checkSystem>[0]> & { system?: Partial<SystemSettings> };

/** What one check finds. */
async function find(name: SystemCheckName, { system, ...options }: Options = {}) {
  const checks = await checkSystem({
    ...{ db: app.owner, storage: app.deps.storage, publicUrl: origin },
    settings: { smtpUrl: undefined, isSending: true, folders: [folder], backup: noBackup, ...system },
    ...options,
  });
  return checks.find((check) => check.name === name);
}

/** The same while the database is changed; the change is undone. */
async function findAfter(name: SystemCheckName, statements: string, options: Options = {}): Promise<string> {
  let text = '';
  const undo = new Error('undo');
  const change = app.owner.transaction().execute(async (trx: Trx) => {
    await sql.raw(statements).execute(trx);
    const found = await find(name, { ...options, db: trx });
    expect(found?.isOk).toBe(false);
    text = found?.text ?? '';
    throw undo;
  });
  await expect(change).rejects.toBe(undo);
  return text;
}

describe('the database', () => {
  it('passes every check with both logins', async () => {
    for (const db of [app.owner, app.db]) {
      for (const name of ['database', 'extensions', 'migrations', 'roles', 'clock', 'jobs'] as const) {
        expect(await find(name, { db, appUrl: app.database.appUrl })).toMatchObject({ name, isOk: true });
      }
    }
  });

  it('fails when an extension or a migration is missing, or a later migration is there', async () => {
    expect(await findAfter('extensions', 'DROP EXTENSION unaccent CASCADE')).toContain('Il manque unaccent');
    const last = 'DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)';
    expect(await findAfter('migrations', last)).toBe('Il manque 1 migration\u00A0: lancez npm run migrate.');
    const later = `INSERT INTO migrations (name) VALUES ('999_later')`;
    expect(await findAfter('migrations', later)).toContain('version plus récente');
  });

  it('fails when a role has too many or too few rights', async () => {
    expect(await findAfter('roles', 'GRANT UPDATE ON ledger_postings TO regie_app')).toContain('a trop de droits');
    expect(await findAfter('roles', 'REVOKE SELECT ON accounts FROM regie_app')).toContain('npm run migrate');
    const limited = `CREATE ROLE limited_owner; ALTER TABLE ledger_postings OWNER TO limited_owner;`;
    expect(await findAfter('roles', limited)).toContain('ALTER ROLE limited_owner CREATEROLE');
    expect(await findAfter('roles', `${limited} ALTER ROLE limited_owner CREATEROLE`)).toContain(
      'GRANT SET ON PARAMETER session_replication_role TO limited_owner',
    );
    const appUrl = new URL(app.database.appUrl);
    appUrl.password = 'another';
    expect(await find('roles', { appUrl: appUrl.href })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('regie_app ne peut pas se connecter'),
    });
  });

  it('fails when its clock differs', async () => {
    const shifted = `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz
      RETURN pg_catalog.clock_timestamp() + interval '90 seconds'; SET LOCAL search_path = public, pg_catalog`;
    expect(await findAfter('clock', shifted)).toMatch(
      /^Ce serveur et celui de la base ont (89|90)(,\d)?\u00A0s d’écart/,
    );
  });

  it('fails when jobs are late, abandoned or stuck', async () => {
    const late = `SELECT graphile_worker.add_job('send_mail', '{}'::json, run_at => now() - interval '2 hours')`;
    expect(await findAfter('jobs', late)).toContain('send_mail (1)\u00A0: en attente depuis plus d’une heure');
    const failed = `${late}; UPDATE graphile_worker._private_jobs SET attempts = max_attempts`;
    expect(await findAfter('jobs', failed)).toContain('send_mail (1)\u00A0: abandonnée');
    const stuck = `${late}; UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '5 hours', locked_by = 'x'`;
    expect(await findAfter('jobs', stuck)).toContain('send_mail (1)\u00A0: en cours depuis plus de quatre heures');
  });
});

describe('files', () => {
  it('are stored and read back', async () => {
    expect(await find('storage')).toMatchObject({ isOk: true });
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    expect(await find('storage', { storage: createFolderStorage(join(file, 'files')) })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('on ne peut pas écrire dans le dossier'),
    });
  });

  it('need room on the disk', async () => {
    expect(await find('disk', { system: { folders: [join(folder, 'absent')] } })).toBeUndefined();
    expect(await find('disk', { system: { folders: ['/proc'] } })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('Il reste 0\u00A0Go sur le disque de /proc'),
    });
  });
});

describe('e-mail', () => {
  it('needs a server that answers and accepts the login, unless none is sent', async () => {
    expect(await find('mail')).toMatchObject({ isOk: true, text: expect.stringContaining('outbox') });
    expect(await find('mail', { publicUrl: 'https://127.0.0.1:9' })).toMatchObject({ isOk: false });
    expect(await find('mail', { system: { isSending: false } })).toBeUndefined();
    const smtp = new SMTPServer({
      ...{ disabledCommands: ['STARTTLS'], allowInsecureAuth: true },
      onAuth: ({ password }, _session, done) =>
        password === 'juste' ? done(null, { user: 'regie' }) : done(new Error('no')),
    });
    const server = smtp.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const smtpUrl = (password: string) => `smtp://regie:${password}@127.0.0.1:${port}`;
    expect(await find('mail', { system: { smtpUrl: smtpUrl('juste') } })).toMatchObject({ isOk: true });
    expect(await find('mail', { system: { smtpUrl: smtpUrl('faux') } })).toMatchObject({
      isOk: false,
      text: 'Le serveur d’envoi refuse le compte ou le mot de passe\u00A0: vérifiez SMTP_URL.',
    });
    await new Promise<void>((done) => void smtp.close(() => done()));
    expect(await find('mail', { system: { smtpUrl: smtpUrl('juste') } })).toMatchObject({ isOk: false });
  });
});

describe('the public address', () => {
  const proxies: Server[] = [];
  afterAll(() => {
    for (const proxy of proxies) proxy.close();
  });

  /** A server in front that names the visitor. */
  async function proxyTo(target: string): Promise<string> {
    const proxy = createServer((request, response) => {
      const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress };
      httpRequest(new URL(request.url ?? '', target), { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }).end();
    }).listen(0, '127.0.0.1');
    proxies.push(proxy);
    await once(proxy, 'listening');
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  it('fails when it answers through a proxy that TRUST_PROXY does not name', async () => {
    expect(await find('address')).toMatchObject({ isOk: true, text: `${origin} répond, sans serveur intermédiaire` });
    expect(await find('address', { publicUrl: await proxyTo(origin) })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('n’est pas dans TRUST_PROXY'),
    });
    const trusting = await buildApp({
      ...{ deps: app.deps, webDir: undefined, metricsToken: undefined },
      trustProxy: ['127.0.0.1'],
    });
    const behind = await proxyTo(await trusting.listen({ port: 0, host: '127.0.0.1' }));
    expect(await find('address', { publicUrl: behind })).toMatchObject({
      isOk: true,
      text: `${behind} répond, avec l’adresse du visiteur`,
    });
    await trusting.close();
  });

  it('fails when nothing or another program answers', async () => {
    expect(await find('address', { publicUrl: 'http://127.0.0.1:9' })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('http://127.0.0.1:9 ne répond pas'),
    });
    const other = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    proxies.push(other);
    await once(other, 'listening');
    const publicUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    expect(await find('address', { publicUrl })).toMatchObject({ text: expect.stringContaining('Ce n’est pas Régie') });
  });
});

describe('backups', () => {
  it('are reported as missing, planned, made, failed or old', async () => {
    expect(await find('backup')).toMatchObject({ isOk: false, text: expect.stringContaining('réglez BACKUP_URL') });
    const passphraseFile = join(folder, 'passphrase');
    const backup = { ...noBackup, url: pathToFileURL(join(folder, 'backups')).href, passphraseFile };
    const planned = () => find('backup', { system: { backup } });
    expect(await planned()).toMatchObject({ isOk: false, text: expect.stringContaining('BACKUP_PASSPHRASE_FILE') });
    await writeFile(passphraseFile, 'correct cheval pile agrafe');
    expect(await planned()).toMatchObject({ isOk: true, text: 'La première sauvegarde aura lieu cette nuit' });
    const made = `INSERT INTO backups (name, size_bytes, is_encrypted, ended_at) VALUES ('one', 5, true, '2026-01-31 02:20+01');`;
    expect(await findAfter('backup', made)).toContain('date du 31 janvier 2026 à 02:20');
    const failed = `INSERT INTO backups (name, is_encrypted, error) VALUES ('two', true, 'Le disque est plein.')`;
    expect(await findAfter('backup', `${made} ${failed}`)).toBe(
      'La dernière sauvegarde a échoué. Le disque est plein.',
    );
  });
});

describe('ClickHouse', () => {
  it('is not checked without ANALYTICS_URL, and fails when it does not answer or read the storage', async () => {
    expect(await find('analytics')).toBeUndefined();
    const nobody = createClickHouse(
      readAnalyticsUrl('http://regie:x@127.0.0.1:9/?collection=lignes'),
      app.deps.storage,
    );
    expect(await find('analytics', { analytics: nobody })).toMatchObject({
      isOk: false,
      text: 'ClickHouse ne répond pas ou refuse ce compte\u00A0: vérifiez ANALYTICS_URL.',
    });
    const local = localEngine(app.deps.lines);
    expect(await find('analytics', { analytics: local })).toMatchObject({ text: 'Répond et lit le stockage' });
    const elsewhere = {
      ...local,
      open: async (signal: AbortSignal) => ({ ...(await local.open(signal)), readText: async () => '(SELECT 1)' }),
    };
    expect(await find('analytics', { analytics: elsewhere })).toMatchObject({
      isOk: false,
      text: expect.stringContaining('vérifiez la collection de ANALYTICS_URL'),
    });
  });

  it('fails when it counts the lines of a statement differently', async () => {
    const analytics = localEngine(app.deps.lines);
    await buildStatement({ owner: app.owner, ownerUrl: app.database.ownerUrl }, [
      { isrc: 'FRX762600001', quantity: 3, amount: '1.25' },
      { isrc: 'FRX762600002', quantity: 1, amount: '0.5' },
    ]);
    expect(await find('analytics', { analytics })).toMatchObject({
      isOk: true,
      text: 'Répond et lit les lignes des relevés',
    });
    expect(await findAfter('analytics', 'UPDATE statement_line_files SET lines = lines + 1', { analytics })).toContain(
      'vérifiez le cluster',
    );
  });
});

it('the page shows every check and the latest backups, to those who manage the settings', async () => {
  await sql`INSERT INTO backups (name, size_bytes, is_encrypted) SELECT 'n' || n, n, true FROM generate_series(1, 12) n`.execute(
    app.owner,
  );
  const answer = await (await app.signInWith(['manage_settings'])).get('/api/system');
  expect(answer.status).toBe(200);
  const { checks, backups } = answer.data as SystemState;
  expect(checks.map(({ name }) => name)).toEqual(
    'database extensions migrations roles clock storage address backup signatories jobs'.split(' '),
  );
  expect(checks.find(({ name }) => name === 'backup')).toMatchObject({ isOk: true });
  expect(backups.map(({ name }) => name)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `n${n}`));
  expect((await (await app.signInWith(['read_audit'])).get('/api/system')).status).toBe(403);
  await expect(
    sql`INSERT INTO backups (name, size_bytes, is_encrypted) VALUES ('x', 1, true)`.execute(app.db),
  ).rejects.toThrow('permission denied');
});
