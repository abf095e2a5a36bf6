import { languageName, toLanguageCode } from '@regie/contract/languages.ts';
import { messages } from '@regie/contract/messages.ts';
import { formatInvoiceNumber } from '@regie/contract/orders.ts';
import {
  canMove,
  listOfStatus,
  type QualityReason,
  qualityReasons,
  type ReleaseListName,
  type ReleaseMove,
  ReleaseStatus,
  releaseLists,
  releaseMoves,
  releaseStatuses,
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
import type { z } from '@regie/contract/zod.ts';
import type { Updateable } from 'kysely';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import { coverUrl } from '#src/lib/cover-keys.ts';
import type { Releases } from '#src/lib/db.generated.ts';
import type { Trx } from '#src/lib/db.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { toCents, toDecimal, toWireNumber, vatWithin } from '#src/lib/money.ts';
import type { Answer, Caller } from '#src/lib/route.ts';
import { listEnabledSlugs } from '#src/modules/smartlinks/smartlinks.service.ts';
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

/** A JSON string of the wire, holding what its schema names and nothing else. */
const toJson = <Schema extends z.ZodType>(schema: Schema, value: z.input<Schema>) =>
  JSON.stringify(schema.parse(value));

/** The statuses of the lists that the caller may read. */
function readableStatuses(caller: Caller): StoredStatus[] {
  return listNames.filter((list) => caller.can(releaseLists[list].read)).flatMap(statusesOfList);
}

/** The same, or `all` for who reads every list: nothing has to be compared then. */
export function readableScope(caller: Caller): StoredStatus[] | 'all' {
  return listNames.every((list) => caller.can(releaseLists[list].read)) ? 'all' : readableStatuses(caller);
}

/** Whether the caller reads the list that a release of this status is in. */
const readsListOf = (caller: Caller, status: ReleaseStatus) => caller.can(releaseLists[listOfStatus(status)].read);

/** A draft is the wizard's, which every editor may use; any other release asks for the right to its list. */
function mayEdit(caller: Caller, status: ReleaseStatus): boolean {
  const lists = status === 'DRAFT' ? listNames : [listOfStatus(status)];
  return lists.some((list) => caller.can(releaseLists[list].edit));
}

/** @throws AppError forbidden unless the caller may change releases of that list. */
export function requireEdit(caller: Caller, status: ReleaseStatus): void {
  if (!mayEdit(caller, status)) throw new AppError('forbidden');
}

/** @throws AppError forbidden unless the caller may read or change releases of that list. */
export function requireRead(caller: Caller, status: ReleaseStatus): void {
  if (!(readsListOf(caller, status) || mayEdit(caller, status))) throw new AppError('forbidden');
}

/** The statuses, as stored, of the releases that the caller may change. */
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
export const toCoverDetails = (row: Pick<queries.CardRow, 'coverKey' | 'coverOwner' | 'coverYear'>): string =>
  toJson(CoverDetails, {
    ...(row.coverKey === null ? {} : { url: coverUrl(row.coverKey) }),
    owner: row.coverOwner,
    year: row.coverYear,
  });

const toCard = (row: queries.CardRow, quality: QualityReason[]) => ({
  id: row.id,
  title: row.title,
  version: row.version,
  label: row.label,
  status: toWireStatus(row.status),
  genre: row.genre,
  originalRealeaseDate: toFrenchDay(row.originalReleaseDate),
  barcode: row.barcode,
  coverDetails: toCoverDetails(row),
  artistsLabel: toJson(ArtistsLabel, { fullname: row.artistName }),
  note: row.note,
  createdAt: row.createdAt.getTime(),
  quality,
});

/** One page of a list of releases (specification 1 §2, decisions §4). */
export async function listReleases(
  db: Trx,
  list: ReleaseListName,
  filter: queries.ReleaseFilter,
): Promise<Answer<ReleaseCard[]>> {
  const { rows, ...meta } = await queries.listReleases(db, statusesOfList(list), filter);
  const qualityOf = await judge(
    db,
    rows.map((row) => row.id),
  );
  return {
    data: rows.map((row) => ({
      ...toCard(row, qualityOf(row.id)),
      userId: row.accountId,
      Account: { id: row.accountId, fname: row.firstName, lname: row.lastName },
    })),
    meta,
  };
}

/** How many releases each list holds, as far as the caller may read them. */
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

/** Releases for a picker, of the lists the caller may read. */
export function lookupReleases(db: Trx, caller: Caller, q: string) {
  // Who makes smartlinks picks among what is out, or soon will be.
  const linkable = caller.can('edit_smartlink') ? [...statusesOfList('paid'), ...statusesOfList('delivered')] : [];
  return queries.lookupReleases(db, [...new Set([...readableStatuses(caller), ...linkable])], q);
}

/** The newest releases that a text finds, of the lists the caller may read. */
export async function searchReleases(db: Trx, caller: Caller, q: string, limit: number) {
  const rows = await queries.searchReleases(db, readableStatuses(caller), q, limit);
  return rows.map(({ status, ...row }) => ({ ...row, status: toWireStatus(status) }));
}

/** The first tracks by title that a text or an ISRC finds, of the releases the caller may read. */
export async function searchTracks(db: Trx, caller: Caller, q: string, limit: number) {
  const scope = readableScope(caller);
  if (scope.length === 0) return [];
  return (await queries.listLibraryTracks(db, scope, { q, limit, sort: 'title', order: 'asc' }, false)).rows;
}

/** People for the picker of a track's members. */
export function lookupPeople(db: Trx, q: string) {
  return people.lookupPeople(db, q);
}

/** One page of the tracks of every release the caller may read. */
export async function listLibraryTracks(db: Trx, caller: Caller, query: queries.ListQuery) {
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
export async function listDeliveredTracks(db: Trx, query: queries.ListQuery) {
  const { rows, ...meta } = await queries.listLibraryTracks(db, statusesOfList('delivered'), query);
  return {
    data: rows.map(({ id, title, isrc, releaseTitle, userId }) => ({ id, title, isrc, releaseTitle, userId })),
    meta,
  };
}

const lookedUp = 20;

/** At most 20 tracks whatever became of their release, for a picker: income comes after a withdrawal too. */
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

/** Everybody of a release, once for each role. */
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
}): string {
  return toJson(AudioDetails, {
    url: `/tracks/${track.id}/audio`,
    name: track.originalName ?? '',
    sizeBytes: track.sizeBytes ?? 0,
    durationMs: track.durationMs,
    sampleRateHz: track.sampleRateHz,
    bitDepth: track.bitDepth,
    channels: track.channels,
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

const wireOrderStatus = new Map([
  ['pending', 'PENDING'],
  ['paid', 'PAID'],
  ['cancelled', 'CANCEL'],
] as const);

function toOrder(row: NonNullable<Awaited<ReturnType<typeof queries.findOrder>>>): Release['Order'] {
  const status = wireOrderStatus.get(row.status as 'pending' | 'paid' | 'cancelled');
  if (!status) throw new Error(`unknown order status ${row.status}`);
  // There is one currency per order: both totals are the same sum.
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
      // Paid offline, the reference says which payment it was.
      id: row.cardTransactionId ?? row.paymentReference,
      receipt_email: row.receiptEmail,
      metadata: { customer_fullname: `${row.firstName} ${row.lastName}`.trim() },
    }),
    discount: toWireNumber(row.discount),
    promoCode: row.promoCode,
    vatPercent: toWireNumber(row.vatPercent),
    vatAmount: toWireNumber(toDecimal(vatWithin(toCents(row.total ?? '0'), toCents(row.vatPercent)))),
    invoiceNumber:
      row.invoiceYear === null || row.invoiceNumber === null
        ? null
        : formatInvoiceNumber(row.invoiceYear, row.invoiceNumber),
    paidAt: row.paidAt?.getTime() ?? null,
  };
}

/**
 * A release as its page shows it, with the people of its tracks. Without a right to its list or to accounts: no
 * customer, no order, no audio (decisions §4).
 * @throws AppError not_found
 */
export async function getRelease(db: Trx, caller: Caller, id: number) {
  const row = await queries.findRelease(db, id);
  if (!row) throw notFound();
  const isInside = caller.can('manage_profiles') || readsListOf(caller, toWireStatus(row.status));
  const [tracks, credits, order, smartlinks, qualityOf] = await Promise.all([
    queries.listTracks(db, id),
    queries.listCredits(db, id),
    isInside ? queries.findOrder(db, id) : undefined,
    listEnabledSlugs(db, id),
    judge(db, [id]),
  ]);
  const creditsByTrack = Map.groupBy(credits, (credit) => credit.trackId);
  const card = toCard(row, qualityOf(id));
  const release: Release = {
    ...card,
    userId: isInside ? row.accountId : null,
    language: row.language && languageName(row.language),
    subgenre: row.subgenre,
    digitalReleaseDate: toFrenchDay(row.digitalReleaseDate),
    publisherLink: row.publisherLink,
    yearOfRegistration: row.recordingYear,
    recordingOwnerName: row.recordingOwner,
    coverDetailsOwner: row.coverOwner,
    coverDetailsYear: row.coverYear,
    catalogNumber: row.catalogNumber,
    digitalLabel: row.digitalLabel,
    digitalGenre: row.digitalGenre,
    digitalSubgenre: row.digitalSubgenre,
    plan: row.plan,
    territories: row.territories.join(','),
    platforms: row.platforms.join(','),
    expressDelivery: row.hasExpressDelivery,
    Account: isInside
      ? {
          id: row.accountId,
          fname: row.firstName,
          lname: row.lastName,
          email: row.email,
          address: row.address,
          city: row.city,
          postcode: row.postcode,
          country: row.country,
        }
      : null,
    Order: order ? toOrder(order) : null,
    smartlinks,
    tracks: tracks.map((track) => toTrack(track, creditsByTrack.get(track.id) ?? [], isInside)),
    updatedAt: row.updatedAt.getTime(),
    canEdit: mayEdit(caller, card.status),
  };
  return {
    release,
    artists: everybody(creditsOfKind(credits, 'artist')),
    editors: everybody(creditsOfKind(credits, 'editor')),
    contributors: everybody(creditsOfKind(credits, 'contributor')),
    musicians: everybody(creditsOfKind(credits, 'musician')),
  };
}

/**
 * A live release that the caller may change, locked until the transaction ends.
 * @throws AppError not_found; forbidden
 */
export async function lockEditableRelease(trx: Trx, caller: Caller, id: number) {
  const row = await queries.lockRelease(trx, id);
  if (!row) throw notFound();
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/**
 * The same for a call that only reads: nothing is locked.
 * @throws AppError not_found; forbidden
 */
export async function findEditableRelease(db: Trx, caller: Caller, id: number) {
  const row = await queries.findRelease(db, id);
  if (!row) throw notFound();
  requireEdit(caller, toWireStatus(row.status));
  return row;
}

/** Where a release stands, as the wire says it. */
export const statusOf = (row: { status: string }): ReleaseStatus => toWireStatus(row.status);

/** Writes columns of a release, its status among them. */
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

/** Each field of the form by its wire name, and the column that keeps it. */
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

/** A field of the form as it is stored: days are yyyy-MM-dd, a language its code. */
function toStored(form: Partial<ReleaseForm>, field: FormField) {
  if (isDay(field)) return findDay(form[field] ?? '');
  return field === 'language' && form.language ? toLanguageCode(form.language) : form[field];
}

/** As the journal tells it: a language by its name. */
const tell = <Values extends Record<string, unknown>>(values: Values) => ({
  ...values,
  ...(typeof values.language === 'string' && { language: languageName(values.language) }),
});

/**
 * What a form that asks for `wanted` makes of a release; a move between lists needs the right to change both.
 * @throws AppError validation_failed for a status that is not offered; forbidden
 */
export function resolveMove(caller: Caller, present: ReleaseStatus, wanted: ReleaseStatus): ReleaseStatus {
  const status = resolveStatus(present, wanted);
  if (!status) throw invalid({ status: messages.invalidChoice });
  requireEdit(caller, status);
  return status;
}

/**
 * A release that becomes DELIVRED although quality control blocks it needs a confirmation.
 * @returns what was confirmed, for the journal
 * @throws AppError validation_failed without the confirmation
 */
export async function confirmDelivery(
  trx: Trx,
  move: { id: number; present: ReleaseStatus; status: ReleaseStatus; isConfirmed: boolean },
): Promise<QualityReason[]> {
  const isDelivery = move.status === 'DELIVRED' && move.present !== 'DELIVRED';
  const blocking = isDelivery ? blockingReasons((await judge(trx, [move.id]))(move.id)) : [];
  if (blocking.length > 0 && !move.isConfirmed) {
    throw invalid({ status: messages.qualityBlocks(blocking.map((reason) => qualityReasons[reason].label)) });
  }
  return blocking;
}

/**
 * Changes a release (decisions §4). A move between lists needs the right to change both; one to DELIVRED that quality
 * control blocks needs `confirmQuality`, and the journal keeps what was confirmed.
 * @throws AppError not_found; forbidden; precondition_required without `updatedAt`, conflict with an old one;
 *   validation_failed
 */
export async function editRelease(trx: Trx, caller: Caller, id: number, form: ReleaseForm) {
  const before = await lockEditableRelease(trx, caller, id);
  if (form.updatedAt === undefined) throw new AppError('precondition_required');
  if (isStale(before, form)) throw conflict(messages.releaseChanged);
  const present = toWireStatus(before.status);
  const status = resolveMove(caller, present, form.status);

  // As stored, but for the status, which is a word of the wire.
  const given = formFields.filter((field) => form[field] !== undefined);
  const after = {
    ...Object.fromEntries(given.map((field) => [field, toStored(form, field)])),
    status,
  };
  const changes = changesBetween(
    { ...Object.fromEntries(given.map((field) => [field, before[formColumns[field]]])), status: present },
    after,
  );
  if (!changes) return { id, status, updatedAt: before.updatedAt.getTime() };
  const updatedAt = new Date();
  const columns = Object.entries(changes.after).map(([field, value]) =>
    field === 'status' ? ['status', toStoredStatus(status)] : [formColumns[field as FormField], value],
  );
  await trx
    .updateTable('releases')
    .set({ ...Object.fromEntries(columns), updatedAt })
    .where('id', '=', id)
    .execute();

  const blocking = await confirmDelivery(trx, { id, present, status, isConfirmed: form.confirmQuality });
  await writeAudit(trx, caller, {
    action: 'release.edit',
    entityId: id,
    before: tell(changes.before),
    after: tell(blocking.length > 0 ? { ...changes.after, confirmedQuality: blocking } : changes.after),
  });
  return { id, status, updatedAt: updatedAt.getTime() };
}

/** Whether a record changed after the form that is saved now was opened with it. */
export const isStale = (record: { updatedAt: Date }, form: { updatedAt?: number | undefined }): boolean =>
  form.updatedAt !== undefined && form.updatedAt !== record.updatedAt.getTime();

/**
 * Begins a release of an account as a draft (decisions §4).
 * @throws AppError validation_failed for an account there is not
 */
export async function createRelease(trx: Trx, caller: Caller, form: NewReleaseForm) {
  const account = await trx.selectFrom('accounts').select('id').where('id', '=', form.userId).executeTakeFirst();
  if (!account) throw invalid({ userId: messages.unknownAccount });
  const given = formFields.filter((field) => form[field] !== undefined);
  const values = Object.fromEntries(given.map((field) => [field, toStored(form, field)]));
  const status = 'DRAFT';
  const { id } = await trx
    .insertInto('releases')
    .values({
      ...Object.fromEntries(given.map((field) => [formColumns[field], values[field]])),
      title: form.title,
      accountId: account.id,
      status: toStoredStatus(status),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'release.create',
    entityId: id,
    after: { userId: account.id, ...values, status },
  });
  return { id, status } as const;
}

/**
 * Withdraws a release: it becomes CANCEL, with staff's note (decisions §4).
 * @throws AppError not_found; forbidden without the right to both lists; conflict when it is withdrawn already
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
 * Closes a delivered release whose file is settled, or puts a delivered one back to those that wait (decisions §4).
 * @throws AppError not_found; forbidden without the right to both lists; conflict when it is not delivered
 */
export async function moveRelease(trx: Trx, caller: Caller, id: number, move: ReleaseMove) {
  const before = await lockEditableRelease(trx, caller, id);
  const status = releaseMoves[move].to;
  requireEdit(caller, status);
  const present = toWireStatus(before.status);
  if (!canMove(present, move)) throw conflict(messages.notDelivered);
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
 * Takes a release out of every list; its reports, ledger and journal stay (decisions §4).
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
 * Puts the tracks of a release in a new order: every id of it, once.
 * @throws AppError not_found; forbidden; validation_failed for an id named twice; conflict when these are not its tracks
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
