import type { StatementPreset } from '@regie/contract/statements.ts';
import { anyMonth, preset } from './preset.ts';

const merlin = {
  source: 'SoundCloud',
  signature: ['Partner Name', 'Track Classification', 'Monetisation Type', 'Usage Type'],
  kind: 'stream',
  monthForms: ['MM-YYYY'],
} satisfies Partial<StatementPreset>;
const merlinColumns = {
  isrc: ['ISRC'],
  upc: ['UPC'],
  title: ['Track Name'],
  artist: ['Artist Name'],
  country: ['Territory'],
  month: ['Reporting Period'],
  quantity: ['Total Plays'],
  currency: ['Revenue Currency'],
} satisfies StatementPreset['columns'];

export const presets = {
  soundcloud: preset({
    source: 'SoundCloud',
    name: 'SoundCloud for Artists, relevé cumulé',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track'],
      artist: ['Artist(s)', 'Artist'],
      store: ['Partner'],
      country: ['Country'],
      month: ['Reporting Period'],
      quantity: ['Units'],
      amount: ['Revenue (USD)'],
      kind: ['Type'],
    },
    signature: ['Accounting Period', 'Split Pay Share (%)'],
    currency: 'USD',
    monthForms: anyMonth,
  }),
  // The amount column was renamed in February 2021. When a file has both, it is unclear which one is paid.
  'soundcloud-merlin': preset({
    ...merlin,
    name: 'SoundCloud par Merlin (« Total Amount »)',
    columns: { ...merlinColumns, amount: ['Total Amount'] },
    absent: ['Total Revenue'],
  }),
  'soundcloud-merlin-revenue': preset({
    ...merlin,
    name: 'SoundCloud par Merlin (« Total Revenue »)',
    columns: { ...merlinColumns, amount: ['Total Revenue'] },
    absent: ['Total Amount'],
  }),
};
