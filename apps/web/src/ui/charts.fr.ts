export const frCharts = {
  month: 'Mois',
  pick: (title: string) => `${title}\u00a0: choisir un mois avec les flèches`,
  table: (title: string) => `${title}, en tableau`,
  showTable: 'Voir les chiffres',
  value: (name: string, amount: string) => `${name} ${amount}`,
  empty: 'Aucun montant sur cette période.',
} as const;
