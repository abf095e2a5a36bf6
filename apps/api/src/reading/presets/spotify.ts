import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const spotify = {
  source: 'Spotify',
  kind: 'stream',
  preamble: { month: ['Start date'], periodEnd: ['End date'] },
  monthForms: ['YYYY-MM-DD'],
} satisfies Partial<StatementPreset>;
const columns = {
  isrc: ['ISRC'],
  upc: ['UPC', 'EAN'],
  title: ['Track name'],
  artist: ['Artist name'],
  country: ['Country'],
  quantity: ['Quantity'],
} satisfies StatementPreset['columns'];
const signature = ['Label', 'Product', 'URI', 'Composer name', 'Album name'];

export const presets = {
  'spotify-usd': preset({
    ...spotify,
    name: 'Spotify, relevé direct (en dollars)',
    isVerified: true,
    columns: { ...columns, amount: ['USD Payable'] },
    currency: 'USD',
    signature,
  }),
  spotify: preset({
    ...spotify,
    name: 'Spotify, relevé direct (depuis 2020)',
    columns: { ...columns, amount: ['Payable'], currency: ['Payable currency'] },
    signature,
  }),
  // The same amount in several currencies: the invoiced one is paid.
  'spotify-invoice': preset({
    ...spotify,
    name: 'Spotify, relevé direct (avec montant facturé)',
    columns: { ...columns, amount: ['Payable (Invoice)'], currency: ['Invoice Currency'] },
    signature: ['Product', 'URI', 'Payable (Reporting)', 'Reporting Currency'],
  }),
};
