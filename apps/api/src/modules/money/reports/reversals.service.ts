import { fromMicros, toMicros } from '@regie/values/decimal.ts';
import { findMonth } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import { queryColumn, queryRow, querySingle, queryValue, type Trx } from '#src/lib/db.ts';
import { conflict, orNotFound } from '#src/lib/errors.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { toDate } from '#src/lib/months.ts';
import { reverse } from '#src/modules/money/ledger/ledger.service.ts';
import { incomeAlert, lockImport, markImportedMonths } from './imports.service.ts';
import { reverseReport } from './report-posting.queries.ts';
import { deleteStaged } from './report-staging.queries.ts';

export interface Reversed {
  deleted: number;
  /** EUR taken from the balances of accounts and referrers. */
  amountEur: number;
}

/** Locks the imports' statements first, as posting does, to avoid deadlocks. */
async function lockStatementsOf(trx: Trx, importIds: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM statements WHERE id IN (SELECT statement_id FROM statement_postings WHERE import_id = ANY(${importIds}::bigint[]))
     ORDER BY id FOR UPDATE`.execute(trx);
}

/** Reversing the last live report of a single import reverses the import. @throws not_found also for a reversed one */
export async function deleteReport(trx: Trx, actor: Actor, reportId: number): Promise<Reversed> {
  const row = orNotFound(
    await queryRow<{ importId: number }>(trx)`
    SELECT import_id FROM reports WHERE id = ${reportId} AND reversed_at IS NULL`,
  );
  await lockStatementsOf(trx, [row.importId]);
  // Imports are locked before reports, as batches do.
  const kind = await queryValue<string>(trx)`SELECT kind FROM imports WHERE id = ${row.importId} FOR UPDATE`;
  const report = orNotFound(
    await trx
      .selectFrom('reports')
      .select(['type', 'month', 'importId', 'trackId', 'accountId', 'grossUsd', 'accountEur', 'referralsEur'])
      .where('id', '=', reportId)
      .where('reversedAt', 'is', null)
      .forUpdate()
      .executeTakeFirst(),
  );

  await reverseReport(trx, { id: reportId, ...report }, actor.adminId);
  await trx.updateTable('reports').set({ reversedAt: sql`now()` }).where('id', '=', reportId).execute();
  // Its statements' income waits again.
  if (kind === 'automatic') await sql`SELECT release_sums(${report.importId}, ${report.trackId})`.execute(trx);
  await sql`
    UPDATE imports SET reports = reports - 1, deleted_usd = deleted_usd + ${report.grossUsd}::numeric,
           reversed_at = CASE WHEN ${kind} = 'single' THEN now() END,
           reversed_by = CASE WHEN ${kind} = 'single' THEN ${actor.adminId}::bigint END
     WHERE id = ${report.importId}`.execute(trx);
  await markImportedMonths(trx, [report.importId]);
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
  const amount = fromMicros(toMicros(report.accountEur) + toMicros(report.referralsEur));
  return { deleted: 1, amountEur: toWireNumber(amount) };
}

async function measure(trx: Trx, importIds: readonly number[]): Promise<Reversed> {
  const { deleted, amount } = await querySingle<{ deleted: number; amount: string }>(trx)`
    SELECT count(*) AS deleted, coalesce(sum(account_eur + referrals_eur), 0) AS amount
      FROM reports WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`;
  return { deleted, amountEur: toWireNumber(amount) };
}

async function reverseImports(trx: Trx, actor: Actor, importIds: readonly number[], memo: string): Promise<Reversed> {
  // Millions of postings take longer than the default.
  await sql`SET LOCAL statement_timeout = '30min'`.execute(trx);
  const measured = await measure(trx, importIds);
  await reverse(trx, sql`t.import_id = ANY(${importIds}::bigint[])`, { adminId: actor.adminId, memo });
  await sql`
    UPDATE reports SET reversed_at = now()
     WHERE import_id = ANY(${importIds}::bigint[]) AND reversed_at IS NULL`.execute(trx);
  await sql`
    UPDATE imports SET reversed_at = now(), reversed_by = ${actor.adminId}, reports = 0
     WHERE id = ANY(${importIds}::bigint[])`.execute(trx);
  // What a month's posting claimed waits again.
  await sql`SELECT release_sums(id, NULL) FROM imports
   WHERE id = ANY(${importIds}::bigint[]) AND kind = 'automatic'`.execute(trx);
  await markImportedMonths(trx, importIds);
  // A file posted in part may have staged rows.
  await deleteStaged(trx, importIds);
  return measured;
}

/** Reverses all an import posted; its file can be loaded again. @throws not_found, conflict */
export async function reverseImport(trx: Trx, actor: Actor, importId: number): Promise<Reversed> {
  await lockStatementsOf(trx, [importId]);
  const target = await lockImport(trx, importId);
  if (target.reversedAt) throw conflict('Cet import est déjà contre-passé');
  if (target.isNew) throw conflict('Rien de cet import n’est comptabilisé\u00a0: supprimez l’envoi');
  const reversed = await reverseImports(trx, actor, [importId], `Import n°\u00a0${importId} contre-passé`);
  await writeAudit(trx, actor, {
    action: 'import.reverse',
    entityId: importId,
    before: {
      file: target.fileName,
      month: target.month.slice(0, 7),
      reports: reversed.deleted,
      amountEur: reversed.amountEur,
    },
    alert: await incomeAlert(trx, `L’import n°\u00a0${importId} est contre-passé`, reversed.amountEur),
  });
  return reversed;
}

/** `isDryRun` only returns the amounts. */
export async function deleteMonth(
  trx: Trx,
  actor: Actor,
  wanted: { monthMs: number; type: 'platform' | 'youtube'; isDryRun: boolean },
): Promise<Reversed> {
  const month = toDate(findMonth(wanted.monthMs));
  // Staged imports have no reports.
  const listOfMonth = (lock = sql``) => queryColumn<number>(trx)`
    SELECT id FROM imports
     WHERE month = ${month} AND type = ${wanted.type} AND reversed_at IS NULL AND posted_at IS NOT NULL ORDER BY id ${lock}`;
  const unlocked = await listOfMonth();
  if (wanted.isDryRun) return measure(trx, unlocked);
  await lockStatementsOf(trx, unlocked);
  const importIds = await listOfMonth(sql`FOR UPDATE`);
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
