import { anyMonth, preset } from './preset.ts';

export const presets = {
  revelator: preset({
    source: 'Revelator',
    name: 'Revelator, relevé de redevances',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track Title'],
      artist: ['Artist'],
      store: ['Service'],
      country: ['Territory'],
      month: ['Transaction Month'],
      quantity: ['Quantity'],
      amount: ['Net Revenue in USD'],
      kind: ['Channel'],
    },
    signature: ['Statement Period', 'Release Catalog ID'],
    currency: 'USD',
    monthForms: anyMonth,
  }),
};
