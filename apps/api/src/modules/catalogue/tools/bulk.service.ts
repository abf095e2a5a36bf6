import { type WithIgnored, warnIgnored } from '@regie/contract/columns.ts';
import type { BulkRow, CodeEdit, ValidatedBulkRow } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import * as queries from './codes.queries.ts';
import { comparable, type ReadRow, readBulkRow } from './codes.rules.ts';
import { journalCodes } from './codes.service.ts';

type Kind = queries.CodeKind;

/** By id, or the only one of its title. */
async function findRecords(db: Trx, kind: Kind, reads: readonly ReadRow[]) {
  const sound = reads.filter(({ missing, fault }) => !missing && !fault);
  const ids = sound.flatMap(({ id }) => id ?? []);
  const titles = [...new Set(sound.flatMap(({ id, title }) => (id === null ? [title] : [])))];
  const [live, byTitle] = await Promise.all([
    queries.findLiveIds(db, kind, ids),
    queries.findByTitle(db, kind, titles),
  ]);
  return ({ id, title }: ReadRow): { id: number } | { reason: string } => {
    if (id !== null) return live.has(id) ? { id } : { reason: toolMessages.unknownId };
    const [first, second] = byTitle.get(title) ?? [];
    if (first === undefined) return { reason: toolMessages.noMatch };
    return second === undefined ? { id: first } : { reason: toolMessages.manyMatches };
  };
}

/** Locks the records, so that they are written as judged. */
async function judge(trx: Trx, kind: Kind, reads: readonly ReadRow[]): Promise<ValidatedBulkRow[]> {
  const find = await findRecords(trx, kind, reads);
  const matches = reads.map((read) => (read.missing || read.fault ? undefined : find(read)));
  const records = await queries.lockRecords(
    trx,
    kind,
    matches.flatMap((one) => (one && 'id' in one ? [one.id] : [])),
  );
  const holders = await queries.findHolders(
    trx,
    kind,
    reads.flatMap(({ code }) => code ?? []),
  );
  const holderOf = Map.groupBy(holders, ({ code }) => comparable(kind, code ?? ''));
  const seenRecords = new Set<number>();
  const seenCodes = new Set<string>();
  return reads.map((read, index): ValidatedBulkRow => {
    const one = matches[index];
    const record = one && 'id' in one ? records.get(one.id) : undefined;
    const base = {
      row: index + 1,
      title: record?.title ?? read.title,
      recordId: record?.id ?? null,
      before: record?.code ?? null,
      after: read.code,
    };
    if (read.isBlank) return { ...base, verdict: 'blank', message: null };
    const unsaved = (message: string) => ({ ...base, verdict: 'unsaved' as const, message });
    const problem = read.missing ?? read.fault ?? (one && 'reason' in one ? one.reason : undefined);
    if (problem !== undefined) return unsaved(problem);
    // Deleted between the search and the lock.
    if (!record || read.code === null) return unsaved(toolMessages.noMatch);
    if (seenRecords.has(record.id)) return unsaved(toolMessages.twice);
    if (record.code === read.code) {
      seenRecords.add(record.id);
      seenCodes.add(comparable(kind, read.code));
      return { ...base, verdict: 'same', message: read.warning ?? null };
    }
    const code = comparable(kind, read.code);
    if (seenCodes.has(code)) return unsaved(toolMessages.codeTwice(read.code));
    const holder = holderOf.get(code)?.find(({ id }) => id !== record.id);
    if (holder) {
      const taken = kind === 'isrc' ? toolMessages.isrcTaken : toolMessages.barcodeTaken;
      return unsaved(taken(read.code, holder.title));
    }
    seenRecords.add(record.id);
    seenCodes.add(code);
    return { ...base, verdict: 'change', message: read.warning ?? null };
  });
}

export const judgeBulkRows = (trx: Trx, kind: Kind, rows: readonly BulkRow[]): Promise<ValidatedBulkRow[]> =>
  judge(
    trx,
    kind,
    rows.map((row) => readBulkRow(kind, row)),
  );

/** A call without a file is its own edit. */
async function openEdit(
  trx: Trx,
  caller: Caller,
  kind: Kind,
  { edit: key, file }: { edit?: string | undefined; file?: string | undefined },
): Promise<number> {
  const former = key === undefined ? undefined : await queries.lockEdit(trx, { key });
  if (!former) {
    return queries.insertEdit(trx, {
      kind,
      source: 'file',
      key: key ?? null,
      fileName: file?.trim() || null,
      createdBy: adminOf(caller),
    });
  }
  if (former.kind !== kind || former.createdBy !== caller.adminId) throw conflict(toolMessages.otherEdit);
  if (former.reversedAt !== null) throw conflict(toolMessages.alreadyReversed);
  return former.id;
}

/**
 * A refused row does not block the others.
 * @returns the refused rows with reasons
 * @throws validation_failed for a row without title or code; conflict for another admin's edit
 */
export async function editCodes(
  trx: Trx,
  caller: Caller,
  kind: Kind,
  rows: readonly WithIgnored<BulkRow>[],
  options: { edit?: string | undefined; file?: string | undefined },
) {
  const warnings = warnIgnored(rows);
  const reads = rows.map((row) => readBulkRow(kind, row));
  const first = reads.findIndex(({ missing }) => missing !== undefined);
  if (first >= 0) throw invalid({ global: toolMessages.atRow(first + 1, reads[first]?.missing ?? '') }, warnings);
  await queries.lockCodes(trx);
  const judged = await judge(trx, kind, reads);
  const changes = judged.flatMap(({ verdict, recordId, before, after }) =>
    verdict === 'change' && recordId !== null && after !== null ? [{ id: recordId, before, after }] : [],
  );
  const unsaved = judged.flatMap(({ verdict, row, message }) => {
    const sent = rows[row - 1];
    return verdict === 'unsaved' && sent ? [{ ...sent, row, reason: message ?? '' }] : [];
  });
  const editId = await openEdit(trx, caller, kind, options);
  await queries.writeCodes(trx, kind, changes);
  await queries.addChanges(trx, editId, kind, changes, unsaved.length);
  await writeAudit(trx, caller, {
    action: 'code_edit.rows',
    entityId: editId,
    after: {
      kind,
      ...(options.file ? { file: options.file } : {}),
      rows: rows.length,
      saved: changes.length,
      unsaved: unsaved.length,
      ...(unsaved.length > 0 ? { unsavedRows: unsaved.map((row) => [row.id, row.title, row.code, row.reason]) } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  });
  await journalCodes(trx, caller, kind, changes, editId);
  return {
    data: unsaved.map(({ code, ...row }) => ({ ...row, isrc: code, 'code-barre': code })),
    warnings,
    ...(unsaved.length > 0 ? { message: toolMessages.rowsSaved(rows.length - unsaved.length, rows.length) } : {}),
  };
}

const toEdit = (row: queries.EditRow): CodeEdit => ({
  ...toWireRow(row),
  createdBy: row.createdByName,
  reversedBy: row.reversedByName,
});

export async function listCodeEdits(db: Trx, query: Parameters<typeof queries.listEdits>[1]) {
  const { rows, meta } = await queries.listEdits(db, query);
  return { data: rows.map(toEdit), meta };
}

export const listUnsavedCodes = queries.listUnsavedCodes;

/**
 * Restores former codes, but of records changed since and codes used since.
 * @throws not_found; conflict when reversed
 */
export async function reverseCodeEdit(trx: Trx, caller: Caller, id: number) {
  await queries.lockCodes(trx);
  const edit = orNotFound(await queries.lockEdit(trx, { id }));
  if (edit.reversedAt !== null) throw conflict(toolMessages.alreadyReversed);
  const { kind } = edit;
  const changes = await queries.listChanges(trx, id);
  const records = await queries.lockRecords(
    trx,
    kind,
    changes.map(({ recordId }) => recordId),
  );
  // Newest first: a record changed twice goes back both steps.
  const back = new Map<number, string | null>();
  const refused = new Map<number, { id: number; title: string; reason: string }>();
  for (const { recordId, before, after } of changes) {
    const record = records.get(recordId);
    // Deleted since.
    if (!record) continue;
    const now = back.has(recordId) ? back.get(recordId) : record.code;
    if (now === after) back.set(recordId, before);
    else refused.set(recordId, { id: recordId, title: record.title, reason: toolMessages.changedSince });
  }
  const holders = await queries.findHolders(
    trx,
    kind,
    [...back.values()].flatMap((code) => code ?? []),
  );
  for (const [recordId, code] of back) {
    if (code === null) continue;
    // Codes given up in the same reversal are free.
    const holder = holders.find(
      (other) =>
        other.id !== recordId &&
        comparable(kind, other.code ?? '') === comparable(kind, code) &&
        (!back.has(other.id) || back.get(other.id) === other.code),
    );
    if (!holder) continue;
    back.delete(recordId);
    const title = records.get(recordId)?.title ?? '';
    refused.set(recordId, { id: recordId, title, reason: toolMessages.heldSince(holder.title) });
  }
  const restored = [...back].map(([recordId, code]) => ({
    id: recordId,
    before: records.get(recordId)?.code ?? null,
    after: code,
  }));
  await queries.writeCodes(trx, kind, restored);
  await queries.markReversed(trx, id, adminOf(caller), restored.length);
  await writeAudit(trx, caller, {
    action: 'code_edit.reverse',
    entityId: id,
    after: { kind, reversed: restored.length, kept: refused.size },
  });
  await journalCodes(trx, caller, kind, restored, id);
  return { reversed: restored.length, kept: [...refused.values()] };
}
