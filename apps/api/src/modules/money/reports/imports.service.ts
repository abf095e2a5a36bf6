import type { AlertKind } from '@regie/contract/entities/common.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { sql } from 'kysely';
import type { Actor, AuditEntry } from '#src/lib/audit.ts';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { conflict, notFound } from '#src/lib/errors.ts';
import { toFrenchEuros } from '#src/lib/money.ts';
import { endDate } from '#src/lib/months.ts';
import { describeRates, getRate, isFutureMonth } from '#src/modules/money/exchange-rates/exchange-rates.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import { type OpenImport, type Posted, postContributions, type Source } from './report-posting.queries.ts';

export type { Source };

interface NewImport {
  kind: 'csv' | 'single' | 'automatic';
  type: 'platform' | 'youtube';
  month: string;
  toDate: string;
  fileKey?: string | undefined;
  fileName?: string | undefined;
  batchesExpected?: number | undefined;
}

/**
 * Finds or opens the file's import of the month, freezing rate, percentages and referrals (product §33.10). Its row is
 * locked, so that its batches post one after the other.
 */
export async function openImport(trx: Trx, actor: Actor, wanted: NewImport): Promise<OpenImport> {
  if (wanted.fileKey !== undefined) {
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
      postedAt: isStaged(wanted.fileKey, wanted.batchesExpected) ? null : sql`now()`,
    })
    .onConflict((conflicting) => conflicting.columns(['month', 'fileKey']).where('reversedAt', 'is', null).doNothing())
    .returning(['id', 'type', 'month', 'rate', 'termsVersion', 'batchesExpected'])
    .executeTakeFirst();
  if (created) return { ...created, type: wanted.type, isNew: true };
  // Another batch opened it first and has committed, or the insert would still wait.
  const theirs = await lockImportOfFile(trx, wanted.month, wanted.fileKey ?? '');
  if (!theirs) throw conflict();
  return theirs;
}

/** Files of several batches are posted whole. */
export const isStaged = (fileKey: string | undefined, batchesExpected: number | null | undefined): boolean =>
  fileKey !== undefined && (batchesExpected ?? 1) > 1;

const openImportColumns = sql`id, type, month, rate, terms_version, batches_expected, posted_at IS NULL AS is_new`;

const lockImportOfFile = (trx: Trx, month: string, fileKey: string) => queryRow<OpenImport>(trx)`
    SELECT ${openImportColumns} FROM imports
     WHERE month = ${month}::date AND file_key = ${fileKey} AND reversed_at IS NULL FOR UPDATE`;

export const warnFutureMonth = ({ month, rate }: OpenImport) =>
  isFutureMonth(month, Date.now())
    ? [statementMessages.unconfirmedRates(describeRates([{ month, currency: 'USD', rateMonth: month, rate }]))]
    : [];

/** @returns the batches received, and the EUR credited before and after this one */
export async function addToImport(
  trx: Trx,
  importId: number,
  posted: Pick<Posted, 'reports' | 'grossUsd' | 'grossEur' | 'accountsEur' | 'referralsEur' | 'platformEur'>,
  received: { batches: number; rows: number; saved: number },
): Promise<{ batches: number; formerEur: string; accountsEur: string }> {
  const sums = await queryRow<{ batches: number; formerEur: string; accountsEur: string }>(trx)`
    UPDATE imports
       SET batches = batches + ${received.batches}, rows = rows + ${received.rows}, saved = saved + ${received.saved},
           unsaved = unsaved + ${received.rows - received.saved},
           reports = reports + ${posted.reports}, gross_usd = gross_usd + ${posted.grossUsd}::numeric,
           gross_eur = gross_eur + ${posted.grossEur}::numeric, accounts_eur = accounts_eur + ${posted.accountsEur}::numeric,
           referrals_eur = referrals_eur + ${posted.referralsEur}::numeric, platform_eur = platform_eur + ${posted.platformEur}::numeric,
           posted_at = CASE WHEN ${posted === nothingPosted} THEN posted_at ELSE clock_timestamp() END
     WHERE id = ${importId} RETURNING batches, accounts_eur - ${posted.accountsEur}::numeric AS former_eur, accounts_eur`;
  if (!sums) throw new Error('the import is gone');
  await markImportedMonths(trx, [importId]);
  return sums;
}

/** Analytics then add up the months of these imports again; what a month's posting claims is in them before. */
export const markImportedMonths = (trx: Trx, importIds: readonly number[]) =>
  sql`INSERT INTO analytics_marks (month)
      SELECT DISTINCT month FROM imports WHERE id = ANY(${importIds}::bigint[]) AND kind <> 'automatic'`.execute(trx);

export const nothingPosted = {
  reports: 0,
  grossUsd: '0',
  grossEur: '0',
  accountsEur: '0',
  referralsEur: '0',
  platformEur: '0',
};

export async function lockImport(trx: Trx, importId: number) {
  const target = await queryRow<OpenImport & { reversedAt: Date | null; fileName: string | null }>(trx)`
    SELECT ${openImportColumns}, reversed_at, file_name FROM imports WHERE id = ${importId} FOR UPDATE`;
  if (!target) throw notFound();
  return target;
}

/** Opens an import for statements, which then claim their sums for it (product §33.18). */
export async function openAutomaticImport(trx: Trx, actor: Actor, month: string): Promise<OpenImport> {
  // Sums a hundred thousand tracks in memory.
  await sql`SET LOCAL work_mem = '64MB'`.execute(trx);
  return openImport(trx, actor, {
    kind: 'automatic',
    type: 'platform',
    month,
    toDate: endDate(month, undefined),
  });
}

export async function postAutomaticImport(
  trx: Trx,
  actor: Actor,
  { target, source, rows }: { target: OpenImport; source: Source; rows: number },
): Promise<void> {
  const posted = await postContributions(trx, { import: target, batch: 0, adminId: actor.adminId }, source);
  await addToImport(trx, target.id, posted, { batches: 1, rows, saved: rows });
}

/** When one person adds or reverses more than `adjustmentApprovalEur`. */
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
