import { preset } from './preset.ts';

export const presets = {
  deezer: preset({
    source: 'Deezer',
    name: 'Deezer, relevé par titre',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Title'],
      artist: ['Artist'],
      country: ['Country'],
      month: ['Start Report'],
      periodEnd: ['End Report'],
      quantity: ['Nb of plays'],
      amount: ['Royalties'],
    },
    signature: ['Album', 'Service', 'Provider', 'Label'],
    // Sources disagree whether the amounts are in euros or in dollars.
    currencies: ['EUR', 'USD'],
    kind: 'stream',
    monthForms: ['D/M/YY'],
  }),
};
