import { anyMonth, preset } from './preset.ts';

export const presets = {
  amuse: preset({
    source: 'Amuse',
    name: 'Amuse, relevé financier',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track'],
      artist: ['Artist'],
      store: ['Service'],
      month: ['Royalty Date'],
      quantity: ['Quantity'],
      // What is left after the splits.
      amount: ['Total'],
    },
    signature: ['Transaction date', 'Type', 'Source', 'Release', 'Amount', 'Split'],
    // What the account withdraws.
    skip: [
      { column: 'Type', when: 'contains', words: ['debit', 'withdraw'], reason: 'Retrait' },
      { column: 'Royalty Date', when: 'empty', words: [], reason: 'Mouvement sans date de vente' },
    ],
    currencies: ['USD'],
    monthForms: anyMonth,
  }),
};
