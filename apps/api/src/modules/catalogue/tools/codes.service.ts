import { messages } from '@regie/contract/messages.ts';
import { findBarcodeFault, Isrc } from '@regie/contract/routes/releases.ts';
import type { NextIsrc } from '@regie/contract/routes/tools.ts';
import { toolMessages } from '@regie/contract/tools.ts';
import { isBarcodeValid } from '@regie/values/barcode.ts';
import { writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, notFound } from '#src/lib/errors.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { journalMatches } from '#src/modules/income/unmatched/unmatched.service.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as queries from './codes.queries.ts';
import { isrcOf, isrcYear, lastDesignation } from './codes.rules.ts';

const entities = { isrc: 'track', barcode: 'release' } as const;

export async function journalCodes(
  trx: Trx,
  caller: Caller,
  kind: queries.CodeKind,
  changes: readonly { id: number; before: string | null; after: string | null }[],
  editId?: number,
): Promise<void> {
  await writeAudits(
    trx,
    caller,
    changes.map(({ id, before, after }) => ({
      action: `${entities[kind]}.edit` as const,
      entityId: id,
      before: { [kind]: before },
      after: { [kind]: after, ...(editId === undefined ? {} : { codeEdit: editId }) },
    })),
  );
  if (kind === 'isrc') {
    await journalMatches(
      trx,
      caller,
      changes.map(({ id, before, after }) => ({ trackId: id, isrc: after, former: before })),
    );
  }
}

/** Of a record without a valid one. */
async function fill(trx: Trx, caller: Caller, kind: queries.CodeKind, id: number, code: string): Promise<void> {
  await queries.lockCodes(trx);
  const record = (await queries.lockRecords(trx, kind, [id])).get(id);
  if (!record) throw notFound(kind === 'barcode' ? messages.unknownRelease : undefined);
  const isOpen = record.code === null || (kind === 'barcode' && !isBarcodeValid(record.code));
  if (!isOpen) throw conflict(kind === 'isrc' ? toolMessages.hasIsrc : toolMessages.hasBarcode);
  const holder = (await queries.findHolders(trx, kind, [code])).find((other) => other.id !== id);
  if (holder) {
    const taken = kind === 'isrc' ? toolMessages.isrcTaken : toolMessages.barcodeTaken;
    throw invalid({ [kind]: taken(code, holder.title) });
  }
  await queries.writeCodes(trx, kind, [{ id, after: code }]);
  await journalCodes(trx, caller, kind, [{ id, before: record.code, after: code }]);
}

/** @throws not_found; validation_failed for an invalid or used one; conflict when the track has one */
export async function fillIsrc(trx: Trx, caller: Caller, id: number, text: string): Promise<string> {
  const { data: isrc } = Isrc.safeParse(text);
  if (!isrc) throw invalid({ isrc: messages.invalidIsrc });
  await fill(trx, caller, 'isrc', id, isrc);
  return isrc;
}

/**
 * Also replaces one with a wrong check digit.
 * @throws not_found; validation_failed for an invalid or used one; conflict when the release has a valid one
 */
export async function fillBarcode(trx: Trx, caller: Caller, id: number, text: string): Promise<string> {
  const barcode = text.replaceAll(/[\s\u00a0-]/g, '');
  const fault = findBarcodeFault(barcode);
  if (fault !== undefined) throw invalid({ barcode: fault });
  await fill(trx, caller, 'barcode', id, barcode);
  return barcode;
}

/** And the numbers left this year. */
export async function listNextIsrcs(db: Trx): Promise<NextIsrc[]> {
  const { isrcPrefixes } = await readSettings(db);
  const year = isrcYear(new Date());
  const isrcs: NextIsrc[] = [];
  for (const prefix of isrcPrefixes) {
    const last = await queries.findLastNumber(db, prefix, year);
    const left = lastDesignation - last;
    isrcs.push({ prefix, next: left > 0 ? isrcOf(prefix, year, last + 1) : null, left });
  }
  return isrcs;
}

/**
 * The next free ISRCs to tracks without one, in this order, as one reversible edit.
 * @throws validation_failed without a prefix or enough numbers; conflict when all have one
 */
export async function assignIsrcs(trx: Trx, caller: Caller, trackIds: readonly number[], wanted: string | undefined) {
  const { isrcPrefixes } = await readSettings(trx);
  const prefix = wanted ?? isrcPrefixes[0];
  if (prefix === undefined) throw invalid({ prefix: toolMessages.noPrefix });
  if (!isrcPrefixes.includes(prefix)) throw invalid({ prefix: toolMessages.unknownPrefix });
  await queries.lockCodes(trx);
  const ids = [...new Set(trackIds)];
  const tracks = await queries.lockRecords(trx, 'isrc', ids);
  const empty = ids.flatMap((id) => {
    const track = tracks.get(id);
    return track?.code === null ? [track] : [];
  });
  if (empty.length === 0) throw conflict(toolMessages.nothingToAssign);
  const year = isrcYear(new Date());
  const last = await queries.findLastNumber(trx, prefix, year);
  if (last + empty.length > lastDesignation) throw invalid({ prefix: toolMessages.prefixFull(prefix) });
  const changes = empty.map(({ id }, index) => ({ id, before: null, after: isrcOf(prefix, year, last + index + 1) }));
  await queries.writeCodes(trx, 'isrc', changes);
  await queries.writeLastNumber(trx, prefix, year, last + changes.length);
  const editId = await queries.insertEdit(trx, {
    kind: 'isrc',
    source: 'assigned',
    key: null,
    fileName: null,
    createdBy: adminOf(caller),
  });
  await queries.addChanges(trx, editId, 'isrc', changes, 0);
  await writeAudit(trx, caller, {
    action: 'code_edit.assign',
    entityId: editId,
    after: { tracks: changes.length, isrc: `${changes[0]?.after ?? ''} – ${changes.at(-1)?.after ?? ''}` },
  });
  await journalCodes(trx, caller, 'isrc', changes, editId);
  return {
    editId,
    assigned: changes.map(({ id, after }) => ({ trackId: id, isrc: after })),
    skipped: ids.length - changes.length,
  };
}
