import { messages } from '@regie/contract/messages.ts';
import { formatCreditNoteNumber, formatInvoiceNumber } from '@regie/contract/orders.ts';
import {
  AiContribution,
  type QualityReason,
  type ReleaseListName,
  releaseLists,
  releaseStatuses,
} from '@regie/contract/releases.ts';
import {
  ArtistsLabel,
  AudioDetails,
  CoverDetails,
  OrderItems,
  type Release,
  type ReleaseCard,
  type Track,
  TransactionDetails,
} from '@regie/contract/routes/releases.ts';
import { states } from '@regie/contract/states.ts';
import { z } from '@regie/contract/zod.ts';
import { toCents, toDecimal, vatWithin } from '@regie/values/decimal.ts';
import { languageName } from '@regie/values/languages.ts';
import { coverUrl } from '#src/lib/cover-keys.ts';
import type { Trx } from '#src/lib/db.ts';
import { orNotFound } from '#src/lib/errors.ts';
import type { ListQuery } from '#src/lib/keyset.ts';
import { toWireNumber } from '#src/lib/money.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import * as people from './people.queries.ts';
import { mayEdit, mayRead, readableScope, readableStatuses } from './release-access.service.ts';
import * as queries from './releases.queries.ts';
import { judgeQuality, statusesOfList, toFrenchDay, toStarTime, toWireStatus } from './releases.rules.ts';

/** Limited to the fields of its schema. */
const toJson = <Schema extends z.core.$ZodType>(schema: Schema, value: z.input<Schema>) =>
  JSON.stringify(z.parse(schema, value));

export async function judge(db: Trx, ids: readonly number[]): Promise<(id: number) => QualityReason[]> {
  const facts = await queries.findQualityFacts(db, ids);
  return (id) => {
    const ofRelease = facts.get(id);
    return ofRelease ? judgeQuality(ofRelease) : [];
  };
}

export const toCoverDetails = (row: Pick<queries.ReleaseRow, 'coverKey' | 'coverOwner' | 'coverYear'>): string =>
  toJson(CoverDetails, {
    ...(row.coverKey === null ? {} : { url: coverUrl(row.coverKey) }),
    owner: row.coverOwner,
    year: row.coverYear,
  });

const toAi = (stored: string | null) => AiContribution.nullable().parse(stored);

const toCard = (caller: Caller, row: queries.ReleaseRow, quality: QualityReason[]): ReleaseCard => ({
  ...toWireRow(row),
  status: toWireStatus(row.status),
  language: row.language && languageName(row.language),
  originalRealeaseDate: toFrenchDay(row.originalReleaseDate),
  digitalReleaseDate: toFrenchDay(row.digitalReleaseDate),
  yearOfRegistration: row.recordingYear,
  recordingOwnerName: row.recordingOwner,
  coverDetails: toCoverDetails(row),
  coverDetailsOwner: row.coverOwner,
  coverDetailsYear: row.coverYear,
  coverAi: toAi(row.coverAi),
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
  quality,
  canEdit: mayEdit(caller, toWireStatus(row.status)),
});

/** See product §12.5, §34.1. */
export async function listReleases(db: Trx, caller: Caller, list: ReleaseListName, filter: queries.ReleaseFilter) {
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

export function lookupReleases(db: Trx, caller: Caller, q: string) {
  // Smartlinks are for releases that are out or soon will be.
  const linkable = caller.can('edit_smartlink') ? [...statusesOfList('paid'), ...statusesOfList('delivered')] : [];
  return queries.lookupReleases(db, [...new Set([...readableStatuses(caller), ...linkable])], q);
}

/** Newest first, from the lists the caller may read. */
export async function searchReleases(db: Trx, caller: Caller, q: string, limit: number) {
  const rows = await queries.searchReleases(db, readableStatuses(caller), q, limit);
  return rows.map(({ status, ...row }) => ({ ...row, status: toWireStatus(status) }));
}

/** A remix is another track. */
const nameOf = ({ title, version }: queries.LibraryTrackRow) => (version ? `${title} (${version})` : title);

/** By title, from releases the caller may read. */
export async function searchTracks(db: Trx, caller: Caller, q: string, limit: number) {
  const scope = readableScope(caller);
  if (scope.length === 0) return [];
  const { rows } = await queries.listLibraryTracks(db, scope, { q, limit, sort: 'title', order: 'asc' }, false);
  return rows.map((row) => ({ ...row, title: nameOf(row) }));
}

export const { lookupPeople } = people;

export async function listLibraryTracks(db: Trx, caller: Caller, query: ListQuery) {
  const { rows, ...meta } = await queries.listLibraryTracks(db, readableScope(caller), query);
  return {
    data: rows.map((row) => ({ ...row, status: toWireStatus(row.status) })),
    meta,
  };
}

export async function listDeliveredTracks(db: Trx, query: ListQuery) {
  const { rows: data, ...meta } = await queries.listLibraryTracks(db, statusesOfList('delivered'), query);
  return { data, meta };
}

const lookedUp = 20;

/** At most 20 in any state: withdrawn releases still earn income. */
export async function lookupTracks(db: Trx, q: string) {
  const query = { q, limit: lookedUp, sort: 'title', order: 'asc' } as const;
  const { rows } = await queries.listLibraryTracks(db, 'all', query, false);
  return rows.map((row) => ({
    id: row.id,
    label: nameOf(row),
    accountId: row.userId,
    hint: [
      ...[row.artists, row.isrc, row.releaseTitle, `${row.firstName} ${row.lastName}`.trim()],
      releaseStatuses[toWireStatus(row.status)].label,
    ]
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

function everybody(credits: readonly WireCredit[]): WireCredit[] {
  return [...new Map(credits.map((credit) => [`${credit.id} ${credit.role}`, credit])).values()];
}

type AudioRow = Pick<queries.TrackRow, 'id' | 'originalName' | 'sizeBytes'> &
  Omit<z.input<typeof AudioDetails>, 'sizeBytes'>;

export const describeAudio = ({ id, originalName, sizeBytes, ...track }: AudioRow): string =>
  toJson(AudioDetails, {
    ...track,
    url: `/api/tracks/${id}/audio`,
    name: originalName ?? '',
    sizeBytes: sizeBytes ?? 0,
  });

function toTrack(row: queries.TrackRow, credits: readonly queries.CreditRow[], canHear: boolean): Track {
  const audio = row.audioFileId === null ? toJson(AudioDetails, {}) : describeAudio(row);
  return {
    ...toWireRow(row),
    audioDetails: canHear ? audio : null,
    starTime: toStarTime(row.previewStartSeconds),
    noVoice: row.hasNoVoice,
    language: row.language && languageName(row.language),
    recordingOwnerName: row.recordingOwner,
    yearOfRegistration: row.recordingYear,
    recordingAi: toAi(row.recordingAi),
    compositionAi: toAi(row.compositionAi),
    libraryId: row.releaseId,
    Artists: creditsOfKind(credits, 'artist'),
    Contributors: creditsOfKind(credits, 'contributor'),
    Editors: creditsOfKind(credits, 'editor'),
    Musicians: creditsOfKind(credits, 'musician'),
  };
}

function toOrder(row: NonNullable<Awaited<ReturnType<typeof queries.findOrder>>>): Release['Order'] {
  const status = states.order.toWire[row.status as keyof typeof states.order.toWire];
  // One currency: both totals are the same.
  const total = toWireNumber(row.total ?? '0');
  return {
    ...toWireRow(row, 'discount', 'vatPercent'),
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
    vatAmount: toWireNumber(toDecimal(vatWithin(toCents(row.total ?? '0'), toCents(row.vatPercent)))),
    invoiceNumber:
      row.invoiceYear === null || row.invoiceNumber === null || (status === 'PENDING' && row.creditNumber !== null)
        ? null
        : formatInvoiceNumber(row.invoiceYear, row.invoiceNumber),
    creditNote:
      row.creditYear === null || row.creditNumber === null
        ? null
        : formatCreditNoteNumber(row.creditYear, row.creditNumber),
  };
}

/** A release's customer and staff's work on it. */
const hiddenFields = { userId: null, Account: null, note: null, quality: [] };

const seesAll = (caller: Caller, row: queries.ReleaseRow) =>
  caller.can('manage_profiles') || mayRead(caller, toWireStatus(row.status));

/**
 * Callers without the right to its list or to accounts get no customer, order, audio, note, verdict or smartlink
 * (product §34.15).
 */
export async function getRelease(db: Trx, caller: Caller, id: number) {
  const row = orNotFound(await queries.findRelease(db, id), messages.unknownRelease);
  const isInside = seesAll(caller, row);
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

/** A track with its release and account, as far as `getRelease` tells them the caller. */
export async function getTrack(db: Trx, caller: Caller, id: number) {
  const found = orNotFound(await queries.findReleaseOf(db, id), messages.unknownTrack);
  const row = orNotFound(await queries.findRelease(db, found.releaseId), messages.unknownTrack);
  const [[track], credits] = await Promise.all([
    queries.listTracks(db, row.id, id),
    queries.listCredits(db, row.id, id),
  ]);
  const isInside = seesAll(caller, row);
  const status = toWireStatus(row.status);
  return {
    track: toTrack(orNotFound(track, messages.unknownTrack), credits, isInside),
    release: { ...row, status, coverDetails: toCoverDetails(row), canEdit: mayEdit(caller, status) },
    account: isInside ? { id: row.accountId, fname: row.firstName, lname: row.lastName } : null,
  };
}
