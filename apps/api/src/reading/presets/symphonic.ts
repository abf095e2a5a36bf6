import { preset } from './preset.ts';

export const presets = {
  symphonic: preset({
    source: 'Symphonic',
    name: 'Symphonic, relevé de redevances',
    columns: {
      isrc: ['ISRC Code'],
      upc: ['UPC Code'],
      title: ['Track Title'],
      artist: ['Track Artists'],
      store: ['Digital Service Provider'],
      country: ['Territory'],
      month: ['Activity Period'],
      quantity: ['Count'],
      amount: ['Royalty ($US)'],
      kind: ['Delivery'],
    },
    signature: ['Reporting Period', 'Sale or Void', 'Mix Version'],
    currency: 'USD',
    monthForms: ['MMMM YYYY', 'MMM-YY'],
    skip: [
      {
        column: 'Digital Service Provider',
        words: ['Balance Forwarded From Previous Quarter'],
        reason: 'Report du trimestre précédent',
      },
    ],
  }),
};
