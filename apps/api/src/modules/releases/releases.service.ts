import type { AuditAction } from '@regie/contract/audit.ts';
import { messages } from '@regie/contract/messages.ts';
import { formatCreditNoteNumber, formatInvoiceNumber } from '@regie/contract/orders.ts';
import {
  canTransition,
  listOfStatus,
  type QualityReason,
  qualityReasons,
  type ReleaseListName,
  ReleaseStatus,
  type ReleaseTransition,
  releaseLists,
  releaseStatuses,
  releaseTransitions,
} from '@regie/contract/releases.ts';
import type { NewReleaseForm } from '@regie/contract/routes/orders.ts';
import {
  ArtistsLabel,
  AudioDetails,
  CoverDetails,
  findDay,
  OrderItems,
  type Release,
  type ReleaseCard,
  type ReleaseForm,
  type Track,
  TransactionDetails,
} from '@regie/contract/routes/releases.ts';
import { states } from '@regie/contract/states.ts';
import { z } from '@regie/contract/zod.ts';
import { toCents, toDecimal } from '@regie/values/decimal.ts';
import { languageName, toLanguageCode } from '@regie/values/languages.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Updateable } from 'kysely';
import { type AuditEntry, changesBetween, writeAudit, writeAudits } from '#src/lib/audit.ts';
import { coverUrl } from '#src/lib/cover-keys.ts';
import type { Releases } from '#src/lib/db.generated.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { toWireNumber, vatWithin } from '#src/lib/money.ts';
import type { Answer, Caller } from '#src/lib/route.ts';
import { checkAccount } from '#src/modules/accounts/accounts.service.ts';
import { journalMatches } from '#src/modules/unmatched/unmatched.service.ts';
import * as people from './people.queries.ts';
import * as queries from './releases.queries.ts';
import {
  blockingReasons,
  judgeQuality,
  resolveStatus,
  type StoredStatus,
  statusesOfList,
  toFrenchDay,
  toStarTime,
  toStoredStatus,
  toWireStatus,
} from './releases.rules.ts';

const listNames = Object.keys(releaseLists) as ReleaseListName[];

/** A JSON string for the wire, limited to the fields of its schema. */
const toJson = <Schema extends z.core.$ZodType>(schema: Schema, value: z.input<Schema>) =>
  JSON.stringify(z.parse(schema, value));

/** The stored statuses of the lists that the caller may read. */
function readableStatuses(caller: Caller): StoredStatus[] {
  return listNames.filter((list) => caller.can(releaseLists[list].read)).flatMap(statusesOfList);
}

/** The same as a scope: `all` for callers who read every list, so that queries need no condition. */
export function readableScope(caller: Caller): StoredStatus[] | 'all' {
  return listNames.every((list) => caller.can(releaseLists[list].read)) ? 'all' : readableStatuses(caller);
}

/** Drafts belong to the wizard, which every editor may use; other releases need the capability of their list. */
function mayEdit(caller: Caller, status: ReleaseStatus): boolean {
  const lists = status === 'DRAFT' ? listNames : [listOfStatus(status)];
  return lists.some((list) => caller.can(releaseLists[list].edit));
}

/** @throws AppError forbidden unless the caller may change releases of that list. */
export function requireEdit(caller: Caller, status: ReleaseStatus): void {
  if (!mayEdit(caller, status)) throw new AppError('forbidden');
}

const mayRead = (caller: Caller, status: ReleaseStatus): boolean =>
  caller.can(releaseLists[listOfStatus(status)].read) || mayEdit(caller, status);

/** @throws AppError forbidden unless the caller may read or change releases of that list. */
export function requireRead(caller: Caller, status: ReleaseStatus): void {
  if (!mayRead(caller, status)) throw new AppError('forbidden');
}

/** The stored statuses of the releases that the caller may change. */
export const editableStatuses = (caller: Caller): StoredStatus[] =>
  ReleaseStatus.options.filter((status) => mayEdit(caller, status)).map(toStoredStatus);

async function judge(db: Trx, ids: readonly number[]): Promise<(id: number) => QualityReason[]> {
  const facts = await queries.findQualityFacts(db, ids);
  return (id) => {
    const found = facts.get(id);
    return found ? judgeQuality(found) : [];
  };
}

/** The JSON string `coverDetails` of a release. */
export const toCoverDetails = (row: Pick<queries.ReleaseRow, 'coverKey' | 'coverOwner' | 'coverYear'>): string =>
  toJson(CoverDetails, {
    ...(row.coverKey === null ? {} : { url: coverUrl(row.coverKey) }),
    owner: row.coverOwner,
    year: row.coverYear,
  });

const toCard = (caller: Caller, row: queries.ReleaseRow, quality: QualityReason[]): ReleaseCard => ({
  ...row,
  status: toWireStatus(row.status),
  language: row.language && languageName(row.language),
  originalRealeaseDate: toFrenchDay(row.originalReleaseDate),
  digitalReleaseDate: toFrenchDay(row.digitalReleaseDate),
  yearOfRegistration: row.recordingYear,
  recordingOwnerName: row.recordingOwner,
  coverDetails: toCoverDetails(row),
  coverDetailsOwner: row.coverOwner,
  coverDetailsYear: row.coverYear,
  artistsLabel: toJson(ArtistsLabel, { fullname: row.artistName }),
  territories: row.territories.join(','),
  platforms: row.platforms.join(','),
  expressDelivery: row.hasExpressDelivery,
  userId: row.accountId,
  Account: {
    id: row.accountId,
    fname: row.firstName,
    lname: row.lastName,
    email: row.email,
    address: row.address,
    city: row.city,
    postcode: row.postcode,
    country: row.country,
  },
  createdAt: row.createdAt.getTime(),
  updatedAt: row.updatedAt.getTime(),
  quality,
  canEdit: mayEdit(caller, toWireStatus(row.status)),
});

/** One page of a list of releases (product §12.5, §34.1). */
export async function listReleases(
  db: Trx,
  caller: Caller,
  list: ReleaseListName,
  filter: queries.ReleaseFilter,
): Promise<Answer<ReleaseCard[]>> {
  const { rows, ...meta } = await queries.listReleases(db, statusesOfList(list), filter);
  const qualityOf = await judge(
    db,
    rows.map((row) => row.id),
  );
  return {
    data: rows.map((row) => toCard(caller, row, qualityOf(row.id))),
    meta,
  };
}

/** Number of releases in each list the caller may read. */
export async function countLists(db: Trx, caller: Caller): Promise<Record<ReleaseListName, number | null>> {
  const count = (list: ReleaseListName) =>
    caller.can(releaseLists[list].read) ? queries.countReleases(db, statusesOfList(list)) : null;
  const [unpaid, paid, delivered, unpublished] = await Promise.all([
    count('unpaid'),
    count('paid'),
    count('delivered'),
    count('unpublished'),
  ]);
  return { unpaid, paid, delivered, unpublished };
}

/** Releases for a picker, from the lists the caller may read. */
export function lookupReleases(db: Trx, caller: Caller, q: string) {
  // Editors of smartlinks may pick any release that is out or soon will be.
  const linkable = caller.can('edit_smartlink') ? [...statusesOfList('paid'), ...statusesOfList('delivered')] : [];
  return queries.lookupReleases(db, [...new Set([...readableStatuses(caller), ...linkable])], q);
}

/** The newest releases that match a text, from the lists the caller may read. */
export async function searchReleases(db: Trx, caller: Caller, q: string, limit: number) {
  const rows = await queries.searchReleases(db, readableStatuses(caller), q, limit);
  return rows.map(({ status, ...row }) => ({ ...row, status: toWireStatus(status) }));
}

/** The first tracks by title that match a text or an ISRC, from releases the caller may read. */
export async function searchTracks(db: Trx, caller: Caller, q: string, limit: number) {
  const scope = readableScope(caller);
  if (scope.length === 0) return [];
  return (await queries.listLibraryTracks(db, scope, { q, limit, sort: 'title', order: 'asc' }, false)).rows;
}

/** People for the picker of a track's members. */
export function lookupPeople(db: Trx, q: string) {
  return people.lookupPeople(db, q);
}

/** One page of the tracks of releases the caller may read. */
export async function listLibraryTracks(db: Trx, caller: Caller, query: ListQuery) {
  const { rows, ...meta } = await queries.listLibraryTracks(db, readableScope(caller), query);
  return {
    data: rows.map(({ id, title, isrc, releaseId, releaseTitle, status, userId, artists }) => ({
      id,
      title,
      isrc,
      releaseId,
      releaseTitle,
      status: toWireStatus(status),
      userId,
      artists,
    })),
    meta,
  };
}

/** One page of the tracks of delivered releases. */
export async function listDeliveredTracks(db: Trx, query: ListQuery) {
  const { rows, ...meta } = await queries.listLibraryTracks(db, statusesOfList('delivered'), query);
  return {
    data: rows.map(({ id, title, isrc, releaseTitle, userId }) => ({ id, title, isrc, releaseTitle, userId })),
    meta,
  };
}

const lookedUp = 20;

/** At most 20 tracks of releases in any state, for a picker: withdrawn releases still earn income. */
export async function lookupTracks(db: Trx, q: string) {
  const query = { q, limit: lookedUp, sort: 'title', order: 'asc' } as const;
  const { rows } = await queries.listLibraryTracks(db, 'all', query, false);
  return rows.map(({ id, title, userId, isrc, releaseTitle, status, firstName, lastName }) => ({
    id,
    label: title,
    accountId: userId,
    hint: [isrc, releaseTitle, `${firstName} ${lastName}`.trim(), releaseStatuses[toWireStatus(status)].label]
      .filter(Boolean)
      .join(' · '),
  }));
}

type WireCredit = Track['Artists'][number];
const toCredit = ({ id, fullname, role, kind, spotifyId, appleMusicId }: queries.CreditRow): WireCredit => ({
  id,
  fullname,
  spotifyId,
  appleMusicId,
  role,
  isMusician: kind === 'musician',
});
const creditsOfKind = (credits: readonly queries.CreditRow[], kind: queries.CreditRow['kind']) =>
  credits.filter((credit) => credit.kind === kind).map(toCredit);

/** All credits of a release, each person once per role. */
function everybody(credits: readonly WireCredit[]): WireCredit[] {
  return [...new Map(credits.map((credit) => [`${credit.id} ${credit.role}`, credit])).values()];
}

/** The JSON string `audioDetails` of a track with a file. */
export function describeAudio(track: {
  id: number;
  originalName: string | null;
  sizeBytes: number | null;
  durationMs: number | null;
  sampleRateHz: number | null;
  bitDepth: number | null;
  channels: number | null;
  isClipped: boolean | null;
  isSilent: boolean | null;
}): string {
  return toJson(AudioDetails, {
    url: `/api/tracks/${track.id}/audio`,
    name: track.originalName ?? '',
    sizeBytes: track.sizeBytes ?? 0,
    durationMs: track.durationMs,
    sampleRateHz: track.sampleRateHz,
    bitDepth: track.bitDepth,
    channels: track.channels,
    isClipped: track.isClipped,
    isSilent: track.isSilent,
  });
}

function toTrack(row: queries.TrackRow, credits: readonly queries.CreditRow[], canHear: boolean): Track {
  const audio = row.audioFileId === null ? toJson(AudioDetails, {}) : describeAudio(row);
  return {
    id: row.id,
    title: row.title,
    version: row.version,
    isrc: row.isrc,
    audioDetails: canHear ? audio : null,
    youtubeVideoId: row.youtubeVideoId,
    starTime: toStarTime(row.previewStartSeconds),
    noVoice: row.hasNoVoice,
    language: row.language && languageName(row.language),
    genre: row.genre,
    subgenre: row.subgenre,
    recordingOwnerName: row.recordingOwner,
    yearOfRegistration: row.recordingYear,
    libraryId: row.releaseId,
    Artists: creditsOfKind(credits, 'artist'),
    Contributors: creditsOfKind(credits, 'contributor'),
    Editors: creditsOfKind(credits, 'editor'),
    Musicians: creditsOfKind(credits, 'musician'),
    updatedAt: row.updatedAt.getTime(),
  };
}

function toOrder(row: NonNullable<Awaited<ReturnType<typeof queries.findOrder>>>): Release['Order'] {
  const status = states.order.toWire[row.status as keyof typeof states.order.toWire];
  // An order has one currency, so both totals are the same sum.
  const total = toWireNumber(row.total ?? '0');
  return {
    id: row.id,
    plan: row.plan,
    status,
    totalAmountByLocation: total,
    totalAmountGlobal: total,
    orderItems: toJson(OrderItems, {
      planPrice: toWireNumber(row.planPrice),
      labelFees: toWireNumber(row.labelFees),
      expressDeliveryPrice: toWireNumber(row.expressPrice),
      currency: row.currency,
      globalCurrency: row.currency,
    }),
    transactionDetails: toJson(TransactionDetails, {
      // The reference of an offline payment identifies it.
      id: row.cardTransactionId ?? row.paymentReference,
      receipt_email: row.receiptEmail,
      metadata: { customer_fullname: `${row.firstName} ${row.lastName}`.trim() },
    }),
    discount: toWireNumber(row.discount),
    promoCode: row.promoCode,
    vatPercent: toWireNumber(row.vatPercent),
    vatAmount: toWireNumber(toDecimal(vatWithin(toCents(row.total ?? '0'), toCents(row.vatPercent)))),
    invoiceNumber:
      row.invoiceYear === null || row.invoiceNumber === null || (status === 'PENDING' && row.creditNumber !== null)
        ? null
        : formatInvoiceNumber(row.invoiceYear, row.invoiceNumber),
    creditNote:
      row.creditYear === null || row.creditNumber === null
        ? null
        : formatCreditNoteNumber(row.creditYear, row.creditNumber),
    paidAt: row.paidAt?.getTime() ?? null,
  };
}

/** Of a release's scalar fields, those of its customer and of staff's work. */
const hiddenFields = { userId: null, Account: null, note: null, quality: [] };

/**
 * A release for its page, with the people of its tracks. Callers without the capability of its list or of accounts get
 * no customer, order, audio, note, verdict or smartlink (product §34.15).
 * @throws AppError not_found
 */
export async function getRelease(db: Trx, caller: Caller, id: number) {
  const row = await queries.findRelease(db, id);
  if (!row) throw notFound(messages.unknownRelease);
  const isInside = caller.can('manage_profiles') || mayRead(caller, toWireStatus(row.status));
  const [tracks, credits, order, smartlinks, qualityOf] = await Promise.all([
    queries.listTracks(db, id),
    queries.listCredits(db, id),
    isInside ? queries.findOrder(db, id) : undefined,
    isInside ? queries.listSmartlinkSlugs(db, id) : [],
    judge(db, [id]),
  ]);
  const creditsByTrack = Map.groupBy(credits, (credit) => credit.trackId);
  const card = toCard(caller, row, qualityOf(id));
  const release: Release = {
    ...card,
    ...(isInside ? {} : hiddenFields),
    Order: order ? toOrder(order) : null,
    smartlinks,
    tracks: tracks.map((track) => toTrack(track, creditsByTrack.get(track.id) ?? [], isInside)),
  };
  return {
    release,
    artists: everybody(creditsOfKind(credits, 'artist')),
    editors: everybody(creditsOfKind(credits, 'editor')),
    contributors: everybody(creditsOfKind(credits, 'contributor')),
    musicians: everybody(creditsOfKind(credits, 'musician')),
  };
}

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

/** Writes columns of a release, including its status. */
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

/** Form fields by wire name, and their columns. */
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
  barcode: 'barcode',
  catalogNumber: 'catalogNumber',
  note: 'note',
} as const;
type FormField = keyof typeof formColumns;
const formFields = Object.keys(formColumns) as FormField[];
const isDay = (field: FormField): field is 'originalRealeaseDate' | 'digitalReleaseDate' =>
  field === 'originalRealeaseDate' || field === 'digitalReleaseDate';

/** Converts a form field to its stored value: days as yyyy-MM-dd, languages as codes. */
function toStored(form: Partial<ReleaseForm>, field: FormField) {
  if (isDay(field)) return findDay(form[field] ?? '');
  return field === 'language' && form.language ? toLanguageCode(form.language) : form[field];
}

/** Replaces language codes by names, for the journal. */
const withLanguageNames = <Values extends Record<string, unknown>>(values: Values) => ({
  ...values,
  ...(typeof values.language === 'string' && { language: languageName(values.language) }),
});

/**
 * The resulting status when a form asks for `wanted`; moving between lists needs the capability of both. @throws
 * AppError validation_failed for a status that is not offered; forbidden
 */
export function resolveMove(caller: Caller, present: ReleaseStatus, wanted: ReleaseStatus): ReleaseStatus {
  const status = resolveStatus(present, wanted);
  if (!status) throw invalid({ status: messages.invalidChoice });
  requireEdit(caller, status);
  return status;
}

/**
 * Judges a release that becomes DELIVRED. Blocking problems refuse it where `confirmQuality` is false, and are a warning
 * where it is omitted.
 * @returns the problems, for the journal
 * @throws AppError validation_failed
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

/** The actions of moves between lists, whichever form makes them. */
const moveActions: Partial<Record<ReleaseStatus, AuditAction>> = {
  PAID: 'release.paid',
  DELIVRED: 'release.deliver',
  OPENED: 'release.reopen',
};

/** Journals a saved form; a move with an action of its own has an entry of its own, with the problems it went past. */
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
 * Changes a release (product §34.2). Moving between lists needs the capability of both; the journal records the
 * blocking problems of a release that becomes DELIVRED.
 * @throws AppError not_found; forbidden; conflict with an old `updatedAt`; validation_failed
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

  // Values as stored, except the status, which stays a wire value.
  const given = formFields.filter((field) => form[field] !== undefined);
  const after = {
    ...Object.fromEntries(given.map((field) => [field, toStored(form, field)])),
    status,
  };
  const changes = changesBetween(
    { ...Object.fromEntries(given.map((field) => [field, before[formColumns[field]]])), status: present },
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

/** Whether a record changed after the form being saved was opened. */
export const isStale = (record: { updatedAt: Date }, form: { updatedAt?: number | undefined }): boolean =>
  form.updatedAt !== undefined && form.updatedAt !== record.updatedAt.getTime();

/**
 * Creates a release of an account as a draft (product §34.6).
 * @throws AppError validation_failed for an unknown account
 */
export async function createRelease(trx: Trx, caller: Caller, form: NewReleaseForm) {
  await checkAccount(trx, form.userId);
  const given = formFields.filter((field) => form[field] !== undefined);
  const values = Object.fromEntries(given.map((field) => [field, toStored(form, field)]));
  const status = 'DRAFT';
  const { id } = await trx
    .insertInto('releases')
    .values({
      ...Object.fromEntries(given.map((field) => [formColumns[field], values[field]])),
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
 * Withdraws a release: sets CANCEL with staff's note (product §34.3).
 * @throws AppError not_found; forbidden without the capability of both lists; conflict when it is withdrawn already
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

/**
 * Closes a delivered release, or reopens it as pending (product §34.3).
 * @throws AppError not_found; forbidden without the capability of both lists; conflict when it is not delivered
 */
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

/**
 * Deletes a release from every list; its reports, ledger and journal remain (product §34.10).
 * @throws AppError not_found; forbidden
 */
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

/**
 * Reorders the tracks of a release; every id must be given once.
 * @throws AppError not_found; forbidden; validation_failed for a repeated id; conflict when the ids are not its tracks
 */
export async function orderTracks(trx: Trx, caller: Caller, id: number, ids: readonly number[]): Promise<void> {
  await lockEditableRelease(trx, caller, id);
  const wanted = new Set(ids);
  if (wanted.size < ids.length) throw invalid({ global: messages.trackTwice });
  const present = await queries.listTrackIds(trx, id);
  if (present.length !== wanted.size || present.some((trackId) => !wanted.has(trackId))) throw conflict();
  const changes = changesBetween({ trackIds: present }, { trackIds: ids });
  if (!changes) return;
  await queries.orderTracks(trx, id, ids);
  await writeAudit(trx, caller, { action: 'release.order_tracks', entityId: id, ...changes });
}

const incomeMonths = 12;

/** @throws AppError not_found */
export async function getReleaseIncome(db: Trx, id: number) {
  if (!(await queries.findRelease(db, id))) throw notFound(messages.unknownRelease);
  const months = await queries.listIncome(db, id, incomeMonths);
  return {
    months: months.map(({ month, grossEur }) => ({ fromDate: monthToMs(month), amountEur: toWireNumber(grossEur) })),
  };
}
