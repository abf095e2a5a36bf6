import type { Entity, Tables } from '#src/entity.ts';

export const statementPreset = {
  label: 'Modèle de relevé',
  link: () => ({ to: '/reporting/statements' }),
  actions: {
    'statement_preset.create': 'Modèle de relevé ajouté',
    'statement_preset.delete': 'Modèle de relevé supprimé',
  },
  fields: { replaces: ['#statement_preset', 'modèle remplacé'] },
} as const satisfies Entity;

export const statementPresetTables: Tables = {
  statement_presets: { columns: 'id definition created_at removed_at verified_at created_by' },
};
