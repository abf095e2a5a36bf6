/** What an account's statement calls its movements: its screen shows these words, and the server finds lines by them. */
export const statementNames = {
  kind: { import: 'Import', referral: 'Parrainage', payout: 'Versement', adjustment: 'Régularisation' },
  type: { platform: 'plateformes', youtube: 'plateforme vidéo' },
  income: 'Revenus',
  reversal: 'Contre-passation',
} as const;
