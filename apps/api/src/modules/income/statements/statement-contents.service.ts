import type { StatementHead, StatementPreview } from '@regie/contract/routes/statements.ts';
import { type Charset, ownPresetId, ownPresetKey, type StatementPreset } from '@regie/contract/statements.ts';
import type { Deps } from '#src/lib/deps.ts';
import { conflict, notFound } from '#src/lib/errors.ts';
import type { ByteRange, FileAnswer } from '#src/lib/file-answer.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import { readLines } from '#src/reading/read-lines.ts';
import { cellsIn, openStatement, type ReadOptions, readStatementHead, SheetSums } from '#src/reading/read-statement.ts';
import { StatementRefusal } from '#src/reading/refusal.ts';
import * as queries from './statements.queries.ts';
import type { Db } from './statements.service.ts';

async function getFile(db: Db, { storage }: Deps, id: number) {
  const row = await queries.findStatement(db, id);
  if (row?.storageKey == null) throw notFound();
  const { storageKey: key } = row;
  return { row, file: { sizeBytes: row.sizeBytes, open: (range?: ByteRange) => storage.open(key, range) } };
}

const refused = (error: unknown): never => {
  throw error instanceof StatementRefusal ? conflict(error.message) : error;
};

/** @throws AppError not_found */
export async function downloadStatement(db: Db, deps: Deps, id: number): Promise<FileAnswer> {
  const { row, file } = await getFile(db, deps, id);
  return {
    content: file.open,
    sizeBytes: file.sizeBytes,
    contentType: 'application/octet-stream',
    etag: `"${row.sha256.toString('hex')}"`,
    fileName: row.fileName,
  };
}

/** @throws AppError not_found; conflict when the file has no lines */
export async function getHead(
  db: Db,
  deps: Deps,
  id: number,
  query: { sheet?: string | undefined; charset?: Charset | undefined },
): Promise<StatementHead> {
  const { row, file } = await getFile(db, deps, id);
  const charset = query.charset ?? row.choices.charset;
  const head = await readStatementHead(file, { sheet: query.sheet, charset }).catch(refused);
  return { ...head, preset: ownPresetId(row.preset ?? '') ?? null };
}

const previewBytes = 4 * 1024 * 1024;
const previewMs = 2000;

/**
 * What a preset that is not saved would read of a file; null when it does not match, or the file is too large to be read
 * within a request. @throws AppError not_found
 */
export async function previewReading(
  deps: Deps,
  id: number,
  preset: Omit<StatementPreset, 'isVerified' | 'layout'>,
  options: ReadOptions,
): Promise<StatementPreview> {
  const { row, file } = await getFile(deps.db, deps, id);
  if (file.sizeBytes > previewBytes) return null;
  const [key, until] = [ownPresetKey(0), performance.now() + previewMs];
  const known = { key, preset: { ...preset, isVerified: false, layout: 'table' as const } };
  try {
    const opened = await openStatement(file, [known], { ...row.choices, ...options, chosen: key });
    if (opened.is !== 'recognised') return null;
    const sums = new SheetSums();
    for await (const lines of opened.lines()) {
      if (performance.now() > until) return null;
      sums.add(lines);
    }
    const { counted, totalLines } = opened.totals;
    return {
      counted,
      totalLines,
      sums: sums.texts().map(([currency, amount]) => ({ currency, amount })),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof StatementRefusal)) throw error;
    return { counted: 0, totalLines: [], sums: [], problem: { message: error.message, line: error.line ?? null } };
  }
}

/** Numbered as in reports. @throws AppError not_found; conflict when the file has no lines */
export async function getLines(db: Db, deps: Deps, id: number, query: { from: number; count: number }) {
  const { row, file } = await getFile(db, deps, id);
  const near = await queries.findLineOffset(db, id, query.from);
  return readLines(file, { ...query, charset: row.choices.charset }, near).catch(refused);
}

/** By the columns of the preset that read it. @throws AppError not_found; conflict when the file has no lines */
export async function getLine(db: Db, deps: Deps, id: number, line: number) {
  const { row, file } = await getFile(db, deps, id);
  const [found] = await getLines(db, deps, id, { from: line, count: 1 });
  const key = row.preset ?? '';
  const preset = (await mapPresets(db)).get(key);
  if (!found) return [];
  return cellsIn(file, line, found.text, preset && { key, preset }, row.choices.charset).catch(refused);
}
