import { preset } from './preset.ts';

export const presets = {
  tunecore: preset({
    source: 'TuneCore',
    name: 'TuneCore, relevé de ventes',
    isVerified: true,
    columns: {
      isrc: ['Optional ISRC'],
      upc: ['UPC'],
      title: ['Song Title'],
      artist: ['Artist'],
      store: ['Store Name'],
      country: ['Country Of Sale'],
      month: ['Sales Period'],
      quantity: ['# Units Sold'],
      amount: ['Total Earned'],
      currency: ['Currency'],
      kind: ['Sales Type'],
    },
    signature: ['Posted Date', 'TC Song ID', 'Net Sales Currency'],
    monthForms: ['YYYY-MM-DD'],
  }),
};
