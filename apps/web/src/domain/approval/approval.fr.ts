/** Changes that wait for a second administrator. */
export const frApproval = {
  waiting: 'En attente d’un second administrateur',
  approve: 'Approuver',
  withdraw: 'Abandonner ce changement',
  threshold: {
    titles: {
      payoutApprovalEur: 'Un nouveau seuil d’approbation attend un second administrateur',
      payoutHouseApprovalEur: 'Un nouveau seuil pour toute l’équipe attend un second administrateur',
      adjustmentApprovalEur: 'Un nouveau seuil des régularisations attend un second administrateur',
      houseBank: 'Un nouveau compte bancaire du distributeur attend un second administrateur',
      secondFactor: 'Un assouplissement du second facteur attend un second administrateur',
    },
    policies: {
      optional: '«\u00a0facultatif\u00a0»',
      money: '«\u00a0obligatoire pour les paiements\u00a0»',
      all: '«\u00a0obligatoire pour tous\u00a0»',
    },
    off: 'aucun seuil',
    noBank: 'aucun compte',
    text: (present: string, wanted: string, by: string) => `${by} propose de passer de ${present} à ${wanted}.`,
  },
} as const;
