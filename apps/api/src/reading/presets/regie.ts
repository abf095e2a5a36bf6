import { preset } from './preset.ts';

export const presets = {
  regie: preset({
    source: 'Régie',
    name: 'Régie, rapport par ISRC (le mois est à indiquer)',
    isVerified: true,
    columns: { isrc: ['isrc', 'code isrc', 'isrc code'] },
    incomes: [
      {
        kind: 'stream',
        quantity: ['streams', 'stream', 'numofstreams', 'écoutes', 'nombre d’écoutes', 'nb écoutes'],
        amount: ['incomeofstreams', 'streams income', 'revenus des écoutes', 'revenus écoutes', 'montant écoutes'],
      },
      {
        kind: 'download',
        quantity: ['downloads', 'download', 'numofdownloads', 'téléchargements', 'nombre de téléchargements'],
        amount: [
          'incomeofdownloads',
          'downloads income',
          'revenus des téléchargements',
          'revenus téléchargements',
          'montant téléchargements',
        ],
      },
      {
        kind: 'video',
        quantity: ['youtube', 'numofyoutube', 'vues youtube', 'vues', 'nombre de vues'],
        amount: ['incomeofyoutube', 'youtube income', 'revenus youtube', 'revenus des vues', 'montant youtube'],
      },
    ],
    currency: 'USD',
    monthForms: ['YYYY-MM'],
    decimalMark: 'either',
  }),
};
