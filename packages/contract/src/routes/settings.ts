import { defineRoute, Id, Instant } from '#src/route.ts';
import { Settings } from '#src/settings.ts';
import { z } from '#src/zod.ts';

export const SettingsAnswer = z.object({
  settings: Settings,
  /** Identifies these values; sent back with changes. */
  version: z.string(),
  updatedAt: Instant.nullable(),
  updatedBy: z.string().nullable(),
  /** Changes of guarded settings that wait for signatures (product §33.24): `/signatures/proposal/:id`. */
  proposals: z.array(Id),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** The editable settings; omitted ones are unchanged. A guarded one waits for signatures. */
export const SettingsForm = Settings.partial().extend({ version: z.string().max(100) });
export type SettingsForm = z.infer<typeof SettingsForm>;

export const settingsRoutes = {
  getSettings: defineRoute('GET /settings', ['manage_settings'], { response: SettingsAnswer }),
  putSettings: defineRoute('PUT /settings', ['manage_settings'], {
    stepUp: true,
    summary: '409 when they changed since `version` was read.',
    body: SettingsForm,
    response: SettingsAnswer,
    message: 'Les réglages sont enregistrés',
  }),
};
