import { preset } from './preset.ts';

export const presets = {
  'cargo-physical': preset({
    source: 'Cargo',
    name: 'Cargo, ventes physiques',
    currencies: ['GBP', 'EUR', 'USD'],
    isVerified: true,
    columns: {
      upc: ['UPC on report'],
      title: ['Title / More info'],
      artist: ['Artist / Invoice Ref'],
      store: ['Sold To'],
      country: ['Country'],
      month: ['Period'],
      quantity: ['Net Qty'],
      amount: ['Net after fee'],
    },
    signature: ['Catalogue No.', 'Sale / Cost', 'Distribution fee', 'Storage Costs'],
    kind: 'download',
    monthForms: ['YYYY_MM', 'YYYY-MM-DD'],
  }),
};
