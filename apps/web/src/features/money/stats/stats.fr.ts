/** Income by month. */
export const frStats = {
  tab: { platform: 'Plateformes', youtube: 'Plateformes vidéo' },
  figures: 'Chiffres clés',
  totalIncome: 'Revenus crédités aux comptes',
  totalIncomeHint: {
    platform: 'Par les rapports des plateformes, parrainages compris',
    youtube: 'Par les rapports des plateformes vidéo, parrainages compris',
  },
  remainingIncome: 'Reste à verser',
  remainingIncomeHint:
    'Somme des soldes positifs, tous revenus confondus, fractions de centime et petits soldes compris',
  customers: 'Comptes crédités',
  customersHint: 'Au moins un rapport non annulé',
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
    platform: 'Plateformes',
    youtube: 'Plateformes vidéo',
    paid: 'Versé',
    owed: 'Dû',
  },
} as const;
