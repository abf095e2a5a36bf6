/** French labels of a statement's movements. The screen shows them, and the server searches them. */
export const statementNames = {
  kind: { import: 'Import', referral: 'Parrainage', payout: 'Versement', adjustment: 'Régularisation' },
  type: { platform: 'plateformes', youtube: 'plateforme vidéo' },
  income: 'Revenus',
  reversal: 'Contre-passation',
} as const;
