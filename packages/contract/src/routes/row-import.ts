import { anyEditLibraries } from '#src/releases.ts';
import { defineRoute, Id, IdParams, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { toBarcodeText } from './releases.ts';

/** Rows of one file; a release holds at most as many tracks. */
export const maxImportRows = 1000;

const RowText = z.string().max(2000).default('');

/** A row as the file has it (product §15.8): texts, never typed, so that leading zeros survive. */
export const ImportRow = z.object({
  titre: RowText,
  /** `Awa Diallo, Trio Verlaine feat. Ida Roux`; with a `;` in it, commas belong to names. */
  artistes: RowText,
  barcode: z.preprocess(toBarcodeText, RowText),
  isrc: RowText,
});
export type ImportRow = z.infer<typeof ImportRow>;

/** What becomes of a row; a file with any row `conflict` or `invalid` is refused whole. */
const RowVerdict = z.enum(['new', 'exists', 'conflict', 'invalid']);

export const ValidatedRow = z.object({
  /** From 1, in the order sent. */
  row: z.number(),
  verdict: RowVerdict,
  /** Why it is refused, or what to know of it. */
  message: z.string().nullable(),
  title: z.string(),
  artists: z.array(z.object({ fullname: z.string(), role: z.string() })),
  /** As it will be stored. */
  isrc: z.string().nullable(),
  barcode: z.string().nullable(),
  /** The track that was there, or that was added. */
  trackId: Id.nullable(),
});
export type ValidatedRow = z.infer<typeof ValidatedRow>;

export const ImportOutcome = z.object({
  /** Tracks added, and tracks of which something empty was filled. */
  created: z.number(),
  completed: z.number(),
  rows: z.array(ValidatedRow),
  /** The release's barcode where the import filled it, and what its form has to name before and after. */
  filled: z.object({ barcode: z.string(), updatedBefore: Instant, updatedAt: Instant }).nullable(),
});
export type ImportOutcome = z.infer<typeof ImportOutcome>;

export const rowImportRoutes = {
  importTracks: defineRoute({
    method: 'POST',
    path: '/release/:id/tracks/import',
    capability: anyEditLibraries,
    summary: 'Add the rows of a file as tracks, all or none; with dryRun only the verdict of each row.',
    params: IdParams,
    query: z.object({
      dryRun: z
        .enum(['true', 'false', '1', '0', ''])
        .default('false')
        // A bare `?dryRun` asks for one too: nothing is written by a half-written address.
        .transform((value) => value !== 'false' && value !== '0'),
    }),
    body: z.array(ImportRow).min(1).max(maxImportRows),
    response: ImportOutcome,
    message: 'Les titres sont importés',
    bodyLimitBytes: 8 * 1024 * 1024,
  }),
};
