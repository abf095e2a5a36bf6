import { PayoutState } from '#src/payouts.ts';
import { anyReadLibraries, ReleaseStatus } from '#src/releases.ts';
import { defineRoute, Id, Instant } from '#src/route.ts';
import { z } from '#src/zod.ts';
import { InvoiceStatus } from './invoices.ts';

const record = { id: Id, label: z.string(), hint: z.string() };
/** A search result; `label` names it, `hint` distinguishes it from others of the same name. */
export const SearchResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('account'), ...record }),
  z.object({ kind: z.literal('release'), ...record, status: ReleaseStatus }),
  z.object({ kind: z.literal('track'), ...record, releaseId: Id }),
  z.object({
    kind: z.literal('payout'),
    id: Id,
    label: z.string(),
    amountEur: z.number(),
    createdAt: Instant,
    status: PayoutState,
  }),
  /** `label` names the customer; `invoice` is the number of the invoice, where one was issued. */
  z.object({
    kind: z.literal('order'),
    id: Id,
    label: z.string(),
    invoice: z.string().nullable(),
    status: InvoiceStatus,
  }),
  z.object({ kind: z.literal('statement'), ...record }),
  z.object({ kind: z.literal('import'), ...record }),
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
