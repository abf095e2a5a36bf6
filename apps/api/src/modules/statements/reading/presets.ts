import type { StatementPreset } from '@regie/contract/statements.ts';
import type { KnownPreset } from './recognise.ts';

const returnsWords = {
  stream: ['stream', 'subscription', 'abonnement', 'ad supported', 'play'],
  download: ['download', 'album', 'single', 'track sale', 'purchase', 'vente'],
};

const base: Omit<StatementPreset, 'source' | 'name' | 'columns' | 'monthForms'> = {
  isVerified: false,
  layout: 'table',
  optional: [],
  signature: [],
  absent: [],
  decimalMark: '.',
  kinds: returnsWords,
  skip: [],
  footers: [],
};

/** The forms of statement that Régie knows. `isVerified` only where a real file of that form was read. */
const presets: Record<string, StatementPreset> = {
  distrokid: {
    ...base,
    source: 'DistroKid',
    name: 'DistroKid, relevé bancaire',
    isVerified: true,
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Title'],
      artist: ['Artist'],
      store: ['Store'],
      country: ['Country of Sale'],
      month: ['Sale Month'],
      quantity: ['Quantity'],
      amount: ['Earnings (USD)'],
    },
    signature: ['Reporting Date', 'Team Percentage', 'Song/Album', 'Songwriter Royalties Withheld'],
    absent: ['Customer Paid'],
    currency: 'USD',
    monthForms: ['YYYY-MM'],
  },
  'fuga-extended': {
    ...base,
    source: 'FUGA',
    name: 'FUGA, relevé étendu',
    isVerified: true,
    columns: {
      isrc: ['Asset ISRC'],
      upc: ['Product UPC'],
      title: ['Asset Title'],
      artist: ['Asset Artist'],
      store: ['DSP', 'Sale Store Name'],
      country: ['Territory'],
      month: ['Sale Start date'],
      quantity: ['Quantity'],
      amount: ['Reported Royalty'],
      kind: ['Sale Type'],
    },
    signature: ['Royalty ID', 'Contract deal term', 'Sale net receipts', 'Royalty Calculation Base'],
    currency: 'GBP',
    monthForms: ['YYYY-MM-DD'],
  },
};

/** Every preset of the house, under the key that statements remember. */
export const housePresets: readonly KnownPreset[] = Object.entries(presets).map(([key, preset]) => ({ key, preset }));
