import { anyMonth, preset } from './preset.ts';

export const presets = {
  soundcloud: preset({
    source: 'SoundCloud',
    name: 'SoundCloud for Artists, relevé cumulé',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track'],
      artist: ['Artist(s)', 'Artist'],
      store: ['Partner'],
      country: ['Country'],
      month: ['Reporting Period'],
      quantity: ['Units'],
      amount: ['Revenue (USD)'],
      kind: ['Type'],
    },
    signature: ['Accounting Period', 'Split Pay Share (%)'],
    currency: 'USD',
    monthForms: anyMonth,
  }),
};
