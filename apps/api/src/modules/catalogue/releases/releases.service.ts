import type { AuditAction } from '@regie/contract/audit.ts';
import { messages } from '@regie/contract/messages.ts';
import {
  canTransition,
  type QualityReason,
  qualityReasons,
  type ReleaseStatus,
  type ReleaseTransition,
  releaseTransitions,
} from '@regie/contract/releases.ts';
import type { NewReleaseForm } from '@regie/contract/routes/orders.ts';
import { findDay, type ReleaseForm } from '@regie/contract/routes/releases.ts';
import { languageName, toLanguageCode } from '@regie/values/languages.ts';
import type { Updateable } from 'kysely';
import { type AuditEntry, changesBetween, writeAudit, writeAudits } from '#src/lib/audit.ts';
import type { Releases } from '#src/lib/db.generated.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { journalMatches } from '#src/modules/income/unmatched/unmatched.service.ts';
import { checkAccount } from '#src/modules/people/accounts/accounts.service.ts';
import { isStale, lockEditableRelease, requireEdit } from './release-access.service.ts';
import { judge } from './release-views.service.ts';
import * as queries from './releases.queries.ts';
import { blockingReasons, resolveStatus, toStoredStatus, toWireStatus } from './releases.rules.ts';

export async function writeRelease(
  trx: Trx,
  id: number,
  status: ReleaseStatus,
  columns: Omit<Updateable<Releases>, 'status'> = {},
): Promise<void> {
  await trx
    .updateTable('releases')
    .set({ ...columns, status: toStoredStatus(status), updatedAt: new Date() })
    .where('id', '=', id)
    .execute();
}

const formColumns = {
  title: 'title',
  label: 'label',
  genre: 'genre',
  subgenre: 'subgenre',
  language: 'language',
  version: 'version',
  originalRealeaseDate: 'originalReleaseDate',
  digitalReleaseDate: 'digitalReleaseDate',
  publisherLink: 'publisherLink',
  yearOfRegistration: 'recordingYear',
  recordingOwnerName: 'recordingOwner',
  coverDetailsOwner: 'coverOwner',
  coverDetailsYear: 'coverYear',
  coverAi: 'coverAi',
  barcode: 'barcode',
  catalogNumber: 'catalogNumber',
  note: 'note',
} as const;

type FormField = keyof typeof formColumns;

const formFields = Object.keys(formColumns) as FormField[];

const isDay = (field: FormField): field is 'originalRealeaseDate' | 'digitalReleaseDate' =>
  field === 'originalRealeaseDate' || field === 'digitalReleaseDate';

/** Days as yyyy-MM-dd, languages as codes. */
function toStored(form: Partial<ReleaseForm>, field: FormField) {
  if (isDay(field)) return findDay(form[field] ?? '');
  return field === 'language' && form.language ? toLanguageCode(form.language) : form[field];
}

/** For the journal. */
const withLanguageNames = <Values extends Record<string, unknown>>(values: Values) => ({
  ...values,
  ...(typeof values.language === 'string' && { language: languageName(values.language) }),
});

/** Moving between lists needs the right of both. @throws validation_failed for a status not offered; forbidden */
export function resolveMove(caller: Caller, present: ReleaseStatus, wanted: ReleaseStatus): ReleaseStatus {
  const status = resolveStatus(present, wanted);
  if (!status) throw invalid({ status: messages.invalidChoice });
  requireEdit(caller, status);
  return status;
}

/**
 * Blocking problems refuse a delivery where `confirmQuality` is false, and warn where it is omitted.
 * @returns the problems, for the journal
 * @throws validation_failed
 */
export async function confirmDelivery(
  trx: Trx,
  move: { id: number; present: ReleaseStatus; status: ReleaseStatus; confirmQuality: boolean | undefined },
): Promise<{ confirmed: QualityReason[]; warnings: string[] }> {
  const isDelivery = move.status === 'DELIVRED' && move.present !== 'DELIVRED';
  const confirmed = isDelivery ? blockingReasons((await judge(trx, [move.id]))(move.id)) : [];
  if (confirmed.length === 0 || move.confirmQuality) return { confirmed, warnings: [] };
  const labels = confirmed.map((reason) => qualityReasons[reason].label);
  if (move.confirmQuality === false) throw invalid({ status: messages.qualityBlocks(labels) });
  return { confirmed, warnings: [messages.qualityPassed(labels)] };
}

/** Whichever form moves it. */
const moveActions: Partial<Record<ReleaseStatus, AuditAction>> = {
  PAID: 'release.paid',
  DELIVRED: 'release.deliver',
  OPENED: 'release.reopen',
};

/** A move with an action of its own has its own entry, with the problems it went past. */
export async function auditForm(
  trx: Trx,
  caller: Caller,
  form: { action: 'release.edit' | 'release.delivery'; id: number; status: ReleaseStatus; confirmed: QualityReason[] },
  changes: { before: Record<string, unknown>; after: Record<string, unknown> },
): Promise<void> {
  const { action, id: entityId, status, confirmed } = form;
  const move = 'status' in changes.after ? moveActions[status] : undefined;
  const { status: from, ...before } = changes.before;
  const { status: _, ...after } = changes.after;
  const entries: AuditEntry[] = [];
  if (!move) entries.push({ action, entityId, ...changes });
  else if (Object.keys(after).length > 0) entries.push({ action, entityId, before, after });
  const problems = confirmed.length > 0 ? { confirmedQuality: confirmed } : {};
  if (move) entries.push({ action: move, entityId, before: { status: from }, after: { status, ...problems } });
  await writeAudits(trx, caller, entries);
}

/**
 * See product §34.2. Moving between lists needs the right of both.
 * @throws not_found; forbidden; conflict with an old `updatedAt`; validation_failed
 */
export async function editRelease(
  trx: Trx,
  caller: Caller,
  id: number,
  form: Partial<ReleaseForm> & Pick<ReleaseForm, 'status'>,
) {
  const before = await lockEditableRelease(trx, caller, id);
  if (isStale(before, form)) throw conflict(messages.releaseChanged);
  const present = toWireStatus(before.status);
  const status = resolveMove(caller, present, form.status);

  // As stored; the status stays a wire value.
  const fields = formFields.filter((field) => form[field] !== undefined);
  const after = {
    ...Object.fromEntries(fields.map((field) => [field, toStored(form, field)])),
    status,
  };
  const changes = changesBetween(
    { ...Object.fromEntries(fields.map((field) => [field, before[formColumns[field]]])), status: present },
    after,
  );
  if (!changes) return { data: { id, status, updatedAt: before.updatedAt.getTime() } };
  const updatedAt = new Date();
  const columns = Object.entries(changes.after).map(([field, value]) =>
    field === 'status' ? ['status', toStoredStatus(status)] : [formColumns[field as FormField], value],
  );
  await trx
    .updateTable('releases')
    .set({ ...Object.fromEntries(columns), updatedAt })
    .where('id', '=', id)
    .execute();

  const quality = await confirmDelivery(trx, { id, present, status, confirmQuality: form.confirmQuality });
  await auditForm(
    trx,
    caller,
    { action: 'release.edit', id, status, ...quality },
    { before: withLanguageNames(changes.before), after: withLanguageNames(changes.after) },
  );
  return { data: { id, status, updatedAt: updatedAt.getTime() }, warnings: quality.warnings };
}

/** A draft (product §34.6). @throws validation_failed for an unknown account */
export async function createRelease(trx: Trx, caller: Caller, form: NewReleaseForm) {
  await checkAccount(trx, form.userId);
  const fields = formFields.filter((field) => form[field] !== undefined);
  const values = Object.fromEntries(fields.map((field) => [field, toStored(form, field)]));
  const status = 'DRAFT';
  const { id } = await trx
    .insertInto('releases')
    .values({
      ...Object.fromEntries(fields.map((field) => [formColumns[field], values[field]])),
      title: form.title,
      accountId: form.userId,
      status: toStoredStatus(status),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'release.create',
    entityId: id,
    after: { userId: form.userId, ...values, status },
  });
  return { id, status } as const;
}

/**
 * CANCEL with a note (product §34.3).
 * @throws not_found; forbidden without the right of both lists; conflict when withdrawn
 */
export async function withdrawRelease(trx: Trx, caller: Caller, id: number, note: string) {
  const before = await lockEditableRelease(trx, caller, id);
  const status = 'CANCEL';
  requireEdit(caller, status);
  const present = toWireStatus(before.status);
  if (present === status) throw conflict(messages.alreadyWithdrawn);
  await trx
    .updateTable('releases')
    .set({ status: toStoredStatus(status), note, updatedAt: new Date() })
    .where('id', '=', id)
    .execute();
  await writeAudit(trx, caller, {
    action: 'release.withdraw',
    entityId: id,
    before: { status: present, note: before.note },
    after: { status, note },
  });
  return { id, status } as const;
}

/** See product §34.3. @throws not_found; forbidden without the right of both lists; conflict when not delivered */
export async function moveRelease(trx: Trx, caller: Caller, id: number, move: ReleaseTransition) {
  const before = await lockEditableRelease(trx, caller, id);
  const status = releaseTransitions[move].to;
  requireEdit(caller, status);
  const present = toWireStatus(before.status);
  if (!canTransition(present, move)) throw conflict(messages.notDelivered);
  await trx
    .updateTable('releases')
    .set({ status: toStoredStatus(status), updatedAt: new Date() })
    .where('id', '=', id)
    .execute();
  await writeAudit(trx, caller, {
    action: `release.${move}`,
    entityId: id,
    before: { status: present },
    after: { status },
  });
  return { id, status };
}

/** Reports, ledger and journal remain (product §34.10). @throws not_found; forbidden */
export async function deleteRelease(trx: Trx, caller: Caller, id: number): Promise<void> {
  const release = await lockEditableRelease(trx, caller, id);
  const tracks = await queries.deleteRelease(trx, id);
  await writeAudit(trx, caller, {
    action: 'release.delete',
    entityId: id,
    before: {
      title: release.title,
      status: toWireStatus(release.status),
      barcode: release.barcode,
      userId: release.accountId,
      tracks: tracks.length,
    },
  });
  await journalMatches(
    trx,
    caller,
    tracks.map((track) => ({ trackId: track.id, isrc: null, former: track.isrc })),
  );
}

/** Every id once. @throws not_found; forbidden; validation_failed for a repeated id; conflict for other ids */
export async function orderTracks(trx: Trx, caller: Caller, id: number, ids: readonly number[]): Promise<void> {
  await lockEditableRelease(trx, caller, id);
  const distinct = new Set(ids);
  if (distinct.size < ids.length) throw invalid({ global: messages.trackTwice });
  const present = await queries.listTrackIds(trx, id);
  if (present.length !== distinct.size || present.some((trackId) => !distinct.has(trackId))) throw conflict();
  const changes = changesBetween({ trackIds: present }, { trackIds: ids });
  if (!changes) return;
  await queries.orderTracks(trx, id, ids);
  await writeAudit(trx, caller, { action: 'release.order_tracks', entityId: id, ...changes });
}
