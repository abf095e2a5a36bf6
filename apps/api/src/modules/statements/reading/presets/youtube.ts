import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const youtube = {
  source: 'YouTube',
  kinds: {},
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
    store: 'YouTube',
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
