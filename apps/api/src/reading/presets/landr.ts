import { preset } from './preset.ts';

export const presets = {
  landr: preset({
    source: 'LANDR',
    name: 'LANDR, relevé de revenus',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track title', 'Title'],
      artist: ['Artist'],
      store: ['Store'],
      country: ['Country'],
      month: ['Payment Date'],
      quantity: ['Quantity of sales or streams'],
      amount: ['Net earnings (USD)'],
      kind: ['Store service'],
    },
    optional: ['title', 'artist', 'country'],
    signature: ['Share %'],
    currency: 'USD',
    monthForms: ['YYYY-MM-DD'],
  }),
};
