import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const distrokid = {
  source: 'DistroKid',
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
  currency: 'USD',
  monthForms: ['YYYY-MM', 'YYYYMM'],
} satisfies Partial<StatementPreset>;

export const presets = {
  distrokid: preset({
    ...distrokid,
    name: 'DistroKid, relevé bancaire (13 colonnes)',
    isVerified: true,
    signature: ['Reporting Date', 'Team Percentage', 'Song/Album', 'Songwriter Royalties Withheld'],
    absent: ['Customer Paid'],
  }),
  'distrokid-2018': preset({
    ...distrokid,
    name: 'DistroKid, relevé bancaire de 2018 (15 colonnes)',
    signature: [
      'Reporting Date',
      'Team Percentage',
      'Song/Album',
      'Songwriter Royalties Withheld',
      'Customer Paid',
      'Customer Currency',
    ],
  }),
  'distrokid-recoup': preset({
    ...distrokid,
    name: 'DistroKid, relevé récent (avec « Recoup »)',
    columns: { ...distrokid.columns, kind: ['Source Type'] },
    signature: ['Date Inserted', 'Reporting Date', 'Team Percentage', 'Recoup (USD)'],
  }),
};
