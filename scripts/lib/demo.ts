import { randomInt } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { writeAudit } from '@regie/api/lib/audit.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { createStorage } from '@regie/api/lib/open-storage.ts';
import { checkChosenPassword, hashPassword, isPassword } from '@regie/api/lib/passwords.ts';
import { changeSignatoryOnServer } from '@regie/api/modules/people/staff/signatories.service.ts';
import { changePassword, createAdminWithAllCapabilities } from '@regie/api/modules/people/staff/staff.service.ts';
import { z } from '@regie/contract/zod.ts';
import type { EmbeddedPostgres } from '@regie/embedded-postgres/embedded-postgres.ts';
import { Client } from 'pg';
import { CommandError } from './cli.ts';

const DemoAdmin = z.object({ email: z.string(), password: z.string() });
export type DemoAdmin = z.infer<typeof DemoAdmin>;

const database = 'regie';
const draft = 'regie_draft';
const demoEmail = 'admin@regie.example';
const demoName = { fname: 'Camille', lname: 'Démonstration' };
const passwordLetters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Fills the embedded database with the demo, while it has no admin and no account. A draft database replaces the empty
 * one at the end, so that an interrupted start leaves no partial data.
 */
export async function fillDemoOnce(options: {
  server: EmbeddedPostgres;
  appPassword: string;
  storageUrl: string;
  admin: DemoAdmin;
  log: (line: string) => void;
}): Promise<boolean> {
  const { server } = options;
  if (await isInUse(server.url())) return false;
  options.log('Création du catalogue de démonstration…');
  const draftUrl = server.url(draft);
  await run(server.url('postgres'), `drop database if exists ${draft} with (force)`, `create database ${draft}`);
  await migrate({ ownerUrl: draftUrl, appPassword: options.appPassword });
  await loadDemo({ ownerUrl: draftUrl, storage: createStorage(options.storageUrl), scale: 1, log: options.log });
  const db = createDatabase(draftUrl, { max: 1 });
  try {
    await createAdminWithAllCapabilities(db, { ...options.admin, ...demoName });
    await changeSignatoryOnServer(db, options.admin.email, true);
  } finally {
    await db.destroy();
  }
  await run(
    server.url('postgres'),
    `drop database ${database} with (force)`,
    `alter database ${draft} rename to ${database}`,
  );
  return true;
}

async function isInUse(url: string): Promise<boolean> {
  const tables = await run(
    url,
    `select from pg_tables where schemaname = 'public' and tablename in ('admins', 'accounts')`,
  );
  if (tables.length < 2) return false;
  const rows = await run(url, '(select from admins limit 1) union all (select from accounts limit 1)');
  return rows.length > 0;
}

/** The rows of the last statement. */
async function run(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** The demo's administrator: from DATA_DIR/demo-admin.json, or new; DEMO_PASSWORD takes precedence. */
export async function chooseDemoAdmin(dataDir: string, wantedPassword: string | undefined): Promise<DemoAdmin> {
  const login = await readDemoAdmin(dataDir);
  return { email: login?.email ?? demoEmail, password: wantedPassword ?? login?.password ?? newPassword() };
}

/**
 * Sets the demo administrator's password when DEMO_PASSWORD requests it or the saved one is lost.
 * @returns undefined when the database is not the demo's or its administrator was deleted
 */
export async function settleDemoAdmin(
  ownerUrl: string,
  options: { dataDir: string; admin: DemoAdmin; isPasswordWanted: boolean },
): Promise<DemoAdmin | undefined> {
  const { admin } = options;
  const db = createDatabase(ownerUrl, { max: 1 });
  try {
    const stored = await db
      .selectFrom('admins')
      .select(['id', 'passwordHash', 'deletedAt'])
      .where('email', '=', admin.email)
      .orderBy('id', 'desc')
      .executeTakeFirst();
    if (stored === undefined) {
      // `npm run demo:load` on an empty database creates no admin.
      const demo = await db.selectFrom('settings').select('key').where('key', '=', 'demo').executeTakeFirst();
      if (demo === undefined) return undefined;
      await createAdminWithAllCapabilities(db, { ...admin, ...demoName });
      return admin;
    }
    if (stored.deletedAt !== null) return undefined;
    if (await isPassword(stored.passwordHash, admin.password)) return admin;
    const isNoteLost = (await readDemoAdmin(options.dataDir)) === undefined;
    if (!options.isPasswordWanted && !isNoteLost) return { ...admin, password: '(celui que vous avez choisi)' };
    checkChosenPassword(admin.password);
    const passwordHash = await hashPassword(admin.password);
    await db.transaction().execute(async (trx) => {
      await changePassword(trx, stored.id, passwordHash);
      const nobody = { adminId: null, requestId: null };
      await writeAudit(trx, nobody, { action: 'admin.reset_password', entityId: stored.id });
    });
    return admin;
  } finally {
    await db.destroy();
  }
}

const demoAdminFile = (dataDir: string) => join(dataDir, 'demo-admin.json');

async function readDemoAdmin(dataDir: string): Promise<DemoAdmin | undefined> {
  const file = demoAdminFile(dataDir);
  const text = await fs.readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return DemoAdmin.parse(JSON.parse(text));
  } catch {
    throw new CommandError(`Le fichier ${file} est illisible\u00A0: supprimez-le, un nouveau mot de passe sera créé.`);
  }
}

export async function saveDemoAdmin(dataDir: string, admin: DemoAdmin): Promise<void> {
  const file = demoAdminFile(dataDir);
  const draftFile = `${file}.${process.pid}`;
  await fs.writeFile(draftFile, `${JSON.stringify(admin, undefined, 2)}\n`, { mode: 0o600 });
  await fs.rename(draftFile, file);
}

function newPassword(): string {
  return Array.from({ length: 16 }, () => passwordLetters[randomInt(passwordLetters.length)]).join('');
}
