import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type SystemCheck, type SystemCheckName, systemCheckLabels } from '@regie/contract/routes/system.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import manifest from '#package.json' with { type: 'json' };
import type { BackupSettings } from '#src/env.ts';
import { parisTime } from '#src/lib/audit.ts';
import { BackupFileError, readBackupKeys } from '#src/lib/backup-encryption.ts';
import { createDatabase, type Database, exists, queryRow, queryRows, querySingle, queryValue } from '#src/lib/db.ts';
import { checkMailServer } from '#src/lib/mail.ts';
import { compareMigrations, migrationNames, newerData } from '#src/lib/migrate.ts';
import { newStorageKey, type Storage, StorageUnavailable } from '#src/lib/storage.ts';
import type { AnalyticsEngine } from '#src/modules/income/analytics/analytics-engine.service.ts';
import { listSignatories } from '#src/modules/money/signing/signing.service.ts';
import { findBackupState, openBackups } from '#src/modules/platform/backups/stored-backups.service.ts';

export interface SystemSettings {
  smtpUrl: string | undefined;
  /** Whether this process sends e-mails. */
  isSending: boolean;
  /** Whose free space is checked. */
  folders: readonly string[];
  backup: BackupSettings;
}

interface CheckOptions {
  /** Either login. */
  db: Database;
  /** The application's login, tried beside `db`. */
  appUrl?: string;
  storage: Storage;
  publicUrl: string;
  settings?: SystemSettings | undefined;
  analytics?: AnalyticsEngine | undefined;
}

/** Says what to do. */
class Fault extends Error {
  override name = 'Fault';
}

type Check = (options: CheckOptions) => Promise<string | undefined>;

const limitMs = 10_000;
const answerMs = 5000;
const minVersion = 16;
const maxClockMs = 5000;
const gigabyte = 1_000_000_000;
const minFreeBytes = 2 * gigabyte;
const minFreeShare = 0.05;
const extensions = ['citext', 'pg_trgm', 'unaccent'];

const number = new Intl.NumberFormat('fr-FR', { maximumFractionDigits: 1 });
const shown = (value: number) => number.format(value).replaceAll('\u202F', '\u00A0');

/** Admins, but no signatory: after an upgrade or restore. */
export async function isWithoutSignatory(db: Database): Promise<boolean> {
  return (await exists(db)`SELECT FROM admins WHERE deleted_at IS NULL`) && (await listSignatories(db)).length === 0;
}

const checks: Record<SystemCheckName, Check> = {
  async database({ db }) {
    const { version, number: at } = await querySingle<{ version: string; number: number }>(db)`
        SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`;
    if (at < minVersion * 10_000)
      throw new Fault(`PostgreSQL ${version} est trop ancien\u00A0: passez à PostgreSQL ${minVersion} ou plus récent.`);
    return `PostgreSQL ${version.split(' ')[0]}`;
  },

  async extensions({ db }) {
    const rows = await queryRows<{ name: string }>(db)`SELECT extname AS name FROM pg_extension`;
    const missing = extensions.filter((extension) => !rows.some(({ name }) => name === extension));
    if (missing.length > 0)
      throw new Fault(
        `Il manque ${missing.join(', ')}\u00A0: installez le paquet postgresql-contrib, puis lancez npm run migrate.`,
      );
    return extensions.join(', ');
  },

  async migrations({ db }) {
    const { missing, isNewer } = await compareMigrations(db);
    if (isNewer) throw new Fault(newerData);
    if (missing.length > 0)
      throw new Fault(
        `Il manque ${missing.length} ${missing.length === 1 ? 'migration' : 'migrations'}\u00A0: lancez npm run migrate.`,
      );
    return `À jour (${(await migrationNames()).at(-1)})`;
  },

  async roles({ db, appUrl }) {
    const row = await querySingle<{
      owner: string;
      mayCreateRoles: boolean;
      mayRestore: boolean;
      isAppPowerful: boolean;
      mayAppRewrite: boolean;
      mayAppWork: boolean;
    }>(db)`
        SELECT o.rolname AS owner, o.rolsuper OR o.rolcreaterole AS may_create_roles,
               o.rolsuper OR has_parameter_privilege(o.oid, 'session_replication_role', 'SET') AS may_restore,
               a.rolsuper OR a.rolcreaterole OR a.rolbypassrls OR pg_has_role(a.oid, o.oid, 'USAGE') AS is_app_powerful,
               has_table_privilege(a.oid, 'ledger_postings', 'UPDATE, DELETE, TRUNCATE')
                 OR has_table_privilege(a.oid, 'audit_log', 'UPDATE, DELETE, TRUNCATE') AS may_app_rewrite,
               has_table_privilege(a.oid, 'accounts', 'SELECT') AND has_table_privilege(a.oid, 'ledger_postings', 'INSERT')
                 AND has_any_column_privilege(a.oid, 'audit_log', 'INSERT') AS may_app_work
          FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner, pg_roles a
         WHERE c.oid = 'public.ledger_postings'::regclass AND a.rolname = 'regie_app'`;
    const { owner } = row;
    if (row.isAppPowerful || row.mayAppRewrite)
      throw new Fault(
        'Le compte regie_app a trop de droits (grand livre, journal ou rôles)\u00A0: retirez-les, seul le compte propriétaire les a.',
      );
    if (!row.mayAppWork) throw new Fault('Le compte regie_app n’a pas ses droits\u00A0: lancez npm run migrate.');
    if (!row.mayCreateRoles)
      throw new Fault(
        `Le compte ${owner} ne peut pas créer de rôle\u00A0: ALTER ROLE ${owner} CREATEROLE, avec un compte administrateur de PostgreSQL.`,
      );
    if (!row.mayRestore)
      throw new Fault(
        `Le compte ${owner} ne pourrait pas restaurer une sauvegarde\u00A0: GRANT SET ON PARAMETER session_replication_role TO ${owner}.`,
      );
    if (appUrl !== undefined) await signInToDatabase(appUrl);
    return `${owner} (propriétaire), regie_app (application)`;
  },

  async signatories({ db }) {
    if (await isWithoutSignatory(db)) throw new Fault(signatureMessages.none(true));
    const { length } = await listSignatories(db);
    return length === 1 ? '1 signataire, qui signe seul' : `${length} signataires`;
  },

  async clock({ db }) {
    const before = Date.now();
    const now = await queryValue<Date>(db)`SELECT clock_timestamp()`;
    const after = Date.now();
    const offMs = Math.max(before - now.getTime(), now.getTime() - after, 0);
    if (offMs > maxClockMs)
      throw new Fault(
        `Ce serveur et celui de la base ont ${shown(offMs / 1000)}\u00A0s d’écart\u00A0: réglez les deux horloges par NTP, sans quoi les codes d’authentification sont refusés.`,
      );
    return 'À l’heure de la base';
  },

  async storage({ storage }) {
    await storage.check();
    const key = newStorageKey('document', 'txt');
    const content = Buffer.from('Régie');
    await storage.put(key, content, content.length);
    try {
      const read = Buffer.concat(await (await storage.open(key)).toArray());
      if (!read.equals(content))
        throw new Fault('Le stockage ne rend pas ce qui y est écrit\u00A0: vérifiez STORAGE_URL.');
    } finally {
      await storage.remove(key);
    }
    return 'Écriture, lecture et suppression d’un fichier';
  },

  async disk({ settings }) {
    const folders = (settings?.folders ?? []).filter((folder) => existsSync(folder));
    const found = await Promise.all(
      folders.map(async (folder) => {
        const { bavail, bsize, blocks } = await statfs(folder);
        return { folder, freeBytes: bavail * bsize, share: bavail / blocks };
      }),
    );
    const full = found.find(({ freeBytes, share }) => freeBytes < minFreeBytes || share < minFreeShare);
    if (full !== undefined)
      throw new Fault(
        `Il reste ${shown(full.freeBytes / gigabyte)}\u00A0Go sur le disque de ${full.folder}\u00A0: libérez de la place ou agrandissez-le.`,
      );
    const least = found.toSorted((one, other) => one.freeBytes - other.freeBytes)[0];
    return least && `${shown(least.freeBytes / gigabyte)}\u00A0Go libres`;
  },

  async mail({ settings, publicUrl }) {
    if (settings === undefined || !settings.isSending) return undefined;
    if (settings.smtpUrl === undefined) {
      if (publicUrl.startsWith('https:'))
        throw new Fault('Les e-mails ne partent pas\u00A0: indiquez le serveur d’envoi dans SMTP_URL.');
      return 'Sans SMTP_URL, les e-mails sont des fichiers du dossier outbox';
    }
    const refusal = await checkMailServer(settings.smtpUrl, answerMs);
    if (refusal !== undefined) throw new Fault(`Le serveur d’envoi ${refusal}\u00A0: vérifiez SMTP_URL.`);
    return 'Le serveur d’envoi répond';
  },

  async address({ publicUrl }) {
    const answer = await askHealth(publicUrl);
    if (answer.version !== manifest.version)
      throw new Fault(
        `${publicUrl} est servi par la version ${answer.version} de Régie, et non ${manifest.version}\u00A0: redémarrez-la.`,
      );
    if (answer.proxy === 'ignored')
      throw new Fault(
        'Le serveur placé devant Régie n’est pas dans TRUST_PROXY\u00A0: ajoutez son adresse, sinon tous les visiteurs ont la sienne et partagent ses limites.',
      );
    return answer.proxy === 'trusted'
      ? `${publicUrl} répond, avec l’adresse du visiteur`
      : `${publicUrl} répond, sans serveur intermédiaire`;
  },

  async backup({ db, settings }) {
    const backup = settings?.backup;
    const { lastAt, lastError, isLate } = await findBackupState(db);
    if (backup?.url !== undefined) {
      await readBackupKeys(backup);
      await openBackups(backup.url).check();
    }
    if (lastError !== null) throw new Fault(`La dernière sauvegarde a échoué. ${lastError}`);
    if (lastAt === null && backup?.url === undefined)
      throw new Fault(
        'Aucune sauvegarde n’a été faite\u00A0: réglez BACKUP_URL et BACKUP_PASSPHRASE_FILE, ou lancez npm run backup.',
      );
    if (lastAt === null && !isLate) return 'La première sauvegarde aura lieu cette nuit';
    if (lastAt === null || isLate)
      throw new Fault(
        `${lastAt === null ? 'Aucune sauvegarde n’a été faite' : `La dernière sauvegarde date du ${parisTime.format(lastAt)}`}\u00A0: vérifiez que le processus ROLE=worker est en marche avec BACKUP_URL, puis lancez npm run backup.`,
      );
    return `Dernière sauvegarde le ${parisTime.format(lastAt)}`;
  },

  async jobs({ db }) {
    const rows = await queryRows<{ task: string; trouble: keyof typeof troubles; jobs: number }>(db)`
      SELECT task, trouble, jobs FROM jobs_in_trouble()`;
    if (rows.length === 0) return 'Aucune tâche bloquée';
    throw new Fault(rows.map(({ task, trouble, jobs }) => `${task} (${jobs})\u00A0: ${troubles[trouble]}.`).join(' '));
  },

  async analytics({ db, analytics }) {
    if (analytics === undefined) return undefined;
    await using session = await analytics.open(AbortSignal.timeout(answerMs));
    const count = async (of: string, advice: string, from = '') => {
      try {
        return Number((await session.rows<{ found: number | string }>(`SELECT ${of} AS found ${from}`))[0]?.found);
      } catch {
        throw new Fault(`${advice}.`);
      }
    };
    await count('1', 'ClickHouse ne répond pas ou refuse ce compte\u00A0: vérifiez ANALYTICS_URL');
    const collection = 'ClickHouse ne lit pas le stockage\u00A0: vérifiez la collection de ANALYTICS_URL et ses droits';
    const text = await session.readText({ number: 'whole' }, ['1\n2\n']);
    if ((await count('count(*)', collection, `FROM ${text}`)) !== 2) throw new Fault(`${collection}.`);
    const stored = await queryRow<{ key: string; lines: number }>(db)`
      SELECT f.storage_key AS key, l.lines::integer AS lines FROM statement_line_files l JOIN files f ON f.id = l.file_id
       ORDER BY l.file_id DESC LIMIT 1`;
    if (stored === undefined) return 'Répond et lit le stockage';
    const lines =
      'ClickHouse ne lit pas les lignes des relevés comme Régie\u00A0: vérifiez le cluster de ANALYTICS_URL';
    const { table } = await session.readLines([stored.key]);
    if ((await count('count(*)', lines, `FROM ${table}`)) !== stored.lines) throw new Fault(`${lines}.`);
    return 'Répond et lit les lignes des relevés';
  },
};

const troubles = {
  failed: 'abandonnée après plusieurs échecs, cherchez la cause dans le journal du serveur',
  waiting: 'en attente depuis plus d’une heure, vérifiez que le processus ROLE=worker est en marche',
  running: 'en cours depuis plus de quatre heures, redémarrez le processus ROLE=worker',
} as const;

async function signInToDatabase(url: string): Promise<void> {
  const db = createDatabase(url, { max: 1 });
  try {
    await sql`SELECT 1`.execute(db);
  } catch {
    throw new Fault(
      'Le compte regie_app ne peut pas se connecter\u00A0: lancez npm run migrate avec le SESSION_SECRET de l’installation.',
    );
  } finally {
    await db.destroy();
  }
}

async function askHealth(publicUrl: string): Promise<{ version: string; proxy: string }> {
  try {
    const response = await fetch(new URL('/healthz', publicUrl), {
      redirect: 'error',
      signal: AbortSignal.timeout(answerMs),
    });
    const body: unknown = await response.json();
    if (typeof body === 'object' && body !== null && 'version' in body && 'proxy' in body)
      return { version: String(body.version), proxy: String(body.proxy) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    throw new Fault(
      `${publicUrl} ne répond pas${code === '' ? '' : ` (${code})`}\u00A0: vérifiez que Régie est en marche, PUBLIC_URL, le nom de domaine et le certificat.`,
    );
  }
  throw new Fault(`Ce n’est pas Régie qui répond à ${publicUrl}\u00A0: vérifiez PUBLIC_URL.`);
}

/** Without the text of unforeseen errors, which may quote data. */
function describe(error: unknown): string {
  if (error instanceof Fault || error instanceof BackupFileError || error instanceof StorageUnavailable)
    return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(ECONN|ENOTFOUND|EHOST|ETIMEDOUT|57P0|08|28)/.test(code))
    return `La base de données ne répond pas ou refuse ce compte (${code})\u00A0: vérifiez DATABASE_URL et que PostgreSQL est en marche.`;
  if (code === '42P01' || code === '42883')
    return 'La base n’est pas au niveau de cette version\u00A0: lancez npm run migrate.';
  return `La vérification a échoué (${code || 'raison inconnue'})\u00A0: voyez le journal du serveur.`;
}

async function runCheck(name: SystemCheckName, options: CheckOptions): Promise<SystemCheck | undefined> {
  const late = new AbortController();
  try {
    const text = await Promise.race([
      checks[name](options),
      delay(limitMs, undefined, { signal: late.signal }).then(() => {
        throw new Fault(
          `Pas de réponse en ${limitMs / 1000}\u00A0secondes\u00A0: vérifiez ce service, puis recommencez.`,
        );
      }),
    ]);
    return text === undefined ? undefined : { name, isOk: true, text };
  } catch (error) {
    return { name, isOk: false, text: describe(error) };
  } finally {
    late.abort();
  }
}

/** Without what this process cannot check. */
export async function checkSystem(options: CheckOptions): Promise<SystemCheck[]> {
  const names = Object.keys(systemCheckLabels) as SystemCheckName[];
  const checks = await Promise.all(names.map((name) => runCheck(name, options)));
  return checks.filter((check) => check !== undefined);
}
