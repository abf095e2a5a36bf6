import { preset } from './preset.ts';

export const presets = {
  iheart: preset({
    source: 'iHeart',
    name: 'iHeart, relevé par titre',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC', 'Barcode'],
      title: ['Track Name'],
      artist: ['Artist Name'],
      country: ['Country'],
      month: ['ReportStartDt'],
      periodEnd: ['ReportEndDt'],
      quantity: ['# Streams'],
      // The amount of the whole row, not per stream.
      amount: ['Price'],
      currency: ['Curr'],
    },
    signature: ['EntityName', 'Merlin Member', 'ProductTier'],
    kind: 'stream',
    monthForms: ['M/D/YY'],
  }),
};
