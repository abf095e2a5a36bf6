import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, type ReleaseListName, ReleaseStatus, releaseLists } from '@regie/contract/releases.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, notFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as queries from './releases.queries.ts';
import { type StoredStatus, statusesOfList, toStoredStatus, toWireStatus } from './releases.rules.ts';

const listNames = Object.keys(releaseLists) as ReleaseListName[];

/** The stored statuses of the lists that the caller may read. */
export function readableStatuses(caller: Caller): StoredStatus[] {
  return listNames.filter((list) => caller.can(releaseLists[list].read)).flatMap(statusesOfList);
}

/** The same as a scope: `all` for callers who read every list, so that queries need no condition. */
export function readableScope(caller: Caller): StoredStatus[] | 'all' {
  return listNames.every((list) => caller.can(releaseLists[list].read)) ? 'all' : readableStatuses(caller);
}

/** Drafts belong to the wizard, which every editor may use; other releases need the capability of their list. */
export function mayEdit(caller: Caller, status: ReleaseStatus): boolean {
  const lists = status === 'DRAFT' ? listNames : [listOfStatus(status)];
  return lists.some((list) => caller.can(releaseLists[list].edit));
}

/** @throws AppError forbidden unless the caller may change releases of that list. */
export function requireEdit(caller: Caller, status: ReleaseStatus): void {
  if (!mayEdit(caller, status)) throw new AppError('forbidden');
}

export const mayRead = (caller: Caller, status: ReleaseStatus): boolean =>
  caller.can(releaseLists[listOfStatus(status)].read) || mayEdit(caller, status);

/** @throws AppError forbidden unless the caller may read or change releases of that list. */
export function requireRead(caller: Caller, status: ReleaseStatus): void {
  if (!mayRead(caller, status)) throw new AppError('forbidden');
}

/** The stored statuses of the releases that the caller may change. */
export const editableStatuses = (caller: Caller): StoredStatus[] =>
  ReleaseStatus.options.filter((status) => mayEdit(caller, status)).map(toStoredStatus);

/** Finds and locks a live release that the caller may change. @throws AppError not_found; forbidden */
export async function lockEditableRelease(trx: Trx, caller: Caller, id: number) {
  const row = await queries.lockRelease(trx, id);
  if (!row) throw notFound(messages.unknownRelease);
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/** Like `lockEditableRelease`, without a lock, for calls that only read. @throws AppError not_found; forbidden */
export async function findEditableRelease(db: Trx, caller: Caller, id: number) {
  const row = await queries.findRelease(db, id);
  if (!row) throw notFound(messages.unknownRelease);
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/** @throws AppError not_found; forbidden */
export async function requireReadableRelease(db: Trx, caller: Caller, id: number): Promise<void> {
  const row = await queries.findRelease(db, id);
  if (!row) throw notFound(messages.unknownRelease);
  requireRead(caller, toWireStatus(row.status));
}

/** The wire status of a release. */
export const statusOf = (row: { status: string }): ReleaseStatus => toWireStatus(row.status);

/** Whether a record changed after the form being saved was opened. */
export const isStale = (record: { updatedAt: Date }, form: { updatedAt?: number | undefined }): boolean =>
  form.updatedAt !== undefined && form.updatedAt !== record.updatedAt.getTime();
