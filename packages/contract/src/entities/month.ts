import type { Entity, Tables } from '#src/entity.ts';

export const month = {
  label: 'Mois',
  link: ({ id }) => ({ to: '/reporting/all', search: { from: id, to: id } }),
  isUnstored: true,
  actions: { 'month.sign': 'Mois signé', 'report.delete_month': 'Rapports du mois supprimés' },
  fields: { imports: ['#import', 'imports'], waitingEur: ['eurSum', 'montant en attente'] },
} as const satisfies Entity;

export const monthTables: Tables = {
  ledger_months: { columns: 'month owed_eur paid_eur' },
  income_months: { columns: 'type month credited_eur' },
  analytics_sums: {
    columns: `id dimension value span starts streams downloads videos streams_eur downloads_eur videos_eur quantity
      amount_eur`,
  },
  analytics_marks: { columns: 'id month' },
};
