import { randomInt } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { loadDemo } from '@regie/api/demo/load-demo.ts';
import { createDatabase } from '@regie/api/lib/db.ts';
import { migrate } from '@regie/api/lib/migrate.ts';
import { createFirstAdmin } from '@regie/api/modules/staff/staff.service.ts';
import { Client } from 'pg';
import { CommandError } from './cli.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';

export type DemoAdmin = { email: string; password: string };

const database = 'regie';
const draft = 'regie_draft';
const demoEmail = 'admin@regie.example';
const passwordLength = 16;
const passwordLetters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * Fills the embedded database with the demo, the first time only: while nobody has put an admin or an account in it.
 * Everything is made in a draft database that takes the place of the empty one at the end, so that a start killed on
 * the way leaves nothing half filled.
 * @returns whether it did
 */
export async function fillDemoOnce(options: {
  server: EmbeddedPostgres;
  appPassword: string;
  dataDir: string;
  admin: DemoAdmin;
  log: (line: string) => void;
}): Promise<boolean> {
  const { server } = options;
  if (await isInUse(server.url())) return false;
  options.log('Création du catalogue de démonstration…');
  const draftUrl = server.url(draft);
  await run(server.url('postgres'), `drop database if exists ${draft} with (force)`, `create database ${draft}`);
  await migrate({ ownerUrl: draftUrl, appPassword: options.appPassword });
  await loadDemo({ ownerUrl: draftUrl, dataDir: options.dataDir, scale: 1, log: options.log });
  const db = createDatabase(draftUrl, { max: 1 });
  try {
    await createFirstAdmin(db, { ...options.admin, fname: 'Camille', lname: 'Démonstration' });
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
  const tables = await ask(
    url,
    `select to_regclass('public.admins') is not null and to_regclass('public.accounts') is not null as yes`,
  );
  if (!tables) return false;
  return await ask(url, 'select exists (select from admins) or exists (select from accounts) as yes');
}

/** Whether that admin is in the database; a restored base, for one, may not have the demo's. */
export async function hasAdmin(url: string, email: string): Promise<boolean> {
  return await ask(url, 'select exists (select from admins where email = $1 and deleted_at is null) as yes', [email]);
}

async function ask(url: string, question: string, values: string[] = []): Promise<boolean> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ yes: boolean }>(question, values);
    return rows[0]?.yes === true;
  } finally {
    await client.end();
  }
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The demo administrator of DATA_DIR/demo-admin.json, made up at the first start; DEMO_PASSWORD wins. */
export async function readOrCreateDemoAdmin(dataDir: string, wantedPassword: string | undefined): Promise<DemoAdmin> {
  const file = join(dataDir, 'demo-admin.json');
  const text = await fs.readFile(file, 'utf8').catch(() => undefined);
  const known = text === undefined ? undefined : parse(text, file);
  const admin = {
    email: known?.email ?? demoEmail,
    password: wantedPassword ?? known?.password ?? newPassword(),
  };
  if (known?.password !== admin.password) {
    await fs.mkdir(dataDir, { recursive: true });
    const draftFile = `${file}.${process.pid}`;
    await fs.writeFile(draftFile, `${JSON.stringify(admin, undefined, 2)}\n`, { mode: 0o600 });
    await fs.rename(draftFile, file);
  }
  return admin;
}

function parse(text: string, file: string): DemoAdmin {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'email' in value && 'password' in value) {
      const { email, password } = value;
      if (typeof email === 'string' && typeof password === 'string') return { email, password };
    }
  } catch {
    // Said below, like any other content that cannot be used.
  }
  throw new CommandError(`Le fichier ${file} est illisible\u00A0: supprimez-le, un nouveau mot de passe sera créé.`);
}

function newPassword(): string {
  return Array.from({ length: passwordLength }, () => passwordLetters[randomInt(passwordLetters.length)]).join('');
}
