import { hasBarcodeLength, isBarcodeValid } from '@regie/values/barcode.ts';
import { isrcPattern, normaliseIsrc } from '@regie/values/isrc.ts';
import { CellText } from '#src/columns.ts';
import { messages } from '#src/messages.ts';
import { isPlain } from '#src/plain-text.ts';
import {
  AiContribution,
  anyEditLibraries,
  anyReadLibraries,
  artistRoles,
  contributorRoles,
  genres,
  qualityReasons,
  ReleaseStatus,
  releaseLists,
} from '#src/releases.ts';
import { defineRoute, Id, Instant, listQuery, QueryId, SeenAt } from '#src/route.ts';
import { states } from '#src/states.ts';
import { WebLink } from '#src/web-link.ts';
import { keysOf, optionalText, required, z } from '#src/zod.ts';
import { Profile } from './accounts.ts';

const maxTitle = 500;
const maxName = 200;
const currentYear = () => new Date().getFullYear();

/** The field's name when it is empty, else the sentence. */
const emptyOr = (sentence: string) => (issue: { input: unknown; path?: PropertyKey[] | undefined }) =>
  issue.input === undefined || issue.input === null || issue.input === '' ? required(issue) : sentence;

/** dd/MM/yyyy, a day that exists (product §15.4: 1-2 digits, 1-2 digits, 4 digits). */
export const FrenchDate = z
  .string({ error: emptyOr(messages.invalidDate) })
  .trim()
  .min(2, { error: emptyOr(messages.invalidDate) })
  .max(30, { error: messages.invalidDate })
  .refine((text) => findDay(text) !== undefined, { error: messages.invalidDate });

/** The day of a dd/MM/yyyy text as yyyy-MM-dd; undefined when it does not exist. */
export function findDay(text: string): string | undefined {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim());
  if (!match) return undefined;
  const [, day = '', month = '', year = ''] = match;
  if (Number(year) < 1000) return undefined;
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== iso ? undefined : iso;
}

/** yyyy-MM-dd as dd/MM/yyyy. */
export const formatDay = (iso: string): string => iso.split('-').reverse().join('/');

/** A barcode that arrives as a number, as text. */
export const toBarcodeText = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value;

export function findBarcodeFault(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return messages.barcodeDigits;
  if (!hasBarcodeLength(text)) return messages.barcodeLength(text.length);
  return isBarcodeValid(text) ? undefined : messages.barcodeCheck;
}

/** False refuses DELIVRED when quality control objects; omitted, the answer has a warning (product §34.2). */
export const ConfirmQuality = z.boolean().optional();

export const emptyToNull = z.literal('').transform(() => null);
export const requiredText = (max: number) => z.string().trim().min(1).max(max);
/** A text that documents print. */
export const requiredName = (max: number) => requiredText(max).refine(isPlain, { error: messages.hiddenCharacter });
export const LabelName = z.string().trim().max(maxName).refine(isPlain, { error: messages.hiddenCharacter });

/** An ISRC as typed; stored upper-cased without its word, hyphens and spaces (product §33.12, §34.14). */
export const Isrc = z.union([
  emptyToNull,
  z
    .string()
    .transform(normaliseIsrc)
    .pipe(z.string().regex(isrcPattern, { error: messages.invalidIsrc })),
]);

const firstYear = 1860;
const Year = z
  .int({ error: emptyOr(messages.invalidYear) })
  .refine((year) => year >= firstYear && year <= currentYear() + 1, {
    error: () => messages.yearRange(firstYear, currentYear() + 1),
  });

const Ai = z.union([emptyToNull, AiContribution]).nullish();

export const Genre = z.enum(genres, { error: messages.genreRequired });

/**
 * The release form (product §15.4, §34.4); omitted fields keep their values, null or '' clears them. The call of
 * product §17.4 has no cover owner.
 */
export const ReleaseForm = z.object({
  title: requiredName(maxTitle),
  label: LabelName.optional(),
  status: ReleaseStatus,
  genre: Genre,
  subgenre: z.union([emptyToNull, z.enum(genres)]).nullish(),
  language: optionalText(60),
  version: optionalText(maxName),
  originalRealeaseDate: FrenchDate,
  digitalReleaseDate: FrenchDate,
  publisherLink: WebLink(maxTitle)
    .transform((text) => (text === '' ? null : text))
    .nullish(),
  yearOfRegistration: Year,
  recordingOwnerName: requiredName(maxName),
  coverDetailsOwner: requiredName(maxName).optional(),
  coverDetailsYear: Year.nullish(),
  coverAi: Ai,
  barcode: z.preprocess(
    toBarcodeText,
    z
      .union([
        emptyToNull,
        z
          .string()
          .trim()
          .refine(isBarcodeValid, { error: ({ input }) => findBarcodeFault(String(input)) }),
      ])
      .nullish(),
  ),
  catalogNumber: optionalText(100),
  note: optionalText(5000),
  confirmQuality: ConfirmQuality,
  updatedAt: SeenAt,
});
export type ReleaseForm = z.infer<typeof ReleaseForm>;

/** The release form, or its status alone: then every other field stays (product §34.2). */
const ReleaseEdit = ReleaseForm.partial()
  .required({ status: true })
  .superRefine(({ status, note, confirmQuality, updatedAt, ...form }, context) => {
    if (Object.values(form).every((value) => value === undefined)) return;
    const issues = ReleaseForm.safeParse({ ...form, status }).error?.issues ?? [];
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message });
  });

const personName = z
  .string()
  .trim()
  .overwrite((name) => name.replaceAll(/\s+/g, ' '))
  .min(2, { error: emptyOr(messages.minLength(2)) })
  .max(maxName)
  .refine(isPlain, { error: messages.hiddenCharacter });

/** An id as a CSV parser or a form types it: `'12'` is a number, '' none. */
const typedId = <Schema extends z.ZodType>(id: Schema) =>
  z.preprocess((value: unknown) => {
    if (value === '') return undefined;
    return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }, id);
/** 0, 1 and their texts are booleans. */
const typedBoolean = z.preprocess((value: unknown) => {
  const text = String(value).toLowerCase();
  return text === '1' || text === 'true' ? true : ['0', 'false', '', 'null'].includes(text) ? false : value;
}, z.boolean().optional());

/** A person of a track: an existing one by `id`, or a new one by name. */
const Member = z.object({
  id: typedId(z.int({ error: messages.unknownPerson }).positive({ error: messages.unknownPerson }).nullish()),
  fullname: CellText.pipe(personName),
  role: requiredText(80),
  isMusician: typedBoolean.default(false),
});
const isOneOf = (roles: readonly string[], role: string) => roles.includes(role);
const Members = z.array(Member).max(200);

/** mm:ss or mmss, seconds below 60; the sentence is product §15.5's. */
const StarTime = z.union([
  emptyToNull,
  z.string().regex(/^\d{2}:?[0-5]\d$/, { error: 'Star time should look like 01:24 or 0124 by minutes:seconds' }),
]);

const trackShape = {
  title: requiredName(maxTitle),
  version: optionalText(maxName),
  isrc: Isrc.nullish(),
  genre: Genre,
  subgenre: z.union([emptyToNull, z.enum(genres)]).nullish(),
  language: optionalText(60),
  noVoice: typedBoolean,
  starTime: StarTime.nullish(),
  recordingOwnerName: requiredName(maxName),
  yearOfRegistration: Year,
  recordingAi: Ai,
  compositionAi: Ai,
  libraryId: typedId(Id),
  artists: Members,
  contributors: Members,
  musicians: Members,
  editors: Members.optional(),
  updatedAt: SeenAt,
};
/**
 * The track form (product §15.5, §19.5); omitted fields keep their values. A contributor with `isMusician` is a
 * musician whose role is an instrument.
 */
export const TrackForm = z
  .object(trackShape)
  .refine((track) => track.noVoice || Boolean(track.language), { error: required, path: ['language'] })
  .superRefine((track, context) => {
    const refuse = (list: 'artists' | 'contributors', index: number) =>
      context.addIssue({ code: 'custom', message: messages.invalidChoice, path: [list, index, 'role'] });
    track.artists.forEach((member, index) => {
      if (!isOneOf(artistRoles, member.role)) refuse('artists', index);
    });
    track.contributors.forEach((member, index) => {
      if (!member.isMusician && !isOneOf(contributorRoles, member.role)) refuse('contributors', index);
    });
  });
export type TrackForm = z.infer<typeof TrackForm>;

/** The JSON strings of a release (product §30.2); `url` is an address from the site's root, absent without a file. */
export const CoverDetails = z.object({
  url: z.string().optional(),
  owner: z.string().nullable(),
  year: z.number().nullable(),
});
/** `fullname` is the release's artist as its cover names it: the primary artists of its tracks. */
export const ArtistsLabel = z.object({ fullname: z.string().nullable() });
export const AudioDetails = z.object({
  url: z.string().optional(),
  name: z.string().optional(),
  sizeBytes: z.number().optional(),
  durationMs: z.number().nullish(),
  sampleRateHz: z.number().nullish(),
  bitDepth: z.number().nullish(),
  channels: z.number().nullish(),
  isClipped: z.boolean().nullish(),
  isSilent: z.boolean().nullish(),
});
export const OrderItems = z.object({
  planPrice: z.number(),
  labelFees: z.number(),
  expressDeliveryPrice: z.number(),
  currency: z.string(),
  globalCurrency: z.string(),
});
export const TransactionDetails = z.object({
  id: z.string().nullable(),
  receipt_email: z.string().nullable(),
  metadata: z.object({ customer_fullname: z.string() }),
});

const Customer = Profile.pick({
  ...{ id: true, fname: true, lname: true, email: true },
  ...{ address: true, city: true, postcode: true, country: true },
});

/** A release in a list: all but its tracks and its order. `coverDetails` and `artistsLabel` are JSON strings. */
export const ReleaseCard = z.object({
  id: Id,
  title: z.string(),
  version: z.string().nullable(),
  label: z.string(),
  status: ReleaseStatus,
  language: z.string().nullable(),
  genre: z.string().nullable(),
  subgenre: z.string().nullable(),
  originalRealeaseDate: z.string().nullable(),
  digitalReleaseDate: z.string().nullable(),
  publisherLink: z.string().nullable(),
  yearOfRegistration: z.number().nullable(),
  recordingOwnerName: z.string().nullable(),
  barcode: z.string().nullable(),
  catalogNumber: z.string().nullable(),
  coverDetails: z.string(),
  coverDetailsOwner: z.string().nullable(),
  coverDetailsYear: z.number().nullable(),
  coverAi: AiContribution.nullable(),
  artistsLabel: z.string(),
  digitalLabel: z.string().nullable(),
  digitalGenre: z.string().nullable(),
  digitalSubgenre: z.string().nullable(),
  plan: z.string().nullable(),
  territories: z.string(),
  platforms: z.string(),
  expressDelivery: z.boolean(),
  userId: Id,
  Account: Customer,
  note: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  quality: z.array(z.enum(keysOf(qualityReasons))),
  /** Whether the caller may edit it in its current list. */
  canEdit: z.boolean(),
});
export type ReleaseCard = z.infer<typeof ReleaseCard>;

const Credit = z.object({ id: Id, fullname: z.string(), role: z.string(), isMusician: z.boolean() });
/** An artist of a release's page (product §13.3). */
const Artist = Credit.extend({ spotifyId: z.string().nullable(), appleMusicId: z.string().nullable() });
export const Track = z.object({
  id: Id,
  title: z.string(),
  version: z.string().nullable(),
  isrc: z.string().nullable(),
  /** JSON string of AudioDetails, without `url` when there is no file; null for callers who may not listen to it. */
  audioDetails: z.string().nullable(),
  youtubeVideoId: z.string().nullable(),
  starTime: z.string().nullable(),
  noVoice: z.boolean(),
  language: z.string().nullable(),
  genre: z.string().nullable(),
  subgenre: z.string().nullable(),
  recordingOwnerName: z.string().nullable(),
  yearOfRegistration: z.number().nullable(),
  recordingAi: AiContribution.nullable(),
  compositionAi: AiContribution.nullable(),
  libraryId: Id,
  Artists: z.array(Artist),
  Contributors: z.array(Credit),
  Editors: z.array(Credit),
  Musicians: z.array(Credit),
  updatedAt: Instant,
});
export type Track = z.infer<typeof Track>;

const Order = z.object({
  id: Id,
  plan: z.string(),
  status: z.enum(states.order.toWire),
  totalAmountByLocation: z.number(),
  totalAmountGlobal: z.number(),
  /** JSON strings of OrderItems and TransactionDetails. */
  orderItems: z.string(),
  transactionDetails: z.string(),
  /** The promo code's discount on plan and fees, and the code as typed. */
  discount: z.number(),
  promoCode: z.string().nullable(),
  /** The VAT contained in the total, frozen with it. */
  vatPercent: z.number(),
  vatAmount: z.number(),
  /** `2026-00042` once issued, when the order is paid. */
  invoiceNumber: z.string().nullable(),
  /** `AV-2026-00007` once that invoice is credited. */
  creditNote: z.string().nullable(),
  paidAt: Instant.nullable(),
});

/** The release page; callers without its capabilities see no customer, order or staff's remarks (product §34.15). */
export const Release = ReleaseCard.extend({
  userId: Id.nullable(),
  Account: Customer.nullable(),
  Order: Order.nullable(),
  tracks: z.array(Track),
  /** The slugs of its enabled smartlinks: offline while the release is withdrawn. */
  smartlinks: z.array(z.string()),
});
export type Release = z.infer<typeof Release>;

const releaseList = (path: `/${string}`, capability: (typeof anyReadLibraries)[number]) =>
  defineRoute(`GET ${path}`, [capability], {
    query: listQuery(['createdAt', 'title', 'artist'], 'desc', {
      genre: z.enum(genres).optional(),
      userId: QueryId.optional(),
      /** Created between these instants, milliseconds, both included. */
      from: z.coerce.number().optional(),
      to: z.coerce.number().optional(),
    }),
    response: z.array(ReleaseCard),
  });

export const releaseRoutes = {
  listUnpaidReleases: releaseList('/releases/unpaid', releaseLists.unpaid.read),
  listPaidReleases: releaseList('/releases/paid', releaseLists.paid.read),
  listDeliveredReleases: releaseList('/releases/delivered', releaseLists.delivered.read),
  listUnpublishedReleases: releaseList('/releases/unpublished', releaseLists.unpublished.read),
  countReleases: defineRoute('GET /releases/counts', anyReadLibraries, {
    summary: 'At most 10 000; null where the caller may not read the list.',
    response: z.object({
      unpaid: z.number().nullable(),
      paid: z.number().nullable(),
      delivered: z.number().nullable(),
      unpublished: z.number().nullable(),
    }),
  }),
  getResources: defineRoute('GET /resources/:id', 'session', {
    response: z.object({
      release: Release,
      artists: z.array(Artist),
      editors: z.array(Credit),
      contributors: z.array(Credit),
      musicians: z.array(Credit),
    }),
  }),
  getRelease: defineRoute('GET /release/:id', 'session', { response: Release }),
  editRelease: defineRoute('PUT /release/:id/edit', anyEditLibraries, {
    summary: 'A move between lists needs the edit capability of both.',
    body: ReleaseEdit,
    response: z.object({ id: Id, status: ReleaseStatus, updatedAt: Instant }),
    message: 'La sortie est enregistrée',
  }),
  withdrawRelease: defineRoute('PUT /release/:id/withdraw', anyEditLibraries, {
    summary: 'Needs the edit capability of both lists.',
    /** "Retirer" moves a release to CANCEL with a note (product §34.3). */
    body: z.object({ note: requiredText(5000) }),
    response: z.object({ id: Id, status: ReleaseStatus }),
    message: 'La sortie est retirée',
  }),
  closeRelease: defineRoute('PUT /release/:id/close', [releaseLists.delivered.edit], {
    response: z.object({ id: Id, status: ReleaseStatus }),
    message: 'La sortie est clôturée',
  }),
  reopenRelease: defineRoute('PUT /release/:id/reopen', [releaseLists.delivered.edit], {
    summary: 'It becomes OPENED; needs the edit capability of both lists.',
    response: z.object({ id: Id, status: ReleaseStatus }),
    message: 'La sortie est rouverte',
  }),
  deleteRelease: defineRoute('DELETE /release/:id/delete', anyEditLibraries, {
    summary: 'Its reports stay.',
    message: 'La sortie est supprimée',
  }),
  declareAi: defineRoute('POST /ai-declarations', anyEditLibraries, {
    summary: 'What is declared stays. Of an account, the releases that the caller may edit.',
    body: z
      .object({
        userId: Id.optional(),
        libraryId: Id.optional(),
        recordingAi: AiContribution.nullable(),
        compositionAi: AiContribution.nullable(),
        coverAi: AiContribution.nullable(),
      })
      .refine(({ userId, libraryId }) => (userId === undefined) !== (libraryId === undefined), {
        error: required,
        path: ['libraryId'],
      })
      .refine((form) => form.recordingAi ?? form.compositionAi ?? form.coverAi, {
        error: 'Choisissez au moins une valeur',
        path: ['recordingAi'],
      }),
    response: z.object({ tracks: z.number(), covers: z.number() }),
  }),
  orderTracks: defineRoute('PUT /release/:id/edit-tracks-position', anyEditLibraries, {
    summary: 'Every id, once.',
    body: z.array(typedId(Id)).min(1).max(1000),
    message: 'L’ordre des titres est enregistré',
  }),
};

export const trackRoutes = {
  addTrack: defineRoute('POST /tracks/add', anyEditLibraries, {
    body: TrackForm,
    response: z.object({ id: Id }),
    message: 'Le titre est créé',
  }),
  editTrack: defineRoute('PUT /tracks/:id/edit', anyEditLibraries, {
    body: TrackForm,
    response: z.object({ id: Id }),
    message: 'Le titre est enregistré',
  }),
  deleteTrack: defineRoute('DELETE /tracks/delete-from-disk/:id', anyEditLibraries, {
    summary: 'Its reports stay.',
    message: 'Le titre est supprimé',
  }),
};

/** Sent by the artist form (product §15.7 and §39.3). */
export const ArtistForm = z.object({
  spotifyId: z
    .union([emptyToNull, z.string().regex(/^[0-7][0-9A-Za-z]{21}$/, { error: messages.invalidSpotifyId })])
    .nullish(),
  appleMusicId: z
    .union([emptyToNull, z.string().regex(/^\d{1,20}$/, { error: messages.invalidAppleMusicId })])
    .nullish(),
});

/** An artist without tracks (product §15.7). */
export const NewArtistForm = ArtistForm.extend({ fullname: personName });

const Person = z.object({
  id: Id,
  fullname: z.string(),
  spotifyId: z.string().nullable(),
  appleMusicId: z.string().nullable(),
  roles: z.array(z.string()),
  tracks: z.number(),
});
export type Person = z.infer<typeof Person>;

const peopleList = (path: `/${string}`) =>
  defineRoute(`GET ${path}`, anyReadLibraries, {
    query: listQuery(['fullname'], 'asc', {}),
    response: z.array(Person),
  });

export const libraryRoutes = {
  listArtists: peopleList('/library/artists'),
  listContributors: peopleList('/library/contributors'),
  listEditors: peopleList('/library/editors'),
  listLibraryTracks: defineRoute('GET /library/tracks', anyReadLibraries, {
    query: listQuery(['title', 'id'], 'asc', {}),
    response: z.array(
      z.object({
        id: Id,
        title: z.string(),
        version: z.string().nullable(),
        isrc: z.string().nullable(),
        releaseId: Id,
        releaseTitle: z.string(),
        status: ReleaseStatus,
        userId: Id,
        artists: z.string(),
      }),
    ),
  }),
  createArtist: defineRoute('POST /artists/new', anyEditLibraries, {
    summary: 'Of two of the same name each needs a store id.',
    body: NewArtistForm,
    response: Person,
    message: 'L’artiste est créé',
  }),
  editArtist: defineRoute('PUT /artists/:id/edit', anyEditLibraries, {
    body: ArtistForm,
    response: Person,
    message: 'L’artiste est enregistré',
  }),
};
