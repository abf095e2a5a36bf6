import { type Entity, type Tables, toOwner } from '#src/entity.ts';
import { common } from './common.ts';

export const contract = {
  label: 'Contrat',
  link: toOwner('/accounts', '/contracts'),
  isOfAccount: true,
  actions: { 'contract.create': 'Contrat créé', 'contract.delete': 'Contrat retiré' },
  personal: { title: common.title },
} as const satisfies Entity;

export const contractTables: Tables = {
  custom_contracts: {
    record: { name: 't.title', isGone: 't.deleted_at IS NOT NULL', owner: 't.account_id' },
    says: 'Contrats (textes dans le dossier documents)',
    columns: 'id account_id kind created_at deleted_at created_by deleted_by',
    account: {
      title: { keep: 'contracts', put: `'Contrat supprimé'` },
      template: { keep: 'contracts', put: `'Contrat supprimé'` },
      field_values: { keep: 'contracts', put: `'{}'::jsonb` },
    },
  },
};
