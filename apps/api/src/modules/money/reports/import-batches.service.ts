import { hash } from 'node:crypto';
import { maxBatchRows, type UnsavedRow } from '@regie/contract/routes/reports.ts';
import { findMonth } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { conflict } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { endDate, toDate } from '#src/lib/months.ts';
import { findEqualRows, rowHashes } from './equal-rows.queries.ts';
import * as imports from './imports.service.ts';
import { type OpenImport, type Posted, postContributions, rowsSource, tableOf } from './report-posting.queries.ts';
import { givenValues, type ParsedRows, parseReportRows } from './report-rows.rules.ts';
import * as staging from './report-staging.queries.ts';

export interface BatchAnswer {
  importId: number;
  saved: number;
  unsaved: UnsavedRow[];
  unsavedISRC: string[];
  grossUsd: number;
  accountsEur: number;
  alreadyCounted: boolean;
  isPosted: boolean;
  dropped: number;
  warnings: string[];
}

const unsavedIsrcs = (unsaved: readonly UnsavedRow[]) => [
  ...new Set(unsaved.map((row) => row.isrc).filter((isrc) => isrc !== '')),
];

async function findCountedBatch(
  trx: Trx,
  importId: number,
  batch: number,
  bodyHash: Buffer,
): Promise<BatchAnswer | undefined> {
  const stored = await queryRow<{
    bodyHash: Buffer;
    rows: number;
    grossUsd: string;
    accountsEur: string;
    isPosted: boolean;
  }>(trx)`
    SELECT b.body_hash, b.rows, b.gross_usd, b.accounts_eur,
           NOT EXISTS (SELECT FROM import_staged_rows s WHERE s.import_id = b.import_id AND s.batch = b.batch) AS is_posted
      FROM import_batches b WHERE b.import_id = ${importId} AND b.batch = ${batch}`;
  if (!stored) return undefined;
  if (!stored.bodyHash.equals(bodyHash)) throw conflict('Cet envoi du fichier a déjà été reçu avec un autre contenu');
  const unsaved = await trx
    .selectFrom('importUnsavedRows')
    .select(['row', 'isrc', 'reason'])
    .where('importId', '=', importId)
    .where('batch', '=', batch)
    .orderBy('row')
    .execute();
  return {
    importId,
    saved: stored.rows - unsaved.length,
    unsaved,
    unsavedISRC: unsavedIsrcs(unsaved),
    grossUsd: toWireNumber(stored.grossUsd),
    accountsEur: toWireNumber(stored.accountsEur),
    alreadyCounted: true,
    isPosted: stored.isPosted,
    dropped: 0,
    warnings: [],
  };
}

/**
 * Receives a batch of a CSV file (product §33.14). A single batch is posted at once; several are staged until the last
 * completes the file (decision 360). The same batch sent again returns the first answer, with other rows it is refused.
 * `batch` counts from 0, and all but the last are full, so that rows are numbered over the file.
 * @throws conflict, validation_failed
 */
export async function importBatch(
  trx: Trx,
  actor: Actor,
  batch: {
    monthMs: number;
    toMs: number | undefined;
    fileKey: string | undefined;
    fileName: string | undefined;
    batch: number;
    batches: number | undefined;
    rows: readonly unknown[];
    again?: boolean | undefined;
  },
): Promise<BatchAnswer> {
  const month = toDate(findMonth(batch.monthMs));
  const firstRow = batch.batch * maxBatchRows + 1;
  const { ignored, ...parsed } = parseReportRows(batch.rows, firstRow);
  // Equal for a batch that is sent again.
  const bodyHash = hash('sha256', JSON.stringify(parsed), 'buffer');
  const target = await imports.openImport(trx, actor, {
    kind: 'csv',
    type: 'platform',
    month,
    toDate: endDate(month, batch.toMs),
    fileKey: batch.fileKey,
    fileName: batch.fileName,
    batchesExpected: batch.batches,
  });
  const { batchesExpected } = target;
  if (batchesExpected !== null && batch.batch >= batchesExpected) {
    throw conflict('Ce fichier compte moins d’envois\u00a0: importez-le de nouveau depuis le début');
  }
  const counted = await findCountedBatch(trx, target.id, batch.batch, bodyHash);
  if (counted) return { ...counted, warnings: ignored };

  const received = {
    ...{ importId: target.id, batch: batch.batch, bodyHash, firstRow, rows: batch.rows.length, adminId: actor.adminId },
    parsed,
  };
  const isWaiting = imports.isStaged(batch.fileKey, batchesExpected);
  const posting = isWaiting
    ? []
    : [...(await findEqualRows(trx, target, tableOf(parsed), batch.again)), ...imports.warnFutureMonth(target)];
  const told = [...ignored, ...posting];
  const taken = isWaiting ? await stageBatch(trx, received) : await postBatch(trx, target, received);
  const unsaved = taken.unsaved.sort((a, b) => a.row - b.row);
  const saved = batch.rows.length - unsaved.length;
  if (unsaved.length > 0) {
    const stored = unsaved.map((row) => ({ ...row, given: givenValues(batch.rows[row.row - firstRow]) }));
    await sql`
      INSERT INTO import_unsaved_rows (import_id, batch, row, isrc, reason, given)
      SELECT ${target.id}, ${batch.batch}, u.row, u.isrc, u.reason, u.given
        FROM json_to_recordset(${JSON.stringify(stored)}::json) AS u (row bigint, isrc text, reason text, given jsonb)`.execute(
      trx,
    );
  }
  const sums = await imports.addToImport(trx, target.id, taken.posted, { batches: 1, rows: batch.rows.length, saved });
  await writeAudit(trx, actor, {
    action: 'import.batch',
    entityId: target.id,
    after: {
      month: month.slice(0, 7),
      file: batch.fileName ?? null,
      batch: batch.batch,
      rows: batch.rows.length,
      saved,
      grossUsd: taken.grossUsd,
      ...(isWaiting ? {} : { accountsEur: taken.posted.accountsEur, referralsEur: taken.posted.referralsEur }),
      ...(told.length > 0 ? { warnings: told } : {}),
    },
    alert: await fileAlert(trx, target.id, sums),
  });
  const isWhole = isWaiting && sums.batches === batchesExpected;
  const outcome = isWhole ? await postStaged(trx, actor, target, batch.again) : undefined;
  const { dropped, warnings } = outcome ?? { dropped: [], warnings: posting };
  // Rows of this batch may have lost their track since.
  const isOwn = (row: UnsavedRow) => row.row >= firstRow && row.row < firstRow + batch.rows.length;
  const all = [...unsaved, ...dropped.filter(isOwn)].sort((a, b) => a.row - b.row);
  return {
    importId: target.id,
    saved: batch.rows.length - all.length,
    unsaved: all,
    unsavedISRC: unsavedIsrcs(all),
    grossUsd: toWireNumber(taken.grossUsd),
    accountsEur: toWireNumber(taken.posted.accountsEur),
    alreadyCounted: false,
    isPosted: !isWaiting || isWhole,
    dropped: dropped.filter((row) => !isOwn(row)).length,
    warnings: [...ignored, ...warnings],
  };
}

interface ReceivedBatch {
  importId: number;
  batch: number;
  bodyHash: Buffer;
  firstRow: number;
  rows: number;
  adminId: number | null;
  parsed: ParsedRows;
}

async function postBatch(trx: Trx, target: OpenImport, { parsed, ...batch }: ReceivedBatch) {
  const { unsaved: unmatched, ...posted } = await postContributions(
    trx,
    { import: target, batch: batch.batch, adminId: batch.adminId },
    rowsSource(parsed),
  );
  const unsaved = [...parsed.unsaved, ...unmatched];
  const { grossUsd, accountsEur } = posted;
  const { adminId: _, ...counts } = batch;
  await trx
    .insertInto('importBatches')
    .values({
      ...counts,
      saved: batch.rows - unsaved.length,
      grossUsd,
      accountsEur,
      rowHashes: rowHashes(tableOf(parsed)),
    })
    .execute();
  return { unsaved, posted, grossUsd };
}

async function stageBatch(trx: Trx, { parsed, ...batch }: ReceivedBatch) {
  const { rows, unmatched } = await staging.splitUnmatched(trx, parsed);
  const grossUsd = await staging.stageRows(trx, batch, rows);
  return { unsaved: [...parsed.unsaved, ...unmatched], posted: imports.nothingPosted, grossUsd };
}

const numberOutOfRange = '22003';

/**
 * Posts staged rows to the present holders of the ISRCs; rows without one are unsaved with a reason (decision 360). The
 * import is locked.
 * @throws conflict when a sum exceeds what a report can hold
 */
async function postStaged(
  trx: Trx,
  actor: Actor,
  target: OpenImport,
  again: boolean | undefined,
): Promise<{ posted: Posted; dropped: UnsavedRow[]; warnings: string[] }> {
  // A million rows take longer than the default.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  await sql`SET LOCAL work_mem = '64MB'`.execute(trx);
  // JIT takes longer than it saves here.
  await sql`SET LOCAL jit = off`.execute(trx);
  const warnings = [
    ...(await findEqualRows(trx, target, staging.unnested(target.id), again)),
    ...imports.warnFutureMonth(target),
  ];
  let posted: Posted;
  try {
    await staging.sumStaged(trx, target.id);
    posted = await postContributions(
      trx,
      { import: target, batch: null, adminId: actor.adminId },
      staging.stagedSource(),
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === numberOutOfRange)) throw error;
    throw conflict(
      'La somme d’un titre dépasse ce qu’un rapport peut contenir\u00a0: supprimez cet envoi, corrigez le fichier, puis importez-le',
    );
  }
  const dropped = await staging.unsaveStaged(trx, target.id, posted.unsaved);
  await staging.deleteStaged(trx, [target.id]);
  const sums = await imports.addToImport(trx, target.id, posted, { batches: 0, rows: 0, saved: -dropped.length });
  const { batches, fileName } = await trx
    .selectFrom('imports')
    .select(['batches', 'fileName'])
    .where('id', '=', target.id)
    .executeTakeFirstOrThrow();
  await writeAudit(trx, actor, {
    action: 'import.post',
    entityId: target.id,
    after: {
      month: target.month.slice(0, 7),
      file: fileName,
      batches,
      batchesExpected: target.batchesExpected,
      reports: posted.reports,
      ...(dropped.length > 0 ? { dropped: dropped.length } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
      referralsEur: posted.referralsEur,
    },
    alert: await fileAlert(trx, target.id, sums),
  });
  return { posted, dropped: dropped.sort((a, b) => a.row - b.row), warnings };
}

/**
 * Posts the received part of a file; sending it again adds the rest.
 * @param rows the staged rows the caller was shown
 * @throws not_found, conflict
 */
export async function postImport(
  trx: Trx,
  actor: Actor,
  importId: number,
  { rows, again }: { rows: number; again?: boolean | undefined },
) {
  const target = await imports.lockImport(trx, importId);
  const staged = await staging.countStaged(trx, importId);
  if (staged.batches === 0) throw conflict('Aucune ligne de cet import n’attend d’être comptabilisée');
  if (staged.rows !== rows) {
    throw conflict('D’autres lignes de ce fichier sont arrivées entre-temps\u00a0: vérifiez, puis recommencez');
  }
  const { posted, dropped, warnings } = await postStaged(trx, actor, target, again);
  const { reports, accountsEur } = posted;
  const saved = staged.rows - dropped.length;
  return { data: { saved, dropped: dropped.length, reports, accountsEur: toWireNumber(accountsEur) }, warnings };
}

/** Discards an import without posted rows (product §27.3); its file can be loaded again. @throws not_found, conflict */
export async function discardImport(trx: Trx, actor: Actor, importId: number): Promise<{ rows: number }> {
  const target = await imports.lockImport(trx, importId);
  if (target.reversedAt) throw conflict('Cet envoi est déjà supprimé');
  if (!target.isNew) throw conflict('Cet import est comptabilisé, en tout ou en partie\u00a0: contre-passez-le');
  const { rows, batches } = await staging.countStaged(trx, importId);
  await staging.deleteStaged(trx, [importId]);
  await sql`UPDATE imports SET reversed_at = now(), reversed_by = ${actor.adminId} WHERE id = ${importId}`.execute(trx);
  await writeAudit(trx, actor, {
    action: 'import.discard',
    entityId: importId,
    before: { file: target.fileName, month: target.month.slice(0, 7), batches, rows },
  });
  return { rows };
}

/** Once per file. */
async function fileAlert(trx: Trx, importId: number, sums: { formerEur: string; accountsEur: string }) {
  if (await imports.incomeAlert(trx, '', sums.formerEur)) return undefined;
  return imports.incomeAlert(trx, `L’import ${importId} est d’un montant élevé`, sums.accountsEur, 'import');
}
