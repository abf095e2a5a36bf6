import { Percentile } from '#src/percentile.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { z } from '#src/zod.ts';

const chooseAccount = 'Choisissez un compte';

export const ReferralForm = z.object({
  referrerId: z.number({ error: chooseAccount }).pipe(Id),
  referredId: z.number({ error: chooseAccount }).pipe(Id),
  /** Percent of the referred account's net, out of the platform's share (product §33.8). */
  percentile: Percentile,
});
export type ReferralForm = z.infer<typeof ReferralForm>;

export const Referral = z.object({
  id: Id,
  referrerId: Id,
  referredId: Id,
  percentile: z.number(),
  referred: z.object({ fname: z.string(), lname: z.string() }),
  earnedEur: z.number(),
  createdAt: Instant,
});
export type Referral = z.infer<typeof Referral>;

export const referralRoutes = {
  listReferrals: defineRoute('GET /referrals/:id/list', ['manage_profiles'], {
    query: listQuery(['id'], 'asc', {}),
    response: z.array(Referral),
  }),
  addReferral: defineRoute('POST /referrals/add', ['manage_profiles'], {
    stepUp: true,
    summary: 'For later imports; a cycle or an existing pair answers 409.',
    body: ReferralForm,
    response: z.object({ id: Id }),
    message: 'Le parrainage est ajouté',
  }),
  deleteReferral: defineRoute('DELETE /referrals/:id/delete', ['manage_profiles'], {
    summary: 'What it earned stays.',
    response: z.object({ id: Id }),
    message: 'Le parrainage est supprimé',
  }),
};
