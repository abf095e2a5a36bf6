import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const applePreamble = {
  month: ['Start Date'],
  periodEnd: ['End Date'],
  currency: ['Currency'],
  // Distinguishes Apple Music from its radio, DJ mixes and Fitness+.
  store: ['Report Type'],
} satisfies StatementPreset['preamble'];

const appleMusic = {
  store: 'Apple Music',
  kind: 'stream',
  monthForms: ['M/D/YY', 'YYYY-MM-DD'],
  calendar: 'apple',
  footers: ['Row Count'],
} satisfies Partial<StatementPreset>;

export const presets = {
  itunes: preset({
    source: 'Apple',
    name: 'iTunes, rapport financier',
    columns: {
      isrc: ['ISRC/ISBN'],
      upc: ['UPC'],
      title: ['Title'],
      artist: ['Artist/Show/Developer/Author'],
      country: ['Country Of Sale'],
      month: ['Start Date'],
      periodEnd: ['End Date'],
      quantity: ['Quantity'],
      amount: ['Extended Partner Share'],
      currency: ['Partner Share Currency'],
    },
    optional: ['periodEnd'],
    signature: ['Vendor Identifier', 'Sales or Return', 'Product Type Identifier'],
    calendar: 'apple',
    // Free items have no share.
    emptyAmount: 'leaveOut',
    store: 'iTunes',
    kind: 'download',
    monthForms: ['M/D/YY'],
    footers: ['Total_Rows'],
  }),
  'apple-music': preset({
    source: 'Apple',
    name: 'Apple Music, relevé par vitrine (S1, S3, S5, F1)',
    isVerified: true,
    columns: {
      isrc: ['ISRC'],
      title: ['Item Title'],
      artist: ['Item Artist'],
      country: ['Storefront Name'],
      quantity: ['Quantity'],
      amount: ['Net Royalty Total'],
      currency: ['Currency'],
    },
    // Older files have the currency before the header, newer ones in each row.
    preamble: applePreamble,
    signature: ['Apple Identifier', 'Media Type', 'Vendor Identifier'],
    ...appleMusic,
    // The sample file has no footer; when one is present, its count is checked.
    isFooterRequired: false,
  }),
  // Apple's declared and paid amounts by currency: compared with the statements, not income.
  'apple-summary': preset({
    source: 'Apple',
    name: 'Apple, récapitulatif bancaire (financial_report)',
    layout: 'summary',
    columns: {
      currency: ['Country or Region (Currency)', 'Territory (Currency)', 'Region (Currency)'],
      amount: ['Earned'],
    },
    signature: ['Total Owed', 'Proceeds', 'Bank Account Currency'],
    monthForms: ['MMMM YYYY'],
    calendar: 'apple',
  }),
  'apple-music-plays': preset({
    source: 'Apple',
    name: 'Apple Music, relevé par écoutes rémunérées',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Content Title'],
      artist: ['Artist'],
      country: ['Storefront Name'],
      month: ['Start Date'],
      periodEnd: ['End Date'],
      quantity: ['Total Royalty Bearing Plays'],
      amount: ['Net Royalty Total'],
      currency: ['Currency'],
    },
    optional: ['upc', 'month', 'periodEnd', 'currency'],
    preamble: applePreamble,
    signature: ['Apple Identifier', 'Share Per Converted Unit', 'Media Type'],
    ...appleMusic,
  }),
};
