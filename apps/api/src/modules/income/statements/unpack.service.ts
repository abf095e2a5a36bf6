import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { maxStatementBytes } from '@regie/contract/statements.ts';
import type { Client } from 'pg';
import { newStorageKey, type Storage } from '#src/lib/storage.ts';
import { type ArchiveMember, maxMembers, type StoredFile, unzip } from '#src/reading/archives.ts';
import { isArchive, type LeftOut, openStatement } from '#src/reading/read-statement.ts';
import type { KnownPreset } from '#src/reading/recognise.ts';
import { StatementRefusal } from '#src/reading/refusal.ts';

/** More than a month's statements take. */
const maxArchiveBytes = 4 * maxStatementBytes;
const maxFileName = 255;
/** Archives within archives, the outermost included. */
const maxDepth = 3;

const reasons = {
  noTable: 'Ce n’est pas un tableau',
  empty: 'Ce fichier est vide',
  archive: 'Une archive dans l’archive',
  tooDeep: `Plus de ${maxDepth} archives l’une dans l’autre`,
  tooLarge: 'Ce fichier pèse plus de 5 Go',
  unknown: 'Aucun modèle ne reconnaît ce fichier',
  same: (fileName: string) => `Déjà déposé\u00a0: «\u00a0${fileName}\u00a0»`,
  twin: (fileName: string) => `Identique à «\u00a0${fileName}\u00a0» de cette archive`,
} as const;

interface StoredMember {
  name: string;
  sizeBytes: number;
  storageKey: string;
  sha256: Buffer;
  /** Why no preset reads it; undefined when at least one does. */
  problem: string | undefined;
  isArchive?: boolean;
  canRead: boolean;
}

export interface Archive {
  statementId: number;
  file: StoredFile;
  members: readonly ArchiveMember[];
  /** Files that staff wants read without a matching preset. */
  wanted: readonly string[];
}

/** What the archives around and beside this one contain, and how deep this one is. */
async function measureTree(client: Client, statementId: number) {
  const { rows } = await client.query<{ depth: number; files: number; sizeBytes: number }>(
    `WITH RECURSIVE around AS (
       SELECT id, unpacked_from, 1 AS depth FROM statements WHERE id = $1
       UNION ALL SELECT s.id, s.unpacked_from, depth + 1 FROM statements s JOIN around a ON s.id = a.unpacked_from),
     tree AS (
       SELECT s.* FROM statements s JOIN around a ON a.id = s.id WHERE a.unpacked_from IS NULL
       UNION ALL SELECT s.* FROM statements s JOIN tree t ON s.unpacked_from = t.id)
     SELECT (SELECT max(depth) FROM around)::integer AS depth,
            sum(1 + coalesce(jsonb_array_length(findings -> 'leftOut'), 0))::integer AS files,
            sum(size_bytes)::float8 AS "sizeBytes"
       FROM tree WHERE unpacked_from IS DISTINCT FROM $1 AND ended_at IS NULL`,
    [statementId],
  );
  return rows[0] ?? { depth: 1, files: 1, sizeBytes: 0 };
}

/**
 * In one transaction, creates a statement for each file of an archive that a preset reads, or for each table when none
 * does. Other files, and archives inside, are listed with a reason.
 * @returns false when the archive was deleted meanwhile @throws StatementRefusal when it holds no table
 */
export async function unpackArchive(
  client: Client,
  storage: Storage,
  { statementId, file, members, wanted }: Archive,
  presets: readonly KnownPreset[],
): Promise<boolean> {
  const tree = await measureTree(client, statementId);
  if (tree.files + members.length > maxMembers)
    throw new StatementRefusal(`Cette archive et celles qui l’entourent contiennent plus de ${maxMembers} fichiers`);
  const sizeBytes = members.reduce((sum, member) => sum + (member.isTable ? member.sizeBytes : 0), tree.sizeBytes);
  if (sizeBytes > maxArchiveBytes) {
    throw new StatementRefusal('Ce fichier compressé se déploie au-delà de toute mesure\u00a0: il n’est pas lu');
  }
  const canRead = tree.depth < maxDepth;
  const inner = { isArchive: true, problem: canRead ? reasons.archive : reasons.tooDeep, canRead };
  const leftOut: LeftOut[] = [];
  const stored: StoredMember[] = [];
  const kept = new Set<string>();
  try {
    for (const member of members) {
      const reason = unreadable(member);
      if (reason === undefined) stored.push(await storeMember(storage, file, member, presets, inner));
      else leftOut.push({ name: member.name, reason, canRead: false });
    }
    if (!stored.some(({ canRead, isArchive }) => canRead || isArchive)) {
      throw new StatementRefusal(`Ce fichier ZIP ne contient aucun relevé (${members.length} fichiers examinés)`);
    }
    const hasMatch = stored.some(({ problem }) => problem === undefined);
    const chosen = stored.filter(
      ({ name, problem, isArchive, canRead }) =>
        canRead && (wanted.includes(name) || (!isArchive && (!hasMatch || problem === undefined))),
    );
    for (const { name, problem: reason = reasons.unknown, canRead } of stored.filter(
      (member) => !chosen.includes(member),
    ))
      leftOut.push({ name, reason, canRead });
    await client.query('BEGIN');
    for (const member of chosen) {
      const found = await insertMember(client, statementId, member, chosen.length === 1);
      if (found.isNew) kept.add(member.storageKey);
      else if (!found.isOwn) leftOut.push({ name: member.name, reason: reasons.same(found.fileName), canRead: false });
      // When an archive is opened again, its own files are not duplicates.
      else if (found.fileName !== storedName(member)) {
        leftOut.push({ name: member.name, reason: reasons.twin(found.fileName), canRead: false });
      }
    }
    const ended = await client.query(
      `UPDATE statements SET status = 'unpacked', findings = $2, attempts = 0 WHERE id = $1 AND status = 'reading'`,
      [statementId, JSON.stringify({ leftOut })],
    );
    if (ended.rowCount === 0) {
      await client.query('ROLLBACK');
      kept.clear();
      return false;
    }
    await client.query('COMMIT');
    return true;
  } catch (error) {
    kept.clear();
    throw error;
  } finally {
    for (const { storageKey } of stored) if (!kept.has(storageKey)) await storage.remove(storageKey);
  }
}

function unreadable({ isTable, sizeBytes }: ArchiveMember): string | undefined {
  if (!isTable) return reasons.noTable;
  if (sizeBytes === 0) return reasons.empty;
  return sizeBytes > maxStatementBytes ? reasons.tooLarge : undefined;
}

async function storeMember(
  storage: Storage,
  archive: StoredFile,
  { name, sizeBytes }: ArchiveMember,
  presets: readonly KnownPreset[],
  inner: Pick<StoredMember, 'problem' | 'isArchive' | 'canRead'>,
): Promise<StoredMember> {
  const storageKey = newStorageKey('statement', 'data');
  const hash = createHash('sha256');
  async function* hashed() {
    let bytes = 0;
    for await (const piece of unzip(archive, name)) {
      bytes += piece.length;
      if (bytes > sizeBytes) throw new StatementRefusal('Ce fichier ZIP est abîmé ou coupé');
      hash.update(piece);
      yield piece;
    }
    if (bytes < sizeBytes) throw new StatementRefusal('Ce fichier ZIP est abîmé ou coupé');
  }
  await storage.put(storageKey, Readable.from(hashed()), sizeBytes);
  const member = { name, sizeBytes, storageKey, sha256: hash.digest() };
  const file: StoredFile = { sizeBytes, open: (range) => storage.open(storageKey, range) };
  try {
    // By its bytes, since any name may hide an archive.
    if (await isArchive(file)) return { ...member, ...inner };
    const opened = await openStatement(file, presets);
    return { ...member, problem: opened.is === 'unrecognised' ? reasons.unknown : undefined, canRead: true };
  } catch (error) {
    if (!(error instanceof StatementRefusal)) throw error;
    return { ...member, problem: error.message, canRead: false };
  }
}

const storedName = ({ name }: Pick<StoredMember, 'name'>) => name.slice(-maxFileName);

async function insertMember(
  client: Client,
  archiveId: number,
  { name, sizeBytes, storageKey, sha256 }: StoredMember,
  isOnly: boolean,
): Promise<{ isNew: true } | { isNew: false; isOwn: boolean; fileName: string }> {
  const { rows: same } = await client.query<{ file_name: string; is_own: boolean }>(
    `SELECT file_name, unpacked_from IS NOT DISTINCT FROM $2 AS is_own FROM statements WHERE sha256 = $1 AND ended_at IS NULL`,
    [sha256, archiveId],
  );
  if (same[0]) return { isNew: false, isOwn: same[0].is_own, fileName: same[0].file_name };
  const fileName = storedName({ name });
  const { rows } = await client.query<{ id: string }>(
    `WITH archive AS (SELECT created_by, replaces FROM statements WHERE id = $1),
     kept AS (
       INSERT INTO files (storage_key, kind, original_name, content_type, size_bytes, sha256, created_by)
       SELECT $2, 'statement', $3, 'application/octet-stream', $4, $5, created_by FROM archive RETURNING id
     )
     INSERT INTO statements (file_name, size_bytes, sha256, file_id, created_by, unpacked_from, replaces)
     SELECT $3, $4, $5, kept.id, archive.created_by, $1, CASE WHEN $6::boolean THEN archive.replaces END FROM archive, kept
     RETURNING id`,
    [archiveId, storageKey, fileName, sizeBytes, sha256, isOnly],
  );
  const payload = JSON.stringify({ statementId: Number(rows[0]?.id) });
  await client.query(`SELECT enqueue_job('read_statement', $1::json)`, [payload]);
  return { isNew: true };
}
