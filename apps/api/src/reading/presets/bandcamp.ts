import type { StatementPreset } from '@regie/contract/statements.ts';
import { preset } from './preset.ts';

const bandcamp = {
  source: 'Bandcamp',
  kind: 'download',
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
    isVerified: true,
    columns: { ...bandcampColumns, isrc: ['isrc'], upc: ['upc'], country: ['country code', 'country'] },
    signature: ['paid to', 'item type', 'amount you received', 'change to payout balance', 'assessed revenue share'],
    // The net amount is empty for refunds, reversals and sales without Bandcamp's share. Unlike the payout balance, it
    // excludes taxes and shipping. A cart's fees and shares are in one of its rows.
    emptyAmount: {
      sum: [
        { column: 'sub total', sign: 1, mayBeEmpty: false },
        // In newer exports.
        { column: 'additional fan contribution', sign: 1, mayBeEmpty: true },
        { column: 'collection society share', sign: -1, mayBeEmpty: true },
        { column: 'assessed revenue share', sign: -1, mayBeEmpty: true, isNeededInSales: true },
        { column: 'transaction fee', sign: -1, mayBeEmpty: true },
      ],
      check: {
        column: 'change to payout balance',
        with: ['shipping'],
        mayBeWith: ['tax', 'seller tax', 'marketplace tax'],
        together: 'bandcamp transaction id',
      },
    },
  }),
};
