import { reportTypes } from '@regie/contract/state-names.ts';

export const frStats = {
  tab: reportTypes,
  figures: 'Chiffres clés',
  totalIncome: 'Revenus crédités aux comptes',
  remainingIncome: 'Reste à verser',
  customers: 'Comptes crédités',
  method:
    'Revenus crédités\u00a0: par les rapports de ce type, parrainages compris, au mois du rapport. Reste à verser\u00a0: somme des soldes positifs, tous revenus confondus, fractions de centime et petits soldes compris. Comptes crédités\u00a0: au moins un rapport non annulé.',
  column: { month: 'Mois du rapport', totalIncome: 'Revenus crédités', type: 'Type' },
  period: 'Mois',
  exportName: { platform: 'comptabilite-plateformes', youtube: 'comptabilite-plateformes-video' },
  emptyTitle: 'Aucun revenu',
  emptyText: 'Les revenus crédités par les rapports apparaîtront ici, mois par mois.',
  toReports: 'Voir les rapports',
  chart: {
    income: 'Revenus par mois et par type',
    incomeHint: 'Crédités aux comptes, par mois de rapport',
    payouts: 'Versé et dû',
    payoutsHint: 'Versé dans le mois\u00a0; dû à la fin du mois, versements en attente compris',
    paid: 'Versé',
    owed: 'Dû',
  },
} as const;
