import { preset } from './preset.ts';

export const presets = {
  anghami: preset({
    source: 'Anghami',
    name: 'Anghami, relevé par titre',
    columns: {
      isrc: ['ISRC'],
      upc: ['Release ID'],
      title: ['Track Title'],
      artist: ['Artist Name'],
      store: ['Service Name'],
      country: ['Country of Sale'],
      month: ['Start Date'],
      periodEnd: ['End Date'],
      quantity: ['Quantity'],
      amount: ['Total Payable'],
      currency: ['Currency'],
      kind: ['Type of Play'],
    },
    signature: ['Member Name', 'Service Tier', 'Service Plan'],
    kind: 'stream',
    kinds: { download: ['download'] },
    monthForms: ['D/M/YY'],
  }),
};
