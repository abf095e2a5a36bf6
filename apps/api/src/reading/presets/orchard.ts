import { anyMonth, preset } from './preset.ts';

export const presets = {
  orchard: preset({
    source: 'The Orchard',
    name: 'The Orchard, ancien relevé complet',
    columns: {
      isrc: ['ISRC'],
      upc: ['Product UPC', 'Orchard UPC', 'Manufacturer UPC'],
      title: ['Track Name'],
      artist: ['Track Artist', 'Artist Name'],
      store: ['Retailer', 'DMS'],
      country: ['Territory'],
      month: ['Activity Period', 'Period'],
      quantity: ['Quantity'],
      amount: ['Label Share Net Receipts'],
      currency: ['Preferred Currency'],
      kind: ['Trans Type Description', 'Trans Type'],
    },
    signature: ['Period', 'Subaccount', 'Imprint Label', 'Split Rate'],
    monthForms: anyMonth,
    decimalMark: 'either',
  }),
  'orchard-new': preset({
    source: 'The Orchard',
    name: 'The Orchard, relevé actuel',
    columns: {
      isrc: ['ISRC'],
      upc: ['DISPLAY UPC'],
      title: ['TRACK'],
      artist: ['TRACK ARTIST', 'PRODUCT ARTIST'],
      store: ['STORE'],
      country: ['SALE COUNTRY'],
      month: ['STATEMENT PERIOD'],
      quantity: ['QUANTITY'],
      amount: ['NET SHARE ACCOUNT CURRENCY'],
      currency: ['ACCOUNT CURRENCY'],
      kind: ['TRANSACTION SUBTYPE', 'TRANSACTION TYPE'],
    },
    signature: ['PRODUCT', 'TRANSACTION TYPE'],
    monthForms: anyMonth,
    decimalMark: 'either',
  }),
};
