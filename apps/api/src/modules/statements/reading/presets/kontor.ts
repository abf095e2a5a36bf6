import { anyMonth, inEach } from './preset.ts';

export const presets = {
  ...inEach('kontor', ['EUR', 'USD', 'GBP'], {
    source: 'Kontor New Media',
    name: 'Kontor, relevé de royautés',
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
