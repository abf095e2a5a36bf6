import { defineRoute, Instant } from '#src/route.ts';
import { Settings } from '#src/settings.ts';
import { z } from '#src/zod.ts';

export const SettingsAnswer = z.object({
  settings: Settings,
  /** Names these very values: sent back when they are changed. */
  version: z.string(),
  updatedAt: Instant.nullable(),
  updatedBy: z.string().nullable(),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** The settings that staff change; one that is left out stays. */
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
    summary: 'Change settings; 409 when they changed since `version` was read.',
    body: SettingsForm,
    response: SettingsAnswer,
    message: 'Les réglages sont enregistrés',
  }),
};
