import { preset } from './preset.ts';

export const presets = {
  pretzel: preset({
    source: 'Pretzel',
    name: 'Pretzel, relevé de versement',
    currencies: ['USD', 'EUR', 'GBP'],
    columns: {
      isrc: ['isrc'],
      upc: ['icpn'],
      title: ['title', 'track_title'],
      artist: ['artist', 'artist_name'],
      month: ['disbursement'],
      quantity: ['total_plays'],
      amount: ['total_revenue'],
    },
    optional: ['title', 'artist'],
    signature: ['downloads_count'],
    kind: 'stream',
    monthForms: ['MMM-YY', 'MMMM YYYY'],
  }),
};
