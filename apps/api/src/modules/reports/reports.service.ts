import { createHash } from 'node:crypto';
import type { AlertKind } from '@regie/contract/audit-fields.ts';
import { messages } from '@regie/contract/messages.ts';
import {
  maxBatchRows,
  type ReportForm,
  type UnsavedRow,
  type YoutubeReportForm,
} from '@regie/contract/routes/reports.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { findMonth } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Actor, type AuditEntry, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { toFrenchDollars, toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import { endDate, toDate } from '#src/lib/months.ts';
import type { Answer } from '#src/lib/route.ts';
import { checkAccount } from '#src/modules/accounts/accounts.service.ts';
import { describeRates, getRate, isFutureMonth } from '#src/modules/exchange-rates/exchange-rates.service.ts';
import { reverse } from '#src/modules/ledger/ledger.service.ts';
import { readSettings } from '#src/modules/settings/settings.service.ts';
import { findEqualRows, rowHashes } from './equal-rows.queries.ts';
import {
  type OpenImport,
  type Posted,
  postContributions,
  reverseReport,
  rowsSource,
  type SingleContribution,
  type Source,
  singleSource,
  tableOf,
} from './report-posting.queries.ts';
import { givenValues, type ParsedRows, parseReportRows } from './report-rows.rules.ts';
import {
  countStaged,
  deleteStaged,
  splitUnmatched,
  stagedSource,
  stageRows,
  sumStaged,
  unnested,
  unsaveStaged,
} from './report-staging.queries.ts';

export type { Source };

interface NewImport {
  kind: 'csv' | 'single' | 'automatic';
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  fileKey: string | null;
  fileName: string | null;
  batchesExpected: number | null;
}

/**
 * Finds the file's import for this month or opens one, freezing the rate, percentages and referrals (product §33.10).
 * Locks its row until the transaction ends, so that batches of one import post one after the other.
 */
async function openImport(trx: Trx, actor: Actor, wanted: NewImport): Promise<OpenImport> {
  if (wanted.fileKey !== null) {
    const existing = await lockImportOfFile(trx, wanted.month, wanted.fileKey);
    if (existing) return existing;
  }
  const rate = await getRate(trx, 'USD', wanted.month);
  const created = await trx
    .insertInto('imports')
    .values({
      ...wanted,
      rate,
      termsVersion: sql<number>`freeze_terms()`,
      createdBy: actor.adminId,
      postedAt: isStaged(wanted) ? null : sql`now()`,
    })
    .onConflict((conflicting) => conflicting.columns(['month', 'fileKey']).where('reversedAt', 'is', null).doNothing())
    .returning(['id', 'type', 'month', 'rate', 'termsVersion', 'batchesExpected'])
    .executeTakeFirst();
  if (created) return { ...created, type: wanted.type, isNew: true };
  // Another batch of the same file opened it first and has committed; otherwise the insert would still wait.
  const theirs = await lockImportOfFile(trx, wanted.month, wanted.fileKey ?? '');
  if (!theirs) throw conflict();
  return theirs;
}

/** A file of several batches is posted whole: rows are staged until the last batch arrives. */
const isStaged = (file: { fileKey: string | null; batchesExpected: number | null }) =>
  file.fileKey !== null && file.batchesExpected !== null && file.batchesExpected > 1;

const openImportColumns = sql`id, type, month, rate, terms_version, batches_expected, posted_at IS NULL AS is_new`;

async function lockImportOfFile(trx: Trx, month: string, fileKey: string): Promise<OpenImport | undefined> {
  const { rows } = await sql<OpenImport>`
    SELECT ${openImportColumns} FROM imports
     WHERE month = ${month}::date AND file_key = ${fileKey} AND reversed_at IS NULL FOR UPDATE`.execute(trx);
  return rows[0];
}

/** The warning about an import whose month is still to come, as the automatic report has it. */
const warnFutureMonth = ({ month, rate }: OpenImport) =>
  isFutureMonth(month, Date.now())
    ? [statementMessages.unconfirmedRates(describeRates([{ month, currency: 'USD', rateMonth: month, rate }]))]
    : [];

/** @returns the number of batches received, and the EUR it credits to accounts before and after this batch */
async function addToImport(
  trx: Trx,
  importId: number,
  posted: Pick<Posted, 'reports' | 'grossUsd' | 'grossEur' | 'accountsEur' | 'referralsEur' | 'platformEur'>,
  received: { batches: number; rows: number; saved: number },
): Promise<{ batches: number; formerEur: string; accountsEur: string }> {
  const { rows } = await sql<{ batches: number; formerEur: string; accountsEur: string }>`
    UPDATE imports
       SET batches = batches + ${received.batches}, rows = rows + ${received.rows}, saved = saved + ${received.saved},
           unsaved = unsaved + ${received.rows - received.saved},
           reports = reports + ${posted.reports}, gross_usd = gross_usd + ${posted.grossUsd}::numeric,
           gross_eur = gross_eur + ${posted.grossEur}::numeric, accounts_eur = accounts_eur + ${posted.accountsEur}::numeric,
           referrals_eur = referrals_eur + ${posted.referralsEur}::numeric, platform_eur = platform_eur + ${posted.platformEur}::numeric,
           posted_at = CASE WHEN ${posted === nothingPosted} THEN posted_at ELSE clock_timestamp() END
     WHERE id = ${importId} RETURNING batches, accounts_eur - ${posted.accountsEur}::numeric AS former_eur, accounts_eur`.execute(
    trx,
  );
  const [sums] = rows;
  if (!sums) throw new Error('the import is gone');
  return sums;
}

const nothingPosted = {
  reports: 0,
  grossUsd: '0',
  grossEur: '0',
  accountsEur: '0',
  referralsEur: '0',
  platformEur: '0',
};

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

/** Hash of the parsed values; equal hashes mean the batch was sent again. */
function hashRows(rows: ParsedRows): Buffer {
  return createHash('sha256').update(JSON.stringify(rows)).digest();
}

async function findCountedBatch(
  trx: Trx,
  importId: number,
  batch: number,
  bodyHash: Buffer,
): Promise<BatchAnswer | undefined> {
  const { rows: found } = await sql<{
    bodyHash: Buffer;
    rows: number;
    grossUsd: string;
    accountsEur: string;
    isPosted: boolean;
  }>`
    SELECT b.body_hash, b.rows, b.gross_usd, b.accounts_eur,
           NOT EXISTS (SELECT FROM import_staged_rows s WHERE s.import_id = b.import_id AND s.batch = b.batch) AS is_posted
      FROM import_batches b WHERE b.import_id = ${importId} AND b.batch = ${batch}`.execute(trx);
  const [stored] = found;
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
 * Receives one batch of a CSV file (product §33.14). When `batches` announces several, rows are staged and the batch
 * that completes the file posts them all (decision 360); a single batch is posted at once. The same (month, import,
 * batch) sent again changes nothing and returns the first answer; with other rows it is refused. `batch` counts from 0
 * and all but the last are full, so that `row` in the answer counts from 1 over the whole file.
 * @throws AppError conflict, also as `findEqualRows`; validation_failed
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
  const bodyHash = hashRows(parsed);
  const fileKey = batch.fileKey ?? null;
  const target = await openImport(trx, actor, {
    kind: 'csv',
    type: 'platform',
    month,
    toDate: endDate(month, batch.toMs),
    fileKey,
    fileName: batch.fileName ?? null,
    batchesExpected: batch.batches ?? null,
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
  const isWaiting = isStaged({ fileKey, batchesExpected });
  const posting = isWaiting
    ? []
    : [...(await findEqualRows(trx, target, tableOf(parsed), batch.again)), ...warnFutureMonth(target)];
  const told = [...ignored, ...posting];
  const taken = isWaiting ? await stageBatch(trx, received) : await postBatch(trx, target, received);
  const unsaved = taken.unsaved.sort((a, b) => a.row - b.row);
  const saved = batch.rows.length - unsaved.length;
  if (unsaved.length > 0) {
    const kept = unsaved.map((row) => ({ ...row, given: givenValues(batch.rows[row.row - firstRow]) }));
    await sql`
      INSERT INTO import_unsaved_rows (import_id, batch, row, isrc, reason, given)
      SELECT ${target.id}, ${batch.batch}, u.row, u.isrc, u.reason, u.given
        FROM json_to_recordset(${JSON.stringify(kept)}::json) AS u (row bigint, isrc text, reason text, given jsonb)`.execute(
      trx,
    );
  }
  const sums = await addToImport(trx, target.id, taken.posted, { batches: 1, rows: batch.rows.length, saved });
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
  // Rows of this batch may have lost their track since they were matched.
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
  const { rows, unmatched } = await splitUnmatched(trx, parsed);
  const grossUsd = await stageRows(trx, batch, rows);
  return { unsaved: [...parsed.unsaved, ...unmatched], posted: nothingPosted, grossUsd };
}

const numberOutOfRange = '22003';

/**
 * Posts an import's staged rows, once per account, to the current holders of the ISRCs: rows whose ISRC lost its track
 * or got a second holder are unsaved with a reason (decision 360). The import's row is locked.
 * @returns those rows, by row number of the file
 * @throws AppError conflict when a sum exceeds what a report can hold
 */
async function postStaged(
  trx: Trx,
  actor: Actor,
  target: OpenImport,
  again: boolean | undefined,
): Promise<{ posted: Posted; dropped: UnsavedRow[]; warnings: string[] }> {
  // A million rows take longer than the default timeout.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  await sql`SET LOCAL work_mem = '64MB'`.execute(trx);
  // JIT compilation of such a large statement takes longer than it saves.
  await sql`SET LOCAL jit = off`.execute(trx);
  const warnings = [...(await findEqualRows(trx, target, unnested(target.id), again)), ...warnFutureMonth(target)];
  let posted: Posted;
  try {
    await sumStaged(trx, target.id);
    posted = await postContributions(trx, { import: target, batch: null, adminId: actor.adminId }, stagedSource());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === numberOutOfRange)) throw error;
    throw conflict(
      'La somme d’un titre dépasse ce qu’un rapport peut contenir\u00a0: supprimez cet envoi, corrigez le fichier, puis importez-le',
    );
  }
  const dropped = await unsaveStaged(trx, target.id, posted.unsaved);
  await deleteStaged(trx, [target.id]);
  const sums = await addToImport(trx, target.id, posted, { batches: 0, rows: 0, saved: -dropped.length });
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

async function lockImport(trx: Trx, importId: number) {
  const { rows } = await sql<OpenImport & { reversedAt: Date | null; fileName: string | null }>`
    SELECT ${openImportColumns}, reversed_at, file_name FROM imports WHERE id = ${importId} FOR UPDATE`.execute(trx);
  const [found] = rows;
  if (!found) throw notFound();
  return found;
}

/**
 * Posts the received part of a truncated file. Sending the file again adds the rest.
 * @param rows number of staged rows the caller was shown
 * @throws AppError not_found; conflict when nothing is staged, or the number differs, or as `findEqualRows`
 */
export async function postImport(
  trx: Trx,
  actor: Actor,
  importId: number,
  { rows, again }: { rows: number; again?: boolean | undefined },
): Promise<Answer<{ saved: number; dropped: number; reports: number; accountsEur: number }>> {
  const found = await lockImport(trx, importId);
  const staged = await countStaged(trx, importId);
  if (staged.batches === 0) throw conflict('Aucune ligne de cet import n’attend d’être comptabilisée');
  if (staged.rows !== rows) {
    throw conflict('D’autres lignes de ce fichier sont arrivées entre-temps\u00a0: vérifiez, puis recommencez');
  }
  const { posted, dropped, warnings } = await postStaged(trx, actor, found, again);
  const { reports, accountsEur } = posted;
  const saved = staged.rows - dropped.length;
  return { data: { saved, dropped: dropped.length, reports, accountsEur: toWireNumber(accountsEur) }, warnings };
}

/**
 * Discards an import without posted rows; its file can then be loaded again.
 * @throws AppError not_found; conflict when rows are posted, or it is discarded already
 */
export async function discardImport(trx: Trx, actor: Actor, importId: number): Promise<{ rows: number }> {
  const found = await lockImport(trx, importId);
  if (found.reversedAt) throw conflict('Cet envoi est déjà supprimé');
  if (!found.isNew) throw conflict('Cet import est comptabilisé, en tout ou en partie\u00a0: contre-passez-le');
  const { rows, batches } = await countStaged(trx, importId);
  await deleteStaged(trx, [importId]);
  await sql`UPDATE imports SET reversed_at = now(), reversed_by = ${actor.adminId} WHERE id = ${importId}`.execute(trx);
  await writeAudit(trx, actor, {
    action: 'import.discard',
    entityId: importId,
    before: { file: found.fileName, month: found.month.slice(0, 7), batches, rows },
  });
  return { rows };
}

interface SingleReport {
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  contribution: SingleContribution;
  /** Whether a second report is meant for the same track or account and month; undefined from clients that do not ask. */
  again: boolean | undefined;
}

/**
 * Finds another report, which may have paid the income already: one with equal figures, or one made by hand. A lock
 * makes concurrent calls see each other's report.
 * @returns the warning about it, unless it is confirmed
 * @throws AppError conflict on `again` for equal figures, or where `again` is false; with the id under `report`
 */
async function findOtherReport(trx: Trx, { type, month, contribution, again }: SingleReport): Promise<string[]> {
  if (again) return [];
  const { trackId, accountId } = contribution;
  const what = `report ${type} ${trackId ?? accountId} ${month}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(trx);
  const usd = (income: number) => sql`round(${String(income)}::numeric, 10)`;
  const isEqual = sql<boolean>`(num_streams, num_downloads, num_youtube, income_streams_usd, income_downloads_usd, income_youtube_usd)
    = (${contribution.streams}::bigint, ${contribution.downloads}::bigint, ${contribution.youtube}::bigint,
       ${usd(contribution.incomeStreams)}, ${usd(contribution.incomeDownloads)}, ${usd(contribution.incomeYoutube)})`;
  const first = await trx
    .selectFrom('reports as r')
    .innerJoin('imports as i', 'i.id', 'r.importId')
    .leftJoin('admins as a', 'a.id', 'i.createdBy')
    .select(['r.id', sql<string>`r.gross_usd`.as('grossUsd'), 'i.createdAt', 'a.firstName', 'a.lastName'])
    .select(isEqual.as('isEqual'))
    .where((is) => is.or([is('i.kind', '=', 'single'), isEqual]))
    .where('r.type', '=', type)
    .where('r.month', '=', month)
    .where('r.reversedAt', 'is', null)
    .where((is) => (trackId === null ? is('r.accountId', '=', accountId) : is('r.trackId', '=', trackId)))
    .orderBy('isEqual', 'desc')
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst();
  if (!first) return [];
  const author = `${first.firstName ?? ''} ${first.lastName ?? ''}`.trim();
  const day = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris' }).format(first.createdAt);
  const describe = (by: string) =>
    messages.reportExists(first.id, first.isEqual, toFrenchDollars(first.grossUsd), day, by);
  // The journal, which keeps the warning, names no person in a sentence.
  if (!first.isEqual && again === undefined) return [describe('')];
  throw new AppError('conflict', describe(author), { errors: { again: describe(author), report: String(first.id) } });
}

async function createSingle(trx: Trx, actor: Actor, report: SingleReport): Promise<Answer<{ id: number }>> {
  const others = await findOtherReport(trx, report);
  const target = await openImport(trx, actor, {
    kind: 'single',
    type: report.type,
    month: report.month,
    toDate: report.toDate,
    fileKey: null,
    fileName: null,
    batchesExpected: 1,
  });
  const warnings = [...others, ...warnFutureMonth(target)];
  const posted = await postContributions(
    trx,
    { import: target, batch: 0, adminId: actor.adminId },
    singleSource(report.contribution),
  );
  if (posted.reportId === null) throw new Error('a single report was not written');
  await addToImport(trx, target.id, posted, { batches: 1, rows: 1, saved: 1 });
  await writeAudit(trx, actor, {
    action: 'report.create',
    entityId: posted.reportId,
    after: {
      type: report.type,
      month: report.month.slice(0, 7),
      trackId: report.contribution.trackId,
      userId: report.contribution.accountId,
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
      referralsEur: posted.referralsEur,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    alert: await incomeAlert(trx, `Le rapport ${posted.reportId} est saisi à la main`, posted.accountsEur),
  });
  return { data: { id: posted.reportId }, warnings };
}

/**
 * Creates a single platform report with an import of its own.
 * @throws AppError validation_failed when the track is unknown or belongs to another account (product §25.3); conflict
 * as `findOtherReport`
 */
export async function createReport(trx: Trx, actor: Actor, form: ReportForm): Promise<Answer<{ id: number }>> {
  const track = await trx.selectFrom('tracks').select('accountId').where('id', '=', form.trackId).executeTakeFirst();
  if (!track) throw invalid({ trackId: 'Ce titre n’existe pas' });
  if (track.accountId !== form.userId) throw invalid({ userId: 'Ce titre n’appartient pas à ce compte' });
  const month = toDate(findMonth(form.fromDate));
  return createSingle(trx, actor, {
    type: 'platform',
    month,
    toDate: endDate(month, form.toDate),
    contribution: {
      trackId: form.trackId,
      accountId: form.userId,
      streams: form.numOfStreams,
      incomeStreams: form.incomeOfStreams,
      downloads: form.numOfDownloads,
      incomeDownloads: form.incomeOfDownloads,
      youtube: form.numOfYoutube,
      incomeYoutube: form.incomeOfYoutube,
    },
    again: form.again,
  });
}

/**
 * Creates a video-platform report: an account's income of a month, shared by `youtubeChannelIncomePercentile`.
 * @throws AppError validation_failed; conflict as `findOtherReport`
 */
export async function createYoutubeReport(
  trx: Trx,
  actor: Actor,
  form: YoutubeReportForm,
): Promise<Answer<{ id: number }>> {
  await checkAccount(trx, form.userId);
  const month = toDate(findMonth(form.fromDate));
  return createSingle(trx, actor, {
    type: 'youtube',
    month,
    toDate: endDate(month, undefined),
    contribution: {
      trackId: null,
      accountId: form.userId,
      streams: 0,
      incomeStreams: 0,
      downloads: 0,
      incomeDownloads: 0,
      youtube: 0,
      incomeYoutube: form.incomeOfYoutube,
    },
    again: form.again,
  });
}

/**
 * Posts a month's reports from statements as one import (product §33.18). `claim` assigns income to the import and
 * returns the number of file rows; with 0 nothing is posted.
 */
export async function postAutomaticReports(
  trx: Trx,
  actor: Actor,
  month: string,
  claim: (importId: number) => Promise<{ source: Source; rows: number }>,
): Promise<number | undefined> {
  const target = await openImport(trx, actor, {
    kind: 'automatic',
    type: 'platform',
    month,
    toDate: endDate(month, undefined),
    fileKey: null,
    fileName: null,
    batchesExpected: null,
  });
  // Keeps the sums of a hundred thousand tracks in memory.
  await sql`SET LOCAL work_mem = '64MB'`.execute(trx);
  const { source, rows } = await claim(target.id);
  if (rows === 0) return undefined;
  const posted = await postContributions(trx, { import: target, batch: 0, adminId: actor.adminId }, source);
  await addToImport(trx, target.id, posted, { batches: 1, rows, saved: rows });
  return target.id;
}

/** Raises an alert when one person adds or reverses reports worth more than `adjustmentApprovalEur`. */
export async function incomeAlert(
  trx: Trx,
  text: string,
  amountEur: string | number,
  kind: AlertKind = 'adjustment',
): Promise<AuditEntry['alert']> {
  const { adjustmentApprovalEur } = await readSettings(trx);
  if (adjustmentApprovalEur === null || Math.abs(Number(amountEur)) <= adjustmentApprovalEur) return undefined;
  return { kind, text: `${text}\u00a0: ${toFrenchEuros(String(amountEur))}.` };
}

/** Raises the alert once per file, when it passes the threshold. */
async function fileAlert(trx: Trx, importId: number, sums: { formerEur: string; accountsEur: string }) {
  if (await incomeAlert(trx, '', sums.formerEur)) return undefined;
  return incomeAlert(trx, `L’import ${importId} est d’un montant élevé`, sums.accountsEur, 'import');
}

export interface Reversed {
  deleted: number;
  /** EUR taken from the balances of accounts and referrers. */
  amountEur: number;
}

/**
 * Locks the statements posted by these imports, before anything else, as posting does: reversing and posting of the
 * same statement run one after the other without a deadlock.
 */
async function lockStatementsOf(trx: Trx, importIds: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM statements WHERE id IN (SELECT statement_id FROM statement_postings WHERE import_id = ANY(${importIds}::bigint[]))
     ORDER BY id FOR UPDATE`.execute(trx);
}

/**
 * Reverses one report. Reversing the last live report of a single import reverses the import.
 * @throws AppError not_found when it does not exist or is reversed already
 */
export async function deleteReport(trx: Trx, actor: Actor, reportId: number): Promise<Reversed> {
  const found = await trx
    .selectFrom('reports')
    .select('importId')
    .where('id', '=', reportId)
    .where('reversedAt', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound();
  await lockStatementsOf(trx, [found.importId]);
  // Lock the import before the report, as batches do, so that concurrent calls see each other's changes.
  const { kind } = await trx
    .selectFrom('imports')
    .select('kind')
    .where('id', '=', found.importId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const report = await trx
    .selectFrom('reports')
    .select(['type', 'month', 'importId', 'trackId', 'accountId', 'grossUsd', 'accountEur', 'referralsEur'])
    .where('id', '=', reportId)
    .where('reversedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!report) throw notFound();

  await reverseReport(trx, { id: reportId, ...report }, actor.adminId);
  await trx.updateTable('reports').set({ reversedAt: sql`now()` }).where('id', '=', reportId).execute();
  // Its statements' income waits again.
  if (kind === 'automatic') await sql`SELECT release_sums(${report.importId}, ${report.trackId})`.execute(trx);
  await sql`
    UPDATE imports SET reports = reports - 1, deleted_usd = deleted_usd + ${report.grossUsd}::numeric,
           reversed_at = CASE WHEN ${kind} = 'single' THEN now() END,
           reversed_by = CASE WHEN ${kind} = 'single' THEN ${actor.adminId}::bigint END
     WHERE id = ${report.importId}`.execute(trx);
  await writeAudit(trx, actor, {
    action: 'report.delete',
    entityId: reportId,
    before: {
      type: report.type,
      month: report.month.slice(0, 7),
      importId: report.importId,
      trackId: report.trackId,
      userId: report.accountId,
      grossUsd: report.grossUsd,
      accountEur: report.accountEur,
      referralsEur: report.referralsEur,
    },
    alert: await incomeAlert(trx, `Le rapport ${reportId} est supprimé`, report.accountEur),
  });
  const { rows } = await sql<{ amount: string }>`
    SELECT ${report.accountEur}::numeric + ${report.referralsEur}::numeric AS amount`.execute(trx);
  return { deleted: 1, amountEur: toWireNumber(rows[0]?.amount ?? '0') };
}

async function measure(trx: Trx, importIds: readonly number[]): Promise<Reversed> {
  const { rows } = await sql<{ deleted: number; amount: string }>`
    SELECT count(*) AS deleted, coalesce(sum(account_eur + referrals_eur), 0) AS amount
      FROM reports WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`.execute(trx);
  return { deleted: rows[0]?.deleted ?? 0, amountEur: toWireNumber(rows[0]?.amount ?? '0') };
}

async function reverseImports(trx: Trx, actor: Actor, importIds: readonly number[], memo: string): Promise<Reversed> {
  // Millions of postings take longer than the default timeout.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  const measured = await measure(trx, importIds);
  await reverse(trx, sql`t.import_id = ANY(${importIds}::bigint[])`, { adminId: actor.adminId, memo });
  await sql`
    UPDATE reports SET reversed_at = now() WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`.execute(
    trx,
  );
  await sql`
    UPDATE imports SET reversed_at = now(), reversed_by = ${actor.adminId}, reports = 0
     WHERE id = ANY(${importIds}::bigint[])`.execute(trx);
  // What a month's posting took from statements can be posted again.
  await sql`SELECT release_sums(id, NULL) FROM imports WHERE id = ANY(${importIds}::bigint[]) AND kind = 'automatic'`.execute(
    trx,
  );
  // A truncated file that was posted in part may have more staged rows.
  await deleteStaged(trx, importIds);
  return measured;
}

/**
 * Reverses everything an import posted; its file can then be loaded again.
 * @throws AppError not_found; conflict when it is reversed already
 */
export async function reverseImport(trx: Trx, actor: Actor, importId: number): Promise<Reversed> {
  await lockStatementsOf(trx, [importId]);
  const found = await lockImport(trx, importId);
  if (found.reversedAt) throw conflict('Cet import est déjà contre-passé');
  if (found.isNew) throw conflict('Rien de cet import n’est comptabilisé\u00a0: supprimez l’envoi');
  const reversed = await reverseImports(trx, actor, [importId], `Import n°\u00a0${importId} contre-passé`);
  await writeAudit(trx, actor, {
    action: 'import.reverse',
    entityId: importId,
    before: {
      file: found.fileName,
      month: found.month.slice(0, 7),
      reports: reversed.deleted,
      amountEur: reversed.amountEur,
    },
    alert: await incomeAlert(trx, `L’import n°\u00a0${importId} est contre-passé`, reversed.amountEur),
  });
  return reversed;
}

/** Reverses every import of a month and type; `isDryRun` only returns the amounts. */
export async function deleteMonth(
  trx: Trx,
  actor: Actor,
  wanted: { monthMs: number; type: 'platform' | 'youtube'; isDryRun: boolean },
): Promise<Reversed> {
  const month = toDate(findMonth(wanted.monthMs));
  const ofMonth = trx
    .selectFrom('imports')
    .select('id')
    .where('month', '=', month)
    .where('type', '=', wanted.type)
    .where('reversedAt', 'is', null)
    // Staged imports have no reports yet.
    .where('postedAt', 'is not', null)
    .orderBy('id');
  if (!wanted.isDryRun) {
    const ids = await ofMonth.execute();
    await lockStatementsOf(
      trx,
      ids.map(({ id }) => id),
    );
  }
  const imports = await ofMonth.$if(!wanted.isDryRun, (query) => query.forUpdate()).execute();
  const importIds = imports.map((row) => row.id);
  if (wanted.isDryRun) return measure(trx, importIds);
  const label = month.slice(0, 7);
  const reversed = await reverseImports(trx, actor, importIds, `Rapports ${wanted.type} de ${label} supprimés`);
  await writeAudit(trx, actor, {
    action: 'report.delete_month',
    entityId: label,
    before: {
      type: wanted.type,
      imports: importIds.slice(0, 1000),
      reports: reversed.deleted,
      amountEur: reversed.amountEur,
    },
    alert: await incomeAlert(trx, `Les rapports de ${label} sont supprimés`, reversed.amountEur),
  });
  return reversed;
}
