import type { StatementForm } from '@regie/contract/routes/statements.ts';
import { type StatementStatus, statementMessages } from '@regie/contract/statements.ts';
import { findMonth } from '@regie/values/month.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toDate } from '#src/lib/months.ts';
import type { Caller } from '#src/lib/route.ts';
import { mapPresets } from '#src/modules/income/presets/presets.service.ts';
import type { FileChoices } from './load.service.ts';
import * as queries from './statements.queries.ts';
import { exact } from './statements.rules.ts';
import { lock } from './statements.service.ts';

/** Posted income keeps its month. @throws AppError not_found; conflict when it is checked, ended or posted */
export async function editStatement(trx: Trx, caller: Caller, id: number, form: StatementForm) {
  const row = await lock(trx, id);
  if (row.status === 'checked') throw conflict(statementMessages.checkedFirst);
  if (['replaced', 'removed', 'summary'].includes(row.status)) throw conflict(statementMessages.notEditable);
  const accountingMonth = form.accountingMonth === null ? null : toDate(findMonth(form.accountingMonth));
  if (accountingMonth !== row.accountingMonth && (await queries.listImports(trx, id)).length > 0) {
    throw conflict(statementMessages.isPosted);
  }
  const after = {
    accountingMonth,
    declaredAmount: form.declaredAmount && exact(form.declaredAmount),
    declaredCurrency: form.declaredCurrency,
  };
  const before = { ...row, declaredAmount: row.declaredAmount && exact(row.declaredAmount) };
  const changes = changesBetween(before, after);
  if (changes) {
    await queries.setFacts(trx, id, after);
    await writeAudit(trx, caller, { action: 'statement.edit', entityId: id, ...changes });
  }
  return { id, status: row.status };
}

/** Null restores the file's own value. */
type Restorable = 'sheets' | 'charset' | 'decimalMark';
type ReadingForm = { preset: string | null; month?: number | undefined; currency?: string | undefined } & {
  [Name in Restorable]?: FileChoices[Name] | null;
};

const mayBeRead: readonly StatementStatus[] = ['unrecognised', 'ambiguous', 'refused', 'summary', 'loaded'];

/**
 * Loads a file again with a chosen preset or all; earlier results are deleted.
 * @throws AppError not_found; conflict while it is being read, checked, posted or ended; validation_failed
 */
export async function readWith(trx: Trx, caller: Caller, id: number, { preset, month, ...told }: ReadingForm) {
  const row = await lock(trx, id);
  if (row.status === 'checked') throw conflict(statementMessages.checkedFirst);
  if (!mayBeRead.includes(row.status)) throw conflict(statementMessages.notWaiting);
  if (row.storageKey === null) throw conflict(statementMessages.fileGone);
  if ((await queries.listImports(trx, id)).length > 0) throw conflict(statementMessages.isPosted);
  if (preset !== null && !(await mapPresets(trx)).has(preset))
    throw invalid({ preset: statementMessages.unknownPreset });
  const accountingMonth = month === undefined ? row.accountingMonth : toDate(findMonth(month));
  const asked = (row.findings.presets ?? []).find(({ key }) => key === preset);
  if (asked?.needsMonth && accountingMonth === null) throw invalid({ month: statementMessages.monthRequired });
  if (asked?.needsCurrency && told.currency === undefined) {
    throw invalid({ currency: statementMessages.currencyRequired });
  }
  if (row.findings.charsets?.length && preset !== null && !told.charset) {
    throw invalid({ charset: statementMessages.charsetRequired });
  }
  const choices = Object.fromEntries(
    Object.entries({ ...row.choices, ...told }).filter(([, value]) => value != null),
  ) as FileChoices;
  await queries.queueReload(trx, id, { preset, accountingMonth, choices });
  await writeAudit(trx, caller, {
    action: 'statement.read_with',
    entityId: id,
    before: { status: row.status, preset: row.preset, accountingMonth: row.accountingMonth, ...row.choices },
    after: { preset, accountingMonth, ...choices },
  });
  await enqueue(trx, 'read_statement', { statementId: id });
  return { id, status: 'received' as const };
}

/** @throws AppError not_found; conflict when it is not a file of an archive that was left out */
export async function readMember(trx: Trx, caller: Caller, id: number, name: string) {
  const row = await lock(trx, id);
  const isLeftOut = row.findings.leftOut?.some((member) => member.name === name && member.canRead);
  if (row.status !== 'unpacked' || !isLeftOut || row.storageKey === null) throw conflict(statementMessages.noMember);
  const choices = { ...row.choices, members: [...(row.choices.members ?? []), name] };
  await queries.queueReload(trx, id, { preset: null, accountingMonth: null, choices });
  await writeAudit(trx, caller, {
    action: 'statement.read_with',
    entityId: id,
    before: { status: row.status },
    after: { member: name },
  });
  await enqueue(trx, 'read_statement', { statementId: id });
  return { id };
}
