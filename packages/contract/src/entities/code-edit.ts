import type { Entity, Tables } from '#src/entity.ts';

export const codeEdit = {
  label: 'Modification d’ISRC ou de codes-barres',
  link: ({ name }) => ({ to: '/tools/edit-isrc-or-barcode', ...(name ? { search: { q: name } } : {}) }),
  isNumbered: true,
  actions: {
    'code_edit.assign': 'ISRC attribués',
    'code_edit.rows': 'Codes modifiés par fichier',
    'code_edit.reverse': 'Modification de codes annulée',
  },
  fields: {
    codeEdit: ['#code_edit', 'modification de codes'],
    kind: [{ isrc: 'ISRC', barcode: 'code-barres' }, 'type de code'],
    unsaved: ['number', 'lignes non enregistrées'],
    unsavedRows: ['text', 'détail des lignes non enregistrées'],
    reversed: ['number', 'codes rétablis'],
    kept: ['number', 'codes laissés'],
  },
} as const satisfies Entity;

export const codeEditTables: Tables = {
  code_edits: {
    record: { name: 't.file_name' },
    columns: 'id kind source key file_name saved unsaved created_at reversed_at reversed created_by reversed_by',
  },
  code_edit_changes: { columns: 'edit_id position track_id release_id before after' },
};
