import { PayoutState } from '#src/payouts.ts';
import { anyReadLibraries, ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { InvoiceStatus } from './invoices.ts';

const record = { id: Id, label: z.string(), hint: z.string() };
/** A search result; `label` names it, `hint` distinguishes it from others of the same name. */
export const SearchResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['account', 'statement', 'import']), ...record }),
  z.object({ kind: z.literal('release'), ...record, status: ReleaseStatus }),
  z.object({ kind: z.literal('track'), ...record, releaseId: Id }),
  z.object({ kind: z.literal('payout'), ...record, status: PayoutState }),
  z.object({ kind: z.literal('order'), ...record, status: InvoiceStatus }),
  /** Income without a track; `q` finds it in its list. */
  z.object({ kind: z.literal('unmatched'), ...record, q: z.string() }),
  z.object({ kind: z.literal('ticket'), ...record, status: z.enum(['OPENED', 'CLOSED']) }),
]);
export type SearchResult = z.infer<typeof SearchResult>;
export type SearchKind = SearchResult['kind'];

/** Capabilities by kind of record; the palette does not search without any of them. */
export const searchCapabilities = [
  'manage_profiles',
  ...anyReadLibraries,
  'read_pending_payout',
  'read_paid_payout',
  'read_reports',
  'read_tools',
  'edit_tools',
] as const;

export const searchRoutes = {
  search: defineRoute('GET /search', searchCapabilities, {
    summary: 'The first few records of each kind that a text finds, as far as the capabilities allow.',
    query: z.object({ q: z.string().trim().max(200).default('') }),
    response: z.array(SearchResult),
  }),
};
