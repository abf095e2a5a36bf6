import { preset } from './preset.ts';

export const presets = {
  beatport: preset({
    source: 'Beatport',
    name: 'Beatport, relevé des ventes (Baseware)',
    isVerified: true,
    columns: {
      isrc: ['TRACK_ISRC_CODE'],
      upc: ['PRODUCT_UPC'],
      title: ['TRACK_TITLE'],
      artist: ['TRACK_ARTIST'],
      country: ['TERRITORY'],
      month: ['TRANSACTION_DATE'],
      quantity: ['TRACK_COUNT'],
      amount: ['NET_TOTAL'],
    },
    // Older tracks have no ISRC: remixes are told apart by their names.
    join: { title: 'REMIX' },
    signature: ['PRODUCT_CATALOGUE_NUMBER', 'NET_CONTENT_REVENUE', 'WITHHELD_AMOUNT'],
    negative: { column: 'SALE_TYPE', words: ['Void'] },
    currencies: ['USD', 'EUR', 'GBP'],
    // Kept for marketing, and in no row.
    deduction: '1',
    kind: 'download',
    monthForms: ['YYYY-MM-DD'],
  }),
};
