import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import manifest from '#package.json' with { type: 'json' };
import { newStorageKey, type Storage } from '#src/lib/storage.ts';
import { joinSlices, LineWriter } from './lines.service.ts';
import type { LoadTarget } from './load.service.ts';
import type { StoredFile } from './reading/archives.ts';
import type { LineOffset } from './reading/line-offsets.ts';
import type { OpenedStatement, ReadTotals, StatementSlices } from './reading/read-statement.ts';
import { NotSliceable, StatementRefusal } from './reading/refusal.ts';
import type { SliceSeen } from './reading/table-reader.ts';
import { Abandoned, type AddUp, type GivenLines, reportsProgress, takeLines } from './take-lines.service.ts';

/** From which size a text is read in slices, and how large they are, in bytes. */
export interface Slicing {
  fromBytes: number;
  sliceBytes: number;
}
const usual: Slicing = { fromBytes: 1024 ** 3, sliceBytes: 192 * 1024 ** 2 };
/** Compressed tables are about this many times smaller than their text. */
const packedRatio = 8;
/** More help than this would only wait for the storage. */
const maxHelpers = 15;
const waitMs = 100;
/** The nightly job removes objects that nothing names after 48 hours. */
const keptFor = '1 day';

interface Seen extends SliceSeen {
  offsets: LineOffset[];
  lines: number;
  lineRows: number;
}

/** A version reads no slices together with another one, which may read them otherwise. */
const digestOf = (slices: StatementSlices) =>
  createHash('sha256').update(`${manifest.version}\n${slices.plan}`).digest('hex');

/**
 * Has a large text read in slices, by this load and by every worker that is free. What was read stays when a load is killed:
 * the next one goes on. That of a compressed file is put into the storage first.
 * @param openText opens the text of a compressed file
 * @returns undefined for a file to be read as a whole
 * @throws Abandoned once the statement is not being read any more
 */
export async function readInSlices(
  side: Client,
  { slices, packed }: Pick<OpenedStatement, 'slices' | 'packed'>,
  target: LoadTarget,
  openText: (file: StoredFile) => Promise<StatementSlices | undefined>,
): Promise<StatementSlices | undefined> {
  const { fromBytes } = target.slicing ?? usual;
  if (target.file.sizeBytes * (packed ? packedRatio : 1) < fromBytes) return undefined;
  if (await isKnownUnfit(side, target.statementId)) return undefined;
  if (!packed) return slices && (await readAll(side, slices, target)) ? slices : undefined;
  const text = (await findText(side, target)) ?? (await unpack(side, target, packed));
  if (!text) return undefined;
  const ofText = await openText(text.file);
  try {
    if (ofText && (await readAll(side, ofText, { ...target, file: text.file }, text.key))) return ofText;
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
    if (!isFull) throw error;
    // Without the text there may be space for the lines.
    const removeFiles = await discardSlices(side, target);
    await removeFiles();
  }
  await target.lines.storage.remove(text.key);
  return undefined;
}

/** A load that is killed while it reads such a file as a whole leaves it to the next one. */
async function isKnownUnfit(side: Client, statementId: number): Promise<boolean> {
  const { rowCount } = await side.query(
    'SELECT FROM statement_slices WHERE statement_id = $1 AND is_unfit AND created_at > now() - $2::interval LIMIT 1',
    [statementId, keptFor],
  );
  return rowCount === 1;
}

interface PackedText {
  key: string;
  file: StoredFile;
}

/** The text of a compressed file whose slices are being read. */
export async function findText(
  side: Client,
  { statementId, lines: { storage } }: LoadTarget,
): Promise<PackedText | undefined> {
  const { rows } = await side.query<{ key: string }>(
    `SELECT text_key AS key FROM statement_slices
      WHERE statement_id = $1 AND text_key IS NOT NULL AND created_at > now() - $2::interval LIMIT 1`,
    [statementId, keptFor],
  );
  return rows[0] && textUnder(storage, rows[0].key);
}

async function textUnder(storage: Storage, key: string): Promise<PackedText | undefined> {
  const stored = await storage.find(key);
  return stored && { key, file: { sizeBytes: stored.sizeBytes, open: (range) => storage.open(key, range) } };
}

/** @returns undefined where it must be read as a whole: a damaged file says where then, and the storage may have no space */
async function unpack(
  side: Client,
  { statementId, file, lines: { storage } }: LoadTarget,
  packed: NonNullable<OpenedStatement['packed']>,
): Promise<PackedText | undefined> {
  const key = newStorageKey('lines', 'txt');
  /** A storage may tell an error of what it reads as one of its own. */
  let failure: unknown;
  const report = reportsProgress(side, statementId, () => ({ bytes: 0, sizeBytes: file.sizeBytes, rows: 0 }));
  async function* reported(): AsyncGenerator<Buffer, void> {
    try {
      for await (const bytes of packed()) {
        await report();
        yield bytes;
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  try {
    await storage.put(key, Readable.from(reported()), undefined);
  } catch {
    if (failure instanceof Abandoned) throw failure;
    return undefined;
  }
  return textUnder(storage, key);
}

async function readAll(
  side: Client,
  slices: StatementSlices,
  target: LoadTarget,
  textKey: string | null = null,
): Promise<boolean> {
  const { sliceBytes } = target.slicing ?? usual;
  const { statementId, file } = target;
  const plan = digestOf(slices);
  await side.query(
    `DELETE FROM statement_slices WHERE statement_id = $1 AND (plan <> $2 OR created_at < now() - $3::interval)`,
    [statementId, plan, keptFor],
  );
  const { rows: kept } = await side.query('SELECT FROM statement_slices WHERE statement_id = $1', [statementId]);
  if (kept.length === 0) {
    const starts = await slices.cut(sliceBytes);
    if (!starts) return false;
    await side.query(
      `INSERT INTO statement_slices (statement_id, number, plan, start_byte, end_byte, text_key)
       SELECT $1, s.number - 1, $2, s.start, lead(s.start, 1, $4::bigint) OVER (ORDER BY s.number), $5
         FROM unnest($3::bigint[]) WITH ORDINALITY AS s (start, number)`,
      [statementId, plan, starts, file.sizeBytes, textKey],
    );
  }
  await side.query(
    `SELECT enqueue_job('help_statement', json_build_object('statementId', $1::bigint), job_key => format('help_statement:%s:%s', $1::bigint, n))
       FROM generate_series(1, (SELECT least($2, count(*) - 1) FROM statement_slices WHERE statement_id = $1 AND seen IS NULL)) n`,
    [statementId, maxHelpers],
  );
  const reports = reportsSlices(side, target);
  for (;;) {
    if (await readNextSlice(side, slices, target)) continue;
    const { rows } = await side.query<{ open: number; is_unfit: boolean }>(
      `SELECT count(*) FILTER (WHERE seen IS NULL)::int AS open, bool_or(is_unfit) AS is_unfit FROM statement_slices WHERE statement_id = $1`,
      [statementId],
    );
    if (rows[0]?.is_unfit) {
      const removeFiles = await discardSlices(side, target, { keepsUnfit: true });
      await removeFiles();
      return false;
    }
    if (rows[0]?.open === 0) return true;
    // The rest is being read by others; what one of them leaves when it dies is free at once.
    await sleep(waitMs);
    await reports();
  }
}

/** Tells how much of all slices is read, and of the present one. */
const reportsSlices = (
  side: Client,
  { statementId, file }: LoadTarget,
  present?: { bytesRead: number; rows: number },
) =>
  reportsProgress(side, statementId, async () => {
    const { rows } = await side.query<{ bytes: string | null; rows: string | null }>(
      `SELECT sum(end_byte - start_byte) AS bytes, sum((seen ->> 'rows')::bigint) AS rows
         FROM statement_slices WHERE statement_id = $1 AND seen IS NOT NULL`,
      [statementId],
    );
    return {
      bytes: Math.min(file.sizeBytes, Number(rows[0]?.bytes ?? 0) + (present?.bytesRead ?? 0)),
      sizeBytes: file.sizeBytes,
      rows: Number(rows[0]?.rows ?? 0) + (present?.rows ?? 0),
    };
  });

/**
 * Reads a slice that nobody reads.
 * @returns whether there was one
 * @throws Abandoned once the statement is not being read any more
 */
export async function readNextSlice(side: Client, slices: StatementSlices, target: LoadTarget): Promise<boolean> {
  const { statementId } = target;
  const { rows } = await side.query<{
    id: number;
    number: number;
    start_byte: string;
    end_byte: string;
    is_last: boolean;
  }>(
    `SELECT s.id::int, s.number, s.start_byte, s.end_byte, s.number = (SELECT max(number) FROM statement_slices WHERE statement_id = $1) AS is_last
       FROM statement_slices s WHERE s.statement_id = $1 AND s.plan = $2 AND s.seen IS NULL
        AND NOT EXISTS (SELECT FROM statement_slices u WHERE u.statement_id = $1 AND u.is_unfit) ORDER BY s.number`,
    [statementId, digestOf(slices)],
  );
  for (const { id, number, start_byte, end_byte, is_last: isLast } of rows) {
    const slice = { start: Number(start_byte), end: Number(end_byte), isFirst: number === 0, isLast };
    const lock = await side.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('statement_slice'), $1) AS taken`,
      [id],
    );
    if (!lock.rows[0]?.taken) continue;
    try {
      const { rowCount } = await side.query('SELECT FROM statement_slices WHERE id = $1 AND seen IS NULL', [id]);
      if (rowCount === 0) continue;
      await readSlice(side, slices, target, { id, slice });
      return true;
    } finally {
      await side.query(`SELECT pg_advisory_unlock(hashtext('statement_slice'), $1)`, [id]);
    }
  }
  return false;
}

async function readSlice(
  side: Client,
  slices: StatementSlices,
  target: LoadTarget,
  { id, slice }: { id: number; slice: Parameters<StatementSlices['read']>[0] },
): Promise<void> {
  const reading = slices.read(slice);
  try {
    await using writer = await LineWriter.create(target.lines);
    const given = await takeLines(side, writer, reading.lines, reportsSlices(side, target, reading));
    const storageKey = await writer.endSlice();
    const { seen, offsets } = reading.end();
    const all: Seen = { ...seen, offsets, lines: given.lines, lineRows: given.rows };
    const { rowCount } = await side.query(
      'UPDATE statement_slices SET seen = $2, storage_key = $3, places = $4 WHERE id = $1',
      [id, JSON.stringify(all), storageKey, given.places.join('')],
    );
    if (rowCount === 0) return;
    // The file does not crash its readers: several deployments may end them during one load.
    await side.query(`UPDATE statements SET attempts = 1 WHERE id = $1 AND status = 'reading' AND attempts > 1`, [
      target.statementId,
    ]);
  } catch (error) {
    // Read as a whole, a file that is refused says which of its lines is the first.
    if (!(error instanceof NotSliceable || error instanceof StatementRefusal)) throw error;
    await side.query('UPDATE statement_slices SET is_unfit = true WHERE id = $1', [id]);
  }
}

/** What a load of a whole file gives, of its slices. */
export interface JoinedSlices {
  given: GivenLines;
  totals: ReadTotals;
  offsets: LineOffset[];
}

/**
 * Writes what the slices have into the same tables and files as the lines of a file that is read as a whole.
 * @throws StatementRefusal when they are not a whole
 */
export async function joinRead(
  main: Client,
  slices: StatementSlices,
  { lines, statementId }: LoadTarget,
  addUp: AddUp,
): Promise<JoinedSlices> {
  const { rows } = await main.query<{ seen: Seen; storage_key: string; places: string }>(
    'SELECT seen, storage_key, places FROM statement_slices WHERE statement_id = $1 ORDER BY number',
    [statementId],
  );
  let before = 0;
  const parts = rows.map(({ seen, storage_key: storageKey, places }) => {
    const part = { seen, storageKey, places, before, shift: before + 1 - seen.firstLine };
    before += seen.fileLines;
    return part;
  });
  slices.requireWhole(
    parts.map(({ seen, shift }) => ({
      ...seen,
      declared: seen.declared && { ...seen.declared, line: seen.declared.line + shift },
      doubtful: seen.doubtful && { ...seen.doubtful, line: seen.doubtful.line + shift },
    })),
  );
  const sum = (of: 'lines' | 'lineRows' | 'rows' | 'counted') => parts.reduce((all, { seen }) => all + seen[of], 0);
  const given = { lines: sum('lines'), rows: sum('lineRows'), places: parts.map(({ places }) => places) };
  await joinSlices(main, lines, parts, { statementId, lines: given.lines, useSums: () => addUp(given) });
  const skipped = new Map<string, number>();
  for (const { seen } of parts) {
    for (const [reason, count] of seen.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + count);
  }
  const last = parts.at(-1);
  return {
    given,
    totals: {
      rows: sum('rows'),
      counted: sum('counted'),
      skipped,
      // A slice that announces a total is none.
      announced: [],
      mayBeCutAt: last?.seen.mayBeCutAt === undefined ? undefined : last.seen.mayBeCutAt + last.shift,
    },
    offsets: parts.flatMap(({ seen, before: shift }) =>
      seen.offsets.map(({ line, byteOffset }) => ({ line: line + shift, byteOffset })),
    ),
  };
}

/** Removes the slices of a statement. @returns what removes their files, once this is committed */
export async function discardSlices(
  client: Client,
  { statementId, lines }: Pick<LoadTarget, 'statementId' | 'lines'>,
  { keepsUnfit = false } = {},
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ storage_key: string | null; text_key: string | null }>(
    'DELETE FROM statement_slices WHERE statement_id = $1 AND NOT ($2 AND is_unfit) RETURNING storage_key, text_key',
    [statementId, keepsUnfit],
  );
  const keys = new Set(rows.flatMap(({ storage_key, text_key }) => [storage_key, text_key]));
  return async () => {
    for (const key of keys) if (key !== null) await lines.storage.remove(key);
  };
}
