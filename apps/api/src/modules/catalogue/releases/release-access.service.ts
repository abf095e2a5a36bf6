import { messages } from '@regie/contract/messages.ts';
import { listOfStatus, type ReleaseListName, ReleaseStatus, releaseLists } from '@regie/contract/releases.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, orNotFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as queries from './releases.queries.ts';
import { type StoredStatus, statusesOfList, toStoredStatus, toWireStatus } from './releases.rules.ts';

const listNames = Object.keys(releaseLists) as ReleaseListName[];

export function readableStatuses(caller: Caller): StoredStatus[] {
  return listNames.filter((list) => caller.can(releaseLists[list].read)).flatMap(statusesOfList);
}

/** `all` spares queries a condition. */
export function readableScope(caller: Caller): StoredStatus[] | 'all' {
  return listNames.every((list) => caller.can(releaseLists[list].read)) ? 'all' : readableStatuses(caller);
}

/** Drafts belong to the wizard, which every editor may use. */
export function mayEdit(caller: Caller, status: ReleaseStatus): boolean {
  const lists = status === 'DRAFT' ? listNames : [listOfStatus(status)];
  return lists.some((list) => caller.can(releaseLists[list].edit));
}

/** @throws forbidden */
export function requireEdit(caller: Caller, status: ReleaseStatus): void {
  if (!mayEdit(caller, status)) throw new AppError('forbidden');
}

export const mayRead = (caller: Caller, status: ReleaseStatus): boolean =>
  caller.can(releaseLists[listOfStatus(status)].read) || mayEdit(caller, status);

/** @throws forbidden */
export function requireRead(caller: Caller, status: ReleaseStatus): void {
  if (!mayRead(caller, status)) throw new AppError('forbidden');
}

export const editableStatuses = (caller: Caller): StoredStatus[] =>
  ReleaseStatus.options.filter((status) => mayEdit(caller, status)).map(toStoredStatus);

/** @throws not_found; forbidden */
export async function lockEditableRelease(trx: Trx, caller: Caller, id: number) {
  const row = orNotFound(await queries.lockRelease(trx, id), messages.unknownRelease);
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/** The same without a lock. @throws not_found; forbidden */
export async function findEditableRelease(db: Trx, caller: Caller, id: number) {
  const row = orNotFound(await queries.findRelease(db, id), messages.unknownRelease);
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/** @throws not_found; forbidden */
export async function requireReadableRelease(db: Trx, caller: Caller, id: number): Promise<void> {
  const row = orNotFound(await queries.findRelease(db, id), messages.unknownRelease);
  requireRead(caller, toWireStatus(row.status));
}

export const statusOf = (row: { status: string }): ReleaseStatus => toWireStatus(row.status);

/** It changed after the form was opened. */
export const isStale = (record: { updatedAt: Date }, form: { updatedAt?: number | undefined }): boolean =>
  form.updatedAt !== undefined && form.updatedAt !== record.updatedAt.getTime();
