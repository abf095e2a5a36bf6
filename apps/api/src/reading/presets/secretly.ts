import { preset } from './preset.ts';

export const presets = {
  sddigital: preset({
    source: 'Secretly',
    name: 'Secretly (sddigital), ventes numériques',
    currencies: ['USD', 'EUR', 'GBP'],
    isVerified: true,
    columns: {
      isrc: ['Product ID'],
      upc: ['UPC'],
      title: ['Product Title'],
      artist: ['Artist'],
      store: ['Digital Service Provider_Subdescription'],
      country: ['Country Code'],
      month: ['dateProcessedlast'],
      quantity: ['Quantity'],
      amount: ['Label Net Total'],
      kind: ['Transaction Type'],
    },
    signature: ['Internal Invoice Number', 'Distribution Fee Total', 'internal serial number'],
    monthForms: ['M/D/YY'],
  }),
  sdphysical: preset({
    source: 'Secretly',
    name: 'Secretly (sdphysical), ventes physiques',
    currencies: ['USD', 'EUR', 'GBP'],
    columns: {
      upc: ['UPC'],
      title: ['Product Title'],
      artist: ['Artist'],
      store: ['Customer'],
      country: ['Country Code'],
      month: ['dateProcessedlast'],
      quantity: ['signedQuantity'],
      amount: ['Label Net Total'],
    },
    signature: ['Internal Invoice Number', 'CustomerClassification', 'MnD Fee Total'],
    kind: 'download',
    monthForms: ['M/D/YY'],
  }),
};
