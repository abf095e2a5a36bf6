import { AccountRef, defineRoute, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { Release, Track } from './releases.ts';
import { ReportLines } from './reports.ts';
import { Ticket } from './tickets.ts';

/** The first of so many. */
const firstOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row), total: z.number() });

/** A track with what it earned (product §22.18). Null: not for this caller. */
export const TrackPage = z.object({
  track: Track,
  release: Release.pick({ id: true, title: true, version: true, status: true, coverDetails: true, canEdit: true }),
  account: AccountRef.nullable(),
  /** Of the reports of the last twelve months with income: accounts, then referrers, who have a percentage of an account's net. */
  payees: z
    .array(
      z.object({
        account: AccountRef,
        isReferrer: z.boolean(),
        /** Of its reports. */
        lowestPercentile: z.number(),
        highestPercentile: z.number(),
        amountEur: z.number(),
      }),
    )
    .nullable(),
  /** Latest first. */
  reports: firstOf(
    z.object({ id: Id, month: Instant, account: AccountRef, grossEur: z.number(), accountEur: z.number() }),
  ).nullable(),
  /** What files call it, where staff said so. */
  aliases: firstOf(
    z.object({ key: z.string(), title: z.string(), artist: z.string(), code: z.string().nullable() }),
  ).nullable(),
  tickets: firstOf(Ticket.pick({ id: true, title: true, status: true })).nullable(),
});
export type TrackPage = z.infer<typeof TrackPage>;

const TrackLines = z.object({
  /** The latest with income of the track; null when there is none. */
  statement: z.object({ id: Id, fileName: z.string(), source: z.string(), month: Instant }).nullable(),
  /** The largest. */
  lines: z.array(ReportLines.shape.lines.element.omit({ amountUsd: true })),
  total: z.number(),
});

export const trackPageRoutes = {
  getTrackPage: defineRoute('GET /library/track/:id', 'session', {
    summary: 'What a release tells each caller of a track, with its income for those who read reports.',
    response: TrackPage,
  }),
  listTrackLines: defineRoute('GET /library/track/:id/lines', ['read_reports'], { response: TrackLines }),
};
