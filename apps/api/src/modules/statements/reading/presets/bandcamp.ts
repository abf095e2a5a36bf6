import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const bandcamp = {
  source: 'Bandcamp',
  store: 'Bandcamp',
  kind: 'download',
  kinds: {},
  monthForms: ['M/D/YY'],
  skip: [{ column: 'item type', words: ['payout'], reason: 'Versement' }],
  negative: { column: 'item type', words: ['refund', 'reversal'] },
} satisfies Partial<StatementPreset>;
const bandcampColumns = {
  title: ['item name'],
  artist: ['artist'],
  month: ['date'],
  quantity: ['quantity'],
  amount: ['net amount'],
  currency: ['currency'],
} satisfies StatementPreset['columns'];

export const presets = {
  bandcamp: preset({
    ...bandcamp,
    name: 'Bandcamp, rapport de ventes (court)',
    isVerified: true,
    columns: bandcampColumns,
    signature: ['paid to', 'item type', 'amount you received', 'bandcamp transaction id'],
    absent: ['isrc'],
  }),
  'bandcamp-raw': preset({
    ...bandcamp,
    name: 'Bandcamp, export brut des ventes',
    columns: { ...bandcampColumns, isrc: ['isrc'], upc: ['upc'], country: ['country code', 'country'] },
    signature: ['paid to', 'item type', 'amount you received', 'change to payout balance'],
    // Of refunds and reversals the net amount is empty: this is what they take from the payout balance.
    emptyAmount: {
      sum: [
        { column: 'sub total', sign: 1, mayBeEmpty: false },
        { column: 'assessed revenue share', sign: -1, mayBeEmpty: true },
        { column: 'transaction fee', sign: -1, mayBeEmpty: true },
      ],
    },
  }),
};
