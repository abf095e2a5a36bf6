import { bulkColumns, CellText, rowOf } from '#src/columns.ts';
import { anyEditLibraries, ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
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

/** The number of records that share the row's code or title; rows of a group are adjacent. */
const Group = z.object({ group: z.string(), size: z.number() });
/** `similar`: titles of one artist with a spelling difference (decision 180). */
const Likeness = z.enum(['same', 'similar']);

/** The differences between records of one title, which decide the advice. */
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
/** `releaseTwice` is about tracks only: a release is not part of another release. */
const ReleaseAdvice = TitleAdvice.exclude(['releaseTwice']);
export type ReleaseAdvice = z.infer<typeof ReleaseAdvice>;
const DuplicateTitle = Group.extend({
  match: Likeness,
  advice: TitleAdvice,
  /** The record to keep: it has a code, the most income, is delivered, or is the oldest. */
  isKept: z.boolean(),
  /** The account's income from its reports, EUR; null for callers who may not read reports. */
  incomeEur: z.number().nullable(),
});
export type DuplicateTitle = z.infer<typeof DuplicateTitle>;
/** `any`: groups may span several artists or accounts. */
const Whose = z.enum(['same', 'any']).default('same');

/** One of the house's five-character ISRC prefixes, and its next ISRC of this year. */
const NextIsrc = z.object({ prefix: z.string(), next: z.string().nullable(), left: z.number() });
export type NextIsrc = z.infer<typeof NextIsrc>;

/** A row of the bulk edit (product §25.7): an `id` decides, and then the title is optional. */
const BulkRow = z.object({
  ...{ id: CellText, title: CellText, code: CellText },
  /** Why the preview refused the row: it is not read again, and joins the unsaved ones of the edit. */
  keptBack: z.string().max(1000).optional(),
});
export type BulkRow = z.output<typeof BulkRow>;
const bulkRows = (kind: keyof typeof bulkColumns, max: number) =>
  z
    .array(rowOf({ ...bulkColumns[kind], keptBack: ['keptBack'] }, BulkRow))
    .min(1)
    .max(max);

const CodeKind = z.enum(['isrc', 'barcode']);

const ValidatedBulkRow = z.object({
  /** From 1, in the order sent. */
  row: z.number(),
  /** `blank`: the file has no code for the row. */
  verdict: z.enum(['change', 'same', 'blank', 'unsaved']),
  message: z.string().nullable(),
  title: z.string(),
  recordId: Id.nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type ValidatedBulkRow = z.infer<typeof ValidatedBulkRow>;

const Unsaved = z.object({ row: z.number(), id: z.string(), title: z.string(), reason: z.string() });
const bulkQuery = z.object({
  /** Chunks of one file share the edit, so that it can be undone as a whole. */
  edit: z.string().min(8).max(100).optional(),
  file: z.string().max(255).optional(),
});

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
  /** Records whose former code was restored. */
  reversed: z.number().nullable(),
});
export type CodeEdit = z.infer<typeof CodeEdit>;

const Code = z.string().trim().max(60);

export const toolRoutes = {
  listEmptyCodes: defineRoute('GET /tools/empty-isrc-barcode', ['read_tools'], {
    query: listQuery(['title', 'id'], 'asc', {
      /** The list to page; by default each list returns its first page, and `meta` describes the tracks. */
      kind: z.enum(['tracks', 'libraries', 'wrongBarcodes']).optional(),
    }),
    response: z.object({
      tracks: z.array(ToolTrack),
      libraries: z.array(ToolLibrary),
      wrongBarcodes: z.array(ToolLibrary),
    }),
  }),
  listDuplicateCodes: defineRoute('GET /tools/isrc-redundancy', ['read_tools'], {
    summary: 'Leading zeros of barcodes are ignored.',
    query: listQuery(['code', 'size'], 'asc', {
      kind: z.enum(['isrc', 'barcode']).optional(),
    }),
    response: z.object({
      isrc: z.array(ToolTrack.extend(Group.shape)),
      barcode: z.array(ToolLibrary.extend(Group.shape)),
    }),
  }),
  listDuplicateTitles: defineRoute('GET /tools/naming-redundancy', ['read_tools'], {
    query: listQuery(['title', 'size'], 'asc', {
      kind: z.enum(['tracks', 'libraries']).optional(),
      match: Likeness.optional(),
      artist: Whose,
      account: Whose,
    }),
    response: z.object({
      tracks: z.array(ToolTrack.extend(DuplicateTitle.shape)),
      libraries: z.array(ToolLibrary.extend({ ...DuplicateTitle.shape, advice: ReleaseAdvice })),
    }),
  }),
  fillIsrc: defineRoute('PUT /tools/track/:id/isrc', ['edit_tools'], {
    body: z.object({ isrc: Code.min(1) }),
    response: z.object({ isrc: z.string() }),
    message: toolMessages.isrcFilled,
  }),
  fillBarcode: defineRoute('PUT /tools/release/:id/barcode', ['edit_tools'], {
    summary: 'Where it has none, or one whose check digit is wrong.',
    body: z.object({ barcode: z.preprocess(toBarcodeText, Code.min(1)) }),
    response: z.object({ barcode: z.string() }),
    message: toolMessages.barcodeFilled,
  }),
  listNextIsrcs: defineRoute('GET /tools/isrc/next', ['edit_tools', ...anyEditLibraries], {
    response: z.array(NextIsrc),
  }),
  assignIsrcs: defineRoute('POST /tools/isrc/assign', ['edit_tools'], {
    summary: 'In the order sent; tracks that have one are left.',
    body: z.object({
      trackIds: z.array(Id).min(1).max(maxAssigned),
      /** A prefix of the settings; default: the first one. */
      prefix: z.string().max(5).optional(),
    }),
    response: z.object({
      editId: Id,
      assigned: z.array(z.object({ trackId: Id, isrc: z.string() })),
      skipped: z.number(),
    }),
    message: 'Les ISRC sont attribués',
  }),
  judgeBulkRows: defineRoute('POST /tools/bulk/preview', ['edit_tools'], {
    summary: 'Nothing is written.',
    body: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('isrc'), rows: bulkRows('isrc', maxBulkFileRows) }),
      z.object({ kind: z.literal('barcode'), rows: bulkRows('barcode', maxBulkFileRows) }),
    ]),
    response: z.array(ValidatedBulkRow),
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
  editIsrcs: defineRoute('PUT /tools/bulk/isrc', ['edit_tools'], {
    summary: 'Up to 50 tracks, found by id or title; answers the rows that were not saved.',
    query: bulkQuery,
    body: bulkRows('isrc', maxBulkRows),
    response: z.array(Unsaved.extend({ isrc: z.string() })),
    message: 'Les ISRC sont enregistrés',
  }),
  editBarcodes: defineRoute('PUT /tools/bulk/barcode', ['edit_tools'], {
    summary: 'Up to 50 releases, found by id or title; answers the rows that were not saved.',
    query: bulkQuery,
    body: bulkRows('barcode', maxBulkRows),
    response: z.array(Unsaved.extend({ 'code-barre': z.string() })),
    message: 'Les codes-barres sont enregistrés',
  }),
  listCodeEdits: defineRoute('GET /tools/bulk/edits', ['edit_tools'], {
    query: listQuery(['date'], 'desc', { kind: CodeKind.optional() }),
    response: z.array(CodeEdit),
  }),
  listUnsavedCodes: defineRoute('GET /tools/bulk/edits/:id/unsaved', ['edit_tools'], {
    response: z.array(z.object({ id: z.string(), title: z.string(), code: z.string(), reason: z.string() })),
  }),
  reverseCodeEdit: defineRoute('POST /tools/bulk/edits/:id/reverse', ['edit_tools'], {
    summary: 'Restores former codes, but for records that changed since.',
    response: z.object({
      reversed: z.number(),
      kept: z.array(z.object({ id: Id, title: z.string(), reason: z.string() })),
    }),
    message: 'La modification est annulée',
  }),
};
