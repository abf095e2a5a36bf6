import { type Entity, type Tables, toList } from '#src/entity.ts';

export const promoCode = {
  label: 'Code promo',
  link: toList('/services/promo-codes'),
  actions: { 'promo_code.create': 'Code promo créé', 'promo_code.delete': 'Code promo supprimé' },
  fields: { name: ['code', 'code'], percent: ['percent', 'remise (%)'], description: ['text', 'description'] },
} as const satisfies Entity;

export const promoCodeTables: Tables = {
  promo_codes: {
    record: { name: 't.name::text', isGone: 't.deleted_at IS NOT NULL' },
    columns: 'id name description type percent due_date created_at deleted_at created_by',
  },
};
