import { preset } from './preset.ts';

const sale = {
  isrc: ['Asset ISRC'],
  upc: ['Product UPC'],
  title: ['Asset Title'],
  artist: ['Asset Artist'],
  store: ['DSP', 'Sale Store Name'],
  country: ['Territory'],
  month: ['Sale Start date'],
};

export const presets = {
  fuga: preset({
    source: 'FUGA',
    name: 'FUGA, relevé de redevances',
    columns: {
      ...sale,
      quantity: ['Asset Quantity', 'Product Quantity'],
      amount: ['Reported Royalty'],
      // Here the sale's currency has its own column.
      currency: ['Currency'],
      kind: ['Sale Type'],
    },
    signature: ['Sale ID', 'Original currency', 'Converted Gross Income', 'Contract deal term'],
    monthForms: ['YYYY-MM-DD'],
  }),
  'fuga-extended': preset({
    source: 'FUGA',
    name: 'FUGA, relevé étendu',
    isVerified: true,
    columns: {
      ...sale,
      quantity: ['Quantity'],
      amount: ['Reported Royalty'],
      kind: ['Sale Type'],
    },
    signature: ['Royalty ID', 'Contract deal term', 'Sale net receipts', 'Royalty Calculation Base'],
    monthForms: ['YYYY-MM-DD'],
    // `Currency` is the sale's; the currency of the payment is the sign at the end of the formula.
    currencySign: {
      column: 'Sale net receipts calculation',
      signs: { '£': ['GBP'], '€': ['EUR'], US$: ['USD'], CA$: ['CAD'], A$: ['AUD'], $: ['USD', 'CAD', 'AUD'] },
    },
  }),
};
