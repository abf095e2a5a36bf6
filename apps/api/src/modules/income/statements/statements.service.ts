import type { Consequence } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { type Actor, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import { conflict, notFound, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { reverseImport } from '#src/modules/money/reports/reversals.service.ts';
import * as differences from './differences.queries.ts';
import * as queries from './statements.queries.ts';
import { exact, isLive, monthBefore } from './statements.rules.ts';

export type Db = Database | Trx;

export const { listSources, incomeState, isDoubled, doubledEur, findDoubled, storeImportDuplicates } = queries;

/** For `getDifferences`. @param month `YYYY-MM-01` */
export const storeDifferences = (trx: Trx, month: string): Promise<void> =>
  differences.storeTrackDifferences(trx, { month, formerMonth: monthBefore(month) });

/** The version a check refers to: the load, the accounting month, the declared amount. */
export const versionOf = (row: queries.StatementDetailRow): string =>
  [
    row.loadedAt?.getTime(),
    row.accountingMonth,
    row.declaredAmount && exact(row.declaredAmount),
    row.declaredCurrency,
  ].join(' ');

export async function lock(trx: Trx, id: number): Promise<queries.StatementDetailRow> {
  return orNotFound((await queries.lockStatements(trx, [id]))[0]);
}

/**
 * Replaces the statement that this one corrects, or a former one it contains (`replaces`), whose postings are reversed.
 * @throws AppError not_found; conflict
 */
export async function replaceStatement(
  trx: Trx,
  actor: Actor,
  id: number,
  { isDryRun, replaces }: { isDryRun: boolean; replaces?: number | undefined },
): Promise<Consequence> {
  const named = orNotFound(await queries.findStatement(trx, id));
  const formerId = replaces ?? named.replaces;
  if (formerId === null) throw conflict(statementMessages.replacesNothing);
  if (formerId !== named.replaces && !named.findings.contains?.includes(formerId))
    throw conflict(statementMessages.containsNothing);
  // Lock the lower id first, like posting a month, to avoid deadlocks.
  await queries.lockStatements(trx, [Math.min(formerId, id)]);
  const [former, row] = [await lock(trx, formerId), await lock(trx, id)];
  if (formerId !== row.replaces && isLive(row.replacedStatus)) throw conflict(statementMessages.replacesFirst);
  if (!isLive(row.status)) throw conflict(statementMessages.notLoaded);
  if (!isLive(former.status)) throw conflict(statementMessages.replacesGone);
  const imports = await queries.listImports(trx, former.id);
  const measured = await queries.measureImports(
    trx,
    imports.map((posted) => posted.id),
  );
  const counts = {
    imports: imports.length,
    reports: measured?.reports ?? 0,
    amountEur: toWireNumber(measured?.amount ?? '0'),
  };
  const consequence = { replaced: { id: former.id, fileName: former.fileName, status: former.status }, ...counts };
  if (isDryRun) return consequence;
  if (formerId !== row.replaces) await queries.setReplaces(trx, id, formerId);
  for (const posted of imports) await reverseImport(trx, actor, posted.id);
  await queries.endStatement(trx, former.id, { status: 'replaced', adminId: actor.adminId });
  await writeAudit(trx, actor, {
    action: 'statement.replace',
    entityId: former.id,
    before: { status: former.status, fileName: former.fileName },
    after: { status: 'replaced', by: id, ...counts },
  });
  await enqueue(trx, 'drop_statement', { statementId: former.id });
  return { ...consequence, replaced: { ...consequence.replaced, status: 'replaced' } };
}

/** A running load stops by itself. @throws AppError not_found; conflict while lines of it are posted */
export async function deleteStatement(trx: Trx, caller: Caller, id: number) {
  const row = await lock(trx, id);
  if (row.status === 'replaced' || row.status === 'removed') throw notFound();
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  await queries.endStatement(trx, id, { status: 'removed', adminId: caller.adminId });
  await writeAudit(trx, caller, {
    action: 'statement.remove',
    entityId: id,
    before: { status: row.status, fileName: row.fileName, source: row.source, rows: row.rows },
    after: { status: 'removed' },
  });
  await enqueue(trx, 'drop_statement', { statementId: id });
  return { id, status: 'removed' as const };
}
