import { inEach } from './preset.ts';

export const presets = {
  ...inEach('cargo-physical', ['GBP', 'EUR', 'USD'], {
    source: 'Cargo',
    name: 'Cargo, ventes physiques',
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
    kinds: {},
    monthForms: ['YYYY_MM', 'YYYY-MM-DD'],
  }),
};
