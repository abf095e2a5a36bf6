export const statementNames = {
  kind: { import: 'Import', referral: 'Parrainage', payout: 'Versement', adjustment: 'Régularisation' },
  type: { platform: 'plateformes', youtube: 'plateforme vidéo' },
  income: 'Revenus',
  reversal: 'Contre-passation',
} as const;
