import { anyMonth, preset } from './preset.ts';

export const presets = {
  kontor: preset({
    source: 'Kontor New Media',
    name: 'Kontor, relevé de redevances',
    currencies: ['EUR', 'USD', 'GBP'],
    columns: {
      isrc: ['ISRC'],
      upc: ['EAN/UPC'],
      title: ['Tracktitle'],
      artist: ['Artist'],
      store: ['Outletname', 'Licensee'],
      country: ['Territory'],
      month: ['Sales Period'],
      quantity: ['Units'],
      amount: ['Royalty Amount Customer'],
      kind: ['Distribution Channel', 'Format'],
    },
    signature: ['Labelname', 'GRid', 'DMB Store Name'],
    monthForms: [...anyMonth, 'D/M/YY'],
    decimalMark: ',',
  }),
};
