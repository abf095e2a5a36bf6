import { MonthMsQuery } from '#src/month.ts';
import { defineRoute, Id, IdParams, Instant, listQuery } from '#src/route.ts';
import { ReportLines } from '#src/routes/reports.ts';
import { CandidateGround, maxAssignments, UnmatchedReason, unmatchedMessages } from '#src/unmatched.ts';
import { z } from '#src/zod.ts';

/** An ISRC, or the key of an item without one: `~` and base64url. */
const ItemKey = z.string().regex(/^~?[A-Za-z0-9_-]{1,63}$/);
const KeyParams = z.object({ key: ItemKey });

const Item = z.object({
  key: z.string(),
  isrc: z.string().nullable(),
  upc: z.string().nullable(),
  /** As in the file; either may be empty. */
  title: z.string(),
  artist: z.string(),
});

/** Amounts of currencies without a rate for their month: shown as they are, excluded from sums in EUR. */
const WithoutRate = z.object({ currency: z.string(), amount: z.number() });

/** Unmatched amounts, in EUR at the rates of their months (product §33.4), and the number of statements. */
const Waiting = z.object({
  amountEur: z.number(),
  withoutRate: z.array(WithoutRate),
  quantity: z.number(),
  statements: z.number(),
});
export type Waiting = z.infer<typeof Waiting>;

const TrackRef = z.object({
  trackId: Id,
  trackTitle: z.string(),
  isrc: z.string().nullable(),
  artists: z.string(),
  libraryId: Id,
  libraryTitle: z.string(),
  userId: Id,
  userName: z.string(),
  /** Income continues after the takedown (product §33.12). */
  isDeleted: z.boolean(),
});

export const Candidate = TrackRef.extend({ ground: CandidateGround });
export type Candidate = z.infer<typeof Candidate>;

/** What an assignment answers. */
const Assigned = Waiting.extend({
  /** The sources and months of this income in which nothing is unmatched any more. */
  finished: z.array(z.object({ source: z.string(), month: Instant })),
});
export type Assigned = z.infer<typeof Assigned>;

const StatementRef = z.object({ id: Id, fileName: z.string(), source: z.string() });

export const UnmatchedItem = Item.extend({
  ...Waiting.shape,
  reason: UnmatchedReason,
  fromMonth: Instant,
  toMonth: Instant,
  /** Of a filtered list, what waits in all, whatever source and month: an assignment moves all of it. */
  totalEur: z.number().nullable(),
  /** The newest ones only. */
  lastStatements: z.array(StatementRef),
  /** The likeliest first. */
  candidates: z.array(Candidate),
  /** Whether the first candidate may be accepted without a choice: no other account's track is equally likely. */
  isClear: z.boolean(),
});
export type UnmatchedItem = z.infer<typeof UnmatchedItem>;

export const UnmatchedDetail = UnmatchedItem.extend({
  files: z.array(
    StatementRef.extend({
      month: Instant,
      currency: z.string(),
      quantity: z.number(),
      amount: z.number(),
      /** Null without a rate. */
      amountEur: z.number().nullable(),
    }),
  ),
});
export type UnmatchedDetail = z.infer<typeof UnmatchedDetail>;

const UnmatchedLines = z.object({
  /** By store, country and kind, the largest first. */
  lines: z.array(ReportLines.shape.lines.element.omit({ amountUsd: true })),
  total: z.number(),
});

export const UnmatchedSummary = z.object({
  items: z.number(),
  amountEur: z.number(),
  withoutRate: z.array(WithoutRate),
  /** The sources of unmatched income, whatever the filter. */
  sources: z.array(z.string()),
  /** The first rate to add, for income of the filtered months and sources. */
  missingRate: z.object({ currency: z.string(), month: Instant }).nullable(),
});
export type UnmatchedSummary = z.infer<typeof UnmatchedSummary>;

export const Alias = Item.extend({
  track: TrackRef,
  assignedAt: Instant,
  assignedBy: z.string().nullable(),
  /** The amount that becomes unmatched again when it is undone. */
  waiting: Waiting,
  /** The posted amount, which stays with the track. */
  posted: Waiting,
});
export type Alias = z.infer<typeof Alias>;

const filters = {
  reason: UnmatchedReason.optional(),
  source: z.string().trim().min(1).max(100).optional(),
  /** The month to which it would be posted. */
  month: MonthMsQuery.optional(),
};

export const unmatchedRoutes = {
  listUnmatched: defineRoute('GET /reporting/unmatched', ['read_reports'], {
    query: listQuery(['amount', 'title', 'newest'], 'desc', filters),
    response: z.array(UnmatchedItem),
  }),
  getUnmatchedSummary: defineRoute('GET /reporting/unmatched/summary', ['read_reports'], {
    query: z.object({ q: z.string().trim().max(200).optional(), ...filters }),
    response: UnmatchedSummary,
  }),
  listAliases: defineRoute('GET /reporting/unmatched/aliases', ['read_reports'], {
    query: listQuery(['date', 'title'], 'desc', {}),
    response: z.array(Alias),
  }),
  getUnmatchedItem: defineRoute('GET /reporting/unmatched/:key', ['read_reports'], {
    params: KeyParams,
    response: UnmatchedDetail,
  }),
  listUnmatchedLines: defineRoute('GET /reporting/unmatched/:key/statements/:statement/lines', ['read_reports'], {
    params: KeyParams.extend({ statement: IdParams.shape.id }),
    response: UnmatchedLines,
  }),
  assignTracks: defineRoute('POST /reporting/unmatched/tracks', ['edit_reports'], {
    stepUp: true,
    summary: 'Answers those that could not be given theirs.',
    body: z.object({
      assignments: z
        .array(z.object({ key: ItemKey, trackId: Id }))
        .min(1)
        .max(maxAssignments),
    }),
    response: Assigned.extend({
      assigned: z.number(),
      refused: z.array(z.object({ key: z.string(), reason: z.string() })),
    }),
    message: unmatchedMessages.manyAssigned,
  }),
  assignTrack: defineRoute('PUT /reporting/unmatched/:key/track', ['edit_reports'], {
    stepUp: true,
    summary: 'For pending income and later files.',
    params: KeyParams,
    body: z.object({ trackId: Id }),
    response: Assigned,
    message: unmatchedMessages.assigned,
  }),
  unassignTrack: defineRoute('DELETE /reporting/unmatched/:key/track', ['edit_reports'], {
    stepUp: true,
    summary: 'What is posted stays with its track.',
    params: KeyParams,
    response: z.object({ waiting: Waiting, posted: Waiting }),
    message: unmatchedMessages.unassigned,
  }),
};
