import type { Entity, Tables } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';

export const exchangeRate = {
  label: 'Taux de change',
  link: ({ id }) => ({ to: '/accounting/exchange-rates', search: { currency: id.split(' ')[1] ?? '' } }),
  isUnstored: true,
  actions: { 'exchange_rate.set': 'Taux enregistré', 'exchange_rate.import_ecb': 'Taux de la BCE enregistré' },
  fields: { rate: ['rate', fieldNames.rate] },
} as const satisfies Entity;

export const exchangeRateTables: Tables = { exchange_rates: { columns: 'month currency rate updated_at updated_by' } };
