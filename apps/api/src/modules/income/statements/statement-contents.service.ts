import type { StatementHead } from '@regie/contract/routes/statements.ts';
import { type Charset, ownPresetId } from '@regie/contract/statements.ts';
import type { Deps } from '#src/lib/deps.ts';
import { conflict, notFound } from '#src/lib/errors.ts';
import type { ByteRange, FileAnswer } from '#src/lib/file-answer.ts';
import { readLines } from '#src/reading/read-lines.ts';
import { readStatementHead } from '#src/reading/read-statement.ts';
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

/** Numbered as in reports. @throws AppError not_found; conflict when the file has no lines */
export async function getLines(db: Db, deps: Deps, id: number, query: { from: number; count: number }) {
  const { row, file } = await getFile(db, deps, id);
  const near = await queries.findLineOffset(db, id, query.from);
  return readLines(file, { ...query, charset: row.choices.charset }, near).catch(refused);
}
