import { ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id, IdParams, listQuery } from '#src/route.ts';
import { maxAssigned, toolMessages } from '#src/tools.ts';
import { z } from '#src/zod.ts';

/** A track of a tools page (specification 2 §3). */
const ToolTrack = z.object({
  trackId: Id,
  trackTitle: z.string(),
  version: z.string().nullable(),
  isrc: z.string().nullable(),
  artists: z.string(),
  libraryId: Id,
  libraryTitle: z.string(),
  status: ReleaseStatus,
  userId: Id,
  userName: z.string(),
});
export type ToolTrack = z.infer<typeof ToolTrack>;

const ToolLibrary = z.object({
  id: Id,
  title: z.string(),
  version: z.string().nullable(),
  barcode: z.string().nullable(),
  artists: z.string(),
  status: ReleaseStatus,
  userId: Id,
  userName: z.string(),
});
export type ToolLibrary = z.infer<typeof ToolLibrary>;

/** How many records share the code or title of a row; rows of one group stand together. */
const Group = z.object({ group: z.string(), size: z.number() });
/** `similar`: titles of one artist that differ by a slip (docs/decisions). */
const Likeness = z.enum(['same', 'similar']);

/** One of the five characters that begin ISRCs of the house, and what comes next under it this year. */
const NextIsrc = z.object({ prefix: z.string(), next: z.string().nullable(), left: z.number() });
export type NextIsrc = z.infer<typeof NextIsrc>;

const Code = z.string().trim().max(60);

export const toolRoutes = {
  listEmptyCodes: defineRoute({
    method: 'GET',
    path: '/tools/empty-isrc-barcode',
    capability: ['read_tools'],
    summary: 'Tracks without ISRC, releases without barcode, and releases whose barcode has a wrong check digit.',
    query: listQuery(['title', 'id'], 'asc', {
      /** The list that is paged; without it each gives its first page, and `meta` is of the tracks. */
      kind: z.enum(['tracks', 'libraries', 'wrongBarcodes']).optional(),
    }),
    response: z.object({
      tracks: z.array(ToolTrack),
      libraries: z.array(ToolLibrary),
      wrongBarcodes: z.array(ToolLibrary),
    }),
    list: true,
  }),
  listCodeDoubles: defineRoute({
    method: 'GET',
    path: '/tools/isrc-redundancy',
    capability: ['read_tools'],
    summary: 'Tracks that share an ISRC, and releases that share a barcode (leading zeros aside).',
    query: listQuery(['code', 'size'], 'asc', {
      /** The list that is paged; without it each gives its first page, and `meta` is of the ISRCs. */
      kind: z.enum(['isrc', 'barcode']).optional(),
    }),
    response: z.object({
      isrc: z.array(ToolTrack.extend(Group.shape)),
      barcode: z.array(ToolLibrary.extend(Group.shape)),
    }),
    list: true,
  }),
  listTitleDoubles: defineRoute({
    method: 'GET',
    path: '/tools/naming-redundancy',
    capability: ['read_tools'],
    summary: 'Tracks and releases of the same title, or of one artist and a title that differs by a slip.',
    query: listQuery(['title', 'size'], 'asc', {
      /** The list that is paged; without it each gives its first page, and `meta` is of the tracks. */
      kind: z.enum(['tracks', 'libraries']).optional(),
      match: Likeness.optional(),
    }),
    response: z.object({
      tracks: z.array(ToolTrack.extend({ ...Group.shape, match: Likeness })),
      libraries: z.array(ToolLibrary.extend({ ...Group.shape, match: Likeness })),
    }),
    list: true,
  }),
  fillIsrc: defineRoute({
    method: 'PUT',
    path: '/tools/track/:id/isrc',
    capability: ['edit_tools'],
    summary: 'Give a track that has no ISRC one.',
    params: IdParams,
    body: z.object({ isrc: Code.min(1) }),
    response: z.object({ isrc: z.string() }),
    message: toolMessages.isrcFilled,
  }),
  fillBarcode: defineRoute({
    method: 'PUT',
    path: '/tools/release/:id/barcode',
    capability: ['edit_tools'],
    summary: 'Give a release a barcode where it has none, or one whose check digit is wrong.',
    params: IdParams,
    body: z.object({ barcode: Code.min(1) }),
    response: z.object({ barcode: z.string() }),
    message: toolMessages.barcodeFilled,
  }),
  listNextIsrcs: defineRoute({
    method: 'GET',
    path: '/tools/isrc/next',
    capability: ['edit_tools'],
    summary: 'The next free ISRC under each of the house’s prefixes.',
    response: z.array(NextIsrc),
  }),
  assignIsrcs: defineRoute({
    method: 'POST',
    path: '/tools/isrc/assign',
    capability: ['edit_tools'],
    summary: 'Give the next free ISRCs to tracks that have none, in the order sent; those that have one are left.',
    body: z.object({
      trackIds: z.array(Id).min(1).max(maxAssigned),
      /** One of the settings'; the first one without it. */
      prefix: z.string().max(5).optional(),
    }),
    response: z.object({
      editId: Id,
      assigned: z.array(z.object({ trackId: Id, isrc: z.string() })),
      skipped: z.number(),
    }),
    message: 'Les ISRC sont attribués',
  }),
};
