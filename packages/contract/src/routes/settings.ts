import { defineRoute, Instant } from '#src/route.ts';
import { GuardedSetting, GuardedValue, Settings } from '#src/settings.ts';
import { z } from '#src/zod.ts';

/** A change of a guarded setting that waits for a second admin (product §33.24). */
export const SettingProposal = z.object({
  key: GuardedSetting,
  value: GuardedValue,
  present: GuardedValue,
  proposedBy: z.string(),
  proposedAt: Instant,
  /** Whether the caller may be the second admin. */
  canApprove: z.boolean(),
});
export type SettingProposal = z.infer<typeof SettingProposal>;

export const SettingsAnswer = z.object({
  settings: Settings,
  /** Identifies these values; sent back with changes. */
  version: z.string(),
  updatedAt: Instant.nullable(),
  updatedBy: z.string().nullable(),
  proposals: z.array(SettingProposal),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** The editable settings; omitted ones are unchanged. A guarded one waits for a second admin. */
export const SettingsForm = Settings.partial().extend({ version: z.string().max(100) });
export type SettingsForm = z.infer<typeof SettingsForm>;

const ProposalParams = z.object({ key: GuardedSetting });

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
  listSettingProposals: defineRoute({
    method: 'GET',
    path: '/settings/proposals',
    capability: ['edit_pending_payout', 'manage_settings'],
    summary: 'The changes of guarded settings that wait for a second admin.',
    response: z.array(SettingProposal),
  }),
  approveSettingProposal: defineRoute({
    method: 'POST',
    path: '/settings/proposals/:key/approve',
    capability: ['edit_pending_payout'],
    stepUp: true,
    summary: 'As second admin, let a proposed value hold.',
    params: ProposalParams,
    body: z.object({
      /** The value shown on the screen: a different one answers 409. */
      value: GuardedValue,
    }),
    response: z.object({ key: GuardedSetting, value: GuardedValue }),
    message: 'Le nouveau réglage est en vigueur',
  }),
  withdrawSettingProposal: defineRoute({
    method: 'DELETE',
    path: '/settings/proposals/:key',
    capability: ['edit_pending_payout', 'manage_settings'],
    summary: 'Drop a proposed value.',
    params: ProposalParams,
    message: 'Le changement est abandonné',
  }),
};
