import { anyEditLibraries, ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id, IdParams, Instant, listQuery } from '#src/route.ts';
import { maxAssigned, maxBulkFileRows, maxBulkRows, toolMessages } from '#src/tools.ts';
import { z } from '#src/zod.ts';
import { toBarcodeText } from './releases.ts';

/** A track of a tools page (product §23.7). */
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
/** `similar`: titles of one artist that differ by a slip (decision 180). */
const Likeness = z.enum(['same', 'similar']);

/** What stands between the records of one title and tells what to do with them. */
const TitleAdvice = z.enum([
  'codeOfOthers',
  'codeTwice',
  'releaseTwice',
  'codeMissing',
  'noCode',
  'codesDiffer',
  'tooMany',
]);
export type TitleAdvice = z.infer<typeof TitleAdvice>;
/** A release is on no release twice. */
const ReleaseAdvice = TitleAdvice.exclude(['releaseTwice']);
export type ReleaseAdvice = z.infer<typeof ReleaseAdvice>;
const DuplicateTitle = Group.extend({
  match: Likeness,
  advice: TitleAdvice,
  /** The one to keep where the others would go: it has a code, the most income, is delivered, or is the oldest. */
  isKept: z.boolean(),
  /** The account's part of its reports so far, EUR; null for callers who may not read reports. */
  incomeEur: z.number().nullable(),
});
export type DuplicateTitle = z.infer<typeof DuplicateTitle>;
/** `any`: records of several artists, or accounts, are a group too. */
const Whose = z.enum(['same', 'any']).default('same');

/** One of the five characters that begin ISRCs of the house, and what comes next under it this year. */
const NextIsrc = z.object({ prefix: z.string(), next: z.string().nullable(), left: z.number() });
export type NextIsrc = z.infer<typeof NextIsrc>;

/** A cell as a reader that types them may have made of it: a text again, as its digits stand. */
const Cell = z.preprocess(
  (value) => (value === null || value === undefined ? '' : typeof value === 'number' ? String(value) : value),
  z.string().trim().max(2000),
);

/**
 * A row of the bulk edit (product §25.7): a title with its ISRC or `code-barre`; an `id` decides which record is
 * meant, and then no title is needed.
 */
const BulkRow = z.object({ id: Cell, title: Cell, isrc: Cell, 'code-barre': Cell });
export type BulkRow = z.output<typeof BulkRow>;

const CodeKind = z.enum(['isrc', 'barcode']);

/** What becomes of a row: its record changes, has the code already, or is left with a reason. */
const ValidatedBulkRow = z.object({
  /** From 1, in the order sent. */
  row: z.number(),
  /** `blank`: the file leaves its code to be filled in. */
  verdict: z.enum(['change', 'same', 'blank', 'unsaved']),
  /** Why it is not saved, or what to know of it. */
  message: z.string().nullable(),
  title: z.string(),
  /** The record that is meant, where one is found. */
  recordId: Id.nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type ValidatedBulkRow = z.infer<typeof ValidatedBulkRow>;

const Unsaved = z.object({ row: z.number(), id: z.string(), title: z.string(), reason: z.string() });
const bulkQuery = z.object({
  /** The chunks of one file name the same edit, so that it can be taken back as one. */
  edit: z.string().min(8).max(100).optional(),
  file: z.string().max(255).optional(),
  /** Rows of the file that are not sent, since the preview found why not: they count as unsaved. */
  keptBack: z.coerce.number().int().min(0).max(maxBulkFileRows).optional(),
});

/** Codes given to many records at once. */
const CodeEdit = z.object({
  id: Id,
  kind: CodeKind,
  source: z.enum(['file', 'assigned']),
  fileName: z.string().nullable(),
  saved: z.number(),
  unsaved: z.number(),
  createdAt: Instant,
  createdBy: z.string(),
  reversedAt: Instant.nullable(),
  reversedBy: z.string().nullable(),
  /** Records that got their former code back. */
  reversed: z.number().nullable(),
});
export type CodeEdit = z.infer<typeof CodeEdit>;

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
      artist: Whose,
      account: Whose,
    }),
    response: z.object({
      tracks: z.array(ToolTrack.extend(DuplicateTitle.shape)),
      libraries: z.array(ToolLibrary.extend({ ...DuplicateTitle.shape, advice: ReleaseAdvice })),
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
    body: z.object({ barcode: z.preprocess(toBarcodeText, Code.min(1)) }),
    response: z.object({ barcode: z.string() }),
    message: toolMessages.barcodeFilled,
  }),
  listNextIsrcs: defineRoute({
    method: 'GET',
    path: '/tools/isrc/next',
    capability: ['edit_tools', ...anyEditLibraries],
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
  judgeBulkRows: defineRoute({
    method: 'POST',
    path: '/tools/bulk/preview',
    capability: ['edit_tools'],
    summary: 'What would become of each row of a bulk edit; nothing is written.',
    body: z.object({ kind: CodeKind, rows: z.array(BulkRow).min(1).max(maxBulkFileRows) }),
    response: z.array(ValidatedBulkRow),
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
  editIsrcs: defineRoute({
    method: 'PUT',
    path: '/tools/bulk/isrc',
    capability: ['edit_tools'],
    summary: 'Set the ISRCs of up to 50 tracks found by id or title; answers the rows that were not saved.',
    query: bulkQuery,
    body: z.array(BulkRow).min(1).max(maxBulkRows),
    response: z.array(Unsaved.extend({ isrc: z.string() })),
    message: 'Les ISRC sont enregistrés',
  }),
  editBarcodes: defineRoute({
    method: 'PUT',
    path: '/tools/bulk/barcode',
    capability: ['edit_tools'],
    summary: 'Set the barcodes of up to 50 releases found by id or title; answers the rows that were not saved.',
    query: bulkQuery,
    body: z.array(BulkRow).min(1).max(maxBulkRows),
    response: z.array(Unsaved.extend({ 'code-barre': z.string() })),
    message: 'Les codes-barres sont enregistrés',
  }),
  listCodeEdits: defineRoute({
    method: 'GET',
    path: '/tools/bulk/edits',
    capability: ['edit_tools'],
    summary: 'Files and assignments that changed codes, with what became of them.',
    query: listQuery(['date'], 'desc', { kind: CodeKind.optional() }),
    response: z.array(CodeEdit),
    list: true,
  }),
  reverseCodeEdit: defineRoute({
    method: 'POST',
    path: '/tools/bulk/edits/:id/reverse',
    capability: ['edit_tools'],
    summary: 'Give every record of an edit its former code back, but for those that changed since.',
    params: IdParams,
    response: z.object({
      reversed: z.number(),
      kept: z.array(z.object({ id: Id, title: z.string(), reason: z.string() })),
    }),
    message: 'La modification est annulée',
  }),
};
