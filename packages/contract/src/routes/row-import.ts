import { CellText, rowOf, trackColumns } from '#src/columns.ts';
import { AiContribution, anyEditLibraries } from '#src/releases.ts';
import { DryRunQuery, defineRoute, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';

/** Rows of one file; the maximum number of a release's tracks. */
export const maxImportRows = 1000;

/** A row of the file (product §15.8). */
export const ImportRow = z.object({
  titre: CellText,
  /** `Awa Diallo, Trio Verlaine feat. Ida Roux`; with a `;`, commas are part of names. */
  artistes: CellText,
  barcode: CellText,
  isrc: CellText,
  /** A label of `aiContributions`, or DDEX's value. */
  recordingAi: CellText,
  compositionAi: CellText,
  /** Of the release, as `barcode`. */
  coverAi: CellText,
});
export type ImportRow = z.infer<typeof ImportRow>;

export const ValidatedRow = z.object({
  /** From 1, in the order sent. */
  row: z.number(),
  /** Any `conflict` or `invalid` row refuses the whole file. */
  verdict: z.enum(['new', 'exists', 'conflict', 'invalid']),
  /** The reason of a refusal, or a note. */
  message: z.string().nullable(),
  title: z.string(),
  artists: z.array(z.object({ fullname: z.string(), role: z.string() })),
  isrc: z.string().nullable(),
  barcode: z.string().nullable(),
  recordingAi: AiContribution.nullable(),
  compositionAi: AiContribution.nullable(),
  coverAi: AiContribution.nullable(),
  trackId: Id.nullable(),
});
export type ValidatedRow = z.infer<typeof ValidatedRow>;

export const ImportOutcome = z.object({
  /** Tracks added, and tracks with an empty field filled. */
  created: z.number(),
  completed: z.number(),
  rows: z.array(ValidatedRow),
  /** What the import set of the release, with `updatedAt` before and after. */
  filled: z
    .object({
      barcode: z.string().optional(),
      coverAi: AiContribution.optional(),
      updatedBefore: Instant,
      updatedAt: Instant,
    })
    .nullable(),
});
export type ImportOutcome = z.infer<typeof ImportOutcome>;

export const rowImportRoutes = {
  importTracks: defineRoute('POST /release/:id/tracks/import', anyEditLibraries, {
    summary: 'All rows or none; with dryRun only the verdict of each row.',
    query: DryRunQuery,
    body: z.array(rowOf(trackColumns, ImportRow)).min(1).max(maxImportRows),
    response: ImportOutcome,
    message: 'Les titres sont importés',
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
};
