import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const sonosuite = {
  source: 'SonoSuite',
  signature: ['confirmation_report_date', 'currency_rate', 'currency', 'net_total', 'net_total_client_currency'],
  kinds: { video: ['v', 'video'] },
  monthForms: ['YYYY-MM-DD'],
} satisfies Partial<StatementPreset>;
const sonosuiteColumns = {
  isrc: ['isrc'],
  upc: ['upc'],
  title: ['track', 'track_title'],
  artist: ['display_artist', 'artist'],
  store: ['channel'],
  country: ['country'],
  month: ['start_date'],
  quantity: ['units'],
  kind: ['type'],
} satisfies StatementPreset['columns'];

export const presets = {
  // Payments are in the client's currency, which the file does not name.
  'sonosuite-paid': preset({
    ...sonosuite,
    name: 'SonoSuite, relevé payé',
    currencies: ['EUR', 'USD', 'GBP'],
    columns: { ...sonosuiteColumns, amount: ['net_total_client_currency'] },
  }),
  sonosuite: preset({
    ...sonosuite,
    name: 'SonoSuite, relevé dans la devise de chaque vente',
    columns: { ...sonosuiteColumns, amount: ['net_total'], currency: ['currency'] },
  }),
};
