import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import * as archive from '#src/lib/backup-archive.ts';
import { BackupFileError, type BackupKeys, canEncrypt, encryptBackup } from '#src/lib/backup-encryption.ts';
import { archivedData, DataVersionError, isVersion02, migrate, migrationNames } from '#src/lib/migrate.ts';

type Counts = { tables: number; files: number };
/** Whole or not at all. */
export type BackupTarget = { name: string; write: (content: Readable) => Promise<void> };
type Table = { name: string; columns: string[] };

/** Rows that only work creates: migrations fill settings and rates, never these. */
const workTables = ['admins', 'accounts', 'releases', 'imports', 'ledger_transactions', 'audit_log'];

/** Not PostgreSQL's, an extension's or the job runner's; unlogged tables only stage a running import. */
const ourRelations = `
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname not like 'pg\\_%' and n.nspname not in ('information_schema', 'graphile_worker')
    and c.relname not like 'kysely\\_%' and c.relname <> 'migrations' and c.relpersistence = 'p'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Some are partitioned in version 0.2. */
async function findTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       (select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     ${ourRelations} and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  return rows;
}

async function findSequences(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name ${ourRelations} and c.relkind = 'S' order by 1`,
  );
  return rows.map((row) => row.name);
}

async function findMigrations(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string | null }>(
    `select coalesce(to_regclass('public.migrations'), to_regclass('public.kysely_migration'))::text as table`,
  );
  const [{ table } = { table: null }] = rows;
  if (table === null) return [];
  const names = await client.query<{ name: string }>(
    `select name from ${table} where name !~ '^functions/' order by name`,
  );
  return names.rows.map((row) => row.name);
}

function columnList(client: Client, columns: string[]): string {
  return columns.length === 0 ? '' : `(${columns.map((column) => client.escapeIdentifier(column)).join(', ')})`;
}

export function fileSource(file: string): archive.BackupSource {
  return {
    name: file,
    async open() {
      if (!existsSync(file)) throw new BackupFileError(`Le fichier ${file} est introuvable.`);
      return createReadStream(file, { highWaterMark: 256 * 1024 });
    },
  };
}

/** Appears once it is complete and on the disk. @throws BackupFileError when it exists, or its folder does not */
export function fileTarget(file: string): BackupTarget {
  if (existsSync(file)) throw new BackupFileError(`Le fichier ${file} existe déjà\u00A0: choisissez un autre nom.`);
  if (!existsSync(dirname(file))) throw new BackupFileError(`Le dossier ${dirname(file)} n'existe pas.`);
  const draft = `${file}.partial`;
  return {
    name: file,
    async write(content) {
      try {
        await pipeline(content, createWriteStream(draft, { flush: true, mode: 0o600 }));
        await fs.rename(draft, file);
        await using folder = await fs.open(dirname(file), 'r');
        await folder.sync();
      } catch (error) {
        await fs.rm(draft, { force: true });
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        if (!/^(EROFS|EACCES|EPERM|ENOSPC|EDQUOT)$/.test(code)) throw error;
        throw new BackupFileError(
          `On ne peut pas écrire ${file} (${code})\u00A0: choisissez un dossier où Régie a le droit et la place d’écrire.`,
        );
      }
    },
  };
}

export type BackupOptions = {
  ownerUrl: string;
  /** Undefined for files elsewhere. */
  filesDir: string | undefined;
  target: BackupTarget;
  /** Without passphrase or recipient it is not encrypted. */
  keys: BackupKeys;
};

/** Tables of one instant, sequences and the folder of files. @throws BackupFileError for a database never migrated */
export async function backUp(options: BackupOptions): Promise<Counts & { sizeBytes: number; isEncrypted: boolean }> {
  const client = await connect(options.ownerUrl);
  const isEncrypted = canEncrypt(options.keys);
  try {
    await client.query('begin isolation level repeatable read read only');
    const migrations = await findMigrations(client);
    if (migrations.length === 0)
      throw new BackupFileError(
        "Cette base n'est pas celle de Régie, ou n'a jamais été migrée\u00A0: il n'y a rien à sauvegarder.",
      );
    const server = await client.query<{ server_version: string }>('show server_version');
    const counts: Counts = { tables: 0, files: 0 };
    const header = {
      format: archive.backupFormat,
      createdAt: new Date().toISOString(),
      serverVersion: server.rows[0]?.server_version ?? '',
      migrations,
    };
    const plain = Readable.from(archive.encodeBackup(header, collect(client, options.filesDir, counts)), {
      objectMode: false,
      highWaterMark: 256 * 1024,
    });
    let sizeBytes = 0;
    const content = isEncrypted ? await encryptBackup(plain, options.keys) : plain;
    async function* measured() {
      for await (const bytes of content as AsyncIterable<Buffer>) {
        sizeBytes += bytes.length;
        yield bytes;
      }
    }
    const written = Readable.from(measured(), { objectMode: false, highWaterMark: 256 * 1024 });
    try {
      await options.target.write(written);
    } catch (error) {
      // The connection ends what still reads the tables; the first error counts.
      for (const stream of [written, content, plain]) stream.on('error', () => undefined).destroy();
      throw error;
    }
    await client.query('commit');
    return { ...counts, sizeBytes, isEncrypted };
  } finally {
    await client.end();
  }
}

/** @throws BackupFileError, DataVersionError when it could not be restored */
export async function verifyBackup(source: archive.BackupSource, keys: BackupKeys): Promise<archive.CheckedBackup> {
  const backup = await archive.checkBackup(source, keys);
  await assertKnown(backup);
  return backup;
}

async function* collect(client: Client, filesDir: string | undefined, counts: Counts): AsyncGenerator<archive.Frame> {
  for (const table of await findTables(client)) {
    yield { kind: 'table', ...table };
    const columns = columnList(client, table.columns).slice(1, -1);
    yield* dataOf(client.query(copyTo(`copy (select ${columns} from ${table.name}) to stdout (format binary)`)));
    counts.tables += 1;
  }
  const values: { name: string; value: string; isCalled: boolean }[] = [];
  for (const name of await findSequences(client)) {
    // Outside snapshots: read after the tables, they are never behind.
    const { rows } = await client.query<{ value: string; is_called: boolean }>(
      `select last_value::text as value, is_called from ${name}`,
    );
    for (const row of rows) values.push({ name, value: row.value, isCalled: row.is_called });
  }
  yield { kind: 'sequences', values };
  if (filesDir !== undefined && existsSync(filesDir)) {
    for (const entry of await fs.readdir(filesDir, { recursive: true, withFileTypes: true })) {
      // Being written, or removed since.
      if (!entry.isFile() || entry.parentPath.startsWith(join(filesDir, '.partial'))) continue;
      const path = join(entry.parentPath, entry.name);
      const file = await fs.open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (file === undefined) continue;
      yield { kind: 'file', path: relative(filesDir, path).split(sep).join('/') };
      yield* dataOf(file.createReadStream({ highWaterMark: 256 * 1024 }));
      counts.files += 1;
    }
  }
  yield { kind: 'end' };
}

async function* dataOf(stream: Readable): AsyncGenerator<archive.Frame> {
  for await (const bytes of stream) {
    if (Buffer.isBuffer(bytes)) yield { kind: 'data', bytes };
  }
}

export type RestoreOptions = {
  ownerUrl: string;
  appPassword: string;
  /** Undefined for files elsewhere. */
  filesDir: string | undefined;
  source: archive.BackupSource;
  keys: BackupKeys;
  /** Replaces what the database holds. */
  force: boolean;
};

/**
 * The database in one transaction, then the files, then later migrations. Former files are kept beside.
 * @throws BackupFileError, DataVersionError before anything is written
 */
export async function restore(options: RestoreOptions): Promise<Counts & { keptFilesDir: string | undefined }> {
  const backup = await archive.checkBackup(options.source, options.keys);
  const client = await connect(options.ownerUrl);
  let filesDraft: string | undefined;
  try {
    const { migrations } = backup.header;
    await assertKnown(backup);
    await assertNobodyConnected(client);
    if (!options.force) await assertEmpty(client);
    if (!startsWith(migrations, await findMigrations(client))) await dropEverything(client);
    await migrate({ ownerUrl: options.ownerUrl, appPassword: options.appPassword, upTo: migrations.at(-1) });
    if (options.filesDir !== undefined) {
      filesDraft = `${options.filesDir}.restore-${process.pid}`;
      await fs.mkdir(filesDraft, { recursive: true, mode: 0o700 });
    }
    const counts: Counts = { tables: 0, files: 0 };
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const tables = (await findTables(client)).map((table) => table.name);
    await client.query(`truncate ${tables.join(', ')}`);
    await client.query('truncate graphile_worker._private_jobs');
    await fill(client, backup.frames(), { tables, filesDir: filesDraft, counts });
    await endAccess(client);
    await client.query('commit');
    const keptFilesDir =
      filesDraft === undefined || options.filesDir === undefined
        ? undefined
        : await swapFiles(filesDraft, options.filesDir);
    await migrate({ ownerUrl: options.ownerUrl, appPassword: options.appPassword });
    // Later signatures are unknown, and what was paid since may wait again.
    await client.query('select forget_signatures()');
    await client.query('analyze');
    return { ...counts, keptFilesDir };
  } finally {
    if (filesDraft !== undefined) await fs.rm(filesDraft, { recursive: true, force: true });
    await client.end();
  }
}

/** Sessions signed out, codes used and invitations withdrawn since the backup must not open the house again. */
async function endAccess(client: Client): Promise<void> {
  await client.query('delete from sessions');
  await client.query('delete from password_resets');
  await client.query('delete from auth_challenges');
  await client.query('delete from recovery_codes');
  await client.query(
    'update invitations set withdrawn_at = now() where used_at is null and withdrawn_at is null and expires_at > now()',
  );
}

/** A program that just left is counted for a moment. */
const leavingMs = 3000;

async function assertNobodyConnected(client: Client): Promise<void> {
  const deadline = performance.now() + leavingMs;
  for (;;) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    if ((rows[0]?.count ?? 0) === 0) return;
    if (performance.now() > deadline) {
      throw new BackupFileError(
        'Régie ou un autre programme est connecté à cette base\u00A0: arrêtez-le avant de restaurer.',
      );
    }
    await delay(100);
  }
}

function startsWith(list: string[], beginning: string[]): boolean {
  return beginning.every((name, index) => list[index] === name);
}

/** A later version's backup has unknown migrations. */
async function assertKnown({ header: { migrations }, frames }: archive.CheckedBackup): Promise<void> {
  if (isVersion02(migrations)) return assertNothingArchived(frames());
  if (migrations.length === 0 || !startsWith(await migrationNames(), migrations)) {
    throw new BackupFileError(
      "La sauvegarde vient d'une autre version de Régie, dont celle-ci ne connaît pas toutes les migrations\u00A0: " +
        'restaurez avec une version au moins aussi récente.',
    );
  }
}

/** COPY's bytes of a table without a row. */
const emptyBytes = 21;

/** Version 0.2. @throws DataVersionError for archives */
async function assertNothingArchived(frames: AsyncGenerator<archive.Frame>): Promise<void> {
  let bytes: number | undefined;
  for await (const frame of frames) {
    if (frame.kind === 'table') bytes = /^public\.(journal|ledger|report)_archives$/.test(frame.name) ? 0 : undefined;
    else if (frame.kind !== 'data') return;
    else if (bytes !== undefined) bytes += frame.bytes.length;
    if (bytes !== undefined && bytes > emptyBytes) throw new DataVersionError(archivedData);
  }
}

async function assertEmpty(client: Client): Promise<void> {
  for (const table of workTables) {
    const existing = await client.query<{ known: boolean }>('select to_regclass($1) is not null as known', [
      `public.${table}`,
    ]);
    if (existing.rows[0]?.known !== true) continue;
    const answer = await client.query<{ found: boolean }>(`select exists (select from public.${table}) as found`);
    if (answer.rows[0]?.found === true) {
      throw new BackupFileError(
        "La base n'est pas vide\u00A0: restaurez dans une base neuve, ou ajoutez --force pour remplacer tout ce qu'elle contient.",
      );
    }
  }
}

/** Migrations only go forward. */
async function dropEverything(client: Client): Promise<void> {
  await client.query('begin');
  await client.query('drop schema if exists graphile_worker cascade');
  await client.query('drop schema public cascade');
  await client.query('create schema public');
  await client.query('commit');
}

const uploads = /^public\.uploads(_id_seq)?$/;

type Target = { tables: string[]; filesDir: string | undefined; counts: Counts };

async function fill(client: Client, frames: AsyncGenerator<archive.Frame>, target: Target): Promise<void> {
  const reader = new FrameReader(frames);
  try {
    for (let frame = await reader.next(); frame.kind !== 'end'; frame = await reader.next()) {
      if (frame.kind === 'table') {
        if (uploads.test(frame.name)) continue;
        if (!target.tables.includes(frame.name))
          throw new BackupFileError(`La sauvegarde contient une table inconnue\u00A0: ${frame.name}`);
        const copy = client.query(
          copyFrom(`copy ${frame.name} ${columnList(client, frame.columns)} from stdin (format binary)`),
        );
        await pipeline(Readable.from(reader.data(), { objectMode: false }), copy);
        target.counts.tables += 1;
      } else if (frame.kind === 'sequences') {
        for (const { name, value, isCalled } of frame.values) {
          if (uploads.test(name)) continue;
          await client.query('select setval($1::regclass, $2::bigint, $3)', [name, value, isCalled]);
        }
      } else if (frame.kind === 'file') {
        await writeRestoredFile(frame.path, reader, target);
      }
      // Of a table or file that is left out.
    }
  } finally {
    await frames.return(undefined);
  }
}

async function writeRestoredFile(path: string, reader: FrameReader, target: Target): Promise<void> {
  if (isAbsolute(path) || normalize(path).startsWith('..')) {
    throw new BackupFileError(`La sauvegarde contient un chemin interdit\u00A0: ${path}`);
  }
  if (target.filesDir === undefined) return;
  const file = join(target.filesDir, path);
  await fs.mkdir(dirname(file), { recursive: true });
  await pipeline(Readable.from(reader.data(), { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
  target.counts.files += 1;
}

/** Splits data frames from the headers between them. */
class FrameReader {
  readonly #frames: AsyncGenerator<archive.Frame>;
  #ahead: archive.Frame | undefined;

  constructor(frames: AsyncGenerator<archive.Frame>) {
    this.#frames = frames;
  }

  async next(): Promise<archive.Frame> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead !== undefined) return ahead;
    const { value, done } = await this.#frames.next();
    return done === true ? { kind: 'end' } : value;
  }

  async *data(): AsyncGenerator<Buffer> {
    for (;;) {
      const frame = await this.next();
      if (frame.kind !== 'data') {
        this.#ahead = frame;
        return;
      }
      yield frame.bytes;
    }
  }
}

async function swapFiles(draft: string, filesDir: string): Promise<string | undefined> {
  const isEmpty = !existsSync(filesDir) || (await fs.readdir(filesDir)).length === 0;
  if (isEmpty) {
    await fs.rm(filesDir, { recursive: true, force: true });
    await fs.rename(draft, filesDir);
    return undefined;
  }
  const keptDir = `${filesDir}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  await fs.rename(filesDir, keptDir);
  await fs.rename(draft, filesDir);
  return keptDir;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'regie-backup' });
  await client.connect();
  return client;
}
