import { defineRoute, Instant } from '#src/route.ts';
import { Settings } from '#src/settings.ts';
import { z } from '#src/zod.ts';

/** What the setting payoutApprovalEur is, and would become (decisions §3). */
const ApprovalProposal = z.object({
  payoutApprovalEur: z.number(),
  presentEur: z.number(),
  proposedBy: z.string(),
  proposedAt: Instant,
  /** Whether the caller may be the second admin. */
  canApprove: z.boolean(),
});
export type ApprovalProposal = z.infer<typeof ApprovalProposal>;

export const SettingsAnswer = z.object({
  settings: Settings,
  /** Names these very values: sent back when they are changed. */
  version: z.string(),
  updatedAt: Instant.nullable(),
  updatedBy: z.string().nullable(),
  /** A new payoutApprovalEur that waits for a second admin. */
  proposal: ApprovalProposal.nullable(),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** The settings that staff change; one that is left out stays. Another payoutApprovalEur waits for a second admin. */
export const SettingsForm = Settings.omit({ location: true, currency: true })
  .partial()
  .extend({ version: z.string().max(100) });
export type SettingsForm = z.infer<typeof SettingsForm>;

export const settingsRoutes = {
  getSettings: defineRoute({
    method: 'GET',
    path: '/settings',
    capability: ['manage_settings'],
    summary: 'Everything the house sets, with the defaults where it has set nothing.',
    response: SettingsAnswer,
  }),
  putSettings: defineRoute({
    method: 'PUT',
    path: '/settings',
    capability: ['manage_settings'],
    stepUp: true,
    summary: 'Change settings; 409 when they changed since `version` was read.',
    body: SettingsForm,
    response: SettingsAnswer,
    message: 'Les réglages sont enregistrés',
  }),
  getApprovalProposal: defineRoute({
    method: 'GET',
    path: '/settings/payout-approval',
    capability: ['edit_pending_payout', 'manage_settings'],
    summary: 'The change of payoutApprovalEur that waits for a second admin; null without one.',
    response: ApprovalProposal.nullable(),
  }),
  approveApprovalProposal: defineRoute({
    method: 'POST',
    path: '/settings/payout-approval/approve',
    capability: ['edit_pending_payout'],
    stepUp: true,
    summary: 'As second admin, let the proposed payoutApprovalEur hold.',
    body: z.object({
      /** The value that was seen: another one meanwhile is 409. */
      payoutApprovalEur: z.number(),
    }),
    response: z.object({ payoutApprovalEur: z.number() }),
    message: 'Le nouveau seuil est en vigueur',
  }),
  withdrawApprovalProposal: defineRoute({
    method: 'DELETE',
    path: '/settings/payout-approval',
    capability: ['edit_pending_payout', 'manage_settings'],
    summary: 'Drop the proposed payoutApprovalEur.',
    response: z.object({}),
    message: 'Le changement de seuil est abandonné',
  }),
};
