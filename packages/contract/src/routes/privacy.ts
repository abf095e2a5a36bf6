import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { required, z } from '#src/zod.ts';
import { Admin } from './staff.ts';

const ErasureForm = z.object({
  reason: z.string().trim().min(3, { error: required }).max(200),
});

/** What erasing an account means, in figures, and what stands against it. */
const ErasurePreview = z.object({
  releases: z.number(),
  tracks: z.number(),
  billings: z.number(),
  /** Kept for their legal term. */
  invoices: z.number(),
  payouts: z.number(),
  contracts: z.number(),
  journalEntries: z.number(),
  /** French sentences; empty when it can be erased. */
  obstacles: z.array(z.string()),
  erasedAt: Instant.nullable(),
});

export const LeftAdmin = Admin.pick({ id: true, fname: true, lname: true, email: true }).extend({ deletedAt: Instant });
export type LeftAdmin = z.infer<typeof LeftAdmin>;

export const privacyRoutes = {
  exportAccount: defineRoute('GET /profile/:id/personal-data', ['manage_profiles'], {
    stepUp: true,
    summary: 'Everything stored about an account: a ZIP of JSON files and documents; journalled.',
    response: z.string(),
    isFile: true,
  }),
  getErasure: defineRoute('GET /profile/:id/erasure', ['manage_profiles'], { response: ErasurePreview }),
  eraseAccount: defineRoute('POST /profile/:id/erasure', ['manage_profiles'], {
    stepUp: true,
    summary: 'Ledger, invoices and payouts stay valid.',
    body: ErasureForm,
    response: z.object({ id: Id }),
    message: 'Les données personnelles du compte sont supprimées',
  }),
  exportAdmin: defineRoute('GET /manage-admins/admin/:id/personal-data', ['edit_admins'], {
    stepUp: true,
    summary: 'Everything stored about an admin, present or deleted: a ZIP of JSON files; journalled.',
    response: z.string(),
    isFile: true,
  }),
  listLeftAdmins: defineRoute('GET /manage-admins/left', ['edit_admins'], {
    summary: 'Deleted admins whose personal data is still stored.',
    query: listQuery(['id'], 'desc', {}),
    response: z.array(LeftAdmin),
  }),
  eraseAdmin: defineRoute('POST /manage-admins/admin/:id/erasure', ['edit_admins'], {
    stepUp: true,
    body: ErasureForm,
    response: z.object({ id: Id }),
    message: 'Les données personnelles de l’administrateur sont supprimées',
  }),
};
