import { preset } from './preset.ts';

export const presets = {
  cdbaby: preset({
    source: 'CD Baby',
    name: 'CD Baby, relevé de ventes',
    isVerified: true,
    columns: {
      isrc: ['Isrc'],
      upc: ['Barcode'],
      title: ['Track Name'],
      artist: ['Artist Name'],
      store: ['Partner Name'],
      country: ['Delivery Country'],
      month: ['Sales Date'],
      quantity: ['Quantity'],
      amount: ['Subtotal'],
      kind: ['Transaction Type'],
    },
    signature: ['Report Date', 'CDBabySku'],
    currency: 'USD',
    monthForms: ['M/D/YY'],
  }),
};
