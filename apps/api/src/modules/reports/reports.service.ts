import { createHash } from 'node:crypto';
import { messages } from '@regie/contract/messages.ts';
import { findMonth } from '@regie/contract/month.ts';
import {
  maxBatchRows,
  type ReportForm,
  type UnsavedRow,
  type YoutubeReportForm,
} from '@regie/contract/routes/reports.ts';
import { sql } from 'kysely';
import { type Actor, type AuditEntry, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { toFrenchDollars, toFrenchEuros, toWireNumber } from '#src/lib/money.ts';
import { endDate, toDate } from '#src/lib/months.ts';
import { getRate } from '#src/modules/exchange-rates/exchange-rates.service.ts';
import { reverseImportTransactions, reverseReportShares } from '#src/modules/ledger/ledger.service.ts';
import { readSettings } from '#src/modules/settings/settings.service.ts';
import {
  type OpenImport,
  type Posted,
  postContributions,
  rowsSource,
  type SingleContribution,
  type Source,
  singleSource,
} from './report-posting.queries.ts';
import { type ParsedRows, parseReportRows } from './report-rows.rules.ts';

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
 * Finds the import that the file already has for this month, or opens one: the rate, percentages and referrals
 * are frozen here (decisions §3). Its row stays locked until the transaction ends, so the batches of one import
 * post one after the other.
 */
async function openImport(trx: Trx, actor: Actor, wanted: NewImport): Promise<OpenImport> {
  if (wanted.fileKey !== null) {
    const existing = await lockImportOfFile(trx, wanted.month, wanted.fileKey);
    if (existing) return existing;
  }
  const rate = await getRate(trx, 'USD', wanted.month);
  const created = await trx
    .insertInto('imports')
    .values({ ...wanted, rate, termsVersion: sql<number>`freeze_terms()`, createdBy: actor.adminId })
    .onConflict((conflicting) => conflicting.columns(['month', 'fileKey']).where('reversedAt', 'is', null).doNothing())
    .returning(['id', 'type', 'month', 'rate', 'termsVersion', 'batchesExpected'])
    .executeTakeFirst();
  if (created) return { ...created, type: wanted.type, isNew: true };
  // Another batch of the same file opened it first; it has committed, or the insert would still be waiting.
  const theirs = await lockImportOfFile(trx, wanted.month, wanted.fileKey ?? '');
  if (!theirs) throw conflict();
  return theirs;
}

async function lockImportOfFile(trx: Trx, month: string, fileKey: string): Promise<OpenImport | undefined> {
  const { rows } = await sql<Omit<OpenImport, 'isNew'>>`
    SELECT id, type, month, rate, terms_version, batches_expected FROM imports
     WHERE month = ${month}::date AND file_key = ${fileKey} AND reversed_at IS NULL FOR UPDATE`.execute(trx);
  return rows[0] && { ...rows[0], isNew: false };
}

async function addToImport(trx: Trx, importId: number, posted: Posted, rows: number, saved: number): Promise<void> {
  await sql`
    UPDATE imports
       SET batches = batches + 1, rows = rows + ${rows}, saved = saved + ${saved}, unsaved = unsaved + ${rows - saved},
           reports = reports + ${posted.reports}, gross_usd = gross_usd + ${posted.grossUsd}::numeric,
           gross_eur = gross_eur + ${posted.grossEur}::numeric, accounts_eur = accounts_eur + ${posted.accountsEur}::numeric,
           referrals_eur = referrals_eur + ${posted.referralsEur}::numeric, platform_eur = platform_eur + ${posted.platformEur}::numeric
     WHERE id = ${importId}`.execute(trx);
}

export interface BatchAnswer {
  importId: number;
  saved: number;
  unsaved: UnsavedRow[];
  unsavedISRC: string[];
  grossUsd: number;
  accountsEur: number;
  alreadyCounted: boolean;
}

const unsavedIsrcs = (unsaved: readonly UnsavedRow[]) => [
  ...new Set(unsaved.map((row) => row.isrc).filter((isrc) => isrc !== '')),
];

/** What makes two deliveries of a batch the same: every value as it was understood. */
function hashRows(rows: ParsedRows): Buffer {
  return createHash('sha256').update(JSON.stringify(rows)).digest();
}

async function findCountedBatch(
  trx: Trx,
  importId: number,
  batch: number,
  bodyHash: Buffer,
): Promise<BatchAnswer | undefined> {
  const stored = await trx
    .selectFrom('importBatches')
    .select(['bodyHash', 'saved', 'grossUsd', 'accountsEur'])
    .where('importId', '=', importId)
    .where('batch', '=', batch)
    .executeTakeFirst();
  if (!stored) return undefined;
  if (!stored.bodyHash.equals(bodyHash)) throw conflict('Ce lot du fichier a déjà été reçu avec un autre contenu');
  const unsaved = await trx
    .selectFrom('importUnsavedRows')
    .select(['row', 'isrc', 'reason'])
    .where('importId', '=', importId)
    .where('batch', '=', batch)
    .orderBy('row')
    .execute();
  return {
    importId,
    saved: stored.saved,
    unsaved,
    unsavedISRC: unsavedIsrcs(unsaved),
    grossUsd: toWireNumber(stored.grossUsd),
    accountsEur: toWireNumber(stored.accountsEur),
    alreadyCounted: true,
  };
}

/**
 * Counts one batch of a CSV file (decisions §3). The same (month, import, batch) again changes nothing and gives
 * the first answer; with other rows it is refused. `batch` counts from 0 and every batch but the last is full, so
 * that `row` in the answer counts from 1 over the whole file.
 * @throws AppError conflict, validation_failed
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
  },
): Promise<BatchAnswer> {
  const month = toDate(findMonth(batch.monthMs));
  const firstRow = batch.batch * maxBatchRows + 1;
  const parsed = parseReportRows(batch.rows, firstRow);
  const bodyHash = hashRows(parsed);
  const target = await openImport(trx, actor, {
    kind: 'csv',
    type: 'platform',
    month,
    toDate: endDate(month, batch.toMs),
    fileKey: batch.fileKey ?? null,
    fileName: batch.fileName ?? null,
    batchesExpected: batch.batches ?? null,
  });
  if (target.batchesExpected !== null && batch.batch >= target.batchesExpected) {
    throw conflict('Ce fichier compte moins d’envois\u00a0: importez-le de nouveau depuis le début');
  }
  const counted = await findCountedBatch(trx, target.id, batch.batch, bodyHash);
  if (counted) return counted;

  const posted = await postContributions(
    trx,
    { import: target, batch: batch.batch, adminId: actor.adminId },
    rowsSource(parsed),
  );
  const unsaved = [...parsed.unsaved, ...posted.unsaved].sort((a, b) => a.row - b.row);
  const saved = batch.rows.length - unsaved.length;
  await trx
    .insertInto('importBatches')
    .values({
      importId: target.id,
      batch: batch.batch,
      bodyHash,
      firstRow,
      rows: batch.rows.length,
      saved,
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
    })
    .execute();
  if (unsaved.length > 0) {
    await sql`
      INSERT INTO import_unsaved_rows (import_id, batch, row, isrc, reason)
      SELECT ${target.id}, ${batch.batch}, u.row, u.isrc, u.reason
        FROM json_to_recordset(${JSON.stringify(unsaved)}::json) AS u (row bigint, isrc text, reason text)`.execute(
      trx,
    );
  }
  await addToImport(trx, target.id, posted, batch.rows.length, saved);
  await writeAudit(trx, actor, {
    action: 'import.batch',
    entityId: target.id,
    after: {
      month: month.slice(0, 7),
      file: batch.fileName ?? null,
      batch: batch.batch,
      rows: batch.rows.length,
      saved,
      grossUsd: posted.grossUsd,
      accountsEur: posted.accountsEur,
      referralsEur: posted.referralsEur,
    },
  });
  return {
    importId: target.id,
    saved,
    unsaved,
    unsavedISRC: unsavedIsrcs(unsaved),
    grossUsd: toWireNumber(posted.grossUsd),
    accountsEur: toWireNumber(posted.accountsEur),
    alreadyCounted: false,
  };
}

interface SingleReport {
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  contribution: SingleContribution;
  /** A second one of the same track or account and month is wanted. */
  isAgain: boolean;
}

/**
 * Income typed in twice would be paid twice. Two calls at once take turns: the second one sees the first one's report.
 * @throws AppError conflict, under `again`, naming the report that is there; its id under `report`
 */
async function refuseSecondReport(trx: Trx, { type, month, contribution }: SingleReport): Promise<void> {
  const { trackId, accountId } = contribution;
  const what = `report ${type} ${trackId ?? accountId} ${month}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(trx);
  const first = await trx
    .selectFrom('reports as r')
    .innerJoin('imports as i', 'i.id', 'r.importId')
    .leftJoin('admins as a', 'a.id', 'i.createdBy')
    .select(['r.id', sql<string>`r.gross_usd`.as('grossUsd'), 'i.createdAt', 'a.firstName', 'a.lastName'])
    .where('i.kind', '=', 'single')
    .where('r.type', '=', type)
    .where('r.month', '=', month)
    .where('r.reversedAt', 'is', null)
    .where((is) => (trackId === null ? is('r.accountId', '=', accountId) : is('r.trackId', '=', trackId)))
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst();
  if (!first) return;
  const author = `${first.firstName ?? ''} ${first.lastName ?? ''}`.trim();
  const day = new Intl.DateTimeFormat('fr-FR', { timeZone: 'Europe/Paris' }).format(first.createdAt);
  const told = messages.reportExists(first.id, toFrenchDollars(first.grossUsd), day, author);
  throw new AppError('conflict', told, { errors: { again: told, report: String(first.id) } });
}

async function createSingle(trx: Trx, actor: Actor, report: SingleReport): Promise<number> {
  if (!report.isAgain) await refuseSecondReport(trx, report);
  const target = await openImport(trx, actor, {
    kind: 'single',
    type: report.type,
    month: report.month,
    toDate: report.toDate,
    fileKey: null,
    fileName: null,
    batchesExpected: 1,
  });
  const posted = await postContributions(
    trx,
    { import: target, batch: 0, adminId: actor.adminId },
    singleSource(report.contribution),
  );
  if (posted.reportId === null) throw new Error('a single report was not written');
  await addToImport(trx, target.id, posted, 1, 1);
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
    },
    alert: await incomeAlert(trx, `Le rapport ${posted.reportId} est saisi à la main`, posted.accountsEur),
  });
  return posted.reportId;
}

/**
 * A single platform report: an import of its own.
 * @throws AppError validation_failed when the track is unknown or belongs to another account (decisions §1); conflict
 * when the track has one for that month and `again` is not set
 */
export async function createReport(trx: Trx, actor: Actor, form: ReportForm): Promise<number> {
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
    isAgain: form.again ?? false,
  });
}

/**
 * A video-platform report: an account's income of a month, shared by its `youtubeChannelIncomePercentile`.
 * @throws AppError validation_failed; conflict when the account has one for that month and `again` is not set
 */
export async function createYoutubeReport(trx: Trx, actor: Actor, form: YoutubeReportForm): Promise<number> {
  const account = await trx.selectFrom('accounts').select('id').where('id', '=', form.userId).executeTakeFirst();
  if (!account) throw invalid({ userId: 'Ce compte n’existe pas' });
  const month = toDate(findMonth(form.fromDate));
  return createSingle(trx, actor, {
    type: 'youtube',
    month,
    toDate: endDate(month, undefined),
    contribution: {
      trackId: null,
      accountId: account.id,
      streams: 0,
      incomeStreams: 0,
      downloads: 0,
      incomeDownloads: 0,
      youtube: 0,
      incomeYoutube: form.incomeOfYoutube,
    },
    isAgain: form.again ?? false,
  });
}

/**
 * A month's reports from the stores' statements, as one import (decisions §3, "Automatic report by month"). `claim`
 * gives the import its income, and says of how many rows of the files. Nothing claimed, nothing posted.
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
  // Sums of a hundred thousand tracks are kept in memory.
  await sql`SET LOCAL work_mem = '64MB'`.execute(trx);
  const { source, rows } = await claim(target.id);
  if (rows === 0) return undefined;
  const posted = await postContributions(trx, { import: target, batch: 0, adminId: actor.adminId }, source);
  await addToImport(trx, target.id, posted, rows, rows);
  return target.id;
}

/** Reports that one person adds or takes back are looked at where they move much: EUR above `adjustmentApprovalEur`. */
async function incomeAlert(trx: Trx, text: string, amountEur: string | number): Promise<AuditEntry['alert']> {
  const { adjustmentApprovalEur } = await readSettings(trx);
  if (adjustmentApprovalEur === null || Math.abs(Number(amountEur)) <= adjustmentApprovalEur) return undefined;
  return { kind: 'adjustment', text: `${text}\u00a0: ${toFrenchEuros(String(amountEur))}.` };
}

export interface Reversed {
  deleted: number;
  /** What leaves the balances of accounts and referrers, EUR. */
  amountEur: number;
}

/**
 * Locks the statements of which these imports posted something, as a posting does before anything else: whoever takes back and
 * whoever posts of the same statement take turns, and neither is the victim of a circle.
 */
async function lockStatementsOf(trx: Trx, importIds: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM statements WHERE id IN (SELECT statement_id FROM statement_postings WHERE import_id = ANY(${importIds}::bigint[]))
     ORDER BY id FOR UPDATE`.execute(trx);
}

/**
 * Reverses one report. The last live one of a single import reverses that import with it.
 * @throws AppError not_found when there is none, or it is reversed already
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
  // The import before the report, as a batch does: whoever comes second sees what the first one did.
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

  await reverseReportShares(trx, { reportId, adminId: actor.adminId, memo: `Rapport ${reportId} supprimé` });
  await trx.updateTable('reports').set({ reversedAt: sql`now()` }).where('id', '=', reportId).execute();
  // What its statements told of waits again; of a whole import the database sees to it.
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
  // Millions of postings may take longer than any other call is given.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  const measured = await measure(trx, importIds);
  await reverseImportTransactions(trx, { importIds, adminId: actor.adminId, memo });
  await sql`
    UPDATE reports SET reversed_at = now() WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`.execute(
    trx,
  );
  await sql`
    UPDATE imports SET reversed_at = now(), reversed_by = ${actor.adminId}, reports = 0
     WHERE id = ANY(${importIds}::bigint[])`.execute(trx);
  return measured;
}

/**
 * Reverses everything an import posted; its file can then be loaded again.
 * @throws AppError not_found; conflict when it is reversed already
 */
export async function reverseImport(trx: Trx, actor: Actor, importId: number): Promise<Reversed> {
  await lockStatementsOf(trx, [importId]);
  const found = await trx
    .selectFrom('imports')
    .select(['reversedAt', 'fileName', 'month'])
    .where('id', '=', importId)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw notFound();
  if (found.reversedAt) throw conflict('Cet import est déjà annulé');
  const reversed = await reverseImports(trx, actor, [importId], `Import ${importId} annulé`);
  await writeAudit(trx, actor, {
    action: 'import.reverse',
    entityId: importId,
    before: {
      file: found.fileName,
      month: found.month.slice(0, 7),
      reports: reversed.deleted,
      amountEur: reversed.amountEur,
    },
    alert: await incomeAlert(trx, `L’import ${importId} est annulé`, reversed.amountEur),
  });
  return reversed;
}

/** Reverses every import of a month and type, or with `isDryRun` only tells what that would take back. */
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
