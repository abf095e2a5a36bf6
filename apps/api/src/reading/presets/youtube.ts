import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const youtube = {
  source: 'YouTube',
  currency: 'USD',
} satisfies Partial<StatementPreset>;
const youtubeColumns = {
  isrc: ['ISRC'],
  upc: ['UPC'],
  title: ['Asset Title'],
  artist: ['Artist'],
  country: ['Country'],
  quantity: ['Owned Views'],
  amount: ['Partner Revenue'],
} satisfies StatementPreset['columns'];

export const presets = {
  'youtube-asset': preset({
    ...youtube,
    name: 'YouTube, revenus par élément (asset)',
    columns: { ...youtubeColumns, month: ['Day'] },
    signature: ['Adjustment Type', 'Asset ID', 'Asset Channel ID', 'YouTube Revenue Split'],
    absent: ['Video ID'],
    kind: 'video',
    monthForms: ['YYYYMMDD'],
  }),
  'youtube-summary': preset({
    ...youtube,
    name: 'YouTube, résumé des abonnements par élément',
    columns: { ...youtubeColumns, month: ['Month'] },
    signature: ['Adjustment Type', 'Asset ID', 'Asset Channel ID', 'YouTube Revenue Split'],
    absent: ['Video ID', 'Day'],
    store: 'YouTube Premium',
    kind: 'stream',
    monthForms: ['YYYYMM'],
  }),
  'youtube-claim': preset({
    ...youtube,
    name: 'YouTube, revenus par revendication',
    columns: { ...youtubeColumns, month: ['Day'] },
    signature: ['Adjustment Type', 'Asset ID', 'Video ID', 'Claim Type', 'YouTube Revenue Split : Auction'],
    absent: ['Offer'],
    kind: 'video',
    monthForms: ['YYYYMMDD'],
  }),
  // Names neither month, nor country, nor ISRC.
  'youtube-shorts': preset({
    ...youtube,
    name: 'YouTube Shorts, revenus publicitaires par vidéo (le mois est à indiquer)',
    columns: {
      title: ['Video Title'],
      artist: ['Uploader', 'Channel Display Name'],
      quantity: ['Engaged Views'],
      amount: ['Net Partner Revenue (Post revshare)', 'Net Partner Revenue', 'Partner Revenue'],
      country: ['Country'],
      month: ['Day', 'Month'],
    },
    optional: ['artist', 'country', 'month'],
    signature: ['Adjustment Type', 'Video ID', 'Engaged Views'],
    store: 'YouTube Shorts',
    kind: 'video',
    monthForms: ['YYYYMMDD', 'YYYYMM'],
  }),
  'youtube-claims': preset({
    ...youtube,
    name: 'YouTube, abonnements par revendication',
    columns: { ...youtubeColumns, month: ['Day'] },
    signature: ['Adjustment Type', 'Asset ID', 'Video ID', 'Claim Type', 'Offer'],
    store: 'YouTube Premium',
    kind: 'stream',
    monthForms: ['YYYYMMDD'],
  }),
};
